// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the choice: what sim/choice.c and sim/sched.c share on the hot path.
#ifndef SEEDBED_SIM_CHOICE_IMPL_H_
#define SEEDBED_SIM_CHOICE_IMPL_H_

#include <string.h>

#include "sim/sched.h"

// How often this site was met by the actor in `slot` before, in this run. Counters
// carry the run's tag, so that no run pays for clearing them.
static inline u64 sim_occurrence_first(const struct sim_world *w) { return w->run_tag << 24; }
static inline u32 sim_occurrence_in(u64 *cell, u64 first) {
  u64 c = *cell;
  if (c < first) c = first;  // of an earlier run, whose tag is lower
  *cell = c + 1;
  return (u32)(c & 0xffffff);
}
static inline u32 sim_occurrence(struct sim_world *w, u32 slot, const struct sim_site *site) {
  return sim_occurrence_in(&w->count_row[slot][site->canon], sim_occurrence_first(w));
}

// The stream of a class, seeded on its first use in the run. SIM_COLD part apart.
SIM_COLD void sim_stream_begin(struct sim_world *w, u32 stream);
static inline struct sim_stream *sim_stream_of(struct sim_world *w, u32 stream) {
  struct sim_stream *s = &w->streams[stream];
  if (sim_unlikely(s->tag != w->stream_tag)) sim_stream_begin(w, stream);
  return s;
}

// From here on `seed` decides; and where the run's next turn is.
void sim_turn_to(struct sim_world *w, u64 seed);
void sim_turn_next(struct sim_world *w);

static inline void sim_record(struct sim_world *w, const struct sim_site *site, u32 actor, u32 k,
                              u32 value) {
  if (sim_unlikely(w->num_record == SIM_RECORD_MAX)) {
    w->record_overflow = true;
    return;
  }
  // The layout of struct sim_draw, put together at once.
  u64 bits = (u64)value << 48 | (u64)k << 24 | (u64)actor << 12 | site->canon;
  memcpy(&w->record[w->num_record++], &bits, sizeof(bits));
}

// Draws one of `n` >= 2 alternatives at a scheduling point by the back-end in force;
// returns its index. Counts and records the draw.
u32 sim_choose_actor(struct sim_world *w, struct sim_site *site, u32 actor, u32 k,
                     const struct sim_alt *alts, u32 n);

// sim_choose with two alternatives at a site whose rate is known only at run time.
// In a record, a scheduling point's value from here on: a drawn line landed.
enum { SIM_DRAW_LINE = 0x8000 };
// What happens at an access of hooked code, its k-th on that actor: alternative 1 .. n - 1; from
// n on, the drawn line of that bit among `lines` lands; 0, the calm choice. Only what is not
// calm is a draw.
u32 sim_choose_access(struct sim_world *w, struct sim_site *site, u32 actor, u32 k,
                      const struct sim_alt *alts, u32 n, u32 lines);

u32 sim_choose_rate(struct sim_world *w, struct sim_site *site, u32 rate_num, u32 rate_den);

#endif  // SEEDBED_SIM_CHOICE_IMPL_H_
