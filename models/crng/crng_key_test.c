// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pool and keys: what is extracted and given is what the design says, computed here a second
// time; stages, generations and intervals.
#include "models/crng/testing/crng_alone.h"

static void erase(u8 key[CRNG_KEY_LEN], u8 out[CRNG_KEY_LEN]) {
  const struct crng_hooks none = {0};
  u8 block[CRNG_BLOCK_LEN];

  crng_chacha_block(&none, block, key, 0);
  memcpy(key, block, CRNG_KEY_LEN);
  memcpy(out, block + CRNG_KEY_LEN, CRNG_KEY_LEN);
}

static bool same(const void *a, const void *b, size_t len) { return memcmp(a, b, len) == 0; }

// Two reads of one CPU, the second longer than a half block, and one of a process.
static void bytes_of_a_ready_crng(struct crng_scene *scene) {
  struct crng *rng = &scene->rng;
  const struct crng_hooks none = {0};
  u8 base[CRNG_KEY_LEN], key[CRNG_KEY_LEN], old[CRNG_KEY_LEN], want[32], block[64], buf[200];

  crng_scene_make_ready(scene);
  memcpy(base, rng->base_crng.key, sizeof(base));
  crng_get_random_bytes(rng, buf, 20);
  erase(base, key);
  erase(key, want);
  SIM_EXPECT(same(buf, want, 20));
  SIM_EXPECT(same(rng->base_crng.key, base, sizeof(base)));

  memcpy(old, key, sizeof(old));
  crng_get_random_bytes(rng, buf, 100);
  erase(key, want);
  SIM_EXPECT(same(buf, want, 32));
  crng_chacha_block(&none, block, old, 1);
  SIM_EXPECT(same(buf + 32, block, 64));
  crng_chacha_block(&none, block, old, 2);
  SIM_EXPECT(same(buf + 96, block, 4));
  SIM_EXPECT(same(rng->crngs[0].key, key, sizeof(key)));

  SIM_EXPECT_EQ(crng_getrandom(rng, buf, 32, 0), 32);
  erase(key, want);
  SIM_EXPECT(same(buf, want, 32));
  SIM_EXPECT_EQ(crng_getrandom(rng, buf, 65, 0), 65);
  erase(key, want);
  crng_chacha_block(&none, block, want, 1);
  SIM_EXPECT(same(buf, block, 64));
}

// Before READY the base key itself is erased; while EMPTY it is extracted anew each time.
static void bytes_of_an_early_crng(struct crng_scene *scene) {
  struct crng *rng = &scene->rng;
  u8 base[CRNG_KEY_LEN], want[32], buf[32];
  u32 extractions = scene->watch.publications;

  crng_get_random_bytes(rng, buf, sizeof(buf));
  crng_get_random_bytes(rng, buf, sizeof(buf));
  SIM_EXPECT_EQ(scene->watch.publications, extractions + 2);
  crng_alone_feed(scene, 32, 128);
  SIM_EXPECT_EQ(rng->crng_init, CRNG_EARLY);
  SIM_EXPECT_EQ(scene->watch.publications, extractions + 3);
  memcpy(base, rng->base_crng.key, sizeof(base));
  crng_get_random_bytes(rng, buf, sizeof(buf));
  erase(base, want);
  SIM_EXPECT(same(buf, want, sizeof(want)));
  SIM_EXPECT_EQ(scene->watch.publications, extractions + 3);
  SIM_EXPECT(!rng->vdso.is_ready && !rng->vdso.generation);
}

static void bytes_are_as_designed(void **state) {
  crng_alone_passes(bytes_of_a_ready_crng, NULL);
  crng_alone_passes(bytes_of_an_early_crng, NULL);
}

// ---- The pool ----

static void extracted(struct crng_scene *scene) {
  const struct crng_hooks none = {0};
  struct crng *rng = &scene->rng;
  struct {
    u64 rdseed[4], counter;
  } block;
  u8 seed[32], want[32], key[32], buf[40];
  struct crng_hash pool;

  rng->platform.arch_longs = 4;
  crng_mix_pool_bytes(rng, "abc", 3);
  crng_extract_entropy(rng, buf, sizeof(buf));

  crng_hash_begin(&none, &pool, NULL);
  crng_hash_update(&none, &pool, "abc", 3);
  crng_hash_final(&none, &pool, seed);
  for (u64 i = 0; i < 4; i++) block.rdseed[i] = sim_mix64(0xa5c4ull << 48 | (i + 1));
  block.counter = 0;
  crng_hash_keyed(&none, key, seed, &block, sizeof(block));
  block.counter = 1;
  crng_hash_keyed(&none, want, seed, &block, sizeof(block));
  SIM_EXPECT(same(buf, want, 32));
  block.counter = 2;
  crng_hash_keyed(&none, want, seed, &block, sizeof(block));
  SIM_EXPECT(same(buf + 32, want, 8));

  // The pool goes on under the new key.
  crng_hash_final(&none, &rng->input_pool.hash, seed);
  crng_hash_keyed(&none, want, key, "", 0);
  SIM_EXPECT(same(seed, want, 32));
}

