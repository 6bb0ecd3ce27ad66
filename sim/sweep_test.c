// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sweep against the odometer: with a bound of two events that one runs the same runs,
// and more where the window cuts.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/sweep.h"
#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"

// Runs as a set: how many, and a sum that does not depend on their order.
struct set {
  u64 runs, sum;
};

static void put(struct set *set, const struct sim_sweep_event *event, u32 num,
                const struct sim_result *result) {
  u64 h = num;
  for (u32 i = 0; i < num; i++) h = sim_mix64(h ^ ((u64)event[i].draw << 32 | event[i].value));
  set->runs++;
  set->sum += sim_mix64(h ^ result->digest ^ sim_mix64(result->draws));
}

// All runs with at most two events, at most `window` apart, by the odometer.
static struct set by_odometer(struct sim_test *h, u32 window) {
  struct sim_odometer odometer = {.bound = window ? 2 : 1};
  struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};
  struct set set = {0};
  do {
    struct sim_sweep_event event[2];
    u32 num = 0;
    sim_test_run(h, &input);
    for (u32 i = 0; i < odometer.len; i++)
      if (odometer.digit[i]) event[num++] = (struct sim_sweep_event){i, odometer.digit[i]};
    if (num < 2 || event[1].draw - event[0].draw <= window) put(&set, event, num, &h->result);
  } while (sim_odometer_next(&odometer));
  sim_odometer_free(&odometer);
  return set;
}

struct visitor {
  struct set set;
  u64 next;     // number of the next run
  u64 stop_at;  // number of the run to stop after
  u64 *digest;  // by number, or NULL
};

static bool visit(void *arg, const struct sim_sweep_run *run, const struct sim_result *result) {
  struct visitor *v = arg;
  assert_int_equal(run->index, v->next++);
  put(&v->set, run->event, run->num_events, result);
  if (v->digest) {
    if (v->digest[run->index]) assert_int_equal(v->digest[run->index], result->digest);
    v->digest[run->index] = result->digest;
  }
  return run->index != v->stop_at;
}

static struct set by_sweep(struct sim_test *h, u32 window) {
  struct sim_sweep_config config = {.window = window};
  struct sim_sweep *s = sim_sweep_new(h->world, &config);
  struct visitor v = {.stop_at = UINT64_MAX};
  assert_int_equal(sim_sweep_run(s, 0, UINT64_MAX, visit, &v), sim_sweep_total(s));
  assert_int_equal(v.set.runs, sim_sweep_total(s));
  assert_false(sim_sweep_diverged(s));
  sim_sweep_free(s);
  return v.set;
}

static const struct {
  const struct sim_scenario *scenario;
  const char *settings;
} rows[] = {
    {&testing_lost_update, "num_cpus=1 tasks=2 adds=3 bug=race"},
    {&testing_lost_update, "num_cpus=2 tasks=4 adds=2 bug=race"},
    {&testing_two_tokens, "num_cpus=2"},
    {&testing_ping_pong, "rounds=3"},
    {&testing_draws, "rounds=1"},
    {&testing_order, "num_cpus=3"},
    {&testing_ties, NULL},  // no boundary at all
};

// Every single event and every ordered pair within the window runs once, and nothing else.
static void same_as_odometer(void **state) {
  static const u32 windows[] = {0, 1, 3, 1000};
  for (u32 row = 0; row < SIM_ARRAY_SIZE(rows); row++) {
    struct sim_test h;
    sim_test_open_with(&h, rows[row].scenario, rows[row].settings);
    u64 last = 0;
    for (u32 i = 0; i < SIM_ARRAY_SIZE(windows); i++) {
      struct set expected = by_odometer(&h, windows[i]), set = by_sweep(&h, windows[i]);
      if (expected.runs != set.runs || expected.sum != set.sum)
        fail_msg("row %u window %u: %llu runs, the odometer has %llu", row, windows[i],
                 (unsigned long long)set.runs, (unsigned long long)expected.runs);
      if (rows[row].scenario != &testing_ties && i < 2) assert_true(set.runs > last);
      last = set.runs;
    }
    sim_test_close(&h);
  }
}

