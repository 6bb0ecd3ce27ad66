// SPDX-License-Identifier: GPL-2.0-or-later
//
// The corrected subject of each scenario is clean: calmly and over many seeds; nightly
// over more than five million of the three hwrng scenarios together.
#include "models/testing/bulk.h"

#include <stdlib.h>

enum { RUNS = 5000, RUNS_NIGHTLY = 1700000 };

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corrected_subjects_are_clean),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
