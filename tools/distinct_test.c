// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counting distinct digests: exact while there are few, within the stated error beyond, and
// the same in any order.

#include "tools/distinct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void few_are_counted_exactly(void **state) {
  struct distinct d = {0};
  u64 i;

  assert_int_equal(distinct_count(&d), 0);
  for (i = 0; i < 100000; i++) {
    distinct_add(&d, sim_mix64(i % 30000));
    distinct_add(&d, i % 7);  // 0 is a digest like any other
  }
  assert_true(distinct_is_exact(&d));
  // sim_mix64(0) is 0, and no other of these is below 7.
  assert_int_equal(distinct_count(&d), 30000 + 6);
  distinct_free(&d);
}

// Beyond the exact set the answer is within 2 % (five standard errors), and says so.
static void many_are_estimated(void **state) {
  const u64 count = DISTINCT_EXACT_MAX + DISTINCT_EXACT_MAX / 2;
  struct distinct up = {0}, down = {0};
  u64 i, n;

  for (i = 0; i < count; i++) distinct_add(&up, sim_mix64(i + 1));
  for (i = count; i-- > 0;) {
    distinct_add(&down, sim_mix64(i + 1));
    distinct_add(&down, sim_mix64(i / 2 + 1));
  }
  assert_false(distinct_is_exact(&up));
  n = distinct_count(&up);
  assert_in_range(n, count - count / 50, count + count / 50);
  assert_int_equal(n, distinct_count(&down));
  distinct_free(&up);
  distinct_free(&down);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_are_counted_exactly),
      cmocka_unit_test(many_are_estimated),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
