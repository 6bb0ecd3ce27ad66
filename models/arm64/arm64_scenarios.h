// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scenarios of arm64's early boot.
#ifndef SEEDBED_MODELS_ARM64_ARM64_SCENARIOS_H_
#define SEEDBED_MODELS_ARM64_ARM64_SCENARIOS_H_

#include "sim/scenario.h"

extern const struct sim_scenario scenario_arm64_archrandom;
extern const struct sim_scenario scenario_arm64_boot;
extern const struct sim_scenario scenario_boot_hwrng;

#endif  // SEEDBED_MODELS_ARM64_ARM64_SCENARIOS_H_
