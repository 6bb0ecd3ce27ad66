// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sweep: every single event, then every ordered pair within a window. A boundary is a
// draw of the calm run; an event is a value there that is not calm. The second event of a
// pair lies at one of the next `window` draws of the run that the first one made.
#ifndef SEEDBED_TOOLS_SWEPT_H_
#define SEEDBED_TOOLS_SWEPT_H_

#include "tools/jobs.h"

// The calm run, as its draws: top[i] events are possible at boundary i.
struct sweep_plan {
  u16 *top;
  u32 boundaries;
  u64 events;  // the sum of `top`
  u32 window;
};

// Runs the calm run in a child process. Returns how that ended; `out` is filled for
// JOBS_ALIVE. `result` is the calm run's, or the set-up's with `out_setup_failed`.
enum jobs_death sweep_plan_make(const struct run_spec *spec, u32 window, u64 ms,
                                struct sweep_plan *out, struct sim_result *result,
                                bool *out_setup_failed, int *out_code);
void sweep_plan_free(struct sweep_plan *plan);

// Item 0 is the calm run; item 1 + e the event number e with all its pairs, events being
// numbered by boundary, then value. For jobs_plan's `item`.
void sweep_item(const struct sweep_plan *plan, struct jobs_worker *worker, struct sim_world *world,
                u64 item);

// The digits of run `sub` of an item, for a run that killed its worker: `out` makes it
// again. A pair's first event is run in a child to know what followed it. Returns false if
// that fails. Free with sim_odometer_free.
SIM_MUST_CHECK bool sweep_digits(const struct sweep_plan *plan, const struct run_spec *spec,
                                 u64 item, u64 sub, u64 ms, struct sim_odometer *out);

#endif  // SEEDBED_TOOLS_SWEPT_H_
