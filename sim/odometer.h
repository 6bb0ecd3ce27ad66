// SPDX-License-Identifier: GPL-2.0-or-later
//
// The odometer's inside: one draw. See sim/choice.h.
#ifndef SEEDBED_SIM_ODOMETER_H_
#define SEEDBED_SIM_ODOMETER_H_

#include "sim/choice.h"

// Answers the next draw of the running run with its digit (a new digit is 0).
u32 sim_odometer_draw(struct sim_odometer *o, u32 n);
// Starts a run: back to the first digit.
void sim_odometer_begin(struct sim_odometer *o);

#endif  // SEEDBED_SIM_ODOMETER_H_
