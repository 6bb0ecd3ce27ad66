// SPDX-License-Identifier: GPL-2.0-or-later
//
// The calm choice and ties: in a run without a decision, what comes when is known, and the
// four back-ends agree on that run.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "sim/strategy.h"
#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"

static void expect_log(const u32 *expected, u32 count) {
  const struct testing_order *log = testing_order_log();
  for (u32 i = 0; i < log->count && i < count; i++)
    if (log->came[i] != expected[i])
      fail_msg("place %u: %u came, not %u", i, log->came[i], expected[i]);
  assert_int_equal(log->count, count);
}

static void expect_order(const char *settings, const u32 *expected, u32 count) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_order, settings);
  sim_test_calm(&h);
  expect_log(expected, count);
  sim_test_close(&h);
}

// One CPU: its tasks in FIFO order, none preempted; events of one time as they were armed.
static void calm_one_cpu(void **state) {
  static const u32 expected[] = {100, 100, 101, 101, 10, 11, 12};
  expect_order("num_cpus=1", expected, SIM_ARRAY_SIZE(expected));
}

// Two CPUs. CPU 0 goes on to its second task (it is 1520 ns ahead, which the skew of 2000
// allows) and must wait at that one's first point (3030). CPU 1 does both of its own: at
// 1520 it has the lowest clock. Then CPU 0 is the lowest. Of events of one time the lower
// CPU's come first, although the other was armed before.
static void calm_two_cpus(void **state) {
  static const u32 expected[] = {100, 100, 101, 110, 110, 111, 111, 101, 11, 12, 10};
  expect_order("num_cpus=2", expected, SIM_ARRAY_SIZE(expected));
}

// Three and four: where clocks are equal the lowest number goes (1 before 2 before 3 at the
// beginning; 0 before 1 before 2 for the second points of 101, 111 and 121).
static void calm_more_cpus(void **state) {
  static const u32 three[] = {100, 100, 101, 110, 110, 111, 120, 120,
                              121, 121, 101, 111, 11,  12,  10};
  static const u32 four[] = {100, 100, 101, 110, 110, 111, 120, 120, 121, 130,
                             130, 131, 131, 101, 111, 121, 11,  12,  10};
  expect_order("num_cpus=3", three, SIM_ARRAY_SIZE(three));
  expect_order("num_cpus=4", four, SIM_ARRAY_SIZE(four));
}

// With a skew of 1 ns the CPUs go in step: whoever is ahead waits, so all first points come
// before any second one. CPU 1, at the same clock as CPU 0 when 110 sleeps, goes on itself.
static void calm_in_step(void **state) {
  static const u32 expected[] = {100, 110, 100, 110, 111, 101, 111, 101, 11, 12, 10};
  expect_order("num_cpus=2 skew_ns=1", expected, SIM_ARRAY_SIZE(expected));
}

// Lines that pend together land by number; timers and hrtimers of one time in the order in
// which they were added.
static void ties(void **state) {
  static const u32 expected[] = {1, 20, 21, 22, 32, 30, 31, 42, 40, 41, 2};
  struct sim_test h;
  sim_test_open_with(&h, &testing_ties, NULL);
  sim_test_calm(&h);
  expect_log(expected, SIM_ARRAY_SIZE(expected));
  sim_test_close(&h);
}

// No decision, an empty list, no bytes, bytes of zero and the odometer's first run are one
// run. (The calm strategy is not: its faults and interrupts still draw.)
static void calm_in_every_backend(void **state) {
  for (u32 i = 0; testing_scenarios[i]; i++) {
    if (testing_scenarios[i] == &testing_not_deterministic) continue;
    struct sim_test h;
    sim_test_open_with(&h, testing_scenarios[i], NULL);
    sim_test_calm(&h);
    struct sim_result calm = h.result;
    u32 count;
    sim_world_draws(h.world, &count);
    assert_int_equal(count, 0);
    struct sim_decisions none = {0};
    struct sim_odometer odometer = {0};
    static const u8 zeros[64];
    struct sim_input inputs[] = {
        {.backend = SIM_BACKEND_LIST, .list = &none},
        {.backend = SIM_BACKEND_BYTES, .bytes = zeros, .len = 0},
        {.backend = SIM_BACKEND_BYTES, .bytes = zeros, .len = sizeof(zeros)},
        {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer},
        {.backend = SIM_BACKEND_CALM},
    };
    for (u32 j = 0; j < SIM_ARRAY_SIZE(inputs); j++) {
      sim_test_run(&h, &inputs[j]);
      if (h.result.digest != calm.digest || h.result.draws != calm.draws ||
          h.result.steps != calm.steps || h.result.vtime_ns != calm.vtime_ns)
        fail_msg("%s: input %u", testing_scenarios[i]->name, j);
    }
    assert_int_equal(odometer.len, calm.draws);
    sim_odometer_free(&odometer);
    sim_test_close(&h);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calm_one_cpu),   cmocka_unit_test(calm_two_cpus),
      cmocka_unit_test(calm_more_cpus), cmocka_unit_test(calm_in_step),
      cmocka_unit_test(ties),           cmocka_unit_test(calm_in_every_backend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
