// SPDX-License-Identifier: GPL-2.0-or-later
//
// Replay is the original: the same digest, draws, steps and failures, from the record in
// memory and from a decision file, for every strategy. And a run depends on its input
// alone. SEEDBED_NIGHTLY raises the number of seeds of each from 60 to 2000.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/prng.h"
#include "sim/strategy.h"
#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"

static const struct {
  const struct sim_scenario *scenario;
  const char *settings;
} rows[] = {
    {&testing_ping_pong, NULL},
    {&testing_ping_pong, "num_cpus=1"},
    {&testing_lost_update, "tasks=3 bug=race adds=3"},
    {&testing_lost_update, "tasks=6 num_cpus=3 work=2"},
    {&testing_lost_update, "tasks=4 num_cpus=1 preempt=0 bug=race"},
    {&testing_two_tokens, NULL},
    {&testing_draws, NULL},
    {&testing_mixture, NULL},
    {&testing_mixture, "num_cpus=1"},
    {&testing_mixture, "num_cpus=8 hz=1000"},
    {&testing_mixture, "chaos_ns=100000"},  // heals on its way
    {&testing_order, "num_cpus=4"},
    {&testing_ties, NULL},
};

static u64 seeds(void) { return getenv("SEEDBED_NIGHTLY") ? 2000 : 60; }

static bool same_result(const struct sim_result *a, const struct sim_result *b) {
  bool same = a->status == b->status && a->num_failures == b->num_failures &&
              a->draws == b->draws && a->steps == b->steps && a->vtime_ns == b->vtime_ns &&
              a->digest == b->digest && a->healed == b->healed;
  for (u32 i = 0; same && i < a->num_failures; i++)
    same = strcmp(a->failures[i].key, b->failures[i].key) == 0 &&
           strcmp(a->failures[i].text, b->failures[i].text) == 0 &&
           a->failures[i].step == b->failures[i].step;
  return same;
}

static bool same_list(const struct sim_decisions *a, const struct sim_decisions *b) {
  bool same = a->count == b->count;
  for (u32 i = 0; same && i < a->count; i++)
    same = memcmp(&a->item[i].k, &b->item[i].k, sizeof(a->item[i].k)) == 0 &&
           a->item[i].value == b->item[i].value && strcmp(a->item[i].site, b->item[i].site) == 0 &&
           strcmp(a->item[i].actor, b->item[i].actor) == 0 &&
           strcmp(a->item[i].target, b->item[i].target) == 0;
  return same;
}

// Through the text form and back.
static void through_a_file(const struct sim_decisions *list, const char *scenario,
                           struct sim_decision_file *back) {
  struct sim_decision_file f = {.list = *list};
  char *text = NULL, err[200];
  size_t len;
  snprintf(f.scenario, sizeof(f.scenario), "%s", scenario);
  FILE *out = open_memstream(&text, &len);
  assert_true(sim_decision_file_write(&f, out));
  fclose(out);
  if (!sim_decision_file_parse(back, text, len, err, sizeof(err))) fail_msg("%s", err);
  free(text);
}

// Returns whether the seed's run had a decision.
static bool replay_one(struct sim_test *h, u32 row, u32 strategy, u64 seed) {
  struct sim_decisions first = {0}, second = {0};
  sim_test_strategy(h, strategy, seed);
  struct sim_result original = h->result;
  sim_decisions_from_world(&first, h->world);
  struct sim_decision_file file;
  through_a_file(&first, rows[row].scenario->name, &file);
  sim_test_list(h, &file.list);
  sim_decisions_from_world(&second, h->world);
  if (!same_result(&original, &h->result) || !same_list(&first, &second) ||
      sim_world_unmatched(h->world, NULL, 0) != 0)
    fail_msg("row %u, %s, seed %llu: digest %d, draws %llu and %llu, unmatched %u", row,
             sim_strategy_name(strategy), (unsigned long long)seed,
             original.digest == h->result.digest, (unsigned long long)original.draws,
             (unsigned long long)h->result.draws, sim_world_unmatched(h->world, NULL, 0));
  bool any = first.count > 0;
  sim_decision_file_free(&file);
  sim_decisions_free(&first);
  sim_decisions_free(&second);
  return any;
}

static void replay_is_the_original(void **state) {
  for (u32 row = 0; row < SIM_ARRAY_SIZE(rows); row++) {
    struct sim_test h;
    u32 with_decisions = 0;
    sim_test_open_with(&h, rows[row].scenario, rows[row].settings);
    for (u32 strategy = 0; strategy < SIM_STRATEGY_COUNT; strategy++)
      for (u64 seed = 0; seed < seeds(); seed++)
        with_decisions += replay_one(&h, row, strategy, seed);
    // The scenario of ties has one task on one CPU, and nothing to decide.
    assert_int_equal(with_decisions > 100, rows[row].scenario != &testing_ties);
    sim_test_close(&h);
  }
}

