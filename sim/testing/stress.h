// SPDX-License-Identifier: GPL-2.0-or-later
//
// A scenario that does a little of everything at random: tasks whose operations are
// drawn, on machines that are drawn too. Nothing in it is wrong, so whatever fires is a
// defect of the simulator. What it looks at itself: no two are in one critical section,
// neither at once nor by their clocks; handlers run in their context, on their CPU, and
// not early; sleeps are not short; what waits is woken.
#ifndef SEEDBED_SIM_TESTING_STRESS_H_
#define SEEDBED_SIM_TESTING_STRESS_H_

#include <stdio.h>

#include "sim/scenario.h"

extern const struct sim_scenario testing_stress;

// Sets the machine and the mix of operations to what `number` decides: 1 to 8 CPUs, skew
// from 1 ns to 1000 s, costs from the least allowed to 100 us, and so on. `params` are
// testing_stress's.
void testing_stress_draw(struct sim_params *params, u64 number);

// Runs machine `number` with the seeds first .. first + seeds - 1, each once as it is and
// once from its list of draws; every fill-th seed also with another fill byte. Returns
// the number of runs that went wrong, and writes a line on each to `out`.
u32 testing_stress_machine(struct sim_world *w, u64 number, u64 first, u32 seeds, FILE *out);

#endif  // SEEDBED_SIM_TESTING_STRESS_H_
