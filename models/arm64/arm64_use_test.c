// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of who may use RNDR when: whole, without contradiction, and in the cells that matter
// what the kernels say.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/arm64/arm64_use.h"

static bool holds(u8 of_row, u32 value) { return of_row & (value ? ARM64_YES : ARM64_NO); }

static void each_caller_is_in_one_row(void **state) {
  for (u32 design = 0; design < ARM64_DESIGNS; design++)
    for (u32 phase = 0; phase < ARM64_PHASES; phase++)
      for (u32 bits = 0; bits < 16; bits++) {
        u32 rows = 0;

        for (u32 i = 0; i < arm64_num_uses; i++) {
          const struct arm64_use *use = &arm64_uses[i];

          rows += use->design == design && (use->phases >> phase & 1) &&
                  holds(use->preemptible, bits & 1) && holds(use->this_has, bits & 2) &&
                  holds(use->boot_has, bits & 4) && holds(use->all_have, bits & 8);
        }
        if (rows != 1)
          fail_msg("%s, %s, %u: %u rows", arm64_design_names[design], arm64_phase_names[phase],
                   bits, rows);
      }
  for (u32 i = 0; i < arm64_num_uses; i++) assert_non_null(arm64_uses[i].source);
}

static bool used(u32 design, enum arm64_phase phase, bool preemptible, bool this_has, bool boot_has,
                 bool all_have) {
  return arm64_use_of(design, phase, preemptible, this_has, boot_has, all_have)->used;
}

static void cells_that_matter(void **state) {
  // The gap of bug 25: 6.1 finds RNDR in random_init_early, and not after it until all have come.
  assert_true(used(ARM64_EARLY_VARIANTS, ARM64_PHASE_EARLY, false, true, true, true));
  assert_false(used(ARM64_EARLY_VARIANTS, ARM64_PHASE_BOOT, false, true, true, true));
  assert_true(used(ARM64_LOCAL_CAP, ARM64_PHASE_BOOT, false, true, true, true));
  assert_true(used(ARM64_SANITISED, ARM64_PHASE_BOOT, false, true, true, true));
  // A preemptible caller goes by the alternative.
  assert_false(used(ARM64_LOCAL_CAP, ARM64_PHASE_SMP, true, true, true, true));
  // Of unequal CPUs one that has it uses it by its own register, and not by the kept one.
  assert_true(used(ARM64_LOCAL_CAP, ARM64_PHASE_SMP, false, true, true, false));
  assert_false(used(ARM64_SANITISED, ARM64_PHASE_SMP, false, true, true, false));
  for (u32 design = 0; design < ARM64_DESIGNS; design++) {
    assert_true(used(design, ARM64_PHASE_FINAL, true, true, true, true));
    assert_false(used(design, ARM64_PHASE_FINAL, false, true, true, false));
    // Nowhere by a CPU without it, where all CPUs that use it by a common word lack it too.
    for (u32 phase = 0; phase < ARM64_PHASES; phase++)
      assert_false(used(design, (enum arm64_phase)phase, false, false, false, false));
  }
}

static void reads_of_a_call(void **state) {
  assert_int_equal(arm64_reads_of(ARM64_LOCAL_CAP, ARM64_PHASE_BOOT, false), 1);
  assert_int_equal(arm64_reads_of(ARM64_LOCAL_CAP, ARM64_PHASE_SMP, true), 0);
  assert_int_equal(arm64_reads_of(ARM64_LOCAL_CAP, ARM64_PHASE_FINAL, false), 0);
  assert_int_equal(arm64_reads_of(ARM64_EARLY_VARIANTS, ARM64_PHASE_EARLY, false), 1);
  assert_int_equal(arm64_reads_of(ARM64_EARLY_VARIANTS, ARM64_PHASE_BOOT, false), 0);
  for (u32 phase = 0; phase < ARM64_PHASES; phase++) {
    assert_int_equal(arm64_reads_of(ARM64_SANITISED, (enum arm64_phase)phase, false), 0);
    assert_int_equal(arm64_reads_of(ARM64_ALTERNATIVE, (enum arm64_phase)phase, false), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_caller_is_in_one_row),
      cmocka_unit_test(cells_that_matter),
      cmocka_unit_test(reads_of_a_call),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
