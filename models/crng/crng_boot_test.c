// SPDX-License-Identifier: GPL-2.0-or-later
//
// Booting: what seeds are worth, that every byte of one counts, what is said in the log, and
// what the architecture's hook may do. Seeds and stages are judged here by times and numbers
// of the run, apart from the scenario's own oracle.
#include "models/crng/testing/crng_alone.h"

#include "models/crng/crng_scenarios.h"

// ---- Seeds ----

// With no other source: the first task brings 256 bits if it finds the CRNG not ready.
#define QUIET "generator=0 interrupts=0 callers=0 efi_seed=0 "

struct boot {
  const char *settings;
  u64 seed_bits;  // credited at boot
  bool ready;     // by them: before interrupts come on
};

static void boots_as(const struct boot *boot) {
  enum { EARLY_NS_MAX = 2000000 };
  const struct crng_watch *watch;
  struct sim_config config;
  struct sim_test t;
  bool ready;

  sim_test_open_with(&t, &scenario_crng_boot, boot->settings);
  sim_params_to_config(t.params, &config);
  sim_test_calm(&t);
  sim_test_show(&t, boot->settings, 0);
  assert_int_equal(t.result.status, SIM_OK);
  watch = &((struct crng_scene *)sim_private())->watch;
  ready = watch->ready_ns < config.start_ns + EARLY_NS_MAX;
  if (ready != boot->ready || watch->credited != boot->seed_bits + (boot->ready ? 0 : 256))
    fail_msg("%s: READY after %llu ns, %llu bits", boot->settings,
             (unsigned long long)(watch->ready_ns - config.start_ns),
             (unsigned long long)watch->credited);
  assert_int_equal(watch->init_done, 1);
  sim_test_close(&t);
}

// A guest with no RNDR, no TRNG and quiet interrupts is ready before its first task if the
// device tree brings 32 bytes that are trusted; 16 are too few, and none count without trust.
static void a_seed_is_worth_its_bytes(void **state) {
  static const struct boot boots[] = {
      {QUIET "dt_seed=32", 256, true},
      {QUIET "dt_seed=64", 512, true},
      {QUIET "dt_seed=31", 248, false},
      {QUIET "dt_seed=16", 128, false},
      {QUIET "dt_seed=15", 120, false},
      {QUIET "dt_seed=0", 0, false},
      {QUIET "dt_seed=32 trust_boot=0", 0, false},
      {QUIET "dt_seed=64 trust_boot=0", 0, false},
      {QUIET "dt_seed=0 arch_longs=8", 512, true},
      {QUIET "dt_seed=0 arch_longs=4", 256, true},
      {QUIET "dt_seed=0 arch_longs=3", 192, false},
      {QUIET "dt_seed=16 arch_longs=2", 256, true},
      {QUIET "dt_seed=0 arch_longs=8 trust_cpu=0", 0, false},
      {QUIET "dt_seed=0 arch_hook=1", 0, false},
      {"generator=0 interrupts=0 callers=0 dt_seed=16 efi_seed=16", 256, true},
      {"generator=0 interrupts=0 callers=0 dt_seed=16 efi_seed=15", 248, false},
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(boots); i++) boots_as(&boots[i]);
}

// ---- Every byte ----

enum { SEED_LEN = 64 };

static u32 flipped;  // a byte of the seed; SEED_LEN: none
static u8 first_bytes[SEED_LEN + 1][32];

static void boot_with_a_byte_flipped(struct crng_scene *scene) {
  u8 buf[SEED_LEN];

  crng_scene_data(scene, buf, sizeof(buf));
  if (flipped < SEED_LEN) buf[flipped] ^= 1;
  crng_watch_bootloader(&scene->watch, buf, sizeof(buf));
  crng_watch_get_random_bytes(&scene->watch, first_bytes[flipped], 32);
}

// One bit of any byte of the seed changes what the first reader gets.
static void every_byte_of_a_seed_counts(void **state) {
  for (flipped = 0; flipped <= SEED_LEN; flipped++)
    crng_alone_passes(boot_with_a_byte_flipped, NULL);
  for (u32 i = 0; i <= SEED_LEN; i++)
    for (u32 j = 0; j < i; j++) assert_memory_not_equal(first_bytes[i], first_bytes[j], 32);
}

// A seed that is taken in but for its last byte is not the one that was offered.
static void all_but_a_byte(struct crng_scene *scene) {
  u8 seed[32];

  crng_scene_data(scene, seed, sizeof(seed));
  lineage_offer(&scene->watch.lineage, seed, sizeof(seed), 256, NULL);
  seed[31] ^= 1;
  crng_add_bootloader_randomness(&scene->rng, seed, sizeof(seed));
}

static void a_byte_that_is_lost_is_seen(void **state) {
  crng_alone_trips(all_but_a_byte, NULL, "crng-credit");
}

// ---- The architecture's hook ----

enum { SEEDS = 3000 };

// A hook that takes a lock that others hold with interrupts on, called by an extraction in a
// timer softirq, is reported once a run, under one key, with both places.
static void a_hook_that_locks_is_told_once(void **state) {
  u32 found = 0, in_softirq = 0;
  char key[SIM_KEY_LEN];
  struct sim_test t;

  sim_test_open_with(&t, &scenario_crng_boot, "bug=arch-seed-lock");
  for (u64 seed = 0; seed < SEEDS; seed++) {
    const struct sim_failure *failure = &t.result.failures[0];

    sim_test_seed(&t, seed);
    if (!t.result.num_failures) continue;
    assert_int_equal(t.result.num_failures, 1);
    assert_string_equal(failure->oracle, "lock-context");
    if (found++) assert_string_equal(failure->key, key);
    memcpy(key, failure->key, sizeof(key));
    assert_non_null(strstr(failure->text, "power8_seed:spin_lock"));
    assert_non_null(strstr(failure->text, "map_device:spin_lock"));
    if (strstr(failure->text, "is taken in a softirq") &&
        strstr(failure->text, "crng_mix_interrupt_randomness"))
      in_softirq++;
  }
  print_message("%u of %u runs, %u by a timer softirq\n", found, SEEDS, in_softirq);
  assert_true(in_softirq > 0);
  sim_test_close(&t);
}

static void a_hook_without_lock_is_silent(void **state) {
  struct sim_test t;

  sim_test_open_with(&t, &scenario_crng_boot, "arch_hook=1");
  for (u64 seed = 0; seed < SEEDS; seed++) {
    sim_test_seed(&t, seed);
    sim_test_show(&t, "seed", seed);
    assert_int_equal(t.result.num_failures, 0);
  }
  sim_test_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_seed_is_worth_its_bytes),
      cmocka_unit_test(every_byte_of_a_seed_counts),
      cmocka_unit_test(a_byte_that_is_lost_is_seen),
      cmocka_unit_test(a_hook_that_locks_is_told_once),
      cmocka_unit_test(a_hook_without_lock_is_silent),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
