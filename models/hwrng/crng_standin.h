// SPDX-License-Identifier: GPL-2.0-or-later
//
// What stands for drivers/char/random.c (7.2) under the hwrng core: the sink of the fill
// thread, with its throttling. It counts credited bits towards readiness and mixes
// nothing; models/crng does, and may take its place (struct hwrng_sink).
//
//   here                        random.c
//   add_hwgenerator_randomness  the same
//   crng_standin_interval       crng_reseed_interval
#ifndef SEEDBED_MODELS_HWRNG_CRNG_STANDIN_H_
#define SEEDBED_MODELS_HWRNG_CRNG_STANDIN_H_

#include "sim/base.h"

enum { CRNG_POOL_READY_BITS = 256 };

struct crng_standin {
  u32 init_bits;        // credited so far; CRNG_POOL_READY_BITS: ready
  u32 uptime_offset_s;  // uptime of the machine when the world's clock was 0
  bool early_boot;      // latched off when the uptime passes 120 s
  u64 mixed_bytes;
  u64 credited_bits;
};

// crng_standin_init starts with the pool ready or empty, at an uptime in seconds.
void crng_standin_init(struct crng_standin *crng, bool ready, u32 uptime_s);

// crng_standin_interval is the interval between reseedings in jiffies: half the uptime,
// at least one second, until the uptime is 120 s; then one minute, for ever.
u64 crng_standin_interval(struct crng_standin *crng);

// add_hwgenerator_randomness takes `len` bytes and credits `entropy` bits; then, if
// `sleep_after` and nobody stops the calling kthread and it is ready or nothing was
// credited, sleeps for a reseed interval, interruptibly. Task context.
void add_hwgenerator_randomness(const void *buf, size_t len, size_t entropy, bool sleep_after);

// add_device_randomness takes `len` bytes that count for nothing. Any context.
void add_device_randomness(const void *buf, size_t len);

#endif  // SEEDBED_MODELS_HWRNG_CRNG_STANDIN_H_
