// SPDX-License-Identifier: GPL-2.0-or-later
//
// See evidence.h.
#include "models/testing/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/seedbed_scenarios.h"

bool evidence_parse(const char *line, struct evidence *out_evidence) {
  struct evidence e = {.key = ""};
  int end = 0;

  if (sscanf(line,
             "- Replay: `tools/seedbed replay %63s --seed=%" SCNu64 " --set suspect.%47[^=]=1`%n",
             e.scenario, &e.seed, e.suspect, &end) != 3 ||
      end == 0)
    return false;
  *out_evidence = e;
  return true;
}

bool evidence_parse_key(const char *line, struct evidence *evidence) {
  int end = 0;

  return sscanf(line, "- Key: `%159[^`]`%n", evidence->key, &end) == 1 && end > 0;
}

// A world in which the suspect is on; NULL if there is no such thing.
struct trial {
  struct sim_world *world;
  struct sim_params *params;
};

static bool trial_open(struct trial *trial, const struct evidence *evidence) {
  const struct sim_scenario *scenario = seedbed_scenario_by_name(evidence->scenario);
  char key[64], err[160];

  if (!scenario) return false;
  trial->world = sim_world_new();
  trial->params = sim_params_new(scenario);
  snprintf(key, sizeof(key), "suspect.%s", evidence->suspect);
  return sim_params_set(trial->params, key, "1", err, sizeof(err)) &&
         sim_world_setup(trial->world, scenario, trial->params, NULL) == SIM_OK;
}

static void trial_close(struct trial *trial) {
  sim_world_free(trial->world);
  sim_params_free(trial->params);
}

static bool trial_run(struct trial *trial, u64 seed, char out_key[SIM_KEY_LEN]) {
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = seed};
  struct sim_result result;

  sim_world_run(trial->world, &input, &result);
  if (result.num_suspects == 0 || result.num_failures) return false;
  snprintf(out_key, SIM_KEY_LEN, "%s", sim_world_explained(trial->world, 0)->key);
  return true;
}

bool evidence_try(const struct evidence *evidence, u64 seed, char out_key[SIM_KEY_LEN]) {
  struct trial trial = {NULL, NULL};
  bool ok = trial_open(&trial, evidence) && trial_run(&trial, seed, out_key);

  if (trial.world) trial_close(&trial);
  return ok;
}

bool evidence_find(struct evidence *evidence, u64 seeds) {
  struct trial trial = {NULL, NULL};
  bool found = false;

  if (trial_open(&trial, evidence)) {
    char key[SIM_KEY_LEN];

    for (u64 seed = 0; seed < seeds && !found; seed++) {
      found = trial_run(&trial, seed, key);
      if (!found) continue;
      evidence->seed = seed;
      snprintf(evidence->key, sizeof(evidence->key), "%s", key);
    }
  }
  if (trial.world) trial_close(&trial);
  return found;
}
