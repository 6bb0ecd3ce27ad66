// SPDX-License-Identifier: GPL-2.0-or-later
//
// Batched integers: a block and a half a CPU and size, given out piece by piece. See crng.h.
#include <string.h>

#include "models/crng/crng.h"
#include "sim/lock.h"
#include "sim/world.h"

static u64 take_element(struct crng_batch *batch, u32 position, u32 size) {
  bool beyond = position * size >= CRNG_BATCH_LEN;  // bug batch-end
  u8 *at = beyond ? batch->beyond : batch->entropy + (size_t)position * size;
  u64 value = 0;

  // Little-endian, whatever the host is.
  for (u32 i = size; i-- > 0;) value = value << 8 | at[i];
  memset(at, 0, size);
  return value;
}

u64 crng_get_random_batched(struct crng *rng, enum crng_batch_kind kind) {
  u32 size = 1u << kind;
  u32 position = 0, end = CRNG_BATCH_LEN / size + rng->quirks.bug_batch_end;
  struct crng_batch *batch;
  unsigned long flags;
  u64 generation, value;

  if (!rng->quirks.bug_13 && !crng_ready(rng)) {
    u8 bytes[8] = {0};

    crng_get_random_bytes(rng, bytes, size);
    value = 0;
    for (u32 i = size; i-- > 0;) value = value << 8 | bytes[i];
    return value;
  }

  if (rng->quirks.bug_batch_position)
    position = sim_read_once(sim_raw_cpu_ptr(rng->batch[kind])->position);
  // What the code between the two takes.
  if (rng->quirks.bug_batch_position) sim_udelay(2);
  sim_local_lock_irqsave(rng->batch_lock[kind], flags);
  if (rng->quirks.bug_2) sim_spin_lock(&rng->batch_reset_lock);
  batch = sim_raw_cpu_ptr(rng->batch[kind]);
  if (!rng->quirks.bug_batch_position) position = batch->position;
  // The generation is read first: should a reseed come while the batch is filled, the next
  // call fills it again.
  generation = sim_read_once(rng->base_crng.generation);
  if (position >= end || generation != batch->generation) {
    crng_get_random_bytes(rng, batch->entropy, sizeof(batch->entropy));
    position = 0;
    batch->generation = generation;
  }
  value = take_element(batch, position, size);
  batch->position = position + 1;
  if (rng->quirks.bug_2) sim_spin_unlock(&rng->batch_reset_lock);
  sim_local_unlock_irqrestore(rng->batch_lock[kind], flags);
  return value;
}
