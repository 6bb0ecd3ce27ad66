// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_crng.h. Sections: what the onlooker is told; the processor's words; the start.
#include "models/crng/kernel_crng.h"

#include <stddef.h>
#include <string.h>

#include "models/kernel/kernel_random.h"
#include "models/kernel/kernel_world.h"
#include "sim/cpu.h"

// ---- What the onlooker is told ----

static void hash_begin(void *arg, const void *hash, const u8 *key) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, hash_begin, hash, key);
}

static void hash_update(void *arg, const void *hash, const void *data, size_t len) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, hash_update, hash, data, len);
}

static void hash_final(void *arg, const void *hash, const u8 *out) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, hash_final, hash, out);
}

static void block(void *arg, const u8 *key, u64 counter, const u8 *out) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, block, key, counter, out);
}

static void jitter(void *arg, const void *data, size_t len, u32 bits) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, offered, CRNG_SOURCE_JITTER, data, len, bits);
}

static void credited(void *arg, u32 before, u32 after) {
  const struct crng *rng = arg;

  if (after == before) return;
  CRNG_HOOK(&rng->hooks, credited, after - before, before, after);
}

static void base_key(void *arg, const u8 *key, u64 generation) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, base_key, key, generation);
}

static void stage(void *arg, u32 stage_now) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, stage, stage_now);
}

static void queueing(void *arg, bool exists) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, queueing, exists);
}

static void page(void *arg, u64 generation) {
  const struct crng *rng = arg;

  CRNG_HOOK(&rng->hooks, page, generation);
}

static void printed(void *arg, const char *text) {
  const struct crng *rng = arg;

  if (strstr(text, "crng init done"))
    CRNG_HOOK(&rng->hooks, init_done, *kernel_random()->crng_init);
}

// ---- The processor's words ----

static u32 arch_random(void *arg, unsigned long *v, u32 max, bool seed) {
  struct crng *rng = arg;
  const struct crng_platform *platform = &rng->platform;
  u32 longs = 0;

  if (platform->arch_get_random_seed_longs) {
    u64 words[8];

    if (max > SIM_ARRAY_SIZE(words)) max = SIM_ARRAY_SIZE(words);
    if (seed)
      longs = platform->arch_get_random_seed_longs(platform->arch_arg, words, max, rng->early);
    else if (platform->arch_get_random_longs)
      longs = platform->arch_get_random_longs(platform->arch_arg, words, max, rng->early);
    for (u32 i = 0; i < longs; i++) v[i] = words[i];
  } else if (seed && platform->arch_longs &&
             !(rng->early && rng->early_words >= platform->arch_longs)) {
    *v = sim_mix64(0xa5c4ull << 48 | ++rng->arch_words);
    longs = 1;
  }
  if (rng->early && longs)
    CRNG_HOOK(&rng->hooks, offered, CRNG_SOURCE_ARCH, v, longs * sizeof(*v),
              platform->trust_cpu ? 64 * longs : 0);
  // It takes as many words, or says as often that there is none; what a reseed asks is not early.
  if (rng->early && (longs || !seed)) rng->early_words += longs ? longs : 1;
  if (rng->early_words == CRNG_BLOCK_LEN / 8) rng->early = false;
  return longs;
}

void kernel_crng_random_init_early(struct crng *rng, const char *command_line) {
  rng->early = true;
  rng->early_words = 0;
  kernel_random()->random_init_early(command_line);
  rng->early = false;
}

int kernel_crng_random_online_cpu(struct crng *rng, u32 cpu) {
  int rc = kernel_random()->online_cpu(cpu);

  CRNG_HOOK(&rng->hooks, came, cpu);
  return rc;
}

// ---- The start ----

enum crng_version kernel_crng_version(u32 linux_version) {
  return linux_version < 6002 ? CRNG_6_1 : linux_version < 7000 ? CRNG_6_12 : CRNG_7_2;
}

static void set_param(const char *name, bool on) {
  char value[] = {on ? '1' : '0', '\0'};

  if (kernel_random()->set_param(name, value)) SIM_ASSERT(!"a boot parameter is there");
}

void kernel_crng_start(struct crng *rng) {
  static const struct kernel_config no_hwrng;
  const struct kernel_random_config config = {
      .hooks =
          {
              .arg = rng,
              .hash_begin = hash_begin,
              .hash_update = hash_update,
              .hash_final = hash_final,
              .block = block,
              .jitter = jitter,
              .credited = credited,
              .base_key = base_key,
              .stage = stage,
              .queueing = queueing,
              .page = page,
              .printed = printed,
              .arch_random = arch_random,
          },
      .uptime_s = rng->platform.uptime_s,
      .clock_step_ns = rng->platform.clock_step_ns,
      .samples_per_bit = rng->platform.jitter_samples_per_bit,
  };

  if (!kernel_world()) kernel_start(&no_hwrng);
  kernel_random_start(&config);
  rng->platform.version = kernel_crng_version(kernel_random()->linux_version);
  // What lib/vdso/getrandom.c does, the onlooker does.
  rng->quirks.suspect_is_ready_unordered = true;
  set_param("random.trust_cpu", rng->platform.trust_cpu);
  set_param("random.trust_bootloader", rng->platform.trust_boot);
}
