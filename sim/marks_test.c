// SPDX-License-Identifier: GPL-2.0-or-later
//
// SOMETIMES marks: hits are counted in runs of their scenario and nowhere else.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/checker.h"
#include "sim/strategy.h"
#include "sim/task.h"
#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"

static const struct sim_mark *mark_of(const char *scenario, const char *name) {
  for (u32 i = 0; i < sim_marks_count(); i++) {
    const struct sim_mark *mark = sim_mark_at(i);
    if (strcmp(mark->scenario, scenario) == 0 && strcmp(mark->name, name) == 0) return mark;
  }
  fail_msg("no mark %s of %s", name, scenario);
  return NULL;
}

// A mark that sees all: set-up, and runs of another scenario than its own.
static void see(const char *what) {
  SIM_SOMETIMES("testing-mark-one", "seen", 10, true);
  SIM_SOMETIMES("testing-mark-two", "seen", 20, true);
  SIM_SOMETIMES("testing-mark-one", "never", 30, what == NULL);
}

static void mark_task(void *arg) { see("run"); }

static void mark_setup(void) {
  see("set-up");
  sim_task_new("mark", mark_task, NULL, 0);
}

static const struct sim_scenario one = {
    .name = "testing-mark-one", .claim = "-", .testonly = true, .setup = mark_setup};
static const struct sim_scenario two = {
    .name = "testing-mark-two", .claim = "-", .testonly = true, .setup = mark_setup};

static void hits_of_its_scenario(void **state) {
  struct sim_test h;
  const struct sim_mark *mark_one = mark_of("testing-mark-one", "seen");
  const struct sim_mark *mark_two = mark_of("testing-mark-two", "seen");
  assert_int_equal(mark_one->runs_min, 10);
  assert_int_equal(mark_two->runs_min, 20);
  sim_test_open_with(&h, &one, NULL);
  assert_int_equal(mark_one->hits, 0);  // not in set-up
  for (u32 i = 0; i < 7; i++) sim_test_calm(&h);
  assert_int_equal(mark_one->hits, 7);
  assert_int_equal(mark_two->hits, 0);
  sim_test_close(&h);
  sim_test_open_with(&h, &two, NULL);
  for (u32 i = 0; i < 3; i++) sim_test_calm(&h);
  assert_int_equal(mark_one->hits, 7);
  assert_int_equal(mark_two->hits, 3);
  assert_int_equal(mark_of("testing-mark-one", "never")->hits, 0);
  sim_test_close(&h);
}

// Marks of the end-of-run check count too; counting changes no run.
static void marks_in_check(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_ping_pong, NULL);
  const struct sim_mark *done = mark_of("testing-ping-pong", "done");
  u64 before = done->hits;
  sim_test_strategy(&h, SIM_STRATEGY_RANDOM, 1);
  u64 digest = h.result.digest;
  sim_test_strategy(&h, SIM_STRATEGY_RANDOM, 1);
  assert_int_equal(h.result.digest, digest);
  assert_int_equal(done->hits, before + 2);
  assert_int_equal(mark_of("testing-ping-pong", "never")->hits, 0);
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hits_of_its_scenario),
      cmocka_unit_test(marks_in_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
