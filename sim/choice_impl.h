// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the choice: what sim/choice.c and sim/sched.c share on the hot path.
#ifndef SEEDBED_SIM_CHOICE_IMPL_H_
#define SEEDBED_SIM_CHOICE_IMPL_H_

#include <string.h>

#include "sim/sched.h"

// The running CPU, st->cpu once more: one load away for the hot path.
extern struct sim_cpu *sim_this_cpu;

// How often this site was met by the actor in `slot` before, in this run. Counters
// carry the run's tag, so that no run pays for clearing them.
static inline u32 sim_occurrence(struct sim_world *w, u32 slot, const struct sim_site *site) {
  u64 *cell = &w->count[(size_t)slot * w->count_stride + site->canon];
  u64 c = *cell;
  if ((c >> 24) != w->run_tag) c = w->run_tag << 24;
  *cell = c + 1;
  return (u32)(c & 0xffffff);
}

// The slot whose counters a decision of the running context uses: its task's, or in
// an interrupt its CPU's; and the actor's number.
enum { SIM_INTERRUPT_BITS = SIM_SOFTIRQ_ONE | SIM_HARDIRQ_MASK | SIM_NMI_MASK };
static inline u32 sim_actor_slot(const struct sim_cpu *cpu) {
  if (sim_unlikely(cpu->cur->preempt_count & SIM_INTERRUPT_BITS)) return SIM_TASKS_MAX + cpu->id;
  return cpu->cur->slot;
}
static inline u32 sim_actor_of(const struct sim_cpu *cpu) {
  if (sim_unlikely(cpu->cur->preempt_count & SIM_INTERRUPT_BITS)) return SIM_ACTOR_CPU0 + cpu->id;
  return cpu->cur->serial;
}

// The stream of a class, seeded on its first use in the run. SIM_COLD part apart.
SIM_COLD void sim_stream_begin(struct sim_world *w, u32 stream);
static inline struct sim_stream *sim_stream_of(struct sim_world *w, u32 stream) {
  struct sim_stream *s = &w->streams[stream];
  if (sim_unlikely(s->tag != w->run_tag)) sim_stream_begin(w, stream);
  return s;
}

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

// Folds two words into the digest. The multiplication of the words does not wait for
// the digest so far.
static inline void sim_fold(struct sim_state *st, u64 x, u64 y) {
  unsigned __int128 m =
      (unsigned __int128)(x ^ 0xa0761d6478bd642full) * (y ^ 0xe7037ed1a0b428dbull);
  u64 d = st->digest;
  d = ((d << 29) | (d >> 35)) ^ (u64)m ^ (u64)(m >> 64);
  st->digest = d * 0x9e3779b97f4a7c15ull;
}

// Draws one of `n` >= 2 alternatives at a scheduling point by the back-end in force;
// returns its index. Counts and records the draw.
u32 sim_choose_actor(struct sim_world *w, struct sim_site *site, u32 actor, u32 k,
                     const struct sim_alt *alts, u32 n);

// sim_choose with two alternatives at a site whose rate is known only at run time.
u32 sim_choose_rate(struct sim_world *w, struct sim_site *site, u32 rate_num, u32 rate_den);

#endif  // SEEDBED_SIM_CHOICE_IMPL_H_
