// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scenarios of arm64's early boot.
#ifndef SEEDBED_MODELS_ARM64_ARM64_SCENARIOS_H_
#define SEEDBED_MODELS_ARM64_ARM64_SCENARIOS_H_

#include "models/arm64/arm64_machine.h"
#include "sim/scenario.h"

extern const struct sim_scenario scenario_arm64_archrandom;
extern const struct sim_scenario scenario_arm64_boot;
extern const struct sim_scenario scenario_boot_hwrng;

// Of the last run of arm64-boot in this process's current world: what was read and called. Valid
// until the next run or set-up.
const struct arm64_counts *arm64_boot_counts(void);

#endif  // SEEDBED_MODELS_ARM64_ARM64_SCENARIOS_H_
