// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keys: the base key, one of each CPU, and what replaces them. See crng.h.
//
// Fast key erasure: the first half of a key's block 0 is the next key, the second half goes
// out; whoever gets hold of a key learns nothing of what it gave before.
#include <string.h>

#include "models/crng/crng.h"
#include "sim/lock.h"
#include "sim/static_key.h"
#include "sim/timer.h"
#include "sim/world.h"

bool crng_ready(const struct crng *rng) {
  if (sim_static_branch(&rng->crng_is_ready)) return true;
  if (rng->quirks.bug_unmarked) return rng->crng_init >= CRNG_READY;
  return sim_read_once(rng->crng_init) >= CRNG_READY;
}

u64 crng_reseed_interval(struct crng *rng) {
  if (rng->early_boot) {
    u64 uptime_s = rng->platform.uptime_s + sim_clock_ns() / SIM_NSEC_PER_SEC;
    u64 interval_s = uptime_s / 2;

    if (uptime_s < 2 * CRNG_RESEED_MAX_S)
      return (interval_s > CRNG_RESEED_MIN_S ? interval_s : CRNG_RESEED_MIN_S) * sim_hz();
    rng->early_boot = false;
  }
  return (u64)CRNG_RESEED_MAX_S * sim_hz();
}

// As before batches were told by the generation: a lock of theirs, inside the base key's.
static void invalidate_batches_bug_2(struct crng *rng) {
  sim_spin_lock(&rng->batch_reset_lock);
  for (u32 kind = 0; kind < CRNG_BATCH_KINDS; kind++)
    for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++) rng->batch[kind][cpu].position = UINT32_MAX;
  sim_spin_unlock(&rng->batch_reset_lock);
}

static void publish_generation(struct crng *rng, u64 generation) {
  bool ordered = !rng->quirks.bug_generation_unordered && !rng->quirks.bug_ready_unordered;

  // The vDSO's invalid generation is 0, the base key's all ones: hence the 1.
  if (ordered)
    sim_smp_store_release(&rng->vdso.generation, generation + 1);
  else
    sim_write_once(rng->vdso.generation, generation + 1);
  if (rng->quirks.bug_ready_unordered) sim_write_once(rng->vdso.is_ready, 1);
  CRNG_HOOK(&rng->hooks, page, generation + 1);
}

void crng_reseed(struct crng *rng) {
  u8 key[CRNG_KEY_LEN];
  unsigned long flags;
  u64 generation, extraction;

  // First of all: whatever delays this run does not delay the next. Nothing happens if it
  // is pending, so that a reseed by hand does not bring it forward.
  if (rng->platform.version < CRNG_6_1 && (rng->system_dfl_wq || rng->quirks.bug_7)) {
    CRNG_HOOK(&rng->hooks, queueing, rng->system_dfl_wq != NULL);
    if (!rng->quirks.bug_reseed_not_queued)
      sim_queue_delayed_work(rng->system_dfl_wq, &rng->next_reseed, crng_reseed_interval(rng));
  }
  extraction = crng_extract_entropy(rng, key, sizeof(key));

  sim_spin_lock_irqsave(&rng->base_crng.lock, flags);
  // Corrected: another reseed has come in between, with all that is in this key and more.
  if (extraction < rng->base_extraction && !rng->quirks.suspect_reseed_overtaken) {
    sim_spin_unlock_irqrestore(&rng->base_crng.lock, flags);
    memset(key, 0, sizeof(key));
    return;
  }
  rng->base_extraction = extraction;
  memcpy(rng->base_crng.key, key, sizeof(key));
  generation = rng->base_crng.generation + 1;
  if (generation == CRNG_GENERATION_INVALID) generation++;
  if (rng->quirks.bug_generation_early) publish_generation(rng, generation);
  sim_write_once(rng->base_crng.generation, generation);
  if (rng->platform.version < CRNG_6_1 && !rng->quirks.bug_generation_early)
    publish_generation(rng, generation);
  else if (rng->platform.version >= CRNG_6_1)
    sim_write_once(rng->base_crng.birth, sim_jiffies());
  if (rng->quirks.bug_5) rng->base_crng.birth = sim_jiffies();
  if (rng->quirks.bug_2) invalidate_batches_bug_2(rng);
  CRNG_HOOK(&rng->hooks, base_key, rng->base_crng.key, generation + 1);
  if (!sim_static_branch(&rng->crng_is_ready)) {
    bool first = rng->crng_init != CRNG_READY;

    if (rng->quirks.bug_unmarked)
      rng->crng_init = CRNG_READY;
    else
      sim_write_once(rng->crng_init, CRNG_READY);
    if (first) CRNG_HOOK(&rng->hooks, stage, CRNG_READY);
  }
  sim_spin_unlock_irqrestore(&rng->base_crng.lock, flags);
  memset(key, 0, sizeof(key));
}

