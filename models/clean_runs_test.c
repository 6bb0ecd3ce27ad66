// SPDX-License-Identifier: GPL-2.0-or-later
//
// The corrected subject of each scenario is clean: calmly and over many seeds; nightly
// over more than five million of the three hwrng scenarios together. And so are the twins with
// access hooks and the detector of data races, nightly over more than five million together.
#include "models/testing/bulk.h"

#include <stdlib.h>

enum { RUNS = 5000, RUNS_NIGHTLY = 1700000, RUNS_HOOKED = 1500, RUNS_HOOKED_NIGHTLY = 520000 };

static void corrected_subjects_are_clean(void **state) {
  u64 runs = getenv("SEEDBED_NIGHTLY") ? RUNS_NIGHTLY : RUNS;

  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_scenario *scenario = seedbed_scenarios[i];
    struct sim_input calm = {.backend = SIM_BACKEND_CALM};
    struct bulk bulk;

    if (scenario->testonly) continue;
    bulk_open(&bulk, scenario, NULL, NULL);
    sim_world_run(bulk.world, &calm, &bulk.result);
    if (bulk.result.num_failures)
      fail_msg("%s, calm: %s", scenario->name, bulk.result.failures[0].text);
    assert_int_equal(bulk.result.draws == 0 || !bulk.result.draws_overflow, 1);
    bulk_clean(&bulk, scenario, 0, runs);
    bulk_close(&bulk);
  }
}

// Nor is anything found where each access is a point and data races are looked for.
static void twins_are_clean(void **state) {
  u64 runs = getenv("SEEDBED_NIGHTLY") ? RUNS_HOOKED_NIGHTLY : RUNS_HOOKED;

  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_scenario *scenario = seedbed_scenarios[i];
    struct bulk bulk;

    if (!scenario->hooked) continue;
    bulk_open_with(&bulk, scenario, "hooks", "2");
    bulk_clean(&bulk, scenario, 0, runs);
    bulk_close(&bulk);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corrected_subjects_are_clean),
      cmocka_unit_test(twins_are_clean),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
