// SPDX-License-Identifier: GPL-2.0-or-later
//
// The mutex: exclusion, who gets it next, signals, misuse.
#include "sim/testing/runs.h"

#include "sim/lock.h"
#include "sim/task.h"

struct shared {
  struct sim_mutex mutex;
  struct sim_task *task[4];
  u32 inside, count;
  u32 order[8], num_order;
  u64 last_end_ns;
  int rc;
};

static struct shared *shared(void) { return sim_private(); }

static struct shared *make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_mutex_init(&s->mutex, "mutex");
  sim_set_private(s);
  return s;
}

static void section(struct shared *s) {
  SIM_EXPECT_EQ(s->inside, 0);
  s->inside = 1;
  SIM_EXPECT(sim_mutex_is_locked(&s->mutex));
  SIM_EXPECT(sim_clock_ns() >= s->last_end_ns);
  sim_elapse(500);
  sim_cond_resched();
  s->count++;
  s->inside = 0;
  s->last_end_ns = sim_clock_ns();
}

static void loop(void *arg) {
  struct shared *s = shared();
  (void)arg;
  for (u32 i = 0; i < 3; i++) {
    sim_mutex_lock(&s->mutex);
    section(s);
    sim_mutex_unlock(&s->mutex);
    if (sim_mutex_trylock(&s->mutex)) {
      section(s);
      s->count--;
      sim_mutex_unlock(&s->mutex);
    }
  }
}
static void exclusion_setup(void) {
  make_shared();
  for (u32 i = 0; i < 4; i++) sim_task_new("locker", loop, NULL, i % sim_nr_cpus());
}
static void expect_twelve(void) {
  SIM_EXPECT_EQ(shared()->count, 12);
  SIM_EXPECT(!sim_mutex_is_locked(&shared()->mutex));
}
static const struct sim_scenario exclusion = {
    .name = "exclusion", .setup = exclusion_setup, .check = expect_twelve};

// One task at a time is inside, none is forgotten asleep, and a section begins no earlier
// than the one before it ended.
static void mutex_excludes(void **state) {
  (void)state;
  sim_test_clean(&exclusion, NULL, 3000);
  sim_test_clean(&exclusion, (const char *const[]){"num_cpus", "1", "preempt", "0", NULL}, 2000);
}

static void once(void *arg) {
  struct shared *s = shared();
  (void)arg;
  sim_mutex_lock(&s->mutex);
  s->count++;
  sim_mutex_unlock(&s->mutex);
}
static void pair_setup(void) {
  make_shared();
  for (u32 i = 0; i < 2; i++) sim_task_new("once", once, NULL, i);
}
static void expect_two(void) { SIM_EXPECT_EQ(shared()->count, 2); }
static const struct sim_scenario pair = {.name = "pair", .setup = pair_setup, .check = expect_two};

static void mutex_in_all_interleavings(void **state) {
  (void)state;
  assert_true(sim_test_exhaust(&pair, NULL, 0, 20000) >= 10);
}

// ---- Who is next ----

static void fifo_waiter(void *arg) {
  struct shared *s = shared();
  sim_mutex_lock(&s->mutex);
  s->order[s->num_order++] = *(u32 *)arg;
  sim_mutex_unlock(&s->mutex);
}
static void fifo_holder(void *arg) {
  struct shared *s = shared();
  u32 *number = arg;
  sim_mutex_lock(&s->mutex);
  for (u32 i = 0; i < 4; i++) {
    number[i] = i;
    sim_task_new("waiter", fifo_waiter, &number[i], 0);
    sim_msleep(20);  // it waits by now
  }
  sim_mutex_unlock(&s->mutex);
}
static void expect_fifo(void) {
  struct shared *s = shared();
  SIM_EXPECT_EQ(s->num_order, 4);
  for (u32 i = 0; i < 4; i++) SIM_EXPECT_EQ(s->order[i], i);
}
static void fifo_setup(void) {
  make_shared();
  sim_task_new("holder", fifo_holder, sim_alloc_static(4 * sizeof(u32), "numbers"), 0);
}
static const struct sim_scenario fifo = {.name = "fifo", .setup = fifo_setup, .check = expect_fifo};

// With nobody else about, waiters get the mutex in the order in which they came.
static void mutex_waiters_are_fifo(void **state) {
  (void)state;
  sim_test_clean(&fifo, NULL, 500);
}

