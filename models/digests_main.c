// SPDX-License-Identifier: GPL-2.0-or-later
//
// digests FOLDER: writes the digests of every scenario of the registry anew to
// FOLDER/SCENARIO.txt. To be run, and its result looked at, after a change that is meant
// to change what runs do.
#include <stdio.h>

#include "models/seedbed_scenarios.h"
#include "models/testing/digests.h"

static bool write_one(const char *folder, const struct sim_scenario *scenario) {
  struct sim_world *world = sim_world_new();
  struct sim_params *params = sim_params_new(scenario);
  char path[4096];
  bool ok = false;
  FILE *out;

  snprintf(path, sizeof(path), "%s/%s.txt", folder, scenario->name);
  out = fopen(path, "w");
  if (out) {
    ok = sim_world_setup(world, scenario, params, NULL) == SIM_OK &&
         digests_write(world, scenario, out);
    ok = fclose(out) == 0 && ok;
  }
  fprintf(stderr, "%s: %s\n", path, ok ? "written" : "failed");
  sim_params_free(params);
  sim_world_free(world);
  return ok;
}

int main(int argc, char **argv) {
  bool ok = true;

  if (argc != 2) {
    fprintf(stderr, "usage: digests FOLDER\n");
    return SIM_USAGE;
  }
  for (u32 i = 0; seedbed_scenarios[i]; i++)
    if (digests_are_kept(seedbed_scenarios[i])) ok &= write_one(argv[1], seedbed_scenarios[i]);
  return ok ? 0 : SIM_OURS;
}
