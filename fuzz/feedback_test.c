// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is counted while the feedback is held is forgotten, and nothing else.
#include "fuzz/feedback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void held_counts_are_forgotten(void **state) {
  const struct sim_cover *cover = fuzz_feedback();

  assert_non_null(cover);
  for (u32 turn = 0; turn < 2; turn++) {
    cover->order[3] = 7;
    cover->state[5] = 1;
    fuzz_feedback_hold();
    cover->order[3]++;
    cover->order[4]++;
    cover->state[5] = 0;
    fuzz_feedback_resume();
    assert_int_equal(cover->order[3], 7);
    assert_int_equal(cover->order[4], 0);
    assert_int_equal(cover->state[5], 1);
    cover->order[3]++;
    assert_int_equal(cover->order[3], 8);
  }
}

static void what_failed_counts_for_nothing(void **state) {
  const struct sim_cover *cover = fuzz_feedback();

  cover->order[3] = 7;
  cover->state[5] = 1;
  fuzz_feedback_forget();
  assert_int_equal(cover->order[3], 0);
  assert_int_equal(cover->state[5], 0);
}

static void letters_choose(void **state) {
  setenv("SEEDBED_FUZZ_FEEDBACK", "o", 1);
  assert_int_not_equal(fuzz_feedback()->num_order, 0);
  assert_int_equal(fuzz_feedback()->num_state, 0);
  setenv("SEEDBED_FUZZ_FEEDBACK", "s", 1);
  assert_int_equal(fuzz_feedback()->num_order, 0);
  assert_int_not_equal(fuzz_feedback()->num_state, 0);
  setenv("SEEDBED_FUZZ_FEEDBACK", "", 1);
  assert_null(fuzz_feedback());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(held_counts_are_forgotten),
      cmocka_unit_test(what_failed_counts_for_nothing),
      cmocka_unit_test(letters_choose),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
