// SPDX-License-Identifier: GPL-2.0-or-later
//
// rt=1: what sleeps and what spins, what is reported where nothing may sleep, softirqs in
// their thread, local_bh_disable, states and wake-ups of tasks that wait for a lock, timers
// that are deleted while their callback has been preempted, CPUs that go meanwhile. And that
// without rt=1 the same programs are reported where they must be.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/rcu.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"

struct shared {
  struct sim_spinlock s, t;
  struct sim_raw_spinlock raw;
  struct sim_local_lock *local;
  struct sim_timer timer;
  struct sim_wait_queue_head wq;
  u32 irq, counter, calls;
  bool flag, held;
  u64 ran_ns;
};
static struct shared *sh(void) { return sim_private(); }

static void irq_take_s(void *arg) {
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
}
static void irq_take_raw(void *arg) {
  sim_raw_spin_lock(&sh()->raw);
  sim_raw_spin_unlock(&sh()->raw);
}
static void (*irq_fn)(void *arg) = irq_take_s;  // constant in a run
static void irq_main(void *arg) { irq_fn(arg); }

static void timer_fn(struct sim_timer *timer);

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_spin_lock_init(&s->s, "s");
  sim_spin_lock_init(&s->t, "t");
  sim_raw_spin_lock_init(&s->raw, "raw");
  s->local = sim_alloc_percpu(struct sim_local_lock, "local");
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++) sim_local_lock_init(&s->local[cpu], "local");
  sim_timer_setup(&s->timer, timer_fn);
  sim_init_waitqueue_head(&s->wq, "wq");
  s->irq = sim_irq_register("line", irq_main, NULL, 0, false);
}

