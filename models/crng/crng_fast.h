// SPDX-License-Identifier: GPL-2.0-or-later
//
// Mixing of a fast pool: cheap enough for every interrupt, lock-free, no hash. Two words are
// taken in by two single rounds of SipHash (Aumasson, Bernstein 2012), as SipHash-1 does
// with its message words.
#ifndef SEEDBED_MODELS_CRNG_CRNG_FAST_H_
#define SEEDBED_MODELS_CRNG_CRNG_FAST_H_

#include "sim/base.h"

// The pool before the first interrupt: SipHash's constants, unkeyed.
void crng_fast_init(u64 pool[4]);
void crng_fast_mix(u64 pool[4], u64 first, u64 second);

struct sim_timer;
// The function of a fast pool's timer; of crng_input.c.
void crng_mix_interrupt_randomness(struct sim_timer *timer);

#endif  // SEEDBED_MODELS_CRNG_CRNG_FAST_H_
