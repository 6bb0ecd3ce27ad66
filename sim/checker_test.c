// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checkers that look at time: each trips, under the right oracle and one key, and is
// silent just below its bound.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/rcu.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"
#include "sim/work.h"

struct shared {
  struct sim_spinlock lock;
  struct sim_mutex mutex;
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
  sim_mutex_init(&s->mutex, "other");
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

// ---- NMIs ----

static void nmi_wakes(void *arg) {
  (void)arg;
  sim_complete(&sh()->x);
}
static void nmi_arms(void *arg) {
  (void)arg;
  sim_mod_timer(arg, 0);
}
static void nmi_setup(void (*handler)(void *arg)) {
  make_shared();
  sh()->irq = sim_irq_register("nmi", handler, &sh()->x, 0, true);
}
static void raise_irq(void *arg) {
  (void)arg;
  sim_irq_raise(sh()->irq);
  sim_udelay(1);
}
static void nmi_complete_setup(void) {
  nmi_setup(nmi_wakes);
  sim_task_new("main", raise_irq, NULL, 0);
}
static void nmi_timer_setup(void) {
  nmi_setup(nmi_arms);
  sim_task_new("main", raise_irq, NULL, 0);
}
static const struct sim_scenario nmi_complete = {.name = "nmi-complete",
                                                 .setup = nmi_complete_setup};
static const struct sim_scenario nmi_timer = {.name = "nmi-timer", .setup = nmi_timer_setup};

// What takes a lock inside, in the kernel, must not be used in an NMI.
static void nmi_bounds(void **state) {
  (void)state;
  sim_test_always(&nmi_complete, NULL, 10, "context-misuse");
  sim_test_always(&nmi_timer, NULL, 10, "context-misuse");
}

// ---- Freeing what is in use ----

struct object {
  u64 pad;
  struct sim_timer timer;
  struct sim_hrtimer hrtimer;
  struct sim_hw_event event;
  struct sim_work work;
  struct sim_rcu_head head;
  struct sim_mutex mutex;
};
static void no_timer(struct sim_timer *timer) { (void)timer; }
static void no_hrtimer(struct sim_hrtimer *timer) { (void)timer; }
static void no_event(void *arg) { (void)arg; }
static void no_work(struct sim_work *work) { (void)work; }
static void free_head(struct sim_rcu_head *head) {
  sim_free(sim_container_of(head, struct object, head));
}
static struct object *make_object(void) {
  struct object *o = sim_zalloc(sizeof(*o), "object");
  sim_timer_setup(&o->timer, no_timer);
  sim_hrtimer_setup(&o->hrtimer, no_hrtimer);
  sim_init_work(&o->work, no_work);
  sim_mutex_init(&o->mutex, "mutex");
  return o;
}
static struct sim_workqueue *queue;
CASE(free_timer, {
  struct object *o = make_object();
  sim_mod_timer(&o->timer, sim_jiffies() + 100);
  sim_free(o);
})
CASE(free_hrtimer, {
  struct object *o = make_object();
  sim_hrtimer_start(&o->hrtimer, sim_clock_ns() + 100, sim_clock_ns() + 100);
  sim_free(o);
})
CASE(free_event, {
  struct object *o = make_object();
  sim_hw_event_arm(&o->event, sim_clock_ns() + 1000000, no_event, NULL, 1);
  sim_free(o);
})
CASE(free_callback, {
  struct object *o = make_object();
  sim_call_rcu(&o->head, free_head);
  sim_free(o);
})
CASE(free_lock, {
  struct object *o = make_object();
  sim_mutex_lock(&o->mutex);
  sim_free(o);
})
static void free_work_fn(void *arg) {
  struct object *o = make_object();
  (void)arg;
  sim_preempt_disable();
  sim_queue_work(queue, &o->work);
  sim_free(o);
}
static void free_work_setup(void) {
  make_shared();
  queue = sim_alloc_workqueue("queue", 0, 1);
  sim_task_new("main", free_work_fn, NULL, 0);
}
static const struct sim_scenario free_work = {.name = "free-work", .setup = free_work_setup};
CASE(free_idle, {
  struct object *o = make_object();
  struct object *other = make_object();
  sim_mod_timer(&other->timer, sim_jiffies() + 100);
  sim_mod_timer(&o->timer, sim_jiffies() + 100);
  SIM_EXPECT(sim_timer_delete(&o->timer));
  sim_mutex_lock(&o->mutex);
  sim_mutex_lock(&sh()->mutex);
  sim_mutex_unlock(&o->mutex);
  sim_free(o);
  sim_mutex_unlock(&sh()->mutex);
  sim_timer_delete(&other->timer);
  sim_call_rcu(&other->head, free_head);
  sim_rcu_barrier();
})

// At the free, before anything is touched; a neighbour that is in use does not count.
static void freeing_what_is_in_use(void **state) {
  (void)state;
  const struct sim_scenario *bad[] = {&free_timer,    &free_hrtimer, &free_event,
                                      &free_callback, &free_lock,    &free_work};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(bad); i++) sim_test_always(bad[i], NULL, 10, "use-after-free");
  sim_test_clean(&free_idle, NULL, 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checkers_are_described), cmocka_unit_test(irq_off_bound),
      cmocka_unit_test(preempt_off_bound),      cmocka_unit_test(soft_lockup_bound),
      cmocka_unit_test(hung_task_bound),        cmocka_unit_test(nmi_bounds),
      cmocka_unit_test(freeing_what_is_in_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