// However a sweep is shared, each run is the one of its number.
static void shards(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_lost_update, "num_cpus=2 tasks=3 adds=2 bug=race");
  struct sim_sweep_config config = {.window = 10};
  struct sim_sweep *s = sim_sweep_new(h.world, &config);
  u64 total = sim_sweep_total(s);
  assert_true(total > 100);
  struct visitor whole = {.stop_at = UINT64_MAX, .digest = calloc(total, sizeof(u64))};
  assert_int_equal(sim_sweep_run(s, 0, total, visit, &whole), total);
  static const u64 steps[] = {1, 7, 64};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(steps); i++) {
    struct visitor v = {.stop_at = UINT64_MAX, .digest = whole.digest};
    // Another process plans for itself.
    struct sim_sweep *other = sim_sweep_new(h.world, &config);
    assert_int_equal(sim_sweep_total(other), total);
    for (u64 at = 0; at < total; at += steps[i]) {
      v.next = at;
      u64 left = total - at < steps[i] ? total - at : steps[i];
      assert_int_equal(sim_sweep_run(other, at, at + steps[i], visit, &v), left);
    }
    assert_int_equal(v.set.runs, total);
    assert_int_equal(v.set.sum, whole.set.sum);
    sim_sweep_free(other);
  }
  // Empty and outside ranges; a visitor that says stop.
  struct visitor v = {.next = 5, .stop_at = 9};
  assert_int_equal(sim_sweep_run(s, 5, 5, visit, &v), 0);
  assert_int_equal(sim_sweep_run(s, total, total + 9, visit, &v), 0);
  assert_int_equal(sim_sweep_run(s, 5, total, visit, &v), 5);
  free(whole.digest);
  sim_sweep_free(s);
  sim_sweep_free(NULL);
  sim_test_close(&h);
}

// Collects the runs of single events and their pairs, but for those left out.
struct collector {
  struct set set;
  u64 next;      // index of the next run
  u64 left_out;  // every so many is left out; 0: none
  u64 stop_at;
};

static bool wanted(void *arg, const struct sim_sweep_run *run) {
  struct collector *c = arg;
  assert_int_equal(run->index, c->next);
  if (!c->left_out || run->index % c->left_out != c->left_out - 1) return true;
  c->next++;
  return false;
}

static bool collect(void *arg, const struct sim_sweep_run *run, const struct sim_result *result) {
  struct collector *c = arg;
  assert_int_equal(run->index, c->next++);
  assert_int_equal(run->num_events, 1 + (run->index > 0));
  put(&c->set, run->event, run->num_events, result);
  return run->index != c->stop_at;
}

// Single events with their pairs, one by one, are the sweep without its calm run.
static void singles_with_their_pairs(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_lost_update, "num_cpus=2 tasks=3 adds=2 bug=race");
  for (u32 window = 0; window <= 10; window += 5) {
    struct sim_sweep_config config = {.window = window};
    struct sim_sweep *s = sim_sweep_new(h.world, &config);
    struct collector c = {.stop_at = UINT64_MAX};
    struct visitor v = {.next = 1, .stop_at = UINT64_MAX};
    for (u64 single = 0; single < sim_sweep_singles(s); single++) {
      c.next = 0;
      assert_true(sim_sweep_single(s, single, single % 2 ? wanted : NULL, collect, &c));
    }
    sim_sweep_run(s, 1, UINT64_MAX, visit, &v);
    assert_int_equal(c.set.runs, v.set.runs);
    assert_int_equal(c.set.sum, v.set.sum);
    sim_sweep_free(s);
  }
  sim_test_close(&h);
}

// A single event that is left out takes its pairs along; a pair goes alone.
static void runs_are_left_out(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_lost_update, "num_cpus=2 tasks=3 adds=2 bug=race");
  struct sim_sweep_config config = {.window = 5};
  struct sim_sweep *s = sim_sweep_new(h.world, &config);
  struct collector all = {.stop_at = UINT64_MAX}, some = {.left_out = 2, .stop_at = UINT64_MAX};
  struct collector none = {.left_out = 1}, stopped = {.stop_at = 2};
  assert_true(sim_sweep_single(s, 3, wanted, collect, &all));
  assert_true(all.set.runs > 4);
  assert_true(sim_sweep_single(s, 3, wanted, collect, &some));
  assert_int_equal(some.set.runs, (all.set.runs + 1) / 2);
  assert_true(sim_sweep_single(s, 3, wanted, collect, &none));
  assert_int_equal(none.set.runs, 0);
  assert_false(sim_sweep_single(s, 3, wanted, collect, &stopped));
  assert_int_equal(stopped.set.runs, 3);
  sim_sweep_free(s);
  sim_test_close(&h);
}

