// SPDX-License-Identifier: GPL-2.0-or-later
//
// Figures of engines, from lines as they write them and from lines that nobody wrote.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/fuzzing/fuzz_figures.h"
#include "tools/text.h"

static const char whole[] =
    "INFO: Seed: 7\n"
    "INFO:        3 files found in corpus\n"
    "#4\tINITED cov: 212 ft: 278 corp: 3/1b exec/s: 0 rss: 35Mb\n"
    "#5\tNEW    cov: 213 ft: 279 corp: 4/6b lim: 300 exec/s: 0 rss: 35Mb L: 5/5 MS: 1 Custom-\n"
    "#4096\tpulse  cov: 300 ft: 900 corp: 40/2Kb lim: 300 exec/s: 2048 rss: 60Mb\n"
    "#9001\tDONE   cov: 313 ft: 1551 corp: 48/33Kb lim: 300 exec/s: 4716 rss: 163Mb\n"
    "Done 9001 runs in 4 second(s)\n"
    "stat::number_of_executed_units: 9002\n"
    "stat::average_exec_per_sec:     4717\n"
    "stat::new_units_added:          45\n";

static void a_whole_run(void **state) {
  struct fuzz_figures figures;

  fuzz_figures_libfuzzer(whole, &figures);
  assert_int_equal(figures.executions, 9002);
  assert_int_equal(figures.rate, 4717);
  assert_int_equal(figures.features, 1551);
  assert_int_equal(figures.edges, 313);
  assert_int_equal(figures.corpus, 48);
}

// Cut anywhere, as a kill leaves it, it never counts more than was done, and the last whole line
// holds.
static void a_run_that_was_killed(void **state) {
  struct fuzz_figures figures;
  char cut[sizeof(whole)];

  for (size_t len = 0; len < sizeof(whole); len++) {
    memcpy(cut, whole, len);
    cut[len] = '\0';
    fuzz_figures_libfuzzer(cut, &figures);
    assert_true(figures.executions <= 9002);
    assert_true(figures.features <= 1551);
  }
  memcpy(cut, whole, sizeof(whole));
  *strstr(cut, "#9001") = '\0';
  fuzz_figures_libfuzzer(cut, &figures);
  assert_int_equal(figures.executions, 4096);
  assert_int_equal(figures.features, 900);
}

static void lines_of_no_use(void **state) {
  struct fuzz_figures figures;

  fuzz_figures_libfuzzer("", &figures);
  assert_int_equal(figures.executions, 0);
  fuzz_figures_libfuzzer("#x\tNEW cov: 1\n#12 cov: 5 ft: 6\n# 7\tNEW\ncov: 9 ft: 9\n", &figures);
  assert_int_equal(figures.executions, 0);
  assert_int_equal(figures.features, 0);
  fuzz_figures_libfuzzer("#99999999999999999999999\tNEW    cov: -3 ft: 18446744073709551616\n",
                         &figures);
  assert_true(figures.executions == UINT64_MAX);
  assert_int_equal(figures.edges, 0);
  assert_true(figures.features == UINT64_MAX);
}

static void aflpp(void **state) {
  struct fuzz_figures figures;

  fuzz_figures_afl(
      "start_time        : 1796121387\nexecs_done        : 29933\nexecs_per_sec     : 7434.92\n"
      "corpus_count      : 209\nsaved_crashes     : 0\nedges_found       : 534\n"
      "total_edges       : 17454\nbitmap_cvg        : 3.06%\ncommand_line      : afl-fuzz -i in\n",
      &figures);
  assert_int_equal(figures.executions, 29933);
  assert_int_equal(figures.rate, 7434);
  assert_int_equal(figures.corpus, 209);
  assert_int_equal(figures.features, 534);
  assert_int_equal(figures.edges, 534);
  fuzz_figures_afl("execs_done\nexecs_done : \nexecs_done : x\n:::\nedges_found : 4", &figures);
  assert_int_equal(figures.executions, 0);
  assert_int_equal(figures.features, 4);
}

static void take_name(void *arg, const char *name) { text_addf(arg, "%s ", name); }

static void inputs_that_aflpp_passed_over(void **state) {
  struct text names = {0};

  fuzz_figures_afl_skipped(
      "[!] WARNING: Test case 'id:000001,time:0,execs:0,orig:aaaa' results in a crash, skipping\n"
      "[!] Test case 'id:000002,time:0,execs:0,orig:bb' results in a timeout, skipping\n"
      "orig:cc\nTest case 'orig:../dd' results in a crash\nTest case 'orig:' results in a crash\n",
      take_name, &names);
  assert_string_equal(text_str(&names), "aaaa bb ");
  text_free(&names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_run),
      cmocka_unit_test(a_run_that_was_killed),
      cmocka_unit_test(lines_of_no_use),
      cmocka_unit_test(aflpp),
      cmocka_unit_test(inputs_that_aflpp_passed_over),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
