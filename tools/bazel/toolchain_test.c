// SPDX-License-Identifier: GPL-2.0-or-later
//
// What every C file of the project may take for granted about its compiler.

#ifdef NDEBUG
#error "assertions stay on in every build"
#endif

#if __STDC_VERSION__ != 201710L
#error "C17 with GNU extensions is meant"
#endif

#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// A statement expression is part of the dialect.
static void statement_expression_has_a_value(void **state) {
  uint64_t value = ({
    uint64_t half = 21;

    half + half;
  });

  assert_int_equal(value, 42);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statement_expression_has_a_value),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
