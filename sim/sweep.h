// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sweep: the exhaustive search near the calm run. A boundary is a draw of the calm run, an
// event is a value at it that is not calm. A sweep runs the calm run, every single event,
// and every ordered pair of events whose second lies at most `window` boundaries after
// the first, among those of the run that has the first event.
//
//   struct sim_sweep *s = sim_sweep_new(w, &config);
//   sim_sweep_run(s, 0, sim_sweep_total(s), visit, arg);
//   sim_sweep_free(s);
//
// Runs are numbered: 0 is the calm run, then the single events by boundary and value, then
// the pairs by their first event, second boundary, second value. The numbering depends on
// scenario, parameters and config alone, so processes may share a sweep by ranges.
#ifndef SEEDBED_SIM_SWEEP_H_
#define SEEDBED_SIM_SWEEP_H_

#include "sim/base.h"
#include "sim/world.h"

struct sim_sweep_config {
  u32 window;      // 0: no pairs
  u32 draws_max;   // first events lie at the first so many boundaries; 0: at all
  u32 values_max;  // at most so many values at a boundary, the lowest; 0: all
};

struct sim_sweep_event {
  u32 draw;   // number of the boundary, from 0
  u32 value;  // 1 ..
};

struct sim_sweep_run {
  u64 index;
  u32 num_events;  // 0..2
  struct sim_sweep_event event[2];
};

struct sim_sweep;
// `w` is set up and borrowed; the sweep makes the calm run of it. Never NULL.
struct sim_sweep *sim_sweep_new(struct sim_world *w, const struct sim_sweep_config *config);
void sim_sweep_free(struct sim_sweep *s);
// Runs in all. With a window the first call makes a run of every single event, to count the
// pairs; so does sim_sweep_run.
u64 sim_sweep_total(struct sim_sweep *s);
u64 sim_sweep_singles(const struct sim_sweep *s);  // of these, single events
u32 sim_sweep_draws(const struct sim_sweep *s);    // boundaries of the calm run
// Runs those numbered first .. end-1 (end is cut to the total). `visit` is called after each
// while its record is in the world (sim_decisions_from_world); false ends the sweep. Returns
// the number of runs that were visited.
u64 sim_sweep_run(struct sim_sweep *s, u64 first, u64 end,
                  bool (*visit)(void *arg, const struct sim_sweep_run *run,
                                const struct sim_result *result),
                  void *arg);
// Another way to share a sweep: the single event number `single`, from 0, and then all pairs
// that it begins, without counting those of others. `before` is called before each run and
// leaves it out by false: where it is the single event's, with its pairs, which are known
// from that run only. `visit` as above; `index` is 0 for the single event and counts its
// pairs from 1. Returns false if `visit` ended it.
bool sim_sweep_single(struct sim_sweep *s, u64 single,
                      bool (*before)(void *arg, const struct sim_sweep_run *run),
                      bool (*visit)(void *arg, const struct sim_sweep_run *run,
                                    const struct sim_result *result),
                      void *arg);
// Whether a run had other draws than the plan's: the scenario is not deterministic.
bool sim_sweep_diverged(const struct sim_sweep *s);

#endif  // SEEDBED_SIM_SWEEP_H_
