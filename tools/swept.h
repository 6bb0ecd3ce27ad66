// SPDX-License-Identifier: GPL-2.0-or-later
//
// A sweep (sim/sweep.h) as items for jobs.h: item 0 is the calm run, item 1 + e the single
// event number e with all its pairs.
#ifndef SEEDBED_TOOLS_SWEPT_H_
#define SEEDBED_TOOLS_SWEPT_H_

#include "sim/sweep.h"
#include "tools/jobs.h"

// Whether the scenario's boundaries are instructions of a guest (models/vdso/vdso_sweep.h): then
// item 0 is the calm run, item 1 + i all cases whose first event is at boundary i.
bool swept_guest(const struct run_spec *spec);

// How large a sweep is: from its calm run, in a child process. Zeros where that dies.
struct swept_size {
  u64 boundaries, events;
  bool killed;  // from outside, twice
};
struct swept_size swept_measure(const struct run_spec *spec, u64 ms);

// A worker's sweep, of one kind or the other; zero at first.
struct swept {
  struct sim_sweep *host;
  struct vdso_sweep *guest;
};

// For jobs_plan's `item`. `sweep` holds the worker's sweep between the items.
void swept_item(struct swept *sweep, const struct run_spec *spec, u32 window,
                struct jobs_worker *worker, struct sim_world *world, u64 item);

// The digits of run `sub` of an item, for one that killed its worker: with them the odometer
// back-end makes it again. A pair's first event is run in a child, to know what follows it.
// Returns false if that fails. Free with sim_odometer_free.
SIM_MUST_CHECK bool swept_digits(const struct run_spec *spec, u32 window, u64 item, u64 sub, u64 ms,
                                 struct sim_odometer *out);

#endif  // SEEDBED_TOOLS_SWEPT_H_
