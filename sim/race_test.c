// SPDX-License-Identifier: GPL-2.0-or-later
//
// The detector of data races: each order of sim/race.h makes a pair of accesses silent, and
// without it the same pair is found.
#include "sim/race.h"

#include "sim/testing/runs.h"

#include "sim/engine.h"
#include "sim/testing/hooked.h"

enum { SEEDS = 100 };

static const char *const program_names[] = {
#define X(id, name) name,
    TESTING_RACES(X)
#undef X
};

static const char *number(u32 n, char out[12]) {
  snprintf(out, 12, "%u", n);
  return out;
}

static void set_program(const char *set[10], u32 program, bool order, char text[12]) {
  const char *const all[] = {"hooks",           "2", "program", number(program, text), "order",
                             order ? "1" : "0", NULL};
  memcpy(set, all, sizeof(all));
}

// Under AddressSanitizer the hooks tell neither C's atomics nor volatile from plain accesses.
static bool is_told(u32 program) {
#ifdef SIM_ASAN
  return program != TESTING_RACE_ATOMIC && program != TESTING_RACE_VOLATILE;
#else
  (void)program;
  return true;
#endif
}

// An order: no seed reports anything, whoever comes first.
static void orders_are_silent(void **state) {
  for (u32 program = 0; program < TESTING_RACE_COUNT; program++) {
    const char *set[10];
    char text[12];
    if (!is_told(program)) continue;
    set_program(set, program, true, text);
    print_message("%s\n", program_names[program]);
    sim_test_clean(&testing_races, set, SEEDS);
  }
}

// Of SEEDS seeds, how many end with a data race. No other oracle fires.
static u32 count_races(const char *const *set) {
  struct sim_test t;
  u32 found = 0;
  sim_test_open(&t, &testing_races, set);
  for (u64 seed = 0; seed < SEEDS; seed++) {
    sim_test_seed(&t, seed);
    for (u32 i = 0; i < t.result.num_failures; i++)
      assert_string_equal(t.result.failures[i].oracle, "data-race");
    found += t.result.num_failures != 0;
    if (seed % 10 == 0) sim_test_again(&t, seed);
  }
  sim_test_close(&t);
  return found;
}

// No order: it is found, in more than one seed in ten, and nothing else is.
static void missing_orders_are_found(void **state) {
  for (u32 program = 0; program < TESTING_RACE_COUNT; program++) {
    const char *set[10];
    char text[12];
    set_program(set, program, false, text);
    u32 found = count_races(set);
    print_message("%s: %u of %d\n", program_names[program], found, SEEDS);
    assert_true(found > SEEDS / 10);
  }
}

// Without the detector the hooks report nothing.
static void points_alone_report_nothing(void **state) {
  for (u32 program = 0; program < TESTING_RACE_COUNT; program++) {
    const char *set[10];
    char text[12];
    set_program(set, program, false, text);
    set[1] = "1";
    sim_test_clean(&testing_races, set, 30);
  }
}

// A report names both sides: what they are, their functions and callers, their tasks.
static void report_tells_both_sides(void **state) {
  static const char *const set[] = {"hooks", "2", "program", "spinlock", "order", "0", NULL};
  struct sim_test t;
  sim_test_open(&t, &testing_races, set);
  for (u64 seed = 0; t.result.num_failures == 0; seed++) sim_test_seed(&t, seed);
  const char *text = t.result.failures[0].text;
  print_message("%s\n", text);
  assert_non_null(strstr(text, "plain "));
  assert_non_null(strstr(text, "of 4 bytes in "));
  assert_non_null(strstr(text, "first#0"));
  assert_non_null(strstr(text, "second#0"));
  assert_non_null(strstr(text, "on CPU 0"));
  assert_non_null(strstr(text, "on CPU 1"));
#ifndef SIM_ASAN
  assert_non_null(strstr(text, " < second"));
#endif
  sim_test_close(&t);
}

// So many threads that what a clock holds grows during a run, before either side begins or
// between what the first does and what the second does: orders hold, and races are found.
static void threads_come_later(void **state) {
  static const char *const many[][2] = {{"13", "20"}, {"40", "40"}};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(many); i++)
    for (u32 program = 0; program < TESTING_RACE_COUNT; program++) {
      const char *set[11] = {NULL};
      char text[12];
      if (!is_told(program)) continue;
      for (u32 order = 0; order < 2; order++) {
        set_program(set, program, order, text);
        set[6] = "before", set[7] = many[i][0], set[8] = "behind", set[9] = many[i][1];
        if (order)
          sim_test_clean(&testing_races, set, 20);
        else
          assert_true(count_races(set) > 0);
      }
    }
}

// What is found, and the digest, do not depend on the runs before: with a fresh shadow, after
// many runs, and where the clocks come to their end and begin anew.
static void shadow_of_other_runs_is_not_seen(void **state) {
  static const char *const ordered[] = {"hooks", "2", "program", "wake_up_process", NULL};
  static const char *const free_[] = {"hooks", "2", "program", "mutex", "order", "0", NULL};
  for (u32 order = 0; order < 2; order++) {
    u64 digest[200];
    u32 failures[200];
    struct sim_test t;
    sim_test_open(&t, &testing_races, order ? ordered : free_);
    for (u32 round = 0; round < 4; round++) {
      for (u32 i = 0; i < SIM_ARRAY_SIZE(digest); i++) {
        // Each round in another order, the third at the end of the clocks.
        u32 seed = round % 2 ? (u32)SIM_ARRAY_SIZE(digest) - 1 - i : i;
        if (round == 2 && i % 3 == 0)
          sim_race_set_clock(t.world->race, SIM_RACE_CLOCK_LAST - i % 9);
        sim_test_seed(&t, seed);
        if (round == 0) {
          digest[seed] = t.result.digest;
          failures[seed] = t.result.num_failures;
        }
        assert_true(t.result.digest == digest[seed]);
        assert_int_equal(t.result.num_failures, failures[seed]);
      }
    }
    sim_test_close(&t);
  }
}

// The detector looks and decides nothing: a run has one digest with it and without, unless it
// reports something.
static void detector_changes_no_run(void **state) {
  for (u32 program = 0; program < TESTING_RACE_COUNT; program++) {
    const char *set[10];
    char text[12];
    u64 digest[20];
    if (!is_told(program)) continue;
    set_program(set, program, true, text);
    for (u32 hooks = 1; hooks <= 2; hooks++) {
      struct sim_test t;
      set[1] = hooks == 1 ? "1" : "2";
      sim_test_open(&t, &testing_races, set);
      for (u32 seed = 0; seed < SIM_ARRAY_SIZE(digest); seed++) {
        sim_test_seed(&t, seed);
        if (hooks == 1) digest[seed] = t.result.digest;
        assert_true(t.result.digest == digest[seed]);
      }
      sim_test_close(&t);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_silent),
      cmocka_unit_test(missing_orders_are_found),
      cmocka_unit_test(points_alone_report_nothing),
      cmocka_unit_test(report_tells_both_sides),
      cmocka_unit_test(threads_come_later),
      cmocka_unit_test(shadow_of_other_runs_is_not_seen),
      cmocka_unit_test(detector_changes_no_run),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
