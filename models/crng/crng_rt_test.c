// SPDX-License-Identifier: GPL-2.0-or-later
//
// The CRNG under rt=1: its scenarios are clean, what takes its locks where nothing may sleep
// is reported, and a planted bug that hashes in hardirq is found by that.
#include "models/crng/testing/crng_alone.h"

// ---- Where nothing may sleep ----

static void read_bytes(struct crng_scene *scene) {
  u8 buf[32];

  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
}
static void read_u64(struct crng_scene *scene) { crng_watch_batched(&scene->watch, CRNG_U64); }

static void bytes_in_hardirq(struct crng_scene *scene) { crng_alone_in_hardirq(scene, read_bytes); }
static void batch_in_hardirq(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  crng_alone_in_hardirq(scene, read_u64);
}
static void bytes_under_raw_lock(struct crng_scene *scene) {
  struct sim_raw_spinlock raw;

  sim_raw_spin_lock_init(&raw, "raw");
  sim_raw_spin_lock(&raw);
  read_bytes(scene);
  sim_raw_spin_unlock(&raw);
}

static void readers_must_not_be_atomic(void **state) {
  crng_alone_trips(bytes_in_hardirq, "rt=1", "sleep-in-atomic");
  crng_alone_trips(batch_in_hardirq, "rt=1", "sleep-in-atomic");
  crng_alone_trips(bytes_under_raw_lock, "rt=1", "sleep-in-atomic");
  crng_alone_passes(bytes_in_hardirq, NULL);
  crng_alone_passes(batch_in_hardirq, NULL);
  crng_alone_passes(bytes_under_raw_lock, NULL);
}

static void interrupts(struct crng_scene *scene) {
  crng_watch_interrupts(&scene->watch, 5, 1100, NULL);
}
// Collecting takes no lock, and mixing is the thread's.
static void interrupts_are_collected(struct crng_scene *scene) {
  crng_alone_in_hardirq(scene, interrupts);
  sim_msleep(20);
  SIM_EXPECT_EQ(scene->rng.irq_randomness[0].count, 0);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 17);
}

static void collecting_may_be_atomic(void **state) {
  crng_alone_passes(interrupts_are_collected, "rt=1");
}

// ---- Scenarios ----

enum { SEEDS = 1000 };

static void clean(void **state) { crng_scenarios_clean("rt=1"); }

// What was done under a local lock comes before its CPU goes: the lock binds its holder to it.
static void no_data_race(void **state) { crng_scenarios_clean("rt=1 hooks=2"); }

// Bug 14: in hardirq, the pool's lock, which sleeps.
static void bug_14_is_found_by_its_lock(void **state) {
  struct sim_test t;
  u64 seed = 0;

  sim_test_open_with(&t, &scenario_crng_seed, "rt=1 bug=14");
  do {
    sim_test_seed(&t, seed);
  } while (!t.result.num_failures && ++seed < SEEDS);
  assert_true(t.result.num_failures > 0);
  assert_string_equal(t.result.failures[0].oracle, "sleep-in-atomic");
  assert_non_null(strstr(t.result.failures[0].text, "input_pool.lock"));
  sim_test_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_must_not_be_atomic),
      cmocka_unit_test(collecting_may_be_atomic),
      cmocka_unit_test(clean),
      cmocka_unit_test(no_data_race),
      cmocka_unit_test(bug_14_is_found_by_its_lock),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
