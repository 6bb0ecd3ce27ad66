// SPDX-License-Identifier: GPL-2.0-or-later
//
// A world in which only devices act still heals, and still ends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka wants the four above first.
#include <cmocka.h>

#include "sim/checker.h"
#include "sim/cpu.h"
#include "sim/scenario.h"
#include "sim/strategy.h"
#include "sim/wait.h"

struct ticker {
  struct sim_hw_event event;
  struct sim_completion never;
  u32 beats;
};

static void beat(void *arg) {
  struct ticker *t = arg;
  t->beats++;
  sim_hw_event_arm(&t->event, sim_clock_ns() + 1000000, beat, t, 0);
}

static void waiter(void *arg) {
  struct ticker *t = arg;
  sim_wait_for_completion(&t->never);
}

static void setup(void) {
  struct ticker *t = sim_alloc_static(sizeof(*t), "ticker");
  sim_init_completion(&t->never, "never");
  sim_hw_event_arm(&t->event, sim_clock_ns() + 1000000, beat, t, 0);
  struct sim_task *task = sim_task_new("waiter", waiter, t, 0);
  (void)task;
}

static const struct sim_oracle *const no_oracles[] = {NULL};
static const struct sim_scenario ticker_alone = {.name = "ticker-alone",
                                                 .claim = "a device beats for ever",
                                                 .oracles = no_oracles,
                                                 .setup = setup};

static void run(const char *key, const char *value, struct sim_result *result) {
  char err[128];
  struct sim_world *w = sim_world_new();
  struct sim_params *p = sim_params_new(&ticker_alone);
  assert_non_null(w);
  if (key) assert_true(sim_params_set(p, key, value, err, sizeof(err)));
  assert_int_equal(sim_world_setup(w, &ticker_alone, p, result), SIM_OK);
  struct sim_input in = {.backend = SIM_BACKEND_SEED, .strategy = SIM_STRATEGY_RANDOM};
  sim_world_run(w, &in, result);
  sim_world_free(w);
  sim_params_free(p);
}

// A task that waits for ever while a device beats is found when the budget of phase two is
// over: the deadline is looked at when an idle CPU handles an event too.
static void idle_events_reach_the_deadline(void **state) {
  static struct sim_result r;
  (void)state;
  run("hung_task_ns", "1000000000000", &r);
  assert_int_equal(r.status, SIM_LIVENESS);
  assert_true(r.healed);
  assert_string_equal(r.failures[0].oracle, "no-convergence");
}

// Events of an idle CPU count as steps, so that they too use up a run's budget.
static void idle_events_use_up_steps(void **state) {
  static struct sim_result r;
  (void)state;
  run("steps_max", "500", &r);
  assert_int_equal(r.status, SIM_BUDGET);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idle_events_reach_the_deadline),
      cmocka_unit_test(idle_events_use_up_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