// Fuzzer bytes replay from their record too.
static void bytes_replay(void **state) {
  for (u32 row = 0; row < SIM_ARRAY_SIZE(rows); row++) {
    struct sim_test h;
    struct sim_stream rng;
    struct sim_decisions list = {0};
    sim_stream_seed(&rng, row);
    sim_test_open_with(&h, rows[row].scenario, rows[row].settings);
    for (u64 i = 0; i < 5 * seeds(); i++) {
      u8 bytes[200];
      u32 len = sim_stream_below(&rng, sizeof(bytes));
      for (u32 j = 0; j < len; j++)
        bytes[j] = (u8)(j % 4 == 1 ? sim_stream_below(&rng, 12) : sim_stream_u64(&rng));
      struct sim_input input = {.backend = SIM_BACKEND_BYTES, .bytes = bytes, .len = len};
      sim_test_run(&h, &input);
      struct sim_result original = h.result;
      sim_decisions_from_world(&list, h.world);
      sim_test_list(&h, &list);
      assert_true(same_result(&original, &h.result));
      assert_int_equal(sim_world_unmatched(h.world, NULL, 0), 0);
    }
    sim_decisions_free(&list);
    sim_test_close(&h);
  }
}

// A run depends on its input alone: two worlds, two orders, other bytes in unused memory.
static void runs_depend_on_input_alone(void **state) {
  for (u32 row = 0; row < SIM_ARRAY_SIZE(rows); row++) {
    struct sim_test a, b;
    u64 n = 4 * seeds();
    u64 *digest = calloc(n, sizeof(*digest)), *num_draws = calloc(n, sizeof(*num_draws));
    sim_test_open_with(&a, rows[row].scenario, rows[row].settings);
    sim_test_open_with(&b, rows[row].scenario, rows[row].settings);
    for (u64 seed = 0; seed < n; seed++) {
      sim_test_strategy(&a, SIM_STRATEGY_PORTFOLIO, seed);
      digest[seed] = a.result.digest;
      num_draws[seed] = a.result.draws;
    }
    sim_world_set_fill(b.world, 0xa5);
    for (u64 seed = n; seed-- > 0;) {
      sim_test_strategy(&b, SIM_STRATEGY_PORTFOLIO, seed);
      if (digest[seed] != b.result.digest || num_draws[seed] != b.result.draws)
        fail_msg("row %u, seed %llu", row, (unsigned long long)seed);
    }
    free(digest);
    free(num_draws);
    sim_test_close(&a);
    sim_test_close(&b);
  }
}

// What a list holds and a run does not meet is skipped and reported by its place.
static void unmatched_is_reported(void **state) {
  struct sim_test h;
  struct sim_decisions list = {0};
  u32 index[4];
  sim_test_open_with(&h, &testing_lost_update, "bug=race num_cpus=1");
  u64 seed = 0;
  do {
    sim_test_strategy(&h, SIM_STRATEGY_RANDOM, seed++);
    sim_decisions_from_world(&list, h.world);
  } while (list.count != 2);
  struct sim_result original = h.result;
  struct sim_decision item[5] = {list.item[0], list.item[0], list.item[1], list.item[1],
                                 list.item[1]};
  strcpy(item[0].site, "nowhere:read");
  item[3].k += 100;
  strcpy(item[4].actor, "nobody#0");
  struct sim_decisions longer = {item, 5, 5};
  sim_test_list(&h, &longer);
  assert_true(same_result(&original, &h.result));
  assert_int_equal(sim_world_unmatched(h.world, index, 4), 3);
  assert_int_equal(index[0], 0);
  assert_int_equal(index[1], 3);
  assert_int_equal(index[2], 4);
  // A decision that is met, for an actor that could not go on: calm, and reported.
  item[1] = item[2] = list.item[0];
  strcpy(item[1].target, "nobody#0");
  longer.count = 2;
  sim_test_list(&h, &longer);
  assert_int_equal(sim_world_unmatched(h.world, index, 4), 2);
  sim_test_calm(&h);
  assert_int_equal(sim_world_unmatched(h.world, index, 4), 0);
  sim_decisions_free(&list);
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replay_is_the_original),
      cmocka_unit_test(bytes_replay),
      cmocka_unit_test(runs_depend_on_input_alone),
      cmocka_unit_test(unmatched_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
