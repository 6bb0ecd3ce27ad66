// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inputs: interrupts by way of a fast pool for each CPU, timings, devices, boot loader,
// hardware generators, privileged processes. See crng.h.
#include <string.h>

#include "models/crng/crng.h"
#include "models/crng/crng_fast.h"
#include "sim/cpu.h"
#include "sim/hook.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

// ---- Interrupts ----

// As before mixing waited for the pool's lock: the hash grows by the fast pool's first half.
static void feed_base_key_bug_10(struct crng *rng, const u64 *longs) {
  struct crng_hash hash;
  unsigned long flags;

  sim_spin_lock_irqsave(&rng->base_crng.lock, flags);
  crng_hash_begin(&rng->hooks, &hash, rng->base_crng.key);
  crng_hash_update(&rng->hooks, &hash, longs, 2 * sizeof(*longs));
  crng_hash_final(&rng->hooks, &hash, rng->base_crng.key);
  CRNG_HOOK(&rng->hooks, base_key, rng->base_crng.key, 0);
  sim_spin_unlock_irqrestore(&rng->base_crng.lock, flags);
}

// In the timer softirq of the CPU whose fast pool it is.
void crng_mix_interrupt_randomness(struct sim_timer *timer) {
  struct crng_fast_pool *fast = sim_container_of(timer, struct crng_fast_pool, mix);
  struct crng *rng = fast->rng;
  u64 longs[2];
  u32 count, bits;

  sim_local_irq_disable();
  if (fast != sim_this_cpu_ptr(rng->irq_randomness)) {
    // The CPU went away and its timer is elsewhere now. What is in the pool stays for later.
    sim_local_irq_enable();
    return;
  }
  memcpy(longs, fast->pool, sizeof(longs));
  count = fast->count;
  fast->count = 0;
  fast->last = sim_jiffies();
  sim_local_irq_enable();

  bits = (count & 0xffff) / 64;
  if (bits < 1) bits = 1;
  if (bits > sizeof(longs) * 8 && !rng->quirks.bug_16) bits = sizeof(longs) * 8;
  if (rng->quirks.bug_10 && sim_read_once(rng->crng_init) == CRNG_EMPTY)
    feed_base_key_bug_10(rng, longs);
  else
    crng_mix_pool_bytes(rng, longs, sizeof(longs));
  crng_credit_init_bits(rng, bits);
  memset(longs, 0, sizeof(longs));
}

// The instruction that was interrupted is not modelled: it is always this one.
#define CRNG_INTERRUPTED 0x1000ull

void crng_add_interrupt_randomness(struct crng *rng, u32 irq) {
  struct crng_fast_pool *fast = sim_this_cpu_ptr(rng->irq_randomness);
  u32 threshold = rng->quirks.bug_15 ? 64 : CRNG_MIX_COUNT;
  u32 count;

  crng_fast_mix(fast->pool, crng_cycles(rng), CRNG_INTERRUPTED ^ __builtin_bswap64(irq));
  count = ++fast->count;
  if (rng->quirks.bug_14) crng_mix_pool_bytes(rng, fast->pool, 2 * sizeof(fast->pool[0]));
  if (count & CRNG_MIX_INFLIGHT) return;
  if (count < threshold && sim_jiffies() <= fast->last + sim_hz()) return;
  fast->count |= CRNG_MIX_INFLIGHT;
  if (!sim_timer_pending(&fast->mix))
    sim_add_timer_on(&fast->mix, sim_jiffies(), sim_smp_processor_id());
}

// ---- Timings ----

static u64 distance(s64 delta) { return delta < 0 ? (u64)-delta : (u64)delta; }

// Bits that the irregularity of three intervals is worth: half the binary logarithm's
// argument, at most 11.
static u32 timing_bits(struct crng_timer_state *state, u64 now, bool bug_6) {
  s64 delta, delta2, delta3;
  u64 least;
  u32 bits = 0;

  if (bug_6) {
    // As before the marks: two interrupts of one device at once work on each other's.
    delta = (s64)(now - state->last_time);
    state->last_time = now;
    delta2 = delta - state->last_delta;
    state->last_delta = delta;
    delta3 = delta2 - state->last_delta2;
    state->last_delta2 = delta2;
  } else {
    delta = (s64)(now - sim_read_once(state->last_time));
    sim_write_once(state->last_time, now);
    delta2 = delta - sim_read_once(state->last_delta);
    sim_write_once(state->last_delta, delta);
    delta3 = delta2 - sim_read_once(state->last_delta2);
    sim_write_once(state->last_delta2, delta2);
  }

  least = distance(delta);
  if (distance(delta2) < least) least = distance(delta2);
  if (distance(delta3) < least) least = distance(delta3);
  for (least >>= 1; least && bits < CRNG_TIMER_BITS_MAX; least >>= 1) bits++;
  return bits;
}

