// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shrinking: the smallest decision list that still fails with the same key.
#ifndef SEEDBED_SIM_SHRINK_H_
#define SEEDBED_SIM_SHRINK_H_

#include "sim/base.h"
#include "sim/decision.h"

// sim_shrink makes `list` smaller in place while a run of `w` (set up) has a failure with
// `key`. In turns, to a fixed point, and in each turn the largest chunks first:
//   zero    a chunk of decisions becomes calm
//   delete  a chunk becomes calm, and the later decisions of its actors move up by as many
//           occurrences: those of the same site, or those of any
//   lower   the values of a chunk become 1, or fall by a half, a quarter, ... to one less
// After each success the list is what the run recorded, so decisions that met no draw go at
// once. Every success lowers (number of decisions, sum of values), so it ends. If more than
// one decision is left then, each single event of the calm run (sim/sweep.h; its 16 lowest
// values) is tried instead, where these are not more than 5000.
//
// `runs_max` bounds the runs (0: no bound). Returns the runs it took, or 0 with the list
// unchanged if it does not fail with that key to begin with. `changed` is called after
// each success with the number of decisions left, may be NULL.
// Determinism: the result depends on scenario, parameters, list, key and runs_max alone.
u64 sim_shrink(struct sim_world *w, struct sim_decisions *list, const char *key, u64 runs_max,
               void (*changed)(void *arg, u32 count), void *arg);

#endif  // SEEDBED_SIM_SHRINK_H_
