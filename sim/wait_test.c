// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wait queues and wait_event: who is woken, in which order, what comes back, and wake-ups
// that were lost by the code under test.
#include "sim/testing/runs.h"

#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"

struct shared {
  struct sim_wait_queue_head wq;
  struct sim_task *task[8];
  u32 flag, evaluated;
  u32 order[8], num_order;
  u32 number[8];
};
static struct shared *sh(void) { return sim_private(); }

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_init_waitqueue_head(&s->wq, "queue");
  for (u32 i = 0; i < 8; i++) s->number[i] = i;
  sim_set_private(s);
}

#define CASE(name_, fn_)                \
  static void name_##_setup(void) {     \
    make_shared();                      \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

// ---- wait_event ----

static void waiter(void *arg) {
  (void)arg;
  sim_wait_event(&sh()->wq, sim_read_once(sh()->flag) != 0);
  SIM_EXPECT_EQ(sim_task_state(sim_current()), SIM_TASK_RUNNING);
  sh()->num_order++;
}
static void waker(void *arg) {
  (void)arg;
  sim_write_once(sh()->flag, 1);
  SIM_EXPECT(sim_wake_up(&sh()->wq) <= 2);
}
static void race_setup(void) {
  make_shared();
  sim_task_new("waiter", waiter, NULL, 0);
  sim_task_new("waker", waker, NULL, 1);
  sim_task_new("waiter", waiter, NULL, 1);
}
static void expect_two(void) {
  SIM_EXPECT_EQ(sh()->num_order, 2);
  SIM_EXPECT(!sim_waitqueue_active(&sh()->wq));
}
static const struct sim_scenario race = {.name = "race", .setup = race_setup, .check = expect_two};

static void small_race_setup(void) {
  make_shared();
  sh()->num_order = 1;
  sim_task_new("waiter", waiter, NULL, 0);
  sim_task_new("waker", waker, NULL, 1);
}
static const struct sim_scenario small_race = {
    .name = "small-race", .setup = small_race_setup, .check = expect_two};

// Condition first, then wake_up: no interleaving leaves a waiter asleep.
static void wait_event_misses_nothing(void **state) {
  (void)state;
  sim_test_clean(&race, NULL, 3000);
  sim_test_clean(&race, (const char *const[]){"preempt", "0", NULL}, 2000);
  assert_true(sim_test_exhaust(&small_race, NULL, 0, 100000) >= 10);
}

static void early_waker(void *arg) {
  (void)arg;
  sim_wake_up(&sh()->wq);
  sim_write_once(sh()->flag, 1);
}
static void lost_setup(void) {
  make_shared();
  sim_task_new("waiter", waiter, NULL, 0);
  sim_task_new("waker", early_waker, NULL, 1);
}
static const struct sim_scenario lost = {.name = "lost", .setup = lost_setup};

// wake_up before the condition is set: some runs lose the wake-up, and are told so.
static void wait_event_lost_wakeup_is_found(void **state) {
  (void)state;
  u64 n = sim_test_count(&lost, NULL, 500, "lost-wakeup", NULL);
  assert_true(n > 10);
  assert_true(n < 500);
}

static void never(void *arg) {
  (void)arg;
  sim_wait_event(&sh()->wq, sim_read_once(sh()->flag) != 0);
}
CASE(never_true, never)

static void sleeps_after(void *arg) {
  (void)arg;
  sh()->flag = 1;
  sim_wait_event(&sh()->wq, sh()->flag != 0);
  sh()->flag = 0;
  sim_wait_event_timeout(&sh()->wq, sh()->flag != 0, 1);
  sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  sim_schedule();
  SIM_EXPECT(!"a sleep that is no wait_event is left alone");
}
CASE(other_sleep, sleeps_after)

// A condition that never comes true is a deadlock, not a lost wake-up.
static void wait_event_without_condition_is_deadlock(void **state) {
  (void)state;
  sim_test_always(&never_true, NULL, 20, "deadlock");
  sim_test_always(&other_sleep, NULL, 20, "deadlock");
}

static bool evaluate(void) {
  sh()->evaluated++;
  return sh()->flag;
}
static void true_at_once(void *arg) {
  (void)arg;
  sh()->flag = 1;
  u64 before = sim_steps();
  sim_wait_event(&sh()->wq, evaluate());
  SIM_EXPECT_EQ(sim_wait_event_interruptible(&sh()->wq, evaluate()), 0);
  SIM_EXPECT_EQ(sim_wait_event_timeout(&sh()->wq, evaluate(), 7), 7);
  SIM_EXPECT_EQ(sim_wait_event_timeout(&sh()->wq, evaluate(), 0), 1);
  SIM_EXPECT_EQ(sim_wait_event_interruptible_timeout(&sh()->wq, evaluate(), 0), 1);
  SIM_EXPECT_EQ(sh()->evaluated, 5);
  SIM_EXPECT_EQ(sim_steps(), before);  // nothing was queued
  sh()->flag = 0;
  SIM_EXPECT_EQ(sim_wait_event_timeout(&sh()->wq, evaluate(), 0), 0);
  SIM_EXPECT_EQ(sh()->evaluated, 6);
}
CASE(at_once, true_at_once)

