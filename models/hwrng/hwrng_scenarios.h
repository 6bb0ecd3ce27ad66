// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scenarios of the hwrng models.
#ifndef SEEDBED_MODELS_HWRNG_HWRNG_SCENARIOS_H_
#define SEEDBED_MODELS_HWRNG_HWRNG_SCENARIOS_H_

#include "sim/scenario.h"

SIM_HAS_TWIN(scenario_bcm2835_read);
SIM_HAS_TWIN(scenario_bcm2835_unregister);
SIM_HAS_TWIN(scenario_hwrng_lifecycle);

#endif  // SEEDBED_MODELS_HWRNG_HWRNG_SCENARIOS_H_
