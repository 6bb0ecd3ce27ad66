// SPDX-License-Identifier: GPL-2.0-or-later
//
// Kernel threads: creating, stopping, parking; signals and threads.
#include "sim/testing/runs.h"

#include "sim/task.h"
#include "sim/wait.h"

struct shared {
  struct sim_task *thread;
  struct sim_completion x;
  u32 runs, parks;
  bool ended, working;
};
static struct shared *sh(void) { return sim_private(); }

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_init_completion(&s->x, "x");
  sim_set_private(s);
}
#define CASE(name_, fn_)                \
  static void name_##_setup(void) {     \
    make_shared();                      \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

// The loop of a well-behaved thread.
static int until_stopped(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->runs++;
  for (;;) {
    sim_set_current_state(SIM_TASK_INTERRUPTIBLE);
    if (sim_kthread_should_stop()) break;
    sim_schedule();
  }
  sim_set_current_state(SIM_TASK_RUNNING);
  s->ended = true;
  return 42;
}

// ---- Stopping ----

static u32 never_started;
static void run_and_stop(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->thread = sim_kthread_run(until_stopped, NULL, "thread", 1);
  sim_elapse(sim_test_draw(40) * 1000);
  int rc = sim_kthread_stop(s->thread);
  SIM_EXPECT(rc == 42 || rc == -SIM_EINTR);
  SIM_EXPECT_EQ(s->runs, rc == 42);
  SIM_EXPECT_EQ(s->ended, rc == 42);
  SIM_EXPECT_EQ(sim_task_state(s->thread), SIM_TASK_DEAD);
  never_started += rc != 42;
}
CASE(stop, run_and_stop)

// The check for the stop lies between setting the state and sleeping: no stop is missed,
// and the function either ran whole or not at all.
static void kthread_stop_misses_nothing(void **state) {
  (void)state;
  never_started = 0;
  sim_test_clean(&stop, NULL, 3000);
  assert_true(never_started > 10);
  assert_true(never_started < 3000);
  assert_true(sim_test_exhaust(&stop, NULL, 4, 400000) >= 100);
}

static int misses_stop(void *arg) {
  (void)arg;
  while (!sim_kthread_should_stop()) {
    sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);  // too late: the wake-up has gone
    sim_schedule();
  }
  return 0;
}
static void stop_racy(void *arg) {
  (void)arg;
  struct sim_task *thread = sim_kthread_run(misses_stop, NULL, "racy", 1);
  sim_elapse(17500);  // it starts about now
  sim_kthread_stop(thread);
}
CASE(racy, stop_racy)

// A thread that checks before it sets its state sleeps for ever in some runs.
static void kthread_that_misses_its_stop_is_found(void **state) {
  (void)state;
  u64 n = sim_test_count(&racy, NULL, 1000, "deadlock", NULL);
  assert_true(n > 5);
  assert_true(n < 1000);
}

static void create_and_stop(void *arg) {
  (void)arg;
  struct sim_task *thread = sim_kthread_create(until_stopped, NULL, "thread", 1);
  sim_msleep(8);
  SIM_EXPECT_EQ(sh()->runs, 0);  // asleep until it is woken
  SIM_EXPECT_EQ(sim_kthread_stop(thread), -SIM_EINTR);
  SIM_EXPECT_EQ(sh()->runs, 0);
}
CASE(unstarted, create_and_stop)

static void kthread_that_never_ran(void **state) {
  (void)state;
  sim_test_clean(&unstarted, NULL, 100);
}

static int sleeps_long(void *arg) {
  (void)arg;
  sh()->working = true;
  s64 rc = sim_wait_for_completion_interruptible_timeout(&sh()->x, 100000);
  SIM_EXPECT_EQ(rc, -SIM_ERESTARTSYS);
  SIM_EXPECT(sim_signal_pending());
  sim_clear_signals();  // not of a thread that is stopped
  SIM_EXPECT(sim_signal_pending());
  SIM_EXPECT(sim_kthread_should_stop());
  return 7;
}
static void stop_sleeper(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->thread = sim_kthread_run(sleeps_long, NULL, "thread", 0);
  sim_msleep(8);
  sim_send_signal(s->thread);  // ignored
  sim_msleep(8);
  SIM_EXPECT(s->working);
  u64 start = sim_jiffies();
  SIM_EXPECT_EQ(sim_kthread_stop(s->thread), 7);
  SIM_EXPECT(sim_jiffies() - start <= 1);
}
CASE(stop_asleep, stop_sleeper)

// A stop ends interruptible sleeps; a signal does not reach a thread.
static void kthread_stop_is_a_signal(void **state) {
  (void)state;
  sim_test_clean(&stop_asleep, NULL, 200);
}

// ---- Misuse ----