static void credits(struct crng_scene *scene) {
  struct crng *rng = &scene->rng;

  crng_alone_feed(scene, 32, 127);
  SIM_EXPECT_EQ(rng->crng_init, CRNG_EMPTY);
  crng_alone_feed(scene, 32, 1);
  SIM_EXPECT_EQ(rng->crng_init, CRNG_EARLY);
  crng_alone_feed(scene, 32, 127);
  SIM_EXPECT_EQ(rng->input_pool.init_bits, 255);
  crng_alone_feed(scene, 64, 512);
  SIM_EXPECT_EQ(rng->input_pool.init_bits, 256);
  SIM_EXPECT_EQ(rng->crng_init, CRNG_READY);
  SIM_EXPECT_EQ(rng->base_crng.generation, 1);
  SIM_EXPECT_EQ(rng->vdso.generation, 2);
  SIM_EXPECT_EQ(rng->vdso.is_ready, 1);
  SIM_EXPECT(!rng->crng_is_ready);
  sim_msleep(20);
  SIM_EXPECT(rng->crng_is_ready);
}
// Both crossings at once: only the second is taken.
static void credits_at_once(struct crng_scene *scene) {
  crng_alone_feed(scene, 32, 256);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_READY);
  SIM_EXPECT_EQ(scene->watch.publications, 1);
}

static void the_pool_is_as_designed(void **state) {
  crng_alone_passes(extracted, NULL);
  crng_alone_passes(credits, NULL);
  crng_alone_passes(credits_at_once, NULL);
}

// ---- Reseeds ----

static void generations(struct crng_scene *scene) {
  struct crng *rng = &scene->rng;
  u8 buf[32];

  crng_scene_make_ready(scene);
  crng_get_random_bytes(rng, buf, sizeof(buf));
  SIM_EXPECT_EQ(rng->crngs[0].generation, 1);
  crng_reseed(rng);
  SIM_EXPECT_EQ(rng->crngs[0].generation, 1);
  crng_get_random_bytes(rng, buf, sizeof(buf));
  SIM_EXPECT_EQ(rng->crngs[0].generation, 2);
  // The invalid generation is left out.
  rng->base_crng.generation = CRNG_GENERATION_INVALID - 1;
  crng_reseed(rng);
  SIM_EXPECT_EQ(rng->base_crng.generation, 0);
}

// A second after becoming ready, whether or not somebody reseeds by hand; then at half the
// uptime.
static void work_comes_in_time(struct crng_scene *scene) {
  struct crng *rng = &scene->rng;

  crng_scene_make_ready(scene);
  sim_msleep(500);
  SIM_EXPECT_EQ(rng->base_crng.generation, 1);
  crng_reseed(rng);
  SIM_EXPECT_EQ(rng->base_crng.generation, 2);
  sim_msleep(600);
  SIM_EXPECT_EQ(rng->base_crng.generation, 3);
  sim_msleep(1100);
  SIM_EXPECT_EQ(rng->base_crng.generation, 4);
  SIM_EXPECT_EQ(crng_reseed_interval(rng), sim_hz() * (sim_clock_ns() / SIM_NSEC_PER_SEC / 2));
}
static void interval_is_a_minute(struct crng_scene *scene) {
  SIM_EXPECT_EQ(crng_reseed_interval(&scene->rng), 60 * sim_hz());
  // For ever.
  scene->rng.platform.uptime_s = 0;
  SIM_EXPECT_EQ(crng_reseed_interval(&scene->rng), 60 * sim_hz());
}
static void interval_is_half(struct crng_scene *scene) {
  SIM_EXPECT_EQ(crng_reseed_interval(&scene->rng), 59 * sim_hz());
}

static void reseeds_are_as_designed(void **state) {
  crng_alone_passes(generations, NULL);
  crng_alone_passes(work_comes_in_time, NULL);
  crng_alone_passes(interval_is_a_minute, "uptime_s=119");
  crng_alone_passes(interval_is_half, "uptime_s=117");
}

// ---- Batches ----

// A batch of 64-bit integers is twelve; slots that were given are zero.
static void batch_of_twelve(struct crng_scene *scene) {
  struct crng *rng = &scene->rng;
  const struct crng_batch *batch = &rng->batch[CRNG_U64][0];
  u8 zero[CRNG_BATCH_LEN] = {0};

  crng_scene_make_ready(scene);
  for (u32 i = 0; i < 12; i++) {
    u64 value = crng_get_random_batched(rng, CRNG_U64);

    SIM_EXPECT(value != 0);
    SIM_EXPECT_EQ(batch->position, i + 1);
    SIM_EXPECT(same(batch->entropy, zero, 8 * (size_t)(i + 1)));
  }
  crng_get_random_batched(rng, CRNG_U64);
  SIM_EXPECT_EQ(batch->position, 1);
  crng_reseed(rng);
  crng_get_random_batched(rng, CRNG_U64);
  SIM_EXPECT_EQ(batch->position, 1);
  SIM_EXPECT_EQ(batch->generation, 2);
  for (u32 kind = 0; kind < CRNG_BATCH_KINDS; kind++)
    for (u32 i = 0; i < 200; i++)
      SIM_EXPECT(kind == CRNG_U64 || crng_get_random_batched(rng, kind) >> (8u << kind) == 0);
}
static void no_batch_before_ready(struct crng_scene *scene) {
  crng_get_random_batched(&scene->rng, CRNG_U32);
  SIM_EXPECT_EQ(scene->rng.batch[CRNG_U32][0].position, UINT32_MAX);
}

static void batches_are_as_designed(void **state) {
  crng_alone_passes(batch_of_twelve, NULL);
  crng_alone_passes(no_batch_before_ready, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_are_as_designed),
      cmocka_unit_test(the_pool_is_as_designed),
      cmocka_unit_test(reseeds_are_as_designed),
      cmocka_unit_test(batches_are_as_designed),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
