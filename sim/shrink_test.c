// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shrinking: to the smallest list where that is known, never to another failure, the same
// each time.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/shrink.h"
#include "sim/strategy.h"
#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"

struct progress {
  u32 calls, last;
};

static void count(void *arg, u32 left) {
  struct progress *p = arg;
  if (p->calls++) assert_true(left <= p->last);
  p->last = left;
}

// Runs seeds from `seed` on until one fails; its list and key.
static u64 first_failure(struct sim_test *h, u32 strategy, u64 seed, struct sim_decisions *list,
                         char *key) {
  do {
    sim_test_strategy(h, strategy, seed++);
    assert_true(seed < 100000);
  } while (!h->result.num_failures);
  strcpy(key, sim_test_key(h));
  sim_decisions_from_world(list, h->world);
  return seed;
}

static void expect_fails(struct sim_test *h, const struct sim_decisions *list, const char *key) {
  sim_test_list(h, list);
  assert_string_equal(sim_test_key(h), key);
  assert_int_equal(sim_world_unmatched(h->world, NULL, 0), 0);
}

// Of a run of 80 draws, two are needed: a fault, and in the next round the smallest size that
// fails.
static void draws_to_two(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_draws, "limit=777");
  u64 seed = 0;
  for (u32 i = 0; i < 20; i++) {
    struct sim_decisions list = {0};
    struct progress progress = {0};
    char key[SIM_KEY_LEN];
    seed = first_failure(&h, SIM_STRATEGY_RANDOM, seed, &list, key);
    u64 runs = sim_shrink(h.world, &list, key, 0, count, &progress);
    assert_in_range(runs, 2, 2000);
    assert_int_equal(progress.last, 2);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.item[0].site, "testing-fault");
    assert_int_equal(list.item[0].value, 1);
    assert_string_equal(list.item[1].site, "testing-size");
    assert_int_equal(list.item[1].k, list.item[0].k + 1);
    assert_int_equal(list.item[1].value, 777);
    expect_fails(&h, &list, key);
    sim_decisions_free(&list);
  }
  sim_test_close(&h);
}

// A loop is shortened to the two rounds that matter, although no decision to go on could be
// left out: each is what leads to the next.
static void rounds_to_two(void **state) {
  struct sim_test h;
  u64 seed = 0;
  u32 longest = 0;
  sim_test_open_with(&h, &testing_rounds, NULL);
  for (u32 i = 0; i < 30; i++) {
    struct sim_decisions list = {0};
    char key[SIM_KEY_LEN];
    seed = first_failure(&h, SIM_STRATEGY_RANDOM, seed, &list, key);
    if (list.count > longest) longest = list.count;
    assert_true(sim_shrink(h.world, &list, key, 0, NULL, NULL) > 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.item[0].site, "testing-again");
    assert_int_equal(list.item[0].k, 0);
    assert_string_equal(list.item[1].site, "testing-size");
    assert_int_equal(list.item[1].k, 1);
    assert_int_equal(list.item[1].value, 900);
    expect_fails(&h, &list, key);
    sim_decisions_free(&list);
  }
  assert_true(longest >= 10);
  sim_test_close(&h);
}

// A lost update on one CPU needs one preemption: between a read and its write.
static void race_to_one_preemption(void **state) {
  static const u32 strategies[] = {SIM_STRATEGY_RANDOM, SIM_STRATEGY_PCT3, SIM_STRATEGY_POS,
                                   SIM_STRATEGY_RR};
  struct sim_test h;
  sim_test_open_with(&h, &testing_lost_update, "num_cpus=1 bug=race tasks=3 adds=5 work=3");
  for (u32 i = 0; i < SIM_ARRAY_SIZE(strategies); i++) {
    struct sim_decisions list = {0};
    char key[SIM_KEY_LEN];
    first_failure(&h, strategies[i], 1, &list, key);
    assert_true(sim_shrink(h.world, &list, key, 0, NULL, NULL) > 0);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.item[0].site, "add:write");
    expect_fails(&h, &list, key);
    sim_decisions_free(&list);
  }
  sim_test_close(&h);
}

