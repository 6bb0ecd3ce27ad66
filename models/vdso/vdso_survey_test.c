// SPDX-License-Identifier: GPL-2.0-or-later
//
// The survey: what it says of the built-in subjects, and that it sees one that does not restore
// a register.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "models/vdso/vdso_scenarios.h"
#include "models/vdso/vdso_survey.h"
#include "sim/base.h"

static const enum guest_arch archs[] = {GUEST_PPC32, GUEST_PPC64, GUEST_PPC64LE, GUEST_ARM64};
static struct vdso_survey survey, again;

static void look(enum guest_arch arch, const char *variant, struct vdso_survey *out) {
  const struct vdso_setting setting = {.arch = arch, .variant = variant};
  char err[160];
  struct vdso_machine *m = vdso_machine_new(&setting, err, sizeof(err));

  if (!m || !vdso_survey(m, out, err, sizeof(err))) fail_msg("%s: %s", guest_arch_name(arch), err);
}

static void built_in_subjects(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    const struct vdso_costs *costs = &survey.costs;

    look(archs[i], "clean", &survey);
    if (!survey.stable || !survey.restored || !survey.zone_kept)
      fail_msg("%s: %s", guest_arch_name(archs[i]), survey.where);
    assert_string_equal(survey.where, "");
    assert_true(survey.key_words);
    assert_int_equal(survey.key_bytes, !guest_big_endian(archs[i]));
    assert_true(survey.boundaries > survey.addresses && survey.addresses > 200);
    // A refill makes two blocks, and so does a first call.
    // The check sum of a hit costs more than a block by vectors does.
    if (archs[i] == GUEST_ARM64)
      assert_true(costs->refill > costs->hit && costs->refill > 2 * costs->block);
    else
      assert_true(costs->hit < costs->block && costs->refill > costs->hit + 2 * costs->block);
    assert_true(costs->first > 2 * costs->block && costs->fallback < costs->block);
    assert_int_equal(vdso_costs_batch(costs), costs->refill + 23 * costs->hit);
    // More bytes cost more, and a refill makes blocks for them too.
    assert_true(costs->hit_32 > costs->hit && costs->refill_32 > costs->refill);
    assert_true(archs[i] == GUEST_ARM64 || costs->refill_32 > costs->hit_32 + costs->block);
    // The block function takes all that the ABI lets it save, and nothing touches the others.
    {
      u32 all = 0;

      for (u32 n = 0; n < survey.num_lines; n++) {
        const struct vdso_survey_line *line = &survey.line[n];

        assert_true(line->from <= line->to && (!n || line->from > survey.line[n - 1].to));
        assert_int_equal(line->cr, 0);
        assert_int_equal(line->fpr, 0);
        assert_int_equal(line->vr, 0);
        all |= line->gpr;
      }
      if (archs[i] == GUEST_ARM64) {  // x19 to x29, of the function itself
        assert_int_equal(all, 0x3ff80000);
      } else {
        assert_int_equal(all & 0x7fff, 1 << 14);
        assert_true(all >> 16 == 0xffff);
      }
    }
  }
}

static void two_surveys_are_equal(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    look(archs[i], "clean", &survey);
    look(archs[i], "clean", &again);
    assert_memory_equal(&survey, &again, sizeof(survey));
  }
}

// A planted bug, and the register that it is of.
// A key that is taken as bytes, and what is no keystream.
static void key_orders_are_told_apart(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    look(archs[i], "clean+bytes", &survey);
    assert_true(survey.key_bytes);
    assert_int_equal(survey.key_words, !guest_big_endian(archs[i]));
  }
  look(GUEST_PPC32, "34", &survey);
  assert_false(survey.key_words);
  assert_false(survey.key_bytes);
}

static void what_is_not_restored_is_seen(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    look(archs[i], "nonvolatile-not-restored", &survey);
    assert_false(survey.restored);
    assert_string_equal(survey.where, archs[i] == GUEST_ARM64 ? "restored: x29" : "restored: r15");
  }
}

// The key's instructions take another way for another key.
static void what_depends_on_the_key_is_seen(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    look(archs[i], "branch-on-key", &survey);
    assert_true(survey.restored);
    if (!survey.stable) return;
  }
  fail_msg("two keys took the same way on every architecture");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(built_in_subjects),
      cmocka_unit_test(two_surveys_are_equal),
      cmocka_unit_test(key_orders_are_told_apart),
      cmocka_unit_test(what_is_not_restored_is_seen),
      cmocka_unit_test(what_depends_on_the_key_is_seen),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
