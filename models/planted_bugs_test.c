// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every planted bug is found by the default strategy within the executions that its
// scenario promises, for each of 20 base seeds; here for the first of them, nightly for
// all. Base k runs seeds k * 2^32 + i, i = 0, 1, ...
#include "models/testing/bulk.h"

#include <stdlib.h>

static void find(const struct sim_scenario *scenario, const char *bug, u64 base) {
  u64 runs = 0;
  struct bulk bulk;

  bulk_open(&bulk, scenario, bug, NULL);
  while (runs < scenario->yardstick_runs && !bulk_seed(&bulk, (base << 32) + runs)->num_failures)
    runs++;
  if (bulk.result.num_failures == 0)
    fail_msg("%s --bug=%s: base %llu finds nothing in %u runs", scenario->name, bug,
             (unsigned long long)base, scenario->yardstick_runs);
  print_message("%s --bug=%s: base %llu, run %llu: %s\n", scenario->name, bug,
                (unsigned long long)base, (unsigned long long)runs + 1,
                bulk.result.failures[0].key);
  bulk_close(&bulk);
}

static void planted_bugs_are_found(void **state) {
  u64 bases = getenv("SEEDBED_NIGHTLY") ? 20 : 1;

  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_bug *bug = seedbed_scenarios[i]->bugs;

    for (; bug && bug->id; bug++) {
      // What no oracle finds is for the fuzzing engines' own trial.
      if (bug->silent) assert_string_equal(seedbed_scenarios[i]->name, "canary");
      for (u64 base = 1; !bug->silent && base <= bases; base++)
        find(seedbed_scenarios[i], bug->id, base);
    }
  }
}

// The bugs that were to be planted are.
static void bugs_are_planted(void **state) {
  static const char *const ids[] = {
      "2",  "4",  "5",  "6",  "7",  "10", "12", "13",         "14",           "15",
      "16", "21", "25", "27", "55", "56", "57", "62",         "63",           "67",
      "68", "71", "72", "75", "80", "81", "82", "words-lost", "wait-ignored", "cold-start"};

  for (u32 n = 0; n < SIM_ARRAY_SIZE(ids); n++) {
    u32 scenarios = 0;

    for (u32 i = 0; seedbed_scenarios[i]; i++) {
      const struct sim_bug *bug = seedbed_scenarios[i]->bugs;

      for (; bug && bug->id; bug++) scenarios += strcmp(bug->id, ids[n]) == 0;
    }
    assert_true(scenarios > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_bugs_are_found),
      cmocka_unit_test(bugs_are_planted),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
