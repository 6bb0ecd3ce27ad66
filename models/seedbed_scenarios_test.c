// SPDX-License-Identifier: GPL-2.0-or-later
//
// The registry itself, and the scenarios that try the tools.
#include "models/seedbed_scenarios.h"

#include "models/testing/bulk.h"

// Names are unique, short and without blanks; what is testonly comes last; by_name finds
// each and nothing else.
static void registry_is_in_order(void **state) {
  bool testonly = false;

  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_scenario *scenario = seedbed_scenarios[i];

    assert_true(strlen(scenario->name) < 48);
    assert_null(strpbrk(scenario->name, " /\t"));
    assert_true(scenario->claim[0]);
    assert_ptr_equal(seedbed_scenario_by_name(scenario->name), scenario);
    assert_true(scenario->testonly >= testonly);
    testonly = scenario->testonly;
  }
  assert_null(seedbed_scenario_by_name("no such scenario"));
  assert_null(seedbed_scenario_by_name(""));
}

// Each oracle that a suspect names is one of the scenario's or of the world's.
static bool knows(const struct sim_scenario *scenario, const char *id) {
#define X(name, id_, status, sentence, source) \
  if (strcmp(id, id_) == 0) return true;
  SIM_CHECKERS(X)
#undef X
  for (u32 i = 0; scenario->oracles[i]; i++)
    if (strcmp(scenario->oracles[i]->id, id) == 0) return true;
  return false;
}

static void suspects_name_oracles_that_exist(void **state) {
  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_suspect *suspect = seedbed_scenarios[i]->suspects;

    for (; suspect && suspect->name; suspect++) {
      assert_non_null(suspect->oracles[0]);
      for (u32 k = 0; suspect->oracles[k]; k++)
        assert_true(knows(seedbed_scenarios[i], suspect->oracles[k]));
    }
  }
}

// The canary fails for about one seed in a hundred: 200 of 20,000, give or take five
// standard deviations (14 each).
static void canary_fails_for_one_seed_in_a_hundred(void **state) {
  const struct sim_scenario *scenario = seedbed_scenario_by_name("canary");
  struct bulk bulk;
  u32 failures = 0;

  bulk_open(&bulk, scenario, NULL, NULL);
  for (u64 seed = 0; seed < 20000; seed++) failures += bulk_seed(&bulk, seed)->num_failures;
  bulk_close(&bulk);
  assert_true(failures > 130);
  assert_true(failures < 270);
}

// Two runs of one seed differ where they are meant to.
static void not_deterministic_scenario_is_not(void **state) {
  const struct sim_scenario *scenario = seedbed_scenario_by_name("not-deterministic");
  struct bulk bulk;
  u64 digest;

  bulk_open(&bulk, scenario, NULL, NULL);
  digest = bulk_seed(&bulk, 1)->digest;
  assert_true(bulk_seed(&bulk, 1)->digest != digest);
  bulk_close(&bulk);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registry_is_in_order),
      cmocka_unit_test(suspects_name_oracles_that_exist),
      cmocka_unit_test(canary_fails_for_one_seed_in_a_hundred),
      cmocka_unit_test(not_deterministic_scenario_is_not),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
