// SPDX-License-Identifier: GPL-2.0-or-later
//
// The CRNG's scenarios, for the registry.
#ifndef SEEDBED_MODELS_CRNG_CRNG_SCENARIOS_H_
#define SEEDBED_MODELS_CRNG_CRNG_SCENARIOS_H_

#include "sim/scenario.h"

extern const struct sim_scenario scenario_crng_boot;
extern const struct sim_scenario scenario_crng_seed;
extern const struct sim_scenario scenario_crng_readers;
extern const struct sim_scenario scenario_crng_reseed;
extern const struct sim_scenario scenario_crng_hwrng;
extern const struct sim_scenario scenario_crng_hotplug;
extern const struct sim_scenario scenario_crng_vmfork;

#endif  // SEEDBED_MODELS_CRNG_CRNG_SCENARIOS_H_
