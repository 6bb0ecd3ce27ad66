// SPDX-License-Identifier: GPL-2.0-or-later
//
// See crng_fast.h.
#include "models/crng/crng_fast.h"

void crng_fast_init(u64 pool[4]) {
  pool[0] = 0x736f6d6570736575ull;
  pool[1] = 0x646f72616e646f6dull;
  pool[2] = 0x6c7967656e657261ull;
  pool[3] = 0x7465646279746573ull;
}

static u64 rotate(u64 word, u32 bits) { return word << bits | word >> (64 - bits); }

// SipRound.
static inline void sip_round(u64 v[4]) {
  v[0] += v[1];
  v[2] += v[3];
  v[1] = rotate(v[1], 13) ^ v[0];
  v[3] = rotate(v[3], 16) ^ v[2];
  v[0] = rotate(v[0], 32);
  v[2] += v[1];
  v[0] += v[3];
  v[1] = rotate(v[1], 17) ^ v[2];
  v[3] = rotate(v[3], 21) ^ v[0];
  v[2] = rotate(v[2], 32);
}

static inline void take(u64 v[4], u64 word) {
  v[3] ^= word;
  sip_round(v);
  v[0] ^= word;
}

void crng_fast_mix(u64 pool[4], u64 first, u64 second) {
  // In registers: a burst has thousands of these.
  u64 v[4] = {pool[0], pool[1], pool[2], pool[3]};

  take(v, first);
  take(v, second);
  for (u32 i = 0; i < 4; i++) pool[i] = v[i];
}
