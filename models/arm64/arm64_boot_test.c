// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whole boots: how often each step reads, what a seed changes, and that two are the same.
#include "sim/testing/runs.h"

#include "models/arm64/arm64_boot.h"
#include "models/arm64/arm64_scenarios.h"

#define QUIET                                                                                      \
  "rndr=absent unequal=equal trng=absent smccc=1.1 conduit=hvc dt_seed=0 efi_seed=0 interrupts=0 " \
  "others=0 late=0 num_cpus=2 "

static struct arm64_counts boot(const char *settings, u64 *out_digest) {
  struct arm64_counts counts;
  struct sim_test t;

  sim_test_open_with(&t, &scenario_arm64_boot, settings);
  sim_test_calm(&t);
  sim_test_show(&t, settings, 0);
  assert_int_equal(t.result.status, SIM_OK);
  if (out_digest) *out_digest = t.result.digest;
  counts = *arm64_boot_counts();
  sim_test_close(&t);
  return counts;
}

static u64 isar0(const struct arm64_counts *counts, u32 caller) {
  u64 sum = 0;

  for (u32 phase = 0; phase < ARM64_PHASES; phase++) sum += counts->isar0[phase][caller];
  return sum;
}

// Published: 8 reads for each call while EMPTY, 16 in random_init_early, 2040 in kfence's shuffle.
static void reads_by_caller(void **state) {
  struct arm64_counts counts =
      boot(QUIET "calls_max=0 kernel=debian-6.12-kfence suspect.local_cap=1 preempt=0", NULL);

  assert_int_equal(isar0(&counts, ARM64_CALLER_RANDOM_INIT_EARLY), 16);
  assert_int_equal(isar0(&counts, ARM64_CALLER_KFENCE_INIT), 2040);
  assert_int_equal(isar0(&counts, ARM64_CALLER_BOOT_CANARY), 8);
  assert_int_equal(isar0(&counts, ARM64_CALLER_OTHER), 2);  // a CPU's own
  // A key is extracted with interrupts off: preemption makes no difference.
  counts = boot(QUIET "calls_max=0 kernel=debian-6.12-kfence suspect.local_cap=1 preempt=1", NULL);
  assert_int_equal(isar0(&counts, ARM64_CALLER_KFENCE_INIT), 2040);
}

static void reads_by_design(void **state) {
  static const struct {
    const char *settings;
    u64 reads;
  } rows[] = {
      {QUIET "calls_max=0 kernel=debian-7.2 design=sanitised", 2},
      {QUIET "calls_max=0 kernel=debian-7.2 design=alternative", 2},
      {QUIET "calls_max=0 kernel=debian-7.2 design=early-variants", 18},
      // With a trusted seed no key is extracted any more; random_init_early's part stays, and
      // three reseeds.
      {QUIET "calls_max=0 kernel=debian-7.2 suspect.local_cap=1 dt_seed=32", 2 + 16 + 24},
      {QUIET "calls_max=0 kernel=debian-7.2 design=sanitised tid3=0", 0},
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    struct arm64_counts counts = boot(rows[i].settings, NULL);

    if (counts.trapped[ARM64_ID_AA64ISAR0] != rows[i].reads)
      fail_msg("%s: %llu reads, expected %llu", rows[i].settings,
               (unsigned long long)counts.trapped[ARM64_ID_AA64ISAR0],
               (unsigned long long)rows[i].reads);
  }
}

// Page shuffling comes when capabilities are final: memory costs no trap, calls it does.
static void memory_makes_no_difference(void **state) {
  struct arm64_counts small = boot(
      QUIET "calls_max=0 kernel=debian-6.12 suspect.local_cap=1 page_shuffle=1 mem_mib=64", NULL);
  struct arm64_counts big = boot(
      QUIET "calls_max=0 kernel=debian-6.12 suspect.local_cap=1 page_shuffle=1 mem_mib=4096", NULL);

  assert_int_equal(small.trapped[ARM64_ID_AA64ISAR0], big.trapped[ARM64_ID_AA64ISAR0]);
  assert_true(small.calls[ARM64_PHASE_FINAL][ARM64_CALLER_PAGE_SHUFFLE] <
              big.calls[ARM64_PHASE_FINAL][ARM64_CALLER_PAGE_SHUFFLE]);
}

static void a_boot_is_the_same_twice(void **state) {
  u64 once, twice;

  (void)boot("calls_max=0 kernel=debian-7.2 rndr=flaky trng=1.0-drawn others=2 interrupts=3",
             &once);
  (void)boot("calls_max=0 kernel=defconfig", NULL);
  (void)boot("calls_max=0 kernel=debian-7.2 rndr=flaky trng=1.0-drawn others=2 interrupts=3",
             &twice);
  assert_true(once == twice);
}

// Seeds, each run by its seed again and by its draws, with other bytes in unused memory.
static void clean(const struct sim_scenario *scenario, const char *settings, u64 seeds) {
  struct sim_test t;

  sim_test_open_with(&t, scenario, settings);
  for (u64 seed = 0; seed < seeds; seed++) {
    sim_test_seed(&t, seed);
    sim_test_show(&t, settings, seed);
    assert_int_equal(t.result.num_failures, 0);
    if (seed % 20 == 0) sim_test_again(&t, seed);
  }
  sim_test_close(&t);
}

static void designs_are_clean(void **state) {
  static const char *const settings[] = {
      "design=sanitised",
      "design=sanitised preempt=0",
      "design=sanitised num_cpus=4",
      "design=alternative",
      "design=early-variants",
      "design=sanitised num_cpus=1",
      "version=6.12",
      "version=6.1",
      "jitter=3",
      "suspect.local_cap=1",
      "suspect.local_cap=1 preempt=0",
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(settings); i++) {
    clean(&scenario_arm64_boot, settings[i], 400);
    if (!strstr(settings[i], "suspect")) clean(&scenario_boot_hwrng, settings[i], 200);
  }
  clean(&scenario_arm64_archrandom, "design=local-cap", 1000);
  clean(&scenario_arm64_archrandom, "design=early-variants preempt=0", 1000);
  clean(&scenario_arm64_archrandom, "design=alternative", 1000);
  clean(&scenario_arm64_archrandom, "callers=8 calls=5 num_cpus=3", 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_by_caller),
      cmocka_unit_test(reads_by_design),
      cmocka_unit_test(memory_makes_no_difference),
      cmocka_unit_test(a_boot_is_the_same_twice),
      cmocka_unit_test(designs_are_clean),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