// A deadlock of two tokens on one CPU needs one preemption as well.
static void deadlock_to_one_preemption(void **state) {
  struct sim_test h;
  struct sim_decisions list = {0};
  char key[SIM_KEY_LEN];
  sim_test_open_with(&h, &testing_two_tokens, "num_cpus=1");
  first_failure(&h, SIM_STRATEGY_RANDOM, 0, &list, key);
  assert_true(sim_shrink(h.world, &list, key, 0, NULL, NULL) > 0);
  assert_int_equal(list.count, 1);
  expect_fails(&h, &list, key);
  sim_decisions_free(&list);
  sim_test_close(&h);
}

// The same list shrinks to the same, in as many runs.
static void same_each_time(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_lost_update, "bug=race tasks=4 adds=4 num_cpus=2");
  for (u64 seed = 0; seed < 5; seed++) {
    struct sim_decisions a = {0}, b = {0};
    char key[SIM_KEY_LEN];
    first_failure(&h, SIM_STRATEGY_RANDOM, seed * 100, &a, key);
    first_failure(&h, SIM_STRATEGY_RANDOM, seed * 100, &b, key);
    u64 runs = sim_shrink(h.world, &a, key, 0, NULL, NULL);
    sim_test_strategy(&h, SIM_STRATEGY_RANDOM, 99);
    assert_int_equal(sim_shrink(h.world, &b, key, 0, NULL, NULL), runs);
    assert_int_equal(a.count, b.count);
    for (u32 i = 0; i < a.count; i++) {
      assert_string_equal(a.item[i].site, b.item[i].site);
      assert_string_equal(a.item[i].actor, b.item[i].actor);
      assert_string_equal(a.item[i].target, b.item[i].target);
      assert_int_equal(a.item[i].k, b.item[i].k);
    }
    sim_decisions_free(&a);
    sim_decisions_free(&b);
  }
  sim_test_close(&h);
}

// A key that the list does not lead to: nothing is done. A bound on runs is kept, and what
// was reached by then fails.
static void other_key_and_bound(void **state) {
  struct sim_test h;
  struct sim_decisions list = {0};
  char key[SIM_KEY_LEN];
  sim_test_open_with(&h, &testing_draws, NULL);
  first_failure(&h, SIM_STRATEGY_RANDOM, 0, &list, key);
  u32 before = list.count;
  struct sim_decision first = list.item[0];
  assert_int_equal(sim_shrink(h.world, &list, "testing-draws/other/00000000", 0, NULL, NULL), 0);
  assert_int_equal(list.count, before);
  assert_memory_equal(&first, &list.item[0], sizeof(first));
  for (u64 max = 1; max < 30; max++) {
    assert_in_range(sim_shrink(h.world, &list, key, max, NULL, NULL), 1, max);
    expect_fails(&h, &list, key);
  }
  assert_true(list.count < before);
  sim_decisions_free(&list);
  sim_test_close(&h);
}

// What fails without any decision shrinks to none: with CPUs in step both read before
// either writes.
static void calm_failure(void **state) {
  struct sim_test h;
  struct sim_decisions list = {0};
  char key[SIM_KEY_LEN];
  sim_test_open_with(&h, &testing_lost_update, "bug=race num_cpus=2 skew_ns=1");
  sim_test_calm(&h);
  strcpy(key, sim_test_key(&h));
  assert_true(*key);
  for (u64 seed = 0; list.count < 2;)
    seed = first_failure(&h, SIM_STRATEGY_RANDOM, seed, &list, key);
  assert_true(sim_shrink(h.world, &list, key, 0, NULL, NULL) > 0);
  assert_int_equal(list.count, 0);
  expect_fails(&h, &list, key);
  sim_decisions_free(&list);
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_to_two),           cmocka_unit_test(rounds_to_two),
      cmocka_unit_test(race_to_one_preemption), cmocka_unit_test(deadlock_to_one_preemption),
      cmocka_unit_test(same_each_time),         cmocka_unit_test(other_key_and_bound),
      cmocka_unit_test(calm_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
