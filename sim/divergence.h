// SPDX-License-Identifier: GPL-2.0-or-later
//
// Divergence: where two runs that should be one part. Exit status 13 prints it.
#ifndef SEEDBED_SIM_DIVERGENCE_H_
#define SEEDBED_SIM_DIVERGENCE_H_

#include <stdio.h>

#include "sim/base.h"
#include "sim/world.h"

// One of the two runs: an input, and what unused memory is filled with.
struct sim_divergence_run {
  struct sim_input input;
  u8 fill;
};

struct sim_divergence {
  bool differs;  // the digests, the numbers of draws or the statuses
  bool found;    // `event` and the lines are set; false where the runs part after the
                 // events that were kept, or their events are the same
  u64 event;     // number of the first event that differs, from 0
  u64 step;      // of it, in the first run (in the second, if the first has ended)
  u64 digest[2], draws[2];
  char before[512];   // the last event that both have, as its text line; "" if there is none
  char line[2][512];  // what each run has instead; "" where it had ended
};

// Keeps the events of a first run to compare with (64 bytes each).
enum { SIM_DIVERGENCE_EVENTS_MAX = 1 << 22 };

// sim_divergence_find runs `w` (set up) with `a`, then with `b`, compares them event by
// event, and returns out->differs. At most `events_max` events are kept (0:
// SIM_DIVERGENCE_EVENTS_MAX). It replaces the world's sink and leaves it without one, and
// leaves the fill that of `a`.
bool sim_divergence_find(struct sim_world *w, const struct sim_divergence_run *a,
                         const struct sim_divergence_run *b, u64 events_max,
                         struct sim_divergence *out);

// Writes it as lines a person reads, each ended by a newline.
void sim_divergence_print(const struct sim_divergence *d, FILE *out);

#endif  // SEEDBED_SIM_DIVERGENCE_H_
