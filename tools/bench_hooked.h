// SPDX-License-Identifier: GPL-2.0-or-later
//
// A scenario of plain accesses, for what an access hook costs.
#ifndef SEEDBED_TOOLS_BENCH_HOOKED_H_
#define SEEDBED_TOOLS_BENCH_HOOKED_H_

#include "sim/scenario.h"

// Two tasks on two CPUs make `accesses` plain loads and stores each; so does set-up, where
// hooks are not active, `setup_accesses`.
SIM_HAS_TWIN(bench_hooked);

#endif  // SEEDBED_TOOLS_BENCH_HOOKED_H_