static void add_timer_randomness(struct crng *rng, struct crng_timer_state *state, u32 num) {
  u64 entropy = crng_cycles(rng), now = sim_jiffies();
  u32 bits;

  if (sim_in_hardirq()) {
    crng_fast_mix(sim_this_cpu_ptr(rng->irq_randomness)->pool, entropy, num);
  } else {
    unsigned long flags;

    sim_spin_lock_irqsave(&rng->input_pool.lock, flags);
    crng_hash_update(&rng->hooks, &rng->input_pool.hash, &entropy, sizeof(entropy));
    crng_hash_update(&rng->hooks, &rng->input_pool.hash, &num, sizeof(num));
    sim_spin_unlock_irqrestore(&rng->input_pool.lock, flags);
  }
  if (crng_ready(rng)) return;
  bits = timing_bits(state, now, rng->quirks.bug_6);
  // In hardirq the interrupt itself is counted too, by add_interrupt_randomness: hence the 1.
  if (!sim_in_hardirq())
    crng_credit_init_bits(rng, bits);
  else if (bits)
    sim_this_cpu_ptr(rng->irq_randomness)->count += bits * 64 - 1;
}

void crng_add_disk_randomness(struct crng *rng, struct crng_timer_state *disk, u32 num) {
  add_timer_randomness(rng, disk, 0x100 + num);
}

void crng_add_input_randomness(struct crng *rng, u32 type, u32 code, u32 value) {
  // A key that repeats tells nothing.
  if (rng->quirks.bug_unmarked) {
    if (value == rng->input_last_value) return;
    rng->input_last_value = (u8)value;
  } else {
    if (value == SIM_MARK_READ(rng->input_last_value)) return;
    SIM_MARK_WRITE(rng->input_last_value, (u8)value);
  }
  add_timer_randomness(rng, &rng->input_timer_state, type << 4 ^ code ^ (code >> 4) ^ value);
}

// ---- Buffers ----

void crng_add_device_randomness(struct crng *rng, const void *buf, size_t len) {
  u64 entropy = crng_cycles(rng);
  unsigned long flags;

  sim_spin_lock_irqsave(&rng->input_pool.lock, flags);
  crng_hash_update(&rng->hooks, &rng->input_pool.hash, &entropy, sizeof(entropy));
  crng_hash_update(&rng->hooks, &rng->input_pool.hash, buf, len);
  sim_spin_unlock_irqrestore(&rng->input_pool.lock, flags);
}

void crng_add_bootloader_randomness(struct crng *rng, const void *buf, size_t len) {
  size_t taken = rng->quirks.bug_seed_string ? strnlen(buf, len) : len;

  size_t bits = len * 8;

  if (rng->quirks.bug_seed_early && rng->crng_init == CRNG_EMPTY && bits > CRNG_POOL_EARLY_BITS)
    bits = CRNG_POOL_EARLY_BITS;
  crng_mix_pool_bytes(rng, buf, taken);
  if (rng->platform.trust_boot) crng_credit_init_bits(rng, bits);
}

void crng_add_hwgenerator_randomness(struct crng *rng, const void *buf, size_t len, size_t bits,
                                     bool sleep_after) {
  crng_mix_pool_bytes(rng, buf, len);
  crng_credit_init_bits(rng, bits);
  if ((sleep_after || rng->platform.version >= CRNG_6_1) && !sim_kthread_should_stop() &&
      (crng_ready(rng) || !bits))
    sim_schedule_timeout_interruptible((s64)crng_reseed_interval(rng));
}

void crng_add_user_randomness(struct crng *rng, const void *buf, size_t len, size_t bits) {
  crng_mix_pool_bytes(rng, buf, len);
  crng_credit_init_bits(rng, bits);
}
