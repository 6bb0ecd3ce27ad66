// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an onlooker is told of random.c of a kernel tree: by the functions that it calls, and by
// what its statics are when it lets go of the lock that guards them. See kernel_random.h.
// Sections: BLAKE2s and ChaCha; statics.
#include <string.h>

#include "models/kernel/kernel_calls.h"
#include "models/kernel/kernel_random.h"
#include "models/kernel/kernel_random_calls.h"
#include "models/kernel/kernel_world.h"
#include "sim/cpu.h"
#include "sim/hook.h"
#include "sim/task.h"

enum { KEY_LEN = 32, BLOCK_LEN = 64, HASH_STATE_LEN = 112 };

#define TELL(hook, ...)                                                              \
  do {                                                                               \
    const struct kernel_random_hooks *hooks_ = &kernel_random_world()->config.hooks; \
                                                                                     \
    hooks_->hook(hooks_->arg, __VA_ARGS__);                                          \
  } while (0)

// ---- BLAKE2s and ChaCha ----

// A state is begun by an inline function, which nobody sees: its first use, or the end of the
// lock that guards the pool, tells.
static void begin_hash(const void *state) {
  struct kernel_random_world *world = kernel_random_world();
  u32 room = KERNEL_RANDOM_HASHES_MAX;

  for (u32 i = 0; i < KERNEL_RANDOM_HASHES_MAX; i++) {
    if (world->hashing[i] == state) return;
    if (!world->hashing[i]) room = i;
  }
  SIM_ASSERT(room < KERNEL_RANDOM_HASHES_MAX);
  world->hashing[room] = state;
  TELL(hash_begin, state, world->table->blake2s_key(state));
}

static void end_hash(const void *state) {
  struct kernel_random_world *world = kernel_random_world();

  for (u32 i = 0; i < KERNEL_RANDOM_HASHES_MAX; i++)
    if (world->hashing[i] == state) world->hashing[i] = NULL;
}

static void tell_jitter(const void *data, size_t len) {
  const struct kernel_random_world *world = kernel_random_world();
  u32 cpu = sim_smp_processor_id(), samples, per_bit;
  const void *timer = world->jitter[cpu].timer;

  if (!timer || world->jitter[cpu].task != sim_current() || sim_in_hardirq()) return;
  world->table->jitter(timer, &samples, &per_bit);
  TELL(jitter, data, len, per_bit && (samples + 1) % per_bit == 0);
}

void seedbed_k_blake2s_update(void *state, const void *in, unsigned long len) {
  const struct kernel_random *table = kernel_random();

  sim_hook_touch(SIM_SITE("blake2s_update"), in, len, false);
  sim_hook_touch(SIM_SITE("blake2s_update"), state, HASH_STATE_LEN, true);
  begin_hash(state);
  if (state == table->pool_hash) tell_jitter(in, len);
  TELL(hash_update, state, in, len);
  table->blake2s_update(state, in, len);
}

void seedbed_k_blake2s_final(void *state, void *out) {
  const struct kernel_random *table = kernel_random();

  sim_hook_touch(SIM_SITE("blake2s_final"), state, HASH_STATE_LEN, true);
  sim_hook_touch(SIM_SITE("blake2s_final"), out, KEY_LEN, true);
  begin_hash(state);
  table->blake2s_final(state, out);
  end_hash(state);
  TELL(hash_final, state, out);
  if (out == table->base_key) TELL(base_key, out, 0);
}

void seedbed_k_chacha_block_generic(void *state, void *stream, int rounds) {
  u32 counter[2];
  const u32 *words = state;

  sim_hook_touch(SIM_SITE("chacha_block"), stream, BLOCK_LEN, true);
  memcpy(counter, words + 12, sizeof(counter));
  kernel_random()->chacha_block(state, stream, rounds);
  TELL(block, (const u8 *)(words + 4), counter[0] | (u64)counter[1] << 32, stream);
}

// ---- Statics ----

void kernel_random_unlocking(const void *lock) {
  struct kernel_random_world *world = kernel_random_world();
  const struct kernel_random *table = world->table;

  if (lock == table->pool_lock) {
    begin_hash(table->pool_hash);
  } else if (lock == table->base_lock && *table->crng_init != world->stage) {
    world->stage = *table->crng_init;
    TELL(stage, world->stage);
  }
}

void kernel_random_swapped(const void *at, u64 old, u64 value) {
  if (at == kernel_random()->init_bits) TELL(credited, (u32)old, (u32)value);
}

void kernel_random_stored(const void *at, u64 value) {
  const struct kernel_random *table;

  if (!kernel_random_world()) return;
  table = kernel_random();
  if (at == table->page_generation) {
    TELL(page, value);
    TELL(base_key, table->base_key, value);
  } else if (at == table->page_is_ready) {
    TELL(page, *table->page_generation);
  } else if (at == table->base_generation && !table->page_generation) {
    TELL(base_key, table->base_key, value + 1);
  }
}

void kernel_random_printed(const char *text) {
  if (kernel_random_world()) TELL(printed, text);
}