static int returns_at_once(void *arg) {
  (void)arg;
  return 3;
}
static void stop_gone(void *arg) {
  (void)arg;
  struct sim_task *thread = sim_kthread_run(returns_at_once, NULL, "thread", 0);
  sim_msleep(8);
  sim_kthread_stop(thread);
}
CASE(gone, stop_gone)
static void stop_again(void *arg) {
  (void)arg;
  struct sim_task *thread = sim_kthread_run(until_stopped, NULL, "thread", 0);
  sim_msleep(8);
  sim_kthread_stop(thread);
  sim_kthread_stop(thread);
}
CASE(again, stop_again)
static void second_stopper(void *arg) { sim_kthread_stop(arg); }
static void stop_by_two(void *arg) {
  (void)arg;
  struct sim_task *thread = sim_kthread_run(until_stopped, NULL, "thread", 1);
  sim_task_new("second", second_stopper, thread, 1);
  sim_kthread_stop(thread);
  sim_msleep(8);
}
CASE(by_two, stop_by_two)
static int stops_itself(void *arg) {
  (void)arg;
  return sim_kthread_stop(sim_current());
}
static void stop_self(void *arg) {
  (void)arg;
  sim_kthread_run(stops_itself, NULL, "thread", 0);
  sim_msleep(8);
}
CASE(self, stop_self)
static void stop_plain(void *arg) {
  if (arg) return;
  sim_kthread_stop(sim_current());
}
CASE(plain, stop_plain)
static void stop_atomic(void *arg) {
  (void)arg;
  struct sim_task *thread = sim_kthread_run(until_stopped, NULL, "thread", 0);
  sim_preempt_disable();
  sim_kthread_stop(thread);
}
CASE(atomic, stop_atomic)

static void stop_one_of_two_again(void *arg) {
  (void)arg;
  struct sim_task *thread[2];
  for (u32 i = 0; i < 2; i++) thread[i] = sim_kthread_run(until_stopped, NULL, "thread", 0);
  for (u32 i = 0; i < 2; i++) sim_kthread_stop(thread[i]);
  sim_kthread_stop(thread[sim_test_draw(2)]);
}
CASE(one_of_two, stop_one_of_two_again)
static void park_gone(void *arg) {
  (void)arg;
  struct sim_task *thread = sim_kthread_run(returns_at_once, NULL, "thread", 0);
  sim_msleep(8);
  sim_kthread_park(thread);
}
CASE(parked_gone, park_gone)
static void park_atomic(void *arg) {
  (void)arg;
  struct sim_task *thread = sim_kthread_run(until_stopped, NULL, "thread", 0);
  sim_preempt_disable();
  sim_kthread_park(thread);
}
CASE(parked_atomic, park_atomic)
static void park_plain(void *arg) {
  if (arg) return;
  sim_kthread_parkme();
}
CASE(parked_plain, park_plain)

// Under one key, whichever thread of a name it was.
static void kthread_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&gone, NULL, 20, "kthread-misuse");
  sim_test_always(&again, NULL, 20, "kthread-misuse");
  sim_test_always(&by_two, NULL, 200, "kthread-misuse");
  sim_test_always(&self, NULL, 5, "kthread-misuse");
  sim_test_always(&plain, NULL, 5, "kthread-misuse");
  sim_test_always(&atomic, NULL, 5, "sleep-in-atomic");
  sim_test_always(&one_of_two, NULL, 20, "kthread-misuse");
  sim_test_always(&parked_gone, NULL, 5, "kthread-misuse");
  sim_test_always(&parked_plain, NULL, 5, "kthread-misuse");
  sim_test_always(&parked_atomic, NULL, 5, "sleep-in-atomic");
}

// ---- Parking ----

static int parker_fn(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->runs++;
  while (!sim_kthread_should_stop()) {
    if (sim_kthread_should_park()) {
      s->working = false;
      sim_kthread_parkme();
      s->parks++;
    }
    s->working = true;
    sim_usleep_range(50, 100);
  }
  s->ended = true;
  return 5;
}
static void park_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->thread = sim_kthread_run(parker_fn, NULL, "thread", 1);
  for (u32 i = 0; i < 2; i++) {
    sim_kthread_park(s->thread);
    SIM_EXPECT(!s->working);
    SIM_EXPECT_EQ(sim_task_state(s->thread), SIM_TASK_PARKED);
    SIM_EXPECT(!sim_wake_up_process(s->thread));  // does not unpark
    sim_msleep(8);
    SIM_EXPECT(!s->working);
    sim_kthread_unpark(s->thread);
    sim_msleep(8);
    SIM_EXPECT(s->working);
  }
  SIM_EXPECT(s->parks >= 1);
  sim_kthread_park(s->thread);
  SIM_EXPECT_EQ(sim_kthread_stop(s->thread), 5);  // unparks it
  SIM_EXPECT(s->ended);
}
CASE(park, park_main)

static void park_unstarted(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->thread = sim_kthread_create(parker_fn, NULL, "thread", 1);
  sim_kthread_park(s->thread);
  SIM_EXPECT_EQ(s->runs, 0);  // parked before its function
  sim_kthread_unpark(s->thread);
  sim_msleep(8);
  SIM_EXPECT_EQ(s->runs, 1);
  sim_kthread_stop(s->thread);
}
CASE(park_first, park_unstarted)

static void park_twice(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->thread = sim_kthread_run(parker_fn, NULL, "thread", 1);
  sim_kthread_park(s->thread);
  sim_kthread_park(s->thread);
}
CASE(parked_twice, park_twice)

static void kthread_parks(void **state) {
  (void)state;
  sim_test_clean(&park, NULL, 500);
  sim_test_clean(&park_first, NULL, 200);
  sim_test_always(&parked_twice, NULL, 5, "kthread-misuse");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kthread_stop_misses_nothing),
      cmocka_unit_test(kthread_that_misses_its_stop_is_found),
      cmocka_unit_test(kthread_that_never_ran),
      cmocka_unit_test(kthread_stop_is_a_signal),
      cmocka_unit_test(kthread_misuse_is_found),
      cmocka_unit_test(kthread_parks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
