// SPDX-License-Identifier: GPL-2.0-or-later
//
// What runs tell a fuzzer: of order that it happened and not how often, another order for another
// run, and nothing that changes a run.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/cover.h"
#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"

enum { LEN = 1024, SEEDS = 64 };

static u8 order[LEN], state[LEN];
static const struct sim_cover all = {
    .order = order, .state = state, .num_order = LEN, .num_state = LEN};

static void run(struct sim_test *h, u64 seed) {
  struct sim_input input = {
      .backend = SIM_BACKEND_SEED, .seed = seed, .strategy = SIM_STRATEGY_PORTFOLIO};

  memset(order, 0, sizeof(order));
  memset(state, 0, sizeof(state));
  sim_test_run(h, &input);
}

static u32 count_of(const u8 *counters) {
  u32 count = 0;

  for (u32 i = 0; i < LEN; i++) count += counters[i];
  return count;
}

static void order_is_told_once(void **unused) {
  struct sim_test h;
  u8 first[LEN];
  u64 digest[SEEDS];
  u32 other = 0;

  (void)unused;
  sim_test_open_with(&h, &testing_order, "num_cpus=2");
  for (u64 seed = 0; seed < SEEDS; seed++) {
    run(&h, seed);
    digest[seed] = h.result.digest;
    assert_int_equal(count_of(order), 0);  // nobody asked
  }
  sim_world_set_cover(h.world, &all);
  for (u64 seed = 0; seed < SEEDS; seed++) {
    run(&h, seed);
    assert_true(h.result.digest == digest[seed]);
    assert_int_not_equal(count_of(order), 0);
    for (u32 i = 0; i < LEN; i++) assert_in_range(order[i], 0, 1);
    if (!seed) memcpy(first, order, sizeof(first));
    other += memcmp(first, order, sizeof(first)) != 0;
  }
  assert_int_not_equal(other, 0);
  // The same run says the same again, whatever ran between.
  run(&h, 0);
  assert_memory_equal(first, order, sizeof(first));
  sim_world_set_cover(h.world, NULL);
  run(&h, 0);
  assert_int_equal(count_of(order), 0);
  sim_test_close(&h);
}

// Lengths of 0 leave a kind out.
static void kinds_can_be_left_out(void **unused) {
  struct sim_cover none = all;
  struct sim_test h;

  (void)unused;
  none.num_order = 0;
  sim_test_open_with(&h, &testing_order, "num_cpus=2");
  sim_world_set_cover(h.world, &none);
  run(&h, 1);
  assert_int_equal(count_of(order), 0);
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_is_told_once),
      cmocka_unit_test(kinds_can_be_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