static u32 stolen;
static void steal_holder(void *arg) {
  struct shared *s = shared();
  (void)arg;
  sim_mutex_lock(&s->mutex);
  sim_task_new("waiter", fifo_waiter, &s->inside, 1);
  sim_msleep(20);
  sim_mutex_unlock(&s->mutex);
  sim_mutex_lock(&s->mutex);  // the waiter is on its way
  s->order[s->num_order++] = 1;
  sim_mutex_unlock(&s->mutex);
}
static void note_stolen(void) {
  SIM_EXPECT_EQ(shared()->num_order, 2);
  stolen += shared()->order[0] == 1;
}
static void steal_setup(void) {
  make_shared();
  sim_task_new("holder", steal_holder, NULL, 0);
}
static const struct sim_scenario steal = {
    .name = "steal", .setup = steal_setup, .check = note_stolen};

// A waiter that was woken competes with who comes by: either may win, and the waiter that
// lost gets it later.
static void mutex_newcomer_may_win(void **state) {
  (void)state;
  stolen = 0;
  sim_test_clean(&steal, (const char *const[]){"wake_latency_ns", "100", NULL}, 500);
  assert_true(stolen > 20);
  assert_true(stolen < 500);
}

static void greedy(void *arg) {
  struct shared *s = shared();
  u32 i = 0;
  (void)arg;
  for (; i < 100 && !s->rc; i++) {
    sim_mutex_lock(&s->mutex);
    s->inside = 1;
    sim_elapse(20000);
    s->inside = 0;
    sim_mutex_unlock(&s->mutex);
  }
  s->count = i;
}
static void patient(void *arg) {
  struct shared *s = shared();
  (void)arg;
  sim_elapse(100);
  sim_mutex_lock(&s->mutex);
  SIM_EXPECT_EQ(s->inside, 0);
  s->rc = 1;
  sim_mutex_unlock(&s->mutex);
}
static void fair_setup(void) {
  make_shared();
  sim_task_new("greedy", greedy, NULL, 0);
  sim_task_new("patient", patient, NULL, 1);
}
static void expect_fair(void) {
  // At most: the section under way, one that was faster, one that saw the flag late.
  SIM_EXPECT(shared()->count <= 4);
  SIM_EXPECT(!sim_mutex_is_locked(&shared()->mutex));
}
static const struct sim_scenario fair = {.name = "fair", .setup = fair_setup, .check = expect_fair};

// One who takes it again and again keeps it from nobody: a waiter that lost once is next.
static void mutex_is_fair(void **state) {
  (void)state;
  sim_test_clean(&fair, NULL, 300);
  sim_test_clean(&fair, (const char *const[]){"num_cpus", "2", "chaos_ns", "0", NULL}, 100);
}

// ---- Signals ----

static void interruptible(void *arg) {
  struct shared *s = shared();
  (void)arg;
  s->rc = sim_mutex_lock_interruptible(&s->mutex);
  if (s->rc) {
    SIM_EXPECT_EQ(s->rc, -SIM_EINTR);
    SIM_EXPECT_EQ(s->inside, 1);
  } else {
    sim_mutex_unlock(&s->mutex);
  }
}
static void signal_holder(void *arg) {
  struct shared *s = shared();
  (void)arg;
  sim_mutex_lock(&s->mutex);
  s->inside = 1;
  s->task[0] = sim_task_new("waiter", interruptible, NULL, 0);
  sim_msleep(20);
  sim_send_signal(s->task[0]);
  sim_task_join(s->task[0]);
  SIM_EXPECT_EQ(s->rc, -SIM_EINTR);
  s->inside = 0;
  sim_mutex_unlock(&s->mutex);
}
static void signal_setup(void) {
  make_shared();
  sim_task_new("holder", signal_holder, NULL, 0);
}
static const struct sim_scenario signalled = {.name = "signalled", .setup = signal_setup};

static void signal_first(void *arg) {
  struct shared *s = shared();
  (void)arg;
  sim_send_signal(sim_current());
  SIM_EXPECT(sim_signal_pending());
  SIM_EXPECT_EQ(sim_mutex_lock_interruptible(&s->mutex), 0);
  sim_mutex_unlock(&s->mutex);
}
static void signal_first_setup(void) {
  make_shared();
  sim_task_new("task", signal_first, NULL, 0);
}
static const struct sim_scenario free_signalled = {.name = "free-signalled",
                                                   .setup = signal_first_setup};

