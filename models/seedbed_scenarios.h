// SPDX-License-Identifier: GPL-2.0-or-later
//
// The registry of scenarios: what the tools and the fuzz targets offer.
#ifndef SEEDBED_MODELS_SEEDBED_SCENARIOS_H_
#define SEEDBED_MODELS_SEEDBED_SCENARIOS_H_

#include "sim/scenario.h"

// All scenarios, NULL-terminated, in the order in which they are listed. Those that are
// testonly come last.
extern const struct sim_scenario *const seedbed_scenarios[];

// seedbed_scenario_by_name returns the scenario, or NULL.
const struct sim_scenario *seedbed_scenario_by_name(const char *name);

#endif  // SEEDBED_MODELS_SEEDBED_SCENARIOS_H_