#define CASE(name_, fn0, cpu0, fn1, cpu1)                                     \
  static void name_##_setup(void) {                                           \
    void (*first)(void *arg) = fn0, (*second)(void *arg) = fn1;               \
    make_shared();                                                            \
    if (first) sim_task_new("first", first, NULL, cpu0);                      \
    if (second) sim_task_new("second", second, NULL, (cpu1) % sim_nr_cpus()); \
  }                                                                           \
  static const struct sim_scenario name_ = {.name = "rt", .setup = name_##_setup};

static const char *const rt[] = {"rt", "1", NULL};
static const char *const rt_one_cpu[] = {"rt", "1", "num_cpus", "1", NULL};

// ---- Sleeping locks ----

// Preemption and interrupts stay on, and the holder may sleep: by a timer that needs no softirq,
// since those may wait for the lock.
static void doze(void) { sim_usleep_range(20000, 20000); }

static void holds_and_sleeps(void *arg) {
  unsigned long flags;
  sim_spin_lock_irqsave(&sh()->s, flags);
  SIM_EXPECT(!sim_irqs_disabled());
  SIM_EXPECT(sim_preemptible());
  SIM_EXPECT(!sim_in_atomic());
  sh()->held = true;
  doze();
  sh()->held = false;
  sim_spin_unlock_irqrestore(&sh()->s, flags);
  sim_local_lock_irqsave(sh()->local, flags);
  SIM_EXPECT(!sim_irqs_disabled());
  SIM_EXPECT(sim_preemptible());
  sim_check_percpu();  // this CPU's data may be used
  doze();
  sim_local_unlock_irqrestore(sh()->local, flags);
}
static void waits_for_it(void *arg) {
  sim_spin_lock(&sh()->s);
  SIM_EXPECT(!sh()->held);
  SIM_EXPECT(sim_spin_is_locked(&sh()->s));
  sim_assert_spin_held(&sh()->s);
  sim_spin_unlock(&sh()->s);
  sim_local_lock(sh()->local);
  sim_local_unlock(sh()->local);
}
CASE(sleeping, holds_and_sleeps, 0, waits_for_it, 0)
CASE(sleeping_apart, holds_and_sleeps, 0, waits_for_it, 1)

static void locks_sleep(void **state) {
  sim_test_clean(&sleeping, rt, 100);
  sim_test_clean(&sleeping_apart, rt, 100);
  assert_true(sim_test_exhaust(&sleeping, rt_one_cpu, 3, 100000) > 10);
}

static void counts(void *arg) {
  for (u32 i = 0; i < 4; i++) {
    sim_spin_lock(&sh()->s);
    u32 was = sim_read_once(sh()->counter);
    sim_elapse(500);
    sim_write_once(sh()->counter, was + 1);
    sim_spin_unlock(&sh()->s);
    if (sim_spin_trylock(&sh()->t)) sim_spin_unlock(&sh()->t);
  }
  if (++sh()->calls == 2) SIM_EXPECT_EQ(sh()->counter, 8);
}
CASE(counting, counts, 0, counts, 0)
CASE(counting_apart, counts, 0, counts, 1)

static void locks_exclude(void **state) {
  sim_test_clean(&counting, rt, 300);
  sim_test_clean(&counting_apart, rt, 300);
}

// Not known as held by another, and not taken twice.
static void takes_twice(void *arg) {
  sim_spin_lock(&sh()->s);
  sim_spin_lock(&sh()->s);
}
static void releases_free(void *arg) { sim_spin_unlock(&sh()->s); }
static void takes_st(void *arg) {
  sim_spin_lock(&sh()->s);
  sim_spin_lock(&sh()->t);
  sim_spin_unlock(&sh()->t);
  sim_spin_unlock(&sh()->s);
}
static void takes_ts(void *arg) {
  sim_spin_lock(&sh()->t);
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
  sim_spin_unlock(&sh()->t);
}
CASE(twice, takes_twice, 0, NULL, 0)
CASE(not_held, releases_free, 0, NULL, 0)
CASE(both_orders, takes_st, 0, takes_ts, 0)

static void misuse_is_reported(void **state) {
  struct sim_test t;
  sim_test_always(&twice, rt, 10, "lock-misuse");
  sim_test_always(&not_held, rt, 10, "lock-misuse");
  sim_test_open(&t, &both_orders, rt_one_cpu);
  sim_test_calm(&t);
  assert_int_equal(t.result.num_failures, 1);
  assert_string_equal(t.result.failures[0].oracle, "lock-order");
  sim_test_close(&t);
}

// ---- Where nothing may sleep ----

static void raises(void *arg) {
  sim_irq_raise(sh()->irq);
  sim_elapse(100);
}
static void in_raw(void *arg) {
  sim_raw_spin_lock(&sh()->raw);
  sim_spin_lock(&sh()->s);
}
static void with_irqs_off(void *arg) {
  sim_local_irq_disable();
  sim_spin_lock(&sh()->s);
}
static void with_preemption_off(void *arg) {
  sim_preempt_disable();
  sim_local_lock(sh()->local);
}
static void raw_in_raw(void *arg) {
  unsigned long flags;
  sim_irq_raise(sh()->irq);
  sim_raw_spin_lock_irqsave(&sh()->raw, flags);
  SIM_EXPECT(sim_irqs_disabled());
  SIM_EXPECT(sim_in_atomic());
  sim_raw_spin_unlock_irqrestore(&sh()->raw, flags);
}
static void in_rcu(void *arg) {
  sim_rcu_read_lock();
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
  sim_rcu_read_unlock();
}
static void sleeps_in_lock(void *arg) {
  sim_spin_lock(&sh()->s);
  doze();
  sim_spin_unlock(&sh()->s);
}
static void sleeps_in_raw(void *arg) {
  sim_raw_spin_lock(&sh()->raw);
  sim_msleep(1);
}
CASE(hardirq, raises, 0, NULL, 0)
CASE(raw_held, in_raw, 0, NULL, 0)
CASE(irqs_off, with_irqs_off, 0, NULL, 0)
CASE(preemption_off, with_preemption_off, 0, NULL, 0)
CASE(raw_only, raw_in_raw, 0, raw_in_raw, 1)
CASE(rcu_reader, in_rcu, 0, holds_and_sleeps, 0)
CASE(lock_sleeper, sleeps_in_lock, 0, NULL, 0)
CASE(raw_sleeper, sleeps_in_raw, 0, NULL, 0)

static void atomic_contexts_are_reported(void **state) {
  irq_fn = irq_take_s;
  sim_test_always(&hardirq, rt, 10, "sleep-in-atomic");
  sim_test_always(&raw_held, rt, 10, "sleep-in-atomic");
  sim_test_always(&irqs_off, rt, 10, "sleep-in-atomic");
  sim_test_always(&preemption_off, rt, 10, "sleep-in-atomic");
  sim_test_always(&raw_sleeper, rt, 10, "sleep-in-atomic");
  sim_test_always(&raw_sleeper, NULL, 10, "sleep-in-atomic");
  sim_test_clean(&rcu_reader, rt, 100);
  // Without rt=1 a spinlock is fine there, and what sleeps while it holds one is not.
  sim_test_clean(&hardirq, NULL, 50);
  sim_test_always(&lock_sleeper, NULL, 10, "sleep-in-atomic");
  sim_test_clean(&lock_sleeper, rt, 50);
  irq_fn = irq_take_raw;
  sim_test_clean(&raw_only, rt, 100);
  sim_test_clean(&raw_only, NULL, 100);
  irq_fn = irq_take_s;
}

// ---- Softirqs ----

static void timer_fn(struct sim_timer *timer) {
  SIM_EXPECT(sim_in_serving_softirq());
  SIM_EXPECT(!sim_in_task());
  SIM_EXPECT(sim_in_interrupt());
  SIM_EXPECT(!sim_in_hardirq());
  SIM_EXPECT_EQ(sim_in_atomic(), !sim_world_config(sim_w)->rt);
  sim_check_percpu();
  if (sim_world_config(sim_w)->rt) {
    // A task may hold it, asleep.
    sim_spin_lock(&sh()->s);
    sim_elapse(2000);
    sim_spin_unlock(&sh()->s);
  }
  sh()->calls++;
  sh()->ran_ns = sim_clock_ns();
}
static void arms(void *arg) {
  sim_mod_timer(&sh()->timer, sim_jiffies() + 1);
  sim_spin_lock(&sh()->t);
  sim_spin_unlock(&sh()->t);
  sim_msleep(60);
  SIM_EXPECT_EQ(sh()->calls, 1);
}
CASE(timers, arms, 0, holds_and_sleeps, 0)
CASE(timers_alone, arms, 0, NULL, 0)

static void softirqs_have_a_thread(void **state) {
  sim_test_clean(&timers, rt, 200);
  sim_test_clean(&timers, rt_one_cpu, 200);
  sim_test_clean(&timers_alone, NULL, 50);
}

static void keeps_bh_off(void *arg) {
  sim_mod_timer(&sh()->timer, sim_jiffies() + 1);
  sim_local_bh_disable();
  sim_local_bh_disable();
  SIM_EXPECT(sim_preemptible());
  SIM_EXPECT(sim_in_interrupt());
  doze();
  SIM_EXPECT_EQ(sh()->calls, 0);
  sim_local_bh_enable();
  SIM_EXPECT(sim_in_interrupt());
  doze();
  SIM_EXPECT_EQ(sh()->calls, 0);
  sim_local_bh_enable();
  SIM_EXPECT(!sim_in_interrupt());
  sim_msleep(20);
  SIM_EXPECT_EQ(sh()->calls, 1);
}
static void enables_only(void *arg) { sim_local_bh_enable(); }
CASE(bh_off, keeps_bh_off, 0, NULL, 0)
CASE(bh_unbalanced, enables_only, 0, NULL, 0)

static void bh_keeps_softirqs_out(void **state) {
  sim_test_clean(&bh_off, rt, 100);
  sim_test_always(&bh_unbalanced, rt, 10, "context-misuse");
}

// The callback's thread may be preempted, or wait for a lock, while somebody on its CPU waits
// for its end; its own deletion is still a mistake.
static void deletes(void *arg) {
  sim_mod_timer(&sh()->timer, sim_jiffies());
  sim_msleep(sim_test_draw(2) ? 4 : 8);
  sim_timer_delete_sync(&sh()->timer);
  u32 calls = sh()->calls;
  sim_msleep(20);
  SIM_EXPECT_EQ(sh()->calls, calls);
}
CASE(deleting, deletes, 0, holds_and_sleeps, 0)
CASE(deleting_apart, deletes, 1, holds_and_sleeps, 0)

static void deletion_waits(void **state) {
  sim_test_clean(&deleting, rt, 300);
  sim_test_clean(&deleting, rt_one_cpu, 300);
  sim_test_clean(&deleting_apart, rt, 300);
}

// ---- States of waiters ----

// A wake-up that comes while the task waits for a lock, between its look and its sleep, is
// not lost.
static void sleeper(void *arg) {
  struct sim_wait_entry entry = {0};
  sim_prepare_to_wait_at(SIM_SITE("prepare_to_wait"), &sh()->wq, &entry, SIM_TASK_INTERRUPTIBLE,
                         false);
  sim_spin_lock(&sh()->s);
  bool flag = sh()->flag;
  sim_spin_unlock(&sh()->s);
  if (!flag) sim_schedule();
  sim_finish_wait_at(SIM_SITE("finish_wait"), &sh()->wq, &entry);
  SIM_EXPECT(sh()->flag);
}
static void waker(void *arg) {
  sim_spin_lock(&sh()->s);
  sh()->flag = true;
  sim_elapse(3000);
  sim_wake_up(&sh()->wq);
  sim_elapse(3000);
  sim_spin_unlock(&sh()->s);
}
CASE(waking, sleeper, 0, waker, 0)
CASE(waking_apart, sleeper, 0, waker, 1)

static void wake_ups_are_kept(void **state) {
  sim_test_clean(&waking, rt, 200);
  sim_test_clean(&waking_apart, rt, 500);
  sim_test_exhaust(&waking_apart, rt, 3, 200000);
}

// ---- CPUs ----

static void unplugs(void *arg) {
  for (u32 i = 0; i < 2; i++) {
    SIM_EXPECT_EQ(sim_cpu_down(1), 0);
    SIM_EXPECT(!sh()->held);
    sim_msleep(4);
    SIM_EXPECT_EQ(sim_cpu_up(1), 0);
    sim_mod_timer(&sh()->timer, sim_jiffies() + 1);
    sim_msleep(8);
  }
}
// Holds a lock of its CPU, asleep: that CPU waits.
static void stays(void *arg) {
  for (u32 i = 0; i < 3; i++) {
    u32 cpu;
    sim_local_lock(sh()->local);
    cpu = sim_smp_processor_id();
    sh()->held = cpu == 1;
    doze();
    SIM_EXPECT_EQ(sim_smp_processor_id(), cpu);
    sh()->held = false;
    sim_local_unlock(sh()->local);
    sim_mod_timer(&sh()->timer, sim_jiffies());
    sim_msleep(12);
  }
}
CASE(unplugged, unplugs, 0, stays, 1)

static void holders_keep_their_cpu(void **state) { sim_test_clean(&unplugged, rt, 300); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(locks_sleep),
      cmocka_unit_test(locks_exclude),
      cmocka_unit_test(misuse_is_reported),
      cmocka_unit_test(atomic_contexts_are_reported),
      cmocka_unit_test(softirqs_have_a_thread),
      cmocka_unit_test(bh_keeps_softirqs_out),
      cmocka_unit_test(deletion_waits),
      cmocka_unit_test(wake_ups_are_kept),
      cmocka_unit_test(holders_keep_their_cpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
