// SPDX-License-Identifier: GPL-2.0-or-later
//
// Completions: the count, the order of waiters, return values, signals against `done`.
#include "sim/testing/runs.h"

#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"

struct shared {
  struct sim_completion x;
  struct sim_task *task;
  u32 number[4], order[8], num_order;
  s64 rc;
};
static struct shared *sh(void) { return sim_private(); }

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_init_completion(&s->x, "done");
  for (u32 i = 0; i < 4; i++) s->number[i] = i;
  sim_set_private(s);
}
#define CASE(name_, fn_)                \
  static void name_##_setup(void) {     \
    make_shared();                      \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

// ---- Completing and waiting ----

static void waiter(void *arg) {
  (void)arg;
  sim_wait_for_completion(&sh()->x);
  sh()->num_order++;
}
static void completer(void *arg) {
  (void)arg;
  sim_complete(&sh()->x);
}
static void pair_setup(void) {
  make_shared();
  sim_task_new("waiter", waiter, NULL, 0);
  sim_task_new("completer", completer, NULL, 1);
}
static void expect_done(void) {
  SIM_EXPECT_EQ(sh()->num_order, 1);
  SIM_EXPECT_EQ(sh()->x.done, 0);
}
static const struct sim_scenario pair = {.name = "pair", .setup = pair_setup, .check = expect_done};

static void completion_in_all_interleavings(void **state) {
  (void)state;
  assert_true(sim_test_exhaust(&pair, NULL, 0, 20000) >= 6);
  sim_test_clean(&pair, NULL, 1000);
}

static void one_each_setup(void) {
  make_shared();
  for (u32 i = 0; i < 3; i++) sim_task_new("waiter", waiter, NULL, i % 2);
  for (u32 i = 0; i < 3; i++) sim_task_new("completer", completer, NULL, i % 2);
}
static void expect_three(void) {
  SIM_EXPECT_EQ(sh()->num_order, 3);
  SIM_EXPECT_EQ(sh()->x.done, 0);
}
static const struct sim_scenario one_each = {
    .name = "one-each", .setup = one_each_setup, .check = expect_three};

// Each complete() lets one waiter through, before or after it came.
static void complete_lets_one_through(void **state) {
  (void)state;
  sim_test_clean(&one_each, NULL, 3000);
  sim_test_clean(&one_each, (const char *const[]){"preempt", "0", NULL}, 1000);
}

static void counting(void *arg) {
  struct sim_completion *x = &sh()->x;
  (void)arg;
  SIM_EXPECT(!sim_completion_done(x));
  sim_complete(x);
  sim_complete(x);
  SIM_EXPECT(sim_completion_done(x));
  sim_wait_for_completion(x);
  SIM_EXPECT(sim_completion_done(x));
  sim_wait_for_completion(x);
  SIM_EXPECT(!sim_completion_done(x));
  // For ever.
  sim_complete_all(x);
  for (u32 i = 0; i < 3; i++) sim_wait_for_completion(x);
  sim_complete(x);
  SIM_EXPECT_EQ(x->done, UINT32_MAX);
  sim_reinit_completion(x);
  SIM_EXPECT(!sim_completion_done(x));
}
CASE(count, counting)

static void completion_counts(void **state) {
  (void)state;
  sim_test_clean(&count, NULL, 20);
}

static void numbered(void *arg) {
  struct shared *s = sh();
  sim_wait_for_completion(&s->x);
  s->order[s->num_order++] = *(u32 *)arg;
}
static void fifo_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 4; i++) {
    sim_task_new("w", numbered, &s->number[i], 0);
    sim_msleep(8);
  }
  for (u32 i = 0; i < 4; i++) {
    sim_complete(&s->x);
    sim_msleep(8);
    SIM_EXPECT_EQ(s->num_order, i + 1);
    SIM_EXPECT_EQ(s->order[i], i);
  }
}
CASE(fifo, fifo_main)

static void all_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 4; i++) sim_task_new("w", numbered, &s->number[i], i % 2);
  sim_msleep(8);
  sim_complete_all(&s->x);
  sim_msleep(8);
  SIM_EXPECT_EQ(s->num_order, 4);
}
CASE(all, all_main)

// The oldest waiter first; complete_all frees them all.
static void completion_waiters_are_fifo(void **state) {
  (void)state;
  sim_test_clean(&fifo, NULL, 300);
  sim_test_clean(&all, NULL, 300);
}

// ---- Return values ----

