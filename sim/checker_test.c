// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checkers that look at time: each trips, under the right oracle and one key, and is
// silent just below its bound.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/wait.h"

struct shared {
  struct sim_spinlock lock;
  struct sim_completion x;
  u32 irq;
  bool go;
};
static struct shared *sh(void) { return sim_private(); }

static void long_handler(void *arg) {
  (void)arg;
  sim_mdelay(11);
}
static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_spin_lock_init(&s->lock, "lock");
  sim_init_completion(&s->x, "x");
  s->irq = sim_irq_register("line", long_handler, NULL, 0, false);
}
#define CASE(name_, ...)                       \
  static void name_##_fn(void *arg) {          \
    (void)arg;                                 \
    __VA_ARGS__                                \
  }                                            \
  static void name_##_setup(void) {            \
    make_shared();                             \
    sim_task_new("main", name_##_fn, NULL, 0); \
  }                                            \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static const char *const patient[] = {"chaos_ns", "300000000000", "heal_budget_ns", "900000000000",
                                      NULL};
static const char *const patient_voluntary[] = {
    "chaos_ns", "300000000000", "heal_budget_ns", "900000000000", "preempt", "0", NULL};
static const char *const voluntary[] = {"preempt", "0", NULL};

// ---- The table ----

// Ids are unique, and every oracle says what it holds and where that comes from.
static void checkers_are_described(void **state) {
  (void)state;
  assert_true(sim_checkers_count() >= 20);
  for (u32 i = 0; i < sim_checkers_count(); i++) {
    const struct sim_oracle *o = sim_checker_at(i);
    assert_true(strlen(o->id) > 2);
    assert_true(strlen(o->sentence) > 10);
    assert_true(strlen(o->source) > 5);
    assert_true(o->status == SIM_SAFETY || o->status == SIM_LIVENESS || o->status == SIM_CRASH ||
                o->status == SIM_BUDGET);
    for (u32 j = 0; j < i; j++) assert_string_not_equal(o->id, sim_checker_at(j)->id);
  }
  assert_string_equal(sim_oracle_lock_order.id, "lock-order");
}

// ---- Interrupts off ----

CASE(irq_off_long, {
  sim_local_irq_disable();
  sim_mdelay(11);
  sim_local_irq_enable();
})
CASE(irq_off_short, {
  for (u32 i = 0; i < 5; i++) {
    sim_local_irq_disable();
    sim_mdelay(9);
    sim_local_irq_enable();
  }
})
CASE(irq_lock_long, {
  unsigned long flags;
  sim_spin_lock_irqsave(&sh()->lock, flags);
  sim_mdelay(11);
  sim_spin_unlock_irqrestore(&sh()->lock, flags);
})
CASE(irq_handler_long, {
  sim_irq_raise(sh()->irq);
  sim_udelay(1);
})

// Ten milliseconds are allowed, for each stretch; a handler's time counts.
static void irq_off_bound(void **state) {
  (void)state;
  sim_test_always(&irq_off_long, NULL, 20, "irq-off-too-long");
  sim_test_clean(&irq_off_short, NULL, 20);
  sim_test_always(&irq_lock_long, NULL, 20, "irq-off-too-long");
  sim_test_always(&irq_handler_long, NULL, 20, "irq-off-too-long");
  sim_test_clean(&irq_off_long, (const char *const[]){"irq_off_max_ns", "12000000", NULL}, 20);
}

// ---- Preemption off ----

CASE(preempt_off_long, {
  sim_preempt_disable();
  sim_mdelay(21);
  sim_preempt_enable();
})
CASE(preempt_off_short, {
  for (u32 i = 0; i < 5; i++) {
    sim_preempt_disable();
    sim_preempt_disable();
    sim_mdelay(19);
    sim_preempt_enable();
    sim_preempt_enable();
  }
})
CASE(bh_off_long, {
  sim_local_bh_disable();
  sim_mdelay(21);
  sim_local_bh_enable();
})
CASE(mixed_off_long, {
  sim_local_bh_disable();
  sim_mdelay(11);
  sim_preempt_disable();
  sim_local_bh_enable();
  sim_mdelay(11);
  sim_preempt_enable();
})
CASE(spin_long, {
  sim_spin_lock(&sh()->lock);
  sim_mdelay(21);
  sim_spin_unlock(&sh()->lock);
})

static void preempt_off_bound(void **state) {
  (void)state;
  sim_test_always(&preempt_off_long, NULL, 20, "preempt-off-too-long");
  sim_test_always(&preempt_off_long, voluntary, 20, "preempt-off-too-long");
  sim_test_clean(&preempt_off_short, NULL, 20);
  sim_test_always(&bh_off_long, NULL, 20, "preempt-off-too-long");
  sim_test_always(&mixed_off_long, NULL, 20, "preempt-off-too-long");
  sim_test_always(&spin_long, NULL, 20, "preempt-off-too-long");
}