struct found {
  u64 failing;
  u32 num_events;
  struct sim_decisions list;
  char key[SIM_KEY_LEN];
};

static bool look(void *arg, const struct sim_sweep_run *run, const struct sim_result *result) {
  struct found *f = arg;
  if (!result->num_failures) return true;
  if (f->failing++ == 0) {
    f->num_events = run->num_events;
    strcpy(f->key, result->failures[0].key);
    sim_decisions_from_world(&f->list, sim_w);
  }
  return true;
}

// A race of one preemption is a single event, one of two events a pair; what the world
// recorded replays it.
static void finds_by_number_of_events(void **state) {
  static const struct {
    const struct sim_scenario *scenario;
    const char *settings;
    u32 window, num_events;
  } cases[] = {
      {&testing_lost_update, "num_cpus=1 bug=race", 0, 1},
      {&testing_two_tokens, "num_cpus=1", 0, 1},
      {&testing_draws, "rounds=2 limit=998", 3, 2},
  };
  for (u32 i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    struct sim_test h;
    struct found f = {0};
    struct sim_sweep_config config = {.window = cases[i].window};
    sim_test_open_with(&h, cases[i].scenario, cases[i].settings);
    struct sim_sweep *s = sim_sweep_new(h.world, &config);
    sim_sweep_run(s, 0, UINT64_MAX, look, &f);
    assert_true(f.failing > 0);
    assert_int_equal(f.num_events, cases[i].num_events);
    assert_int_equal(f.list.count, cases[i].num_events);
    sim_test_list(&h, &f.list);
    assert_string_equal(sim_test_key(&h), f.key);
    sim_decisions_free(&f.list);
    sim_sweep_free(s);
    sim_test_close(&h);
  }
}

// The numbers of runs, counted by hand, for 40 rounds of a fault and one of 1000 sizes: all of
// them, and the first three boundaries with two values at most.
static void limits(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_draws, NULL);
  struct sim_sweep_config all = {0};
  struct sim_sweep *s = sim_sweep_new(h.world, &all);
  assert_int_equal(sim_sweep_draws(s), 80);
  assert_int_equal(sim_sweep_singles(s), 40 * (1 + 999));
  assert_int_equal(sim_sweep_total(s), 1 + 40 * (1 + 999));
  sim_sweep_free(s);
  struct sim_sweep_config few = {.window = 2, .draws_max = 3, .values_max = 2};
  s = sim_sweep_new(h.world, &few);
  assert_int_equal(sim_sweep_draws(s), 3);
  assert_int_equal(sim_sweep_singles(s), 1 + 2 + 1);
  // Each has a fault (1 value) and a size (2 values) within the next two draws.
  assert_int_equal(sim_sweep_total(s), 1 + 4 + 4 * 3);
  struct visitor v = {.stop_at = UINT64_MAX};
  assert_int_equal(sim_sweep_run(s, 0, 99, visit, &v), 17);
  sim_sweep_free(s);
  sim_test_close(&h);
}

// A scenario that is not deterministic is noticed.
static void divergence_is_noticed(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_not_deterministic, NULL);
  struct sim_sweep_config config = {0};
  struct sim_sweep *s = sim_sweep_new(h.world, &config);
  struct visitor v = {.stop_at = UINT64_MAX};
  sim_sweep_run(s, 0, UINT64_MAX, visit, &v);
  assert_true(sim_sweep_diverged(s));
  sim_sweep_free(s);
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_odometer),          cmocka_unit_test(shards),
      cmocka_unit_test(singles_with_their_pairs),  cmocka_unit_test(runs_are_left_out),
      cmocka_unit_test(finds_by_number_of_events), cmocka_unit_test(limits),
      cmocka_unit_test(divergence_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
