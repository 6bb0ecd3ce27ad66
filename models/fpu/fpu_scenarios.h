// SPDX-License-Identifier: GPL-2.0-or-later
//
// The FPU's scenarios, for the registry, and what the tool's table reads of them.
#ifndef SEEDBED_MODELS_FPU_FPU_SCENARIOS_H_
#define SEEDBED_MODELS_FPU_FPU_SCENARIOS_H_

#include "models/fpu/fpu.h"
#include "sim/scenario.h"

extern const struct sim_scenario scenario_fpu_blake2s;
extern const struct sim_scenario scenario_fpu_crng;

// Of the last run of one of them in this process's current world: calls of BLAKE2s. Valid
// until the next run or set-up.
const struct fpu_stats *fpu_scenario_stats(void);

#endif  // SEEDBED_MODELS_FPU_FPU_SCENARIOS_H_
