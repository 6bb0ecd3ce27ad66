// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests over every scenario of the registry: many runs, and what they ended with.
// Uses cmocka's assertions; inline, for tests only.
#ifndef SEEDBED_MODELS_TESTING_BULK_H_
#define SEEDBED_MODELS_TESTING_BULK_H_

#include "sim/testing/runs.h"

#include "models/seedbed_scenarios.h"

struct bulk {
  struct sim_world *world;
  struct sim_params *params;
  struct sim_result result;  // of the last run
};

static inline void bulk_setup(struct bulk *bulk, const struct sim_scenario *scenario) {
  if (sim_world_setup(bulk->world, scenario, bulk->params, &bulk->result) != SIM_OK)
    fail_msg("set-up of %s: %s", scenario->name, bulk->result.failures[0].text);
}

// Opens a world for `scenario` with one parameter set.
static inline void bulk_open_with(struct bulk *bulk, const struct sim_scenario *scenario,
                                  const char *key, const char *value) {
  char err[160];

  bulk->world = sim_world_new();
  bulk->params = sim_params_new(scenario);
  assert_non_null(bulk->world);
  if (!sim_params_set(bulk->params, key, value, err, sizeof(err))) fail_msg("%s", err);
  bulk_setup(bulk, scenario);
}

// Opens a world for `scenario`; `bug` or `suspect` (or neither: NULL) is switched on.
static inline void bulk_open(struct bulk *bulk, const struct sim_scenario *scenario,
                             const char *bug, const char *suspect) {
  char key[80], err[160];

  bulk->world = sim_world_new();
  bulk->params = sim_params_new(scenario);
  assert_non_null(bulk->world);
  if (bug) assert_true(sim_params_set_bug(bulk->params, bug));
  if (suspect) {
    snprintf(key, sizeof(key), "suspect.%s", suspect);
    if (!sim_params_set(bulk->params, key, "1", err, sizeof(err))) fail_msg("%s", err);
  }
  bulk_setup(bulk, scenario);
}

static inline void bulk_close(struct bulk *bulk) {
  sim_world_free(bulk->world);
  sim_params_free(bulk->params);
}

// Runs one seed with the default strategy.
static inline const struct sim_result *bulk_seed(struct bulk *bulk, u64 seed) {
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = seed};

  sim_world_run(bulk->world, &input, &bulk->result);
  return &bulk->result;
}

// Every one of `count` seeds from `first` on ends well.
static inline void bulk_clean(struct bulk *bulk, const struct sim_scenario *scenario, u64 first,
                              u64 count) {
  for (u64 seed = first; seed < first + count; seed++) {
    const struct sim_result *result = bulk_seed(bulk, seed);

    if (result->num_failures == 0) continue;
    fail_msg("%s --seed=%llu: %s: %s", scenario->name, (unsigned long long)seed,
             result->failures[0].key, result->failures[0].text);
  }
}

#endif  // SEEDBED_MODELS_TESTING_BULK_H_
