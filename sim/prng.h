// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pseudo-random streams of the seed back-end: splitmix64 with the next value
// computed ahead, so that a draw does not wait for the multiplications.
#ifndef SEEDBED_SIM_PRNG_H_
#define SEEDBED_SIM_PRNG_H_

#include "sim/base.h"

struct sim_stream {
  u64 state;
  u64 next;
  u64 tag;  // of the run, or its turn, that seeded this stream: on its first use
};

static inline void sim_stream_seed(struct sim_stream *s, u64 seed) {
  s->state = seed + 0x9e3779b97f4a7c15ull;
  s->next = sim_mix64(s->state);
}

static inline u64 sim_stream_u64(struct sim_stream *s) {
  u64 v = s->next;
  s->state += 0x9e3779b97f4a7c15ull;
  s->next = sim_mix64(s->state);
  return v;
}

// sim_stream_below returns 0..n-1 for n in 1..2^32-1 by multiplication; the bias
// is below n/2^32.
static inline u32 sim_stream_below(struct sim_stream *s, u32 n) {
  return (u32)(((sim_stream_u64(s) >> 32) * n) >> 32);
}

#endif  // SEEDBED_SIM_PRNG_H_