void crng_reseed_work(struct sim_work *work) {
  crng_reseed(sim_container_of(work, struct crng, next_reseed.work));
}

// 6.1: whoever reads looks at the key's age.
static void reseed_if_old(struct crng *rng) {
  u64 birth = sim_read_once(rng->base_crng.birth);

  if (birth + crng_reseed_interval(rng) < sim_jiffies()) crng_reseed(rng);
}

// As when extraction compared the key's age with that of a reseed by hand: no lock, no mark.
static void reseed_if_old_bug_5(struct crng *rng) {
  if (rng->base_crng.birth + crng_reseed_interval(rng) < sim_jiffies()) crng_reseed(rng);
}

// This CPU's key; with its local lock held.
static struct crng_cpu_key *this_cpu_key(struct crng *rng) {
  if (rng->quirks.bug_4 && rng->node_pool) return sim_raw_cpu_ptr(rng->node_pool);
  return sim_raw_cpu_ptr(rng->crngs);
}

// The key moves on; `out_key` gets the old one, `out_bytes` up to 32 bytes.
static void fast_key_erasure(struct crng *rng, u8 key[CRNG_KEY_LEN], u8 out_key[CRNG_KEY_LEN],
                             u8 *out_bytes, size_t len) {
  u8 block[CRNG_BLOCK_LEN];

  SIM_ASSERT(len <= CRNG_BLOCK_LEN - CRNG_KEY_LEN);
  memcpy(out_key, key, CRNG_KEY_LEN);
  crng_chacha_block(&rng->hooks, block, key, 0);
  memcpy(key, block, CRNG_KEY_LEN);
  memcpy(out_bytes, block + CRNG_KEY_LEN, len);
  memset(block, 0, sizeof(block));
}

void crng_make_state(struct crng *rng, u8 out_key[CRNG_KEY_LEN], u8 *out_bytes, size_t len) {
  struct crng_cpu_key *crng;
  unsigned long flags;

  if (!crng_ready(rng)) {
    bool ready;

    sim_spin_lock_irqsave(&rng->base_crng.lock, flags);
    ready = crng_ready(rng);
    if (!ready) {
      if (rng->crng_init == CRNG_EMPTY) {
        crng_extract_entropy(rng, rng->base_crng.key, sizeof(rng->base_crng.key));
        CRNG_HOOK(&rng->hooks, base_key, rng->base_crng.key, 0);
      }
      fast_key_erasure(rng, rng->base_crng.key, out_key, out_bytes, len);
    }
    sim_spin_unlock_irqrestore(&rng->base_crng.lock, flags);
    if (!ready) return;
  }
  if (rng->platform.version >= CRNG_6_1) reseed_if_old(rng);
  if (rng->quirks.bug_5) reseed_if_old_bug_5(rng);

  sim_local_lock_irqsave(rng->crngs_lock, flags);
  crng = this_cpu_key(rng);
  if (crng->generation != sim_read_once(rng->base_crng.generation)) {
    sim_spin_lock(&rng->base_crng.lock);
    fast_key_erasure(rng, rng->base_crng.key, out_key, crng->key, sizeof(crng->key));
    crng->generation = rng->base_crng.generation;
    sim_spin_unlock(&rng->base_crng.lock);
  }
  fast_key_erasure(rng, crng->key, out_key, out_bytes, len);
  sim_local_unlock_irqrestore(rng->crngs_lock, flags);
}

void crng_get_random_bytes(struct crng *rng, void *buf, size_t len) {
  u8 key[CRNG_KEY_LEN], block[CRNG_BLOCK_LEN];
  size_t first = len < CRNG_KEY_LEN ? len : CRNG_KEY_LEN;
  u8 *at = buf;

  if (!len) return;
  crng_make_state(rng, key, at, first);
  at += first;
  len -= first;
  for (u64 counter = 1; len; counter++) {
    size_t n = len < sizeof(block) ? len : sizeof(block);

    crng_chacha_block(&rng->hooks, block, key, counter);
    memcpy(at, block, n);
    at += n;
    len -= n;
  }
  memset(block, 0, sizeof(block));
  memset(key, 0, sizeof(key));
}