// What holds already costs one evaluation and touches no queue; a timeout of 0 looks once.
static void wait_event_when_true(void **state) {
  (void)state;
  sim_test_clean(&at_once, NULL, 20);
}

static void setter_after_20ms(void *arg) {
  (void)arg;
  sim_msleep(20);
  sh()->flag = 1;
  sim_wake_up(&sh()->wq);
}
static void timeouts(void *arg) {
  (void)arg;
  // Out of time: 0, no earlier than the timeout.
  u64 start = sim_jiffies();
  SIM_EXPECT_EQ(sim_wait_event_timeout(&sh()->wq, sh()->flag != 0, 5), 0);
  SIM_EXPECT(sim_jiffies() - start >= 5);
  SIM_EXPECT(sim_jiffies() - start <= 7);
  // Woken in time: what is left.
  sim_task_new("setter", setter_after_20ms, NULL, 0);
  s64 left = sim_wait_event_timeout(&sh()->wq, sh()->flag != 0, 50);
  SIM_EXPECT(left >= 40);
  SIM_EXPECT(left <= 45);
}
CASE(timeout, timeouts)

static void wait_event_timeout_returns_what_is_left(void **state) {
  (void)state;
  sim_test_clean(&timeout, NULL, 200);
}

// ---- Signals ----

static void interruptible(void *arg) {
  (void)arg;
  int rc = sim_wait_event_interruptible(&sh()->wq, sim_read_once(sh()->flag) != 0);
  sh()->order[sh()->num_order++] = rc ? 1 : 0;
  if (rc) SIM_EXPECT_EQ(rc, -SIM_ERESTARTSYS);
  if (sh()->flag == 0) SIM_EXPECT(rc != 0);
  SIM_EXPECT(!sim_waitqueue_active(&sh()->wq));
}
static void signaller(void *arg) {
  struct sim_task *task = sim_task_new("waiter", interruptible, NULL, 1);
  if (arg == NULL) sim_elapse(30000);
  sim_send_signal(task);
  sim_task_join(task);
  SIM_EXPECT_EQ(sh()->order[0], 1);
}
CASE(signal_ends, signaller)

static void signal_and_condition(void *arg) {
  (void)arg;
  sh()->flag = 1;
  sim_send_signal(sim_current());
  SIM_EXPECT_EQ(sim_wait_event_interruptible(&sh()->wq, sh()->flag != 0), 0);
  SIM_EXPECT_EQ(sim_wait_event_interruptible_timeout(&sh()->wq, sh()->flag != 0, 9), 9);
  sh()->flag = 0;
  SIM_EXPECT_EQ(sim_wait_event_interruptible(&sh()->wq, sh()->flag != 0), -SIM_ERESTARTSYS);
  SIM_EXPECT_EQ(sim_wait_event_interruptible_timeout(&sh()->wq, sh()->flag != 0, 9),
                -SIM_ERESTARTSYS);
  // It does not end an uninterruptible wait.
  SIM_EXPECT_EQ(sim_wait_event_timeout(&sh()->wq, sh()->flag != 0, 2), 0);
  sim_clear_signals();
  SIM_EXPECT(!sim_signal_pending());
  SIM_EXPECT_EQ(sim_wait_event_interruptible_timeout(&sh()->wq, sh()->flag != 0, 2), 0);
}
CASE(signal_late, signal_and_condition)

// A signal ends an interruptible wait unless the condition holds, and no other.
static void wait_event_and_signals(void **state) {
  (void)state;
  sim_test_clean(&signal_ends, NULL, 500);
  sim_test_clean(&signal_late, NULL, 50);
}

// ---- Exclusive waiters ----

