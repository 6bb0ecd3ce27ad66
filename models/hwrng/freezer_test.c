// SPDX-License-Identifier: GPL-2.0-or-later
//
// The freezer: everybody comes to the gate and stays there.
#include "models/hwrng/freezer.h"

#include "sim/testing/runs.h"

#include "models/hwrng/hwrng_scenarios.h"

enum { USERS = 3 };

struct state {
  struct freezer freezer;
  u32 inside;  // users between two gates
  bool frozen;
  u32 sleeps;
};

static void user(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < 4; i++) {
    try_to_freeze(&state->freezer);
    state->inside++;
    SIM_EXPECT(!state->frozen);
    // A system call that a signal ends.
    sim_schedule_timeout_interruptible(1 + sim_test_draw(1000));
    SIM_EXPECT(!state->frozen);
    state->inside--;
    if (sim_signal_pending()) sim_clear_signals();
  }
  freezer_leave(&state->freezer);
}

static void send_signal(struct sim_task *task) { sim_send_signal(task); }

static void sleeper(void *arg) {
  struct state *state = arg;
  u64 begin = sim_jiffies();

  sim_elapse(sim_test_draw(20000));
  if (freeze_processes(&state->freezer, send_signal)) {
    SIM_EXPECT(sim_jiffies() - begin < 20);
    SIM_EXPECT_EQ(state->inside, 0);
    state->frozen = true;
    sim_schedule_timeout_uninterruptible(10);
    SIM_EXPECT_EQ(state->inside, 0);
    state->frozen = false;
    thaw_processes(&state->freezer);
    state->sleeps++;
  }
  freezer_leave(&state->freezer);
}

static struct state *setup_state(void) {
  struct state *state = sim_alloc_static(sizeof(*state), "state");

  sim_set_private(state);
  freezer_init(&state->freezer);
  for (u32 i = 0; i < USERS; i++)
    freezer_add(&state->freezer, sim_task_new("user", user, state, i % 2));
  return state;
}

static void one_setup(void) {
  struct state *state = setup_state();

  freezer_add(&state->freezer, sim_task_new("sleeper", sleeper, state, 0));
}

static void two_setup(void) {
  struct state *state = setup_state();

  for (u32 i = 0; i < 2; i++)
    freezer_add(&state->freezer, sim_task_new("sleeper", sleeper, state, i));
}

static void one_check(void) {
  if (((struct state *)sim_private())->sleeps != 1)
    sim_fail(&sim_test_oracle, "sleeps", "one sleep was to be");
}

static const struct sim_scenario one = {.name = "one", .setup = one_setup, .check = one_check};
static const struct sim_scenario two = {.name = "two", .setup = two_setup};

// Tasks that sleep are fetched by a signal, and none goes on before the thaw.
static void tasks_stay_at_the_gate(void **unused) { sim_test_clean(&one, NULL, 2000); }

// Of two system sleeps at a time one is refused; nobody is stuck.
static void second_sleep_is_refused(void **unused) { sim_test_clean(&two, NULL, 2000); }

// A task that was being thawed when the next sleep began threw that one's signal away, and its
// read held the sleep up.
static void thawed_task_freezes_again(void **unused) {
  static const char *const set[] = {"rounds", "7",        "reads",         "456", "signals",
                                    "1000",   "chaos_ns", "1000000000000", NULL};
  struct sim_test t;

  sim_test_open(&t, &scenario_hwrng_lifecycle, set);
  sim_test_strategy(&t, SIM_STRATEGY_STICKY, 0xc9130177a6f6c087);
  sim_test_show(&t, "sticky", 0xc9130177a6f6c087);
  assert_int_equal(t.result.status, SIM_OK);
  sim_test_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_stay_at_the_gate),
      cmocka_unit_test(second_sleep_is_refused),
      cmocka_unit_test(thawed_task_freezes_again),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
