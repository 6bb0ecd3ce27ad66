// SPDX-License-Identifier: GPL-2.0-or-later
//
// As much of cmocka as the simulator's tests use, for machines whose cmocka cannot be
// installed here. A failed assertion ends the process with status 1.
#ifndef SEEDBED_TOOLS_AARCH64_CMOCKA_H_
#define SEEDBED_TOOLS_AARCH64_CMOCKA_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
  const char *name;
  void (*test)(void **state);
  int (*setup)(void **state);
  int (*teardown)(void **state);
  void *initial_state;
};

#define cmocka_unit_test(fn) \
  { #fn, fn, NULL, NULL, NULL }
#define cmocka_unit_test_setup(fn, setup) \
  { #fn, fn, setup, NULL, NULL }
#define cmocka_unit_test_teardown(fn, teardown) \
  { #fn, fn, NULL, teardown, NULL }
#define cmocka_unit_test_setup_teardown(fn, setup, teardown) \
  { #fn, fn, setup, teardown, NULL }
#define cmocka_unit_test_prestate(fn, state) \
  { #fn, fn, NULL, NULL, state }

static inline int cmocka_run_tests(const struct CMUnitTest *tests, size_t num_tests,
                                   int (*setup)(void **), int (*teardown)(void **)) {
  void *group_state = NULL;

  if (setup && setup(&group_state)) return 1;
  for (size_t i = 0; i < num_tests; i++) {
    void *state = tests[i].initial_state ? tests[i].initial_state : group_state;

    fprintf(stderr, "[ RUN ] %s\n", tests[i].name);
    if (tests[i].setup && tests[i].setup(&state)) return 1;
    tests[i].test(&state);
    if (tests[i].teardown && tests[i].teardown(&state)) return 1;
  }
  return teardown && teardown(&group_state) ? 1 : 0;
}

#define cmocka_run_group_tests(tests, setup, teardown) \
  cmocka_run_tests(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

static inline void cmocka_require(bool holds, const char *claim, const char *file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: %s\n", file, line, claim);
  exit(1);
}

#define assert_true(c) cmocka_require((c), #c, __FILE__, __LINE__)
#define assert_false(c) assert_true(!(c))
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_null(p) assert_true((p) == NULL)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_int_equal(a, b) assert_true((uintmax_t)(a) == (uintmax_t)(b))
#define assert_int_not_equal(a, b) assert_true((uintmax_t)(a) != (uintmax_t)(b))
#define assert_in_range(v, low, high) \
  assert_true((uintmax_t)(v) >= (uintmax_t)(low) && (uintmax_t)(v) <= (uintmax_t)(high))
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)
#define assert_string_not_equal(a, b) assert_true(strcmp((a), (b)) != 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp((a), (b), (size)) == 0)
#define assert_memory_not_equal(a, b, size) assert_true(memcmp((a), (b), (size)) != 0)
#define fail() cmocka_require(false, "fail", __FILE__, __LINE__)
#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), fail())
#define skip() return  // in a test's own body
#define print_message(...) fprintf(stderr, __VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)

#endif  // SEEDBED_TOOLS_AARCH64_CMOCKA_H_
