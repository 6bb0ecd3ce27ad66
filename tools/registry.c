// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scenarios that the command knows; see registry.h.

#include "tools/registry.h"

#include <stdlib.h>
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

static const char suffix[] = "_fuzz";

static bool has_suffix(const char *name) {
  size_t len = strlen(name), cut = sizeof(suffix) - 1;

  return len > cut && !strcmp(name + len - cut, suffix);
}

char *registry_target_name(const char *name) {
  char *target = xasprintf("%s%s", name, has_suffix(name) ? "" : suffix);

  for (char *at = target; *at; at++)
    if (*at == '-') *at = '_';
  return target;
}

const struct sim_scenario *registry_find_target(const char *name) {
  char *wanted = registry_target_name(name);
  const struct sim_scenario *scenario;
  bool found = false;

  for (u32 i = 0; !found && (scenario = registry_at(i)); i++) {
    char *target = registry_target_name(scenario->name);

    found = !strcmp(target, wanted);
    free(target);
  }
  free(wanted);
  return scenario;
}

void registry_no_target(const char *name, const char *command,
                        bool (*is_there)(void *arg, const char *target), void *arg) {
  char *wanted = registry_target_name(name), *nearest = NULL;
  const struct sim_scenario *scenario;
  u32 nearest_distance = 99;

  for (u32 i = 0; (scenario = registry_at(i)); i++) {
    char *target = registry_target_name(scenario->name);
    u32 distance = text_distance(wanted, target);

    if (distance < nearest_distance && (!is_there || is_there(arg, target))) {
      free(nearest);
      nearest = target;
      nearest_distance = distance;
    } else {
      free(target);
    }
  }
  if (nearest && nearest_distance <= 1 + (strlen(nearest) - strlen(suffix)) / 3)
    usage_error(command, "'%s' is no target; did you mean '%s'?", name, nearest);
  usage_error(command,
              "'%s' is no target; `bazel query 'attr(tags, fuzz-test, //fuzz:all)'' lists them",
              name);
}