static void queued(void *arg, bool exclusive) {
  struct sim_wait_entry entry = {0};
  sim_prepare_to_wait_at(SIM_SITE("prepare"), &sh()->wq, &entry, SIM_TASK_UNINTERRUPTIBLE,
                         exclusive);
  sim_schedule();
  sh()->order[sh()->num_order++] = *(u32 *)arg;
  SIM_EXPECT(!entry.queued);
  sim_finish_wait_at(SIM_SITE("finish"), &sh()->wq, &entry);
}
static void exclusive(void *arg) { queued(arg, true); }
static void shared_waiter(void *arg) { queued(arg, false); }
static void order_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  // Exclusive 0, 1, 2 and shared 3, 4, queued in turns.
  sim_task_new("w", exclusive, &s->number[0], 0);
  sim_msleep(8);
  sim_task_new("w", shared_waiter, &s->number[3], 0);
  sim_msleep(8);
  sim_task_new("w", exclusive, &s->number[1], 0);
  sim_msleep(8);
  sim_task_new("w", shared_waiter, &s->number[4], 0);
  sim_task_new("w", exclusive, &s->number[2], 0);
  sim_msleep(8);
  SIM_EXPECT(sim_waitqueue_active(&s->wq));
  SIM_EXPECT_EQ(sim_wake_up(&s->wq), 3);
  sim_msleep(8);
  SIM_EXPECT_EQ(s->num_order, 3);
  SIM_EXPECT_EQ(s->order[0], 4);
  SIM_EXPECT_EQ(s->order[1], 3);
  SIM_EXPECT_EQ(s->order[2], 0);
  SIM_EXPECT_EQ(sim_wake_up(&s->wq), 1);
  sim_msleep(8);
  SIM_EXPECT_EQ(s->order[3], 1);
  SIM_EXPECT_EQ(sim_wake_up_all(&s->wq), 1);
  sim_msleep(8);
  SIM_EXPECT_EQ(s->order[4], 2);
  SIM_EXPECT_EQ(sim_wake_up_all(&s->wq), 0);
}
CASE(order, order_main)

// All waiters that are not exclusive, newest first, and the oldest exclusive one. Calm:
// the order of the queue of runnable tasks is drawn otherwise.
static void wake_up_order(void **state) {
  (void)state;
  sim_test_clean(&order, NULL, 0);
}

static void all_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 4; i++) sim_task_new("w", exclusive, &s->number[i], i % 2);
  sim_msleep(20);
  SIM_EXPECT_EQ(sim_wake_up_all(&s->wq), 4);
  sim_msleep(20);
  SIM_EXPECT_EQ(s->num_order, 4);
}
CASE(all, all_main)

static void wake_up_all_wakes_each(void **state) {
  (void)state;
  sim_test_clean(&all, NULL, 300);
}

static void about_to_sleep(void *arg) {
  struct sim_wait_entry entry = {0};
  (void)arg;
  sim_prepare_to_wait_at(SIM_SITE("prepare"), &sh()->wq, &entry, SIM_TASK_UNINTERRUPTIBLE, true);
  SIM_EXPECT_EQ(sim_wake_up(&sh()->wq), 1);  // itself: it will not sleep
  sim_schedule();
  SIM_EXPECT_EQ(sim_wake_up(&sh()->wq), 0);
  // Queued, but set back to running: passed over, and still queued.
  sim_prepare_to_wait_at(SIM_SITE("prepare"), &sh()->wq, &entry, SIM_TASK_UNINTERRUPTIBLE, true);
  sim_set_current_state(SIM_TASK_RUNNING);
  SIM_EXPECT_EQ(sim_wake_up(&sh()->wq), 0);
  SIM_EXPECT(sim_waitqueue_active(&sh()->wq));
  sim_finish_wait_at(SIM_SITE("finish"), &sh()->wq, &entry);
  SIM_EXPECT(!sim_waitqueue_active(&sh()->wq));
}
CASE(about, about_to_sleep)

// A wake-up between prepare_to_wait and schedule is not lost.
static void wake_up_before_sleep(void **state) {
  (void)state;
  sim_test_clean(&about, NULL, 100);
}

// ---- Misuse ----

static void atomic_wait(void *arg) {
  (void)arg;
  sh()->flag = 1;
  sim_preempt_disable();
  sim_wait_event(&sh()->wq, sh()->flag != 0);
}
CASE(atomic, atomic_wait)

static void free_queue(void *arg) {
  struct sim_wait_queue_head *wq = sim_alloc(sizeof(*wq), "wq");
  (void)arg;
  sim_init_waitqueue_head(wq, "heap");
  sim_free(wq);
  sim_wake_up(wq);
}
CASE(freed, free_queue)

// wait_event may sleep even where its condition holds; a queue in freed memory is seen.
static void wait_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&atomic, NULL, 5, "sleep-in-atomic");
  sim_test_always(&freed, NULL, 5, "use-after-free");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wait_event_misses_nothing),
      cmocka_unit_test(wait_event_lost_wakeup_is_found),
      cmocka_unit_test(wait_event_without_condition_is_deadlock),
      cmocka_unit_test(wait_event_when_true),
      cmocka_unit_test(wait_event_timeout_returns_what_is_left),
      cmocka_unit_test(wait_event_and_signals),
      cmocka_unit_test(wake_up_order),
      cmocka_unit_test(wake_up_all_wakes_each),
      cmocka_unit_test(wake_up_before_sleep),
      cmocka_unit_test(wait_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
