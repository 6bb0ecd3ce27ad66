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

#endif  // SEEDBED_TOOLS_REGISTRY_H_
