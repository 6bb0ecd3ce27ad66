// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an engine's output and end say: which kind of failure, and what is the same in each.
#include "tools/fuzz_engine.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct fuzz_build build = {.binary = "/x/canary_fuzz_bin",
                                        .engine = FUZZ_ENGINE_LIBFUZZER,
                                        .timeout_s = 25,
                                        .rss_mb = 2048};

static void read_it(const char *output, int code, struct fuzz_told *out) {
  fuzz_engine_read(output, 0, code, NULL, &build, out);
}

static void kinds_are_told_apart(void **state) {
  static const struct {
    const char *output, *what;
    enum sim_status status;
  } cases[] = {
      {"==12==ERROR: AddressSanitizer: stack-overflow on address 0x7ff\n", "asan", SIM_CRASH},
      // Leaks end with a line of AddressSanitizer's.
      {"==12==ERROR: LeakSanitizer: detected memory leaks\nSUMMARY: AddressSanitizer: 8 byte(s)\n",
       "leak", SIM_CRASH},
      {"a.c:1:2: runtime error: division by zero\n", "ubsan", SIM_CRASH},
      {"==12== ERROR: libFuzzer: out-of-memory (used: 2100Mb; limit: 2048Mb)\n", "out-of-memory",
       SIM_BUDGET},
      {"==12== ERROR: libFuzzer: timeout after 25 seconds\n", "timeout", SIM_BUDGET},
      {"==12== ERROR: libFuzzer: deadly signal\n", "signal", SIM_CRASH},
      {"==12== ERROR: libFuzzer: fuzz target exited\n", "exit", SIM_CRASH},
      {"", "exit", SIM_CRASH},
      // The target's own line goes before libFuzzer's of the signal that follows it.
      {"text\nFAIL key=a/b/c scenario=a\n==12== ERROR: libFuzzer: deadly signal\n", "other-build",
       SIM_NONDETERMINISM},
      {"FAIL key=not-deterministic scenario=a\n", "not-deterministic", SIM_NONDETERMINISM},
      // Words of an input's are none.
      {"x FAIL key=a/b/c\n", "exit", SIM_CRASH},
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    struct fuzz_told told;

    read_it(cases[i].output, 77, &told);
    assert_int_equal(told.outcome, FUZZ_FAILED);
    assert_string_equal(told.what, cases[i].what);
    assert_int_equal(told.status, cases[i].status);
    assert_true(told.text[0]);
  }
}

static void pass_is_none(void **state) {
  struct fuzz_told told;

  read_it("FAIL key=a/b/c\nERROR: libFuzzer: timeout\n", 0, &told);
  assert_int_equal(told.outcome, FUZZ_PASSED);
}

static void limits_and_signals_are_told(void **state) {
  struct fuzz_told told;

  fuzz_engine_read("", 0, 0, "timeout", &build, &told);
  assert_string_equal(told.what, "timeout");
  assert_non_null(strstr(told.text, "25 s"));
  fuzz_engine_read("", 0, 0, "out-of-memory", &build, &told);
  assert_string_equal(told.what, "out-of-memory");
  assert_non_null(strstr(told.text, "2048 MiB"));
  fuzz_engine_read("", SIGSEGV, 0, NULL, &build, &told);
  assert_string_equal(told.what, "signal");
  assert_non_null(strstr(told.text, "SIGSEGV"));
}

// Addresses and process ids differ; functions and what was done do not.
static void stable_context_is_the_same(void **state) {
  struct fuzz_told a, b, c;

  read_it(
      "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60200001\n"
      "    #0 0x4f1 in __interceptor_memcpy (/x+0x1)\n"
      "    #1 0x4f2 in hwrng_read models/hwrng/core.c:12:3\n"
      "    #2 0x4f3 in sing models/x.c:1:1\n",
      1, &a);
  read_it(
      "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x7fabc\n"
      "    #0 0x1 in __interceptor_memcpy (/x+0x1)\n"
      "    #1 0x2 in hwrng_read models/hwrng/core.c:14:3\n"
      "    #2 0x3 in sing models/x.c:1:1\n",
      1, &b);
  read_it(
      "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60200001\n"
      "    #0 0x4f2 in hwrng_write models/hwrng/core.c:12:3\n",
      1, &c);
  assert_string_equal(a.stable, b.stable);
  assert_non_null(strstr(a.stable, "hwrng_read"));
  assert_null(strstr(a.stable, "interceptor"));
  assert_string_not_equal(a.stable, c.stable);
  assert_true(fuzz_told_same(&a, &b));
}

static void commands_have_what_repeats_it(void **state) {
  struct fuzz_build afl = build;
  struct text text = {0};

  fuzz_engine_add_command(&build, "f/input.bytes", false, "leak", &text);
  assert_string_equal(text_str(&text),
                      "SEEDBED_FUZZ_TWICE=1 ASAN_OPTIONS=detect_leaks=1 /x/canary_fuzz_bin "
                      "-timeout=25 -rss_limit_mb=2048 f/input.bytes");
  text_free(&text);
  afl.engine = FUZZ_ENGINE_AFL;
  afl.bug = "55";
  fuzz_engine_add_command(&afl, "a b", false, "timeout", &text);
  assert_string_equal(text_str(&text),
                      "SEEDBED_FUZZ_TWICE=1 SEEDBED_FUZZ_BUG=55 timeout 25 /x/canary_fuzz_bin "
                      "'a b'");
  text_free(&text);
  fuzz_engine_add_command(&build, "history", true, "other-build", &text);
  assert_string_equal(text_str(&text), "SEEDBED_FUZZ_REPLAY_HISTORY=history /x/canary_fuzz_bin");
  text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_are_told_apart),          cmocka_unit_test(pass_is_none),
      cmocka_unit_test(limits_and_signals_are_told),   cmocka_unit_test(stable_context_is_the_same),
      cmocka_unit_test(commands_have_what_repeats_it),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
