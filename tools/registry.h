// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scenarios that the command knows: those of models/seedbed_scenarios.h, and those that a
// test binary adds.
#ifndef SEEDBED_TOOLS_REGISTRY_H_
#define SEEDBED_TOOLS_REGISTRY_H_

#include "sim/scenario.h"

// More scenarios, NULL-terminated; a test binary or the benchmark may define it. All of
// them must be `testonly`.
extern const struct sim_scenario *const seedbed_more_scenarios[] __attribute__((weak));

// The scenario number `index`, in a fixed order; NULL beyond the last.
const struct sim_scenario *registry_at(u32 index);
// By name, or NULL.
const struct sim_scenario *registry_find(const char *name);
// As registry_find, but a name that is not there is a usage error of `command`, which
// suggests the nearest one.
const struct sim_scenario *registry_require(const char *name, const char *command);

// The name of a scenario's fuzz target: "crng_seed_fuzz" of crng-seed. What is given may be the
// target's name already; the caller frees it.
char *registry_target_name(const char *name);
// The scenario of a fuzz target, by the target's name or its own; NULL: there is none.
const struct sim_scenario *registry_find_target(const char *name);
// Ends the process with a usage error of `command`: that is no target. Suggests the nearest of
// those that `is_there` (NULL: all are) says are there, by the targets' names.
SIM_NORETURN void registry_no_target(const char *name, const char *command,
                                     bool (*is_there)(void *arg, const char *target), void *arg);

#endif  // SEEDBED_TOOLS_REGISTRY_H_
