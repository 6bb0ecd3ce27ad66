// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of the simulator: small scenarios, run over many seeds or exhaustively, and
// what must or must not fire. Uses cmocka's assertions on the host; inside a run a test
// says SIM_EXPECT, which ends the run with the oracle "expect".
#ifndef SEEDBED_SIM_TESTING_RUNS_H_
#define SEEDBED_SIM_TESTING_RUNS_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/decision.h"
#include "sim/scenario.h"
#include "sim/strategy.h"
#include "sim/world.h"

static const struct sim_oracle sim_test_oracle = {"expect", SIM_SAFETY,
                                                  "what the test expects in a run", "this test"};
#define SIM_EXPECT(cond)                                                                 \
  do {                                                                                   \
    if (!(cond))                                                                         \
      sim_fail(&sim_test_oracle, #cond, "%s:%d: not so: %s", __FILE__, __LINE__, #cond); \
  } while (0)
#define SIM_EXPECT_EQ(a, b)                                                               \
  do {                                                                                    \
    long long sim_a_ = (long long)(a), sim_b_ = (long long)(b);                           \
    if (sim_a_ != sim_b_)                                                                 \
      sim_fail(&sim_test_oracle, #a " == " #b, "%s:%d: %s is %lld, %s is %lld", __FILE__, \
               __LINE__, #a, sim_a_, #b, sim_b_);                                         \
  } while (0)

// In a run: an even draw of 0..n-1, of what the test does next; calm: 0.
static inline u32 sim_test_draw(u32 n) {
  return sim_choose(sim_w, SIM_SITE_DRAW("test-draw", SIM_SITE_WORK, 0, 0), n);
}

struct sim_test {
  const struct sim_scenario *scenario;
  struct sim_world *world;
  struct sim_params *params;
  struct sim_result result;
};

// `set` is "key", "value", ..., NULL; or NULL. Returns what set-up ended with.
static inline enum sim_status sim_test_try_open(struct sim_test *t,
                                                const struct sim_scenario *scenario,
                                                const char *const *set) {
  t->scenario = scenario;
  t->world = sim_world_new();
  assert_non_null(t->world);
  t->params = sim_params_new(scenario);
  for (; set && *set; set += 2) {
    char err[128];
    if (!sim_params_set(t->params, set[0], set[1], err, sizeof(err))) fail_msg("%s", err);
  }
  return sim_world_setup(t->world, scenario, t->params, &t->result);
}

static inline void sim_test_show(const struct sim_test *t, const char *how, unsigned long long n) {
  for (u32 i = 0; i < t->result.num_failures; i++)
    print_message("%s %s %llu: %s: %s\n", t->scenario->name, how, n, t->result.failures[i].key,
                  t->result.failures[i].text);
}

static inline void sim_test_open(struct sim_test *t, const struct sim_scenario *scenario,
                                 const char *const *set) {
  if (sim_test_try_open(t, scenario, set) == SIM_OK) return;
  sim_test_show(t, "set-up", 0);
  fail_msg("set-up of %s failed", scenario->name);
}

// The same with "num_cpus=1 tasks=3 bug=race", blanks between; NULL: the defaults.
static inline void sim_test_open_with(struct sim_test *t, const struct sim_scenario *scenario,
                                      const char *settings) {
  char text[256], err[128], *rest = text, *word;
  t->scenario = scenario;
  t->world = sim_world_new();
  assert_non_null(t->world);
  t->params = sim_params_new(scenario);
  snprintf(text, sizeof(text), "%s", settings ? settings : "");
  while ((word = strsep(&rest, " ")) != NULL) {
    char *value = strchr(word, '=');
    if (!*word) continue;
    if (!value) fail_msg("%s has no value", word);
    *value++ = 0;
    if (strcmp(word, "bug") == 0) {
      if (!sim_params_set_bug(t->params, value)) fail_msg("no bug %s", value);
    } else if (!sim_params_set(t->params, word, value, err, sizeof(err))) {
      fail_msg("%s", err);
    }
  }
  if (sim_world_setup(t->world, scenario, t->params, &t->result) == SIM_OK) return;
  sim_test_show(t, "set-up", 0);
  fail_msg("set-up of %s failed", scenario->name);
}

static inline void sim_test_close(struct sim_test *t) {
  sim_params_free(t->params);
  sim_world_free(t->world);
}

static inline void sim_test_seed(struct sim_test *t, u64 seed) {
  struct sim_input in = {.backend = SIM_BACKEND_SEED, .seed = seed};
  sim_world_run(t->world, &in, &t->result);
}

static inline void sim_test_calm(struct sim_test *t) {
  struct sim_input in = {.backend = SIM_BACKEND_CALM};
  sim_world_run(t->world, &in, &t->result);
}

static inline void sim_test_run(struct sim_test *t, const struct sim_input *in) {
  sim_world_run(t->world, in, &t->result);
}
static inline void sim_test_strategy(struct sim_test *t, u32 strategy, u64 seed) {
  struct sim_input in = {.backend = SIM_BACKEND_SEED, .seed = seed, .strategy = strategy};
  sim_world_run(t->world, &in, &t->result);
}
static inline void sim_test_list(struct sim_test *t, const struct sim_decisions *list) {
  struct sim_input in = {.backend = SIM_BACKEND_LIST, .list = list};
  sim_world_run(t->world, &in, &t->result);
}
// Key of the last run's first failure; "" if there is none.
static inline const char *sim_test_key(const struct sim_test *t) {
  return t->result.num_failures ? t->result.failures[0].key : "";
}

// The last run, which was that of `seed`, once more by its seed and once by the list of its
// draws, with another byte in unused memory each time: the same digest, whatever ran
// before and lay about.
static inline void sim_test_again(struct sim_test *t, u64 seed) {
  struct sim_decisions list = {0};
  u64 digest = t->result.digest, draws = t->result.draws;
  sim_decisions_from_world(&list, t->world);
  sim_world_set_fill(t->world, 0xa5);
  sim_test_list(t, &list);
  if (t->result.digest != digest || t->result.draws != draws)
    fail_msg("%s: seed %llu is not replayed by its draws", t->scenario->name,
             (unsigned long long)seed);
  u32 unmatched;
  assert_int_equal(sim_world_unmatched(t->world, &unmatched, 1), 0);
  sim_world_set_fill(t->world, 0x5a);
  sim_test_seed(t, seed);
  if (t->result.digest != digest || t->result.draws != draws)
    fail_msg("%s: seed %llu is not deterministic", t->scenario->name, (unsigned long long)seed);
  sim_world_set_fill(t->world, 0);
  sim_decisions_free(&list);
}

// One calm run, and `seeds` seeds: nothing fires. Each tenth is run again in other ways.
static inline void sim_test_clean(const struct sim_scenario *scenario, const char *const *set,
                                  u64 seeds) {
  struct sim_test t;
  sim_test_open(&t, scenario, set);
  sim_test_calm(&t);
  sim_test_show(&t, "calm", 0);
  assert_int_equal(t.result.status, SIM_OK);
  for (u64 seed = 0; seed < seeds; seed++) {
    sim_test_seed(&t, seed);
    if (t.result.status != SIM_OK) {
      sim_test_show(&t, "seed", seed);
      fail_msg("%s is not clean", scenario->name);
    }
    if (seed % 10 == 0) sim_test_again(&t, seed);
  }
  sim_test_close(&t);
}

// Of `seeds` seeds, how many end with a failure of oracle `id`. No other oracle fires, and
// all keys are the same; `key` (SIM_KEY_LEN bytes, or NULL) receives it.
static inline u64 sim_test_count(const struct sim_scenario *scenario, const char *const *set,
                                 u64 seeds, const char *id, char *key) {
  struct sim_test t;
  char first[SIM_KEY_LEN] = "";
  u64 found = 0;
  sim_test_open(&t, scenario, set);
  for (u64 seed = 0; seed < seeds; seed++) {
    sim_test_seed(&t, seed);
    for (u32 i = 0; i < t.result.num_failures; i++) {
      const struct sim_failure *f = &t.result.failures[i];
      if (!first[0]) snprintf(first, sizeof(first), "%s", f->key);
      if (strcmp(f->oracle, id) == 0 && strcmp(f->key, first) == 0) continue;
      sim_test_show(&t, "seed", seed);
      fail_msg("%s, but %s was expected (first key: %s)", f->key, id, first);
    }
    found += t.result.num_failures != 0;
    if (seed % 10 == 0) sim_test_again(&t, seed);
  }
  sim_test_close(&t);
  if (key) snprintf(key, SIM_KEY_LEN, "%s", first);
  return found;
}

// Every one of `seeds` seeds, or at least one, ends with a failure of oracle `id`.
static inline void sim_test_always(const struct sim_scenario *scenario, const char *const *set,
                                   u64 seeds, const char *id) {
  assert_int_equal(sim_test_count(scenario, set, seeds, id, NULL), seeds);
}
static inline void sim_test_finds(const struct sim_scenario *scenario, const char *const *set,
                                  u64 seeds, const char *id) {
  assert_true(sim_test_count(scenario, set, seeds, id, NULL) > 0);
}

// All combinations of draws with at most `bound` that are not calm (0: no bound): clean.
// Returns how many runs that took; at most `runs_max`.
static inline u64 sim_test_exhaust(const struct sim_scenario *scenario, const char *const *set,
                                   u32 bound, u64 runs_max) {
  struct sim_test t;
  struct sim_odometer o = {.bound = bound};
  struct sim_input in = {.backend = SIM_BACKEND_ODOMETER, .odometer = &o};
  u64 runs = 0;
  sim_test_open(&t, scenario, set);
  do {
    sim_world_run(t.world, &in, &t.result);
    if (t.result.status != SIM_OK) {
      sim_test_show(&t, "combination", runs);
      fail_msg("%s is not clean", scenario->name);
    }
    if (++runs > runs_max)
      fail_msg("%s has more than %llu runs", scenario->name, (unsigned long long)runs_max);
  } while (sim_odometer_next(&o));
  sim_odometer_free(&o);
  sim_test_close(&t);
  return runs;
}

#endif  // SEEDBED_SIM_TESTING_RUNS_H_
