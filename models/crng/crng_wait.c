// SPDX-License-Identifier: GPL-2.0-or-later
//
// Readers that wait, system calls, and those that want to be told. See crng.h.
#include <string.h>

#include "models/crng/crng.h"
#include "sim/hook.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

// ---- Jitter ----

// The state of one task that helps; on its stack.
struct jitter {
  struct crng *rng;
  struct sim_timer timer;
  u32 samples;
};

static void mix_sample(struct crng *rng, const u64 sample[2], bool whole_bit) {
  CRNG_HOOK(&rng->hooks, offered, CRNG_SOURCE_JITTER, sample, 2 * sizeof(*sample), whole_bit);
  crng_mix_pool_bytes(rng, sample, 2 * sizeof(*sample));
}

// In a timer softirq, perhaps of another CPU.
static void entropy_timer(struct sim_timer *timer) {
  struct jitter *jitter = sim_container_of(timer, struct jitter, timer);
  struct crng *rng = jitter->rng;
  bool whole_bit = ++jitter->samples % rng->platform.jitter_samples_per_bit == 0;
  u64 sample[2] = {crng_cycles(rng), jitter->samples};

  if (!rng->quirks.suspect_jitter_unmixed) mix_sample(rng, sample, whole_bit);
  if (whole_bit) crng_credit_init_bits(rng, 1);
}

// One sample a tick, from the next CPU in turn, until READY or a signal. (The kernel's task
// samples too, as fast as it can, and credits only by the timer.)
static void try_to_generate_entropy(struct crng *rng) {
  struct jitter jitter = {.rng = rng};
  u32 cpu = sim_smp_processor_id();

  if (!rng->platform.jitter_samples_per_bit) return;
  sim_timer_setup(&jitter.timer, entropy_timer);
  while (!crng_ready(rng) && !sim_signal_pending()) {
    if (rng->platform.version >= CRNG_6_1) {
      if (!sim_timer_pending(&jitter.timer)) sim_mod_timer(&jitter.timer, sim_jiffies());
    } else if (!sim_timer_pending(&jitter.timer) && sim_timer_delete_sync_try(&jitter.timer) >= 0) {
      sim_preempt_disable();
      do {
        cpu = (cpu + 1) % sim_nr_cpus();
      } while (!sim_cpu_online(cpu));
      sim_add_timer_on(&jitter.timer, sim_jiffies(), cpu);
      sim_preempt_enable();
    }
    sim_schedule_timeout_interruptible(1);
    if (rng->quirks.suspect_jitter_unmixed) {
      u64 sample[2] = {crng_cycles(rng), jitter.samples};

      mix_sample(rng, sample, false);
    }
  }
  sim_timer_delete_sync(&jitter.timer);
}

// ---- Waiting ----

int crng_wait_for_random_bytes(struct crng *rng) {
  while (!crng_ready(rng)) {
    s64 rc;

    try_to_generate_entropy(rng);
    rc = sim_wait_event_interruptible_timeout(&rng->crng_init_wait, crng_ready(rng), (s64)sim_hz());
    if (rc) return rc > 0 ? 0 : (int)rc;
  }
  return 0;
}

static s64 get_random_bytes_user(struct crng *rng, u8 *buf, size_t len) {
  u8 key[CRNG_KEY_LEN], block[CRNG_BLOCK_LEN];
  size_t done;

  if (!len) return 0;
  if (len <= CRNG_KEY_LEN) {
    u8 bytes[CRNG_KEY_LEN];

    crng_make_state(rng, key, bytes, len);
    memcpy(buf, bytes, len);
    memset(bytes, 0, sizeof(bytes));
    memset(key, 0, sizeof(key));
    return (s64)len;
  }
  // More than that: by a key of this reader's own, so that one who sleeps for ever in copying
  // does not keep a key that tells earlier output.
  crng_make_state(rng, block, key, sizeof(key));
  memset(block, 0, sizeof(block));
  for (done = 0; done < len;) {
    size_t n = len - done < sizeof(block) ? len - done : sizeof(block);

    crng_chacha_block(&rng->hooks, block, key, 1 + done / sizeof(block));
    memcpy(buf + done, block, n);
    done += n;
    if (done % CRNG_USER_PAGE == 0 && done < len) {
      if (sim_signal_pending()) break;
      sim_cond_resched();
    }
  }
  memset(block, 0, sizeof(block));
  memset(key, 0, sizeof(key));
  return (s64)done;
}

s64 crng_getrandom(struct crng *rng, u8 *buf, size_t len, u32 flags) {
  const u32 exclusive = CRNG_GRND_INSECURE | CRNG_GRND_RANDOM;

  if (flags & ~(exclusive | CRNG_GRND_NONBLOCK)) return -SIM_EINVAL;
  if ((flags & exclusive) == exclusive) return -SIM_EINVAL;
  if (!(flags & CRNG_GRND_INSECURE) && !crng_ready(rng)) {
    int err;

    if (flags & CRNG_GRND_NONBLOCK) return -SIM_EAGAIN;
    err = crng_wait_for_random_bytes(rng);
    if (err) return err;
  }
  return get_random_bytes_user(rng, buf, len);
}

s64 crng_urandom_read(struct crng *rng, u8 *buf, size_t len) {
  if (!crng_ready(rng)) try_to_generate_entropy(rng);
  return get_random_bytes_user(rng, buf, len);
}

// ---- Being told ----

int crng_execute_with_initialized_rng(struct crng *rng, struct sim_notifier *nb) {
  unsigned long flags;
  int err = 0;

  // An atomic chain's registration holds a lock of the chain: here the model's own, which
  // decides between "at once" and "later".
  sim_spin_lock_irqsave(&rng->random_ready_lock, flags);
  if (crng_ready(rng))
    nb->fn(nb, 0, NULL);
  else
    err = sim_notifier_register(&rng->random_ready_chain, nb);
  sim_spin_unlock_irqrestore(&rng->random_ready_lock, flags);
  return err;
}

void crng_tell_ready(struct crng *rng) {
  unsigned long flags;

  if (rng->platform.version >= CRNG_6_1) {
    sim_wake_up_all(&rng->crng_init_wait);
    CRNG_HOOK(&rng->hooks, init_done, SIM_PEEK(rng->crng_init));
    return;
  }
  // Corrected: whoever has found the CRNG not ready has registered now.
  if (!rng->quirks.suspect_ready_notifier) {
    sim_spin_lock_irqsave(&rng->random_ready_lock, flags);
    sim_spin_unlock_irqrestore(&rng->random_ready_lock, flags);
  }
  sim_notifier_call(&rng->random_ready_chain, 0, NULL);
  if (rng->quirks.suspect_is_ready_unordered)
    sim_write_once(rng->vdso.is_ready, 1);
  else
    sim_smp_store_release(&rng->vdso.is_ready, 1);
  CRNG_HOOK(&rng->hooks, page, SIM_PEEK(rng->vdso.generation));
  sim_wake_up_all(&rng->crng_init_wait);
  CRNG_HOOK(&rng->hooks, init_done, SIM_PEEK(rng->crng_init));
}