static void late_completer(void *arg) {
  (void)arg;
  sim_msleep(20);
  sim_complete(&sh()->x);
}
static void values(void *arg) {
  struct sim_completion *x = &sh()->x;
  (void)arg;
  // Done already: what was asked for, at least 1, in no time.
  sim_complete(x);
  SIM_EXPECT_EQ(sim_wait_for_completion_timeout(x, 9), 9);
  sim_complete(x);
  SIM_EXPECT_EQ(sim_wait_for_completion_timeout(x, 0), 1);
  sim_complete(x);
  SIM_EXPECT_EQ(sim_wait_for_completion_interruptible(x), 0);
  sim_complete(x);
  SIM_EXPECT_EQ(sim_wait_for_completion_interruptible_timeout(x, 3), 3);
  // Not in time.
  u64 start = sim_jiffies();
  SIM_EXPECT_EQ(sim_wait_for_completion_timeout(x, 5), 0);
  SIM_EXPECT(sim_jiffies() - start >= 5 && sim_jiffies() - start <= 7);
  // In time.
  sim_task_new("late", late_completer, NULL, 0);
  s64 left = sim_wait_for_completion_interruptible_timeout(x, 50);
  SIM_EXPECT(left >= 40 && left <= 45);
}
CASE(value, values)

static void completion_returns_what_is_left(void **state) {
  (void)state;
  sim_test_clean(&value, NULL, 200);
}

static void signals(void *arg) {
  struct sim_completion *x = &sh()->x;
  (void)arg;
  sim_send_signal(sim_current());
  SIM_EXPECT_EQ(sim_wait_for_completion_interruptible(x), -SIM_ERESTARTSYS);
  SIM_EXPECT_EQ(sim_wait_for_completion_interruptible_timeout(x, 100), -SIM_ERESTARTSYS);
  // `done` is looked at first.
  sim_complete(x);
  SIM_EXPECT_EQ(sim_wait_for_completion_interruptible(x), 0);
  sim_complete(x);
  SIM_EXPECT_EQ(sim_wait_for_completion_interruptible_timeout(x, 8), 8);
  // An uninterruptible wait does not look at signals.
  SIM_EXPECT_EQ(sim_wait_for_completion_timeout(x, 2), 0);
}
CASE(signal_pending, signals)

static void interruptible(void *arg) {
  (void)arg;
  sh()->rc = sim_wait_for_completion_interruptible(&sh()->x);
}
static u32 signal_won, done_won;
static void signal_race_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->task = sim_task_new("w", interruptible, NULL, 1);
  sim_task_new("c", completer, NULL, 0);
  sim_elapse(17500);  // it wakes up about now
  sim_send_signal(s->task);
  sim_task_join(s->task);
  sim_msleep(8);
  if (s->rc == 0) {
    done_won++;
    SIM_EXPECT_EQ(s->x.done, 0);
  } else {
    signal_won++;
    SIM_EXPECT_EQ(s->rc, -SIM_ERESTARTSYS);
    SIM_EXPECT_EQ(s->x.done, 1);  // for the next one
  }
}
CASE(signal_race, signal_race_main)

// Signal against complete: one of them decides, and no completion is lost.
static void completion_and_signals(void **state) {
  (void)state;
  sim_test_clean(&signal_pending, NULL, 50);
  signal_won = done_won = 0;
  sim_test_clean(&signal_race, (const char *const[]){"preempt", "0", NULL}, 2000);
  assert_true(signal_won > 10);
  assert_true(done_won > 10);
}

// ---- From an interrupt; misuse ----

static void complete_in_irq(void *arg) {
  (void)arg;
  sim_complete(&sh()->x);
}
static void raise_and_wait(void *arg) {
  sim_irq_raise(*(u32 *)arg);
  sim_wait_for_completion(&sh()->x);
}
static void from_irq_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("line", complete_in_irq, NULL, 1, false);
  sim_task_new("main", raise_and_wait, irq, 0);
}
static const struct sim_scenario from_irq = {.name = "from-irq", .setup = from_irq_setup};

static void complete_from_interrupt(void **state) {
  (void)state;
  sim_test_clean(&from_irq, NULL, 300);
}

static void wait_atomic(void *arg) {
  (void)arg;
  sim_complete(&sh()->x);
  sim_local_irq_disable();
  sim_wait_for_completion(&sh()->x);
}
CASE(atomic, wait_atomic)
static void forgotten(void *arg) {
  (void)arg;
  sim_wait_for_completion(&sh()->x);
}
CASE(never, forgotten)
static void free_waited(void *arg) { sim_wait_for_completion(arg); }
static void free_main(void *arg) {
  struct sim_completion *x = sim_alloc(sizeof(*x), "x");
  (void)arg;
  sim_init_completion(x, "heap");
  sim_task_new("w", free_waited, x, 0);
  sim_msleep(8);
  sim_complete(x);
  sim_free(x);  // the waiter has not looked at it yet
}
CASE(freed, free_main)

static void completion_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&atomic, NULL, 5, "sleep-in-atomic");
  sim_test_always(&never, NULL, 5, "deadlock");
  sim_test_always(&freed, NULL, 20, "use-after-free");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(completion_in_all_interleavings),
      cmocka_unit_test(complete_lets_one_through),
      cmocka_unit_test(completion_counts),
      cmocka_unit_test(completion_waiters_are_fifo),
      cmocka_unit_test(completion_returns_what_is_left),
      cmocka_unit_test(completion_and_signals),
      cmocka_unit_test(complete_from_interrupt),
      cmocka_unit_test(completion_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
