// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scenario of vDSOs and the CRNG, for the registry.
#ifndef SEEDBED_MODELS_VDSO_CRNG_VDSO_CRNG_SCENARIOS_H_
#define SEEDBED_MODELS_VDSO_CRNG_VDSO_CRNG_SCENARIOS_H_

#include "sim/scenario.h"

extern const struct sim_scenario scenario_vdso_crng;

#endif  // SEEDBED_MODELS_VDSO_CRNG_VDSO_CRNG_SCENARIOS_H_