// A signal ends an interruptible wait with -EINTR and without the mutex; a mutex that is
// free is taken although a signal is pending.
static void mutex_interruptible_ends_by_signal(void **state) {
  (void)state;
  sim_test_clean(&signalled, NULL, 500);
  sim_test_clean(&free_signalled, NULL, 20);
}

static void signal_race_unlocker(void *arg) {
  struct shared *s = shared();
  (void)arg;
  sim_mutex_lock(&s->mutex);
  s->task[0] = sim_task_new("first", interruptible, NULL, 1);
  sim_msleep(20);
  s->task[1] = sim_task_new("second", once, NULL, 1);
  sim_msleep(20);
  s->inside = 1;  // either outcome is right for the first waiter
  sim_mutex_unlock(&s->mutex);
  sim_send_signal(s->task[0]);
}
static void signal_race_setup(void) {
  make_shared();
  sim_task_new("unlocker", signal_race_unlocker, NULL, 0);
}
static const struct sim_scenario signal_race = {.name = "signal-race", .setup = signal_race_setup};

// A waiter that is woken by the unlock and signalled at once takes the mutex or passes the
// wake-up on: the second waiter is not left asleep.
static void mutex_signal_loses_no_wakeup(void **state) {
  (void)state;
  sim_test_clean(&signal_race, NULL, 1000);
}

// ---- Misuse ----

static void one_task(void (*fn)(void *arg)) {
  make_shared();
  sim_task_new("task", fn, NULL, 0);
}
#define CASE(name_, ...)                                    \
  static void name_##_fn(void *arg) {                       \
    struct shared *s = shared();                            \
    (void)arg;                                              \
    (void)s;                                                \
    __VA_ARGS__                                             \
  }                                                         \
  static void name_##_setup(void) { one_task(name_##_fn); } \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

CASE(twice, {
  sim_mutex_lock(&s->mutex);
  sim_mutex_lock(&s->mutex);
})
CASE(unlock_free, { sim_mutex_unlock(&s->mutex); })
CASE(assert_free, { sim_assert_mutex_held(&s->mutex); })
CASE(assert_mine, {
  sim_mutex_lock(&s->mutex);
  sim_assert_mutex_held(&s->mutex);
  sim_mutex_unlock(&s->mutex);
})
CASE(held_at_exit, { sim_mutex_lock(&s->mutex); })
CASE(atomic, {
  sim_preempt_disable();
  sim_mutex_lock(&s->mutex);
})
CASE(irq_off, {
  sim_local_irq_disable();
  sim_mutex_lock(&s->mutex);
})

static void unlock_others(void *arg) {
  (void)arg;
  sim_mutex_unlock(&shared()->mutex);
}
CASE(release_other, {
  sim_mutex_lock(&s->mutex);
  sim_task_new("thief", unlock_others, NULL, 0);
  sim_msleep(20);
  sim_mutex_unlock(&s->mutex);
})

static void trylock_in_irq(void *arg) {
  (void)arg;
  if (sim_mutex_trylock(&shared()->mutex)) sim_mutex_unlock(&shared()->mutex);
}
static void raise_line(void *arg) {
  sim_irq_raise(*(u32 *)arg);
  sim_elapse(100);
}
static void trylock_irq_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("line", trylock_in_irq, NULL, 0, false);
  sim_task_new("task", raise_line, irq, 0);
}
static const struct sim_scenario trylock_irq = {.name = "trylock-irq", .setup = trylock_irq_setup};

static void mutex_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&twice, NULL, 5, "lock-misuse");
  sim_test_always(&assert_free, NULL, 5, "lock-misuse");
  sim_test_clean(&assert_mine, NULL, 5);
  sim_test_always(&unlock_free, NULL, 5, "lock-misuse");
  sim_test_always(&held_at_exit, NULL, 5, "lock-misuse");
  sim_test_always(&release_other, NULL, 5, "lock-misuse");
  sim_test_always(&atomic, NULL, 5, "sleep-in-atomic");
  sim_test_always(&irq_off, NULL, 5, "sleep-in-atomic");
  sim_test_always(&trylock_irq, NULL, 5, "context-misuse");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mutex_excludes),
      cmocka_unit_test(mutex_in_all_interleavings),
      cmocka_unit_test(mutex_waiters_are_fifo),
      cmocka_unit_test(mutex_newcomer_may_win),
      cmocka_unit_test(mutex_is_fair),
      cmocka_unit_test(mutex_interruptible_ends_by_signal),
      cmocka_unit_test(mutex_signal_loses_no_wakeup),
      cmocka_unit_test(mutex_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
