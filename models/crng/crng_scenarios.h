// SPDX-License-Identifier: GPL-2.0-or-later
//
// The CRNG's scenarios, for the registry.
#ifndef SEEDBED_MODELS_CRNG_CRNG_SCENARIOS_H_
#define SEEDBED_MODELS_CRNG_CRNG_SCENARIOS_H_

#include "sim/scenario.h"

SIM_HAS_TWIN(scenario_crng_boot);
SIM_HAS_TWIN(scenario_crng_seed);
SIM_HAS_TWIN(scenario_crng_readers);
SIM_HAS_TWIN(scenario_crng_reseed);
SIM_HAS_TWIN(scenario_crng_hwrng);
SIM_HAS_TWIN(scenario_crng_hotplug);
SIM_HAS_TWIN(scenario_crng_vmfork);

#endif  // SEEDBED_MODELS_CRNG_CRNG_SCENARIOS_H_
