// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scenarios that the command knows; see registry.h.

#include "tools/registry.h"

#include <string.h>

#include "models/seedbed_scenarios.h"
#include "tools/command.h"
#include "tools/text.h"

const struct sim_scenario *registry_at(u32 index) {
  u32 i;

  for (i = 0; seedbed_scenarios[i]; i++) {
    if (i == index) return seedbed_scenarios[i];
  }
  // A weak symbol that nobody defines has no address.
  if (!seedbed_more_scenarios) return NULL;
  for (index -= i, i = 0; seedbed_more_scenarios[i]; i++) {
    if (i == index) return seedbed_more_scenarios[i];
  }
  return NULL;
}

const struct sim_scenario *registry_find(const char *name) {
  const struct sim_scenario *scenario;
  u32 i;

  for (i = 0; (scenario = registry_at(i)); i++) {
    if (!strcmp(scenario->name, name)) return scenario;
  }
  return NULL;
}

const struct sim_scenario *registry_require(const char *name, const char *command) {
  const struct sim_scenario *scenario = registry_find(name), *nearest = NULL;
  u32 nearest_distance = 99, i;

  if (scenario) return scenario;
  for (i = 0; (scenario = registry_at(i)); i++) {
    u32 distance = text_distance(name, scenario->name);

    if (distance < nearest_distance) {
      nearest_distance = distance;
      nearest = scenario;
    }
  }
  if (nearest && nearest_distance <= 1 + strlen(nearest->name) / 3)
    usage_error(command, "no scenario is named '%s'; did you mean '%s'?", name, nearest->name);
  usage_error(command, "no scenario is named '%s'; `seedbed list' shows all", name);
}
