// SPDX-License-Identifier: GPL-2.0-or-later
//
// Versions: what 6.1 does otherwise, that 6.12 does the same as 7.2, and that the oracles
// hold in all of them.
#include "models/crng/testing/crng_alone.h"

// ---- Reseeds ----

static void reads_after_a_while(struct crng_scene *scene) {
  u8 buf[32];

  crng_scene_make_ready(scene);
  sim_msleep(3000);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
}

// By work, whether or not somebody reads.
static void reseeded_by_work(struct crng_scene *scene) {
  reads_after_a_while(scene);
  SIM_EXPECT(scene->rng.base_crng.generation >= 3);
}
// By the reader, once, and not again before the interval is over.
static void reseeded_by_the_reader(struct crng_scene *scene) {
  u8 buf[32];

  crng_scene_make_ready(scene);
  sim_msleep(3000);
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 1);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 2);
  crng_watch_batched(&scene->watch, CRNG_U64);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 2);
  // The uptime is 4 s and the interval 2.
  sim_msleep(1900);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 2);
  sim_msleep(1200);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 3);
}

static void keys_do_not_grow_old(void **state) {
  crng_alone_passes(reseeded_by_work, NULL);
  crng_alone_passes(reseeded_by_work, "version=6.12");
  crng_alone_passes(reseeded_by_the_reader, "version=6.1");
  crng_alone_passes(reseeded_by_the_reader, "version=6.1 queues=0");
  // Without work queues nobody reseeds a later kernel's.
  crng_alone_trips(reads_after_a_while, "queues=0", "crng-reseed-due");
  crng_alone_trips(reads_after_a_while, "queues=0 version=6.12", "crng-reseed-due");
}

// ---- What 6.1 has not ----

static void no_page_and_no_chain(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  SIM_EXPECT_EQ(scene->rng.vdso.generation, 0);
  SIM_EXPECT_EQ(scene->rng.vdso.is_ready, 0);
  SIM_EXPECT(!crng_watch_vdso(&scene->watch));
  crng_watch_execute_when_ready(&scene->watch);
  SIM_EXPECT_EQ(scene->watch.num_notify, 0);
  SIM_EXPECT_EQ(scene->watch.init_done, 1);
}

static void throttled(struct crng_scene *scene) {
  u8 buf[32];
  u64 before_ns;

  crng_scene_make_ready(scene);
  crng_scene_data(scene, buf, sizeof(buf));
  before_ns = sim_clock_ns();
  crng_watch_hwgenerator(&scene->watch, buf, sizeof(buf), 64, false);
  SIM_EXPECT_EQ(sim_clock_ns() - before_ns > SIM_NSEC_PER_SEC,
                scene->rng.platform.version == CRNG_6_1);
}

static void jitter(struct crng_scene *scene) {
  SIM_EXPECT_EQ(crng_wait_for_random_bytes(&scene->rng), 0);
  SIM_EXPECT_EQ(scene->watch.credited, 256);
}

static void what_6_1_lacks(void **state) {
  crng_alone_passes(no_page_and_no_chain, "version=6.1");
  crng_alone_passes(throttled, "version=6.1");
  crng_alone_passes(throttled, "version=6.12");
  crng_alone_passes(throttled, NULL);
  crng_alone_passes(jitter, "version=6.1 jitter=1 num_cpus=1");
  crng_alone_passes(jitter, "version=6.1 jitter=3");
}

// ---- All scenarios ----

static void clean_in_6_1(void **state) { crng_scenarios_clean("version=6.1"); }

static u64 digest_of(const struct sim_scenario *scenario, const char *settings, u64 seed) {
  struct sim_test t;
  u64 digest;

  sim_test_open_with(&t, scenario, settings);
  sim_test_seed(&t, seed);
  digest = t.result.digest;
  sim_test_close(&t);
  return digest;
}

// 6.12 is 7.2 to the bit, 6.1 is not.
static void the_same_in_6_12(void **state) {
  for (u32 i = 0; crng_scenario_at(i); i++)
    for (u64 seed = 0; seed < 5; seed++)
      assert_int_equal(digest_of(crng_scenario_at(i), "version=6.12", seed),
                       digest_of(crng_scenario_at(i), "version=7.2", seed));
  assert_int_not_equal(digest_of(&scenario_crng_seed, "version=6.1", 0),
                       digest_of(&scenario_crng_seed, "version=7.2", 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_do_not_grow_old),
      cmocka_unit_test(what_6_1_lacks),
      cmocka_unit_test(clean_in_6_1),
      cmocka_unit_test(the_same_in_6_12),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