// ---- Soft lockup ----

CASE(busy, {
  for (u32 i = 0; i < 220; i++) sim_mdelay(100);
})
CASE(busy_polite, {
  for (u32 i = 0; i < 220; i++) {
    sim_mdelay(100);
    sim_cond_resched();
  }
})
CASE(busy_short, {
  for (u32 i = 0; i < 190; i++) sim_mdelay(100);
  sim_msleep(1);
  for (u32 i = 0; i < 190; i++) sim_mdelay(100);
})
CASE(busy_relaxed, {
  while (sim_clock_ns() < 25 * SIM_NSEC_PER_SEC) {
    sim_cpu_relax();
    sim_mdelay(50);
  }
})
CASE(busy_no_preempt, {
  sim_preempt_disable();
  for (u32 i = 0; i < 220; i++) sim_mdelay(100);
  sim_preempt_enable();
})
CASE(busy_then_no_preempt, {
  for (u32 i = 0; i < 220; i++) sim_mdelay(100);
  sim_preempt_disable();
  sim_mdelay(15);
  sim_preempt_enable();
})

// Where kernel code is not preempted: 20 s without schedule. cond_resched is one, also
// with nobody to give way to; cpu_relax is none. Where it is preempted the watchdog gets
// the CPU unless preemption is off, however long the task ran before.
static void soft_lockup_bound(void **state) {
  (void)state;
  sim_test_always(&busy, patient_voluntary, 5, "soft-lockup");
  sim_test_always(&busy_relaxed, patient_voluntary, 5, "soft-lockup");
  sim_test_clean(&busy_polite, patient_voluntary, 5);
  sim_test_clean(&busy_short, patient_voluntary, 5);
  sim_test_clean(&busy, patient, 5);
  sim_test_clean(&busy_then_no_preempt, patient, 5);
  struct sim_test t;
  sim_test_open(&t, &busy_no_preempt, patient);
  sim_test_calm(&t);
  assert_int_equal(t.result.num_failures, 2);
  assert_string_equal(t.result.failures[0].oracle, "soft-lockup");
  assert_string_equal(t.result.failures[1].oracle, "preempt-off-too-long");
  assert_int_equal(t.result.status, SIM_SAFETY);  // the smaller status
  sim_test_close(&t);
}

// ---- Hung task ----

static void late_completer(void *arg) {
  for (u32 i = 0; i < *(u32 *)arg; i++) sim_schedule_timeout_interruptible(250);
  sim_complete(&sh()->x);
}
static void wait_for_seconds(u32 seconds, enum sim_task_state state) {
  u32 *arg = sim_zalloc(sizeof(*arg), "seconds");
  *arg = seconds;
  sim_task_new("late", late_completer, arg, 0);
  sim_wait_for_completion_at(SIM_SITE("wait"), &sh()->x, state, SIM_MAX_SCHEDULE_TIMEOUT);
  sim_free(arg);
}
CASE(hung, { wait_for_seconds(122, SIM_TASK_UNINTERRUPTIBLE); })
CASE(not_hung, { wait_for_seconds(110, SIM_TASK_UNINTERRUPTIBLE); })
CASE(interruptible, { wait_for_seconds(122, SIM_TASK_INTERRUPTIBLE); })
CASE(idle, { wait_for_seconds(122, SIM_TASK_IDLE); })

static int never_called(void *arg) {
  (void)arg;
  return 0;
}
CASE(never_woken, {
  struct sim_task *t = sim_kthread_create(never_called, NULL, "thread", 0);
  for (u32 i = 0; i < 130; i++) sim_schedule_timeout_interruptible(250);
  sim_kthread_stop(t);
})

static void busy_meanwhile(void *arg) {
  (void)arg;
  for (u32 i = 0; i < 1300; i++) {
    sim_mdelay(100);
    sim_cond_resched();
  }
  sim_complete(&sh()->x);
}
CASE(hung_busy, {
  sim_task_new("busy", busy_meanwhile, NULL, 1);
  sim_wait_for_completion(&sh()->x);
})

// 120 s in an uninterruptible sleep: seen at ticks of busy CPUs, or when it ends.
static void hung_task_bound(void **state) {
  (void)state;
  sim_test_always(&hung, patient, 3, "hung-task");
  sim_test_clean(&not_hung, patient, 3);
  sim_test_clean(&interruptible, patient, 3);
  sim_test_clean(&idle, patient, 3);
  sim_test_clean(&never_woken, patient, 3);
  sim_test_always(&hung_busy, patient, 2, "hung-task");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checkers_are_described), cmocka_unit_test(irq_off_bound),
      cmocka_unit_test(preempt_off_bound),      cmocka_unit_test(soft_lockup_bound),
      cmocka_unit_test(hung_task_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
