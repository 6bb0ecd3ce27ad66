// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shrinking: the smallest decision list that still fails with the same key.
#ifndef SEEDBED_SIM_SHRINK_H_
#define SEEDBED_SIM_SHRINK_H_

#include "sim/base.h"
#include "sim/decision.h"

// sim_shrink deletes, zeroes and lowers chunks of `list` in place (largest chunks
// first, to a fixed point) while a run of `w` (set up) has a failure with `key`.
// `runs_max` bounds the runs. Returns the runs it took; the list is unchanged if it
// does not fail with that key to begin with (0). `changed` is called after each
// success, may be NULL.
u64 sim_shrink(struct sim_world *w, struct sim_decisions *list, const char *key, u64 runs_max,
               void (*changed)(void *arg, u32 count), void *arg);

#endif  // SEEDBED_SIM_SHRINK_H_
