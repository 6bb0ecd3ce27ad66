// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a run did, as counters for a fuzzer: the order of operations on each object, and states
// that models tell. Edges of host code are the compiler's, those of a guest's models/guest's.
#ifndef SEEDBED_SIM_COVER_H_
#define SEEDBED_SIM_COVER_H_

#include "sim/base.h"
#include "sim/site.h"

struct sim_world;

// Counters of the caller, never cleared here. Lengths are powers of two, or 0 for none.
struct sim_cover {
  u8 *order;  // 1, by a hash of what was done to an object before, what is done now, and whether
              // the same actor does both; and of what one actor did last and another first after
              // it
  u8 *state;  // bumped modulo 256, by a hash of what sim_cover_state says
  u32 num_order, num_state;
};

// Counts from the next run on; borrowed until another call. NULL: nothing (default), at no cost.
// Determinism: none; runs and digests are the same with it and without.
void sim_world_set_cover(struct sim_world *w, const struct sim_cover *cover);

// For models: `what` (a small number of the model's own) is now `value`. Any context.
void sim_cover_state(u32 what, u64 value);

// Inside the world: a step at `site` by what is current.
void sim_cover_step(const struct sim_site *site);

#endif  // SEEDBED_SIM_COVER_H_
