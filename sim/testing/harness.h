// SPDX-License-Identifier: GPL-2.0-or-later
//
// A world set up for a scenario, for tests: what would be the same lines in each.
#ifndef SEEDBED_SIM_TESTING_HARNESS_H_
#define SEEDBED_SIM_TESTING_HARNESS_H_

#include "sim/decision.h"
#include "sim/scenario.h"
#include "sim/world.h"

struct testing_harness {
  struct sim_world *w;
  struct sim_params *params;
  struct sim_result result;  // of the last run
};

// Sets a world up for `scenario` with `settings` ("num_cpus=1 tasks=3 bug=race", blanks
// between; NULL: none). Any fault in that fails the test. testing_end frees it.
void testing_begin(struct testing_harness *h, const struct sim_scenario *scenario,
                   const char *settings);
void testing_end(struct testing_harness *h);

// Runs; the result is in the harness.
void testing_run(struct testing_harness *h, const struct sim_input *input);
void testing_run_calm(struct testing_harness *h);
void testing_run_seed(struct testing_harness *h, u32 strategy, u64 seed);
void testing_run_list(struct testing_harness *h, const struct sim_decisions *list);

// The key of the last run's first failure; "" if there is none.
const char *testing_key(const struct testing_harness *h);

#endif  // SEEDBED_SIM_TESTING_HARNESS_H_
