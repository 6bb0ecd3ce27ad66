// SPDX-License-Identifier: GPL-2.0-or-later
//
// The input pool: what is mixed, extracted and credited. See crng.h.
#include <string.h>

#include "models/crng/crng.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/world.h"

static u64 in_steps(const struct crng *rng, u64 now) {
  u64 step = rng->platform.clock_step_ns;

  return step ? now - now % step : now;
}

u64 crng_cycles(const struct crng *rng) { return in_steps(rng, sim_cycles()); }

u64 crng_clock_ns(const struct crng *rng) { return in_steps(rng, sim_clock_ns()); }

void crng_mix_pool_bytes(struct crng *rng, const void *buf, size_t len) {
  unsigned long flags;

  sim_spin_lock_irqsave(&rng->input_pool.lock, flags);
  crng_hash_update(&rng->hooks, &rng->input_pool.hash, buf, len);
  sim_spin_unlock_irqrestore(&rng->input_pool.lock, flags);
}

// What a word is that no architecture gives, a counter tells.
u32 crng_arch_longs(struct crng *rng, u64 *v, u32 max, bool early) {
  const struct crng_platform *platform = &rng->platform;

  if (platform->arch_get_random_seed_longs) {
    u32 longs = platform->arch_get_random_seed_longs(platform->arch_arg, v, max, early);

    if (!longs && platform->arch_get_random_longs)
      longs = platform->arch_get_random_longs(platform->arch_arg, v, max, early);
    return longs;
  }
  if (!platform->arch_longs) return 0;
  // The counter is the model's own, and nothing of a kernel's to race for.
  *v = sim_mix64(0xa5c4ull << 48 | __atomic_add_fetch(&rng->arch_words, 1, __ATOMIC_RELAXED));
  return 1;
}

u64 crng_extract_entropy(struct crng *rng, u8 *buf, size_t len) {
  u8 seed[CRNG_HASH_LEN], next_key[CRNG_HASH_LEN];
  struct {
    u64 rdseed[4];
    u64 counter;
  } block;
  unsigned long flags;
  u64 number;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(block.rdseed);) {
    u32 longs = crng_arch_longs(rng, &block.rdseed[i], SIM_ARRAY_SIZE(block.rdseed) - i, false);

    if (!longs) block.rdseed[i] = crng_cycles(rng);
    i += longs ? longs : 1;
  }

  sim_spin_lock_irqsave(&rng->input_pool.lock, flags);
  crng_hash_final(&rng->hooks, &rng->input_pool.hash, seed);
  // The pool goes on under a key that tells nothing of what is extracted.
  block.counter = 0;
  crng_hash_keyed(&rng->hooks, next_key, seed, &block, sizeof(block));
  crng_hash_begin(&rng->hooks, &rng->input_pool.hash,
                  rng->quirks.bug_pool_key_kept ? seed : next_key);
  number = ++rng->extractions;
  sim_spin_unlock_irqrestore(&rng->input_pool.lock, flags);
  memset(next_key, 0, sizeof(next_key));

  while (len) {
    u8 out[CRNG_HASH_LEN];
    size_t n = len < sizeof(out) ? len : sizeof(out);

    block.counter++;
    crng_hash_keyed(&rng->hooks, out, seed, &block, sizeof(block));
    memcpy(buf, out, n);
    memset(out, 0, sizeof(out));
    buf += n;
    len -= n;
  }
  memset(seed, 0, sizeof(seed));
  memset(&block, 0, sizeof(block));
  return number;
}

static void queue_set_ready(struct crng *rng) {
  CRNG_HOOK(&rng->hooks, queueing, rng->system_dfl_wq != NULL);
  sim_queue_work(rng->system_dfl_wq, &rng->set_ready);
}

// The pool has reached 256 bits: exactly one caller comes here.
static void become_ready(struct crng *rng) {
  crng_reseed(rng);
  if (rng->quirks.bug_21 && !sim_in_interrupt()) {
    rng->set_ready.fn(&rng->set_ready);
  } else if (rng->system_dfl_wq || rng->quirks.bug_7) {
    queue_set_ready(rng);
  }
  crng_tell_ready(rng);
}

// And 128 bits: a key that is better than nothing.
static void become_early(struct crng *rng) {
  unsigned long flags;

  sim_spin_lock_irqsave(&rng->base_crng.lock, flags);
  // The READY step may have come first.
  if (rng->crng_init == CRNG_EMPTY || rng->quirks.bug_early_unchecked) {
    crng_extract_entropy(rng, rng->base_crng.key, sizeof(rng->base_crng.key));
    CRNG_HOOK(&rng->hooks, base_key, rng->base_crng.key, 0);
    if (rng->quirks.bug_unmarked)
      rng->crng_init = CRNG_EARLY;
    else
      sim_write_once(rng->crng_init, CRNG_EARLY);
    CRNG_HOOK(&rng->hooks, stage, CRNG_EARLY);
  }
  sim_spin_unlock_irqrestore(&rng->base_crng.lock, flags);
}

void crng_credit_init_bits(struct crng *rng, size_t bits) {
  u32 add, before, after;

  if (crng_ready(rng) || !bits) return;
  add = bits < CRNG_POOL_BITS ? (u32)bits : CRNG_POOL_BITS;
  before = sim_read_once(rng->input_pool.init_bits);
  for (;;) {
    u32 seen;

    after = before + add < CRNG_POOL_BITS ? before + add : CRNG_POOL_BITS;
    seen = sim_cmpxchg(&rng->input_pool.init_bits, before, after);
    if (seen == before) break;
    before = seen;
  }
  CRNG_HOOK(&rng->hooks, credited, bits, before, after);
  if (before < CRNG_POOL_BITS && after >= CRNG_POOL_BITS)
    become_ready(rng);
  else if (before < CRNG_POOL_EARLY_BITS && after >= CRNG_POOL_EARLY_BITS)
    become_early(rng);
}
