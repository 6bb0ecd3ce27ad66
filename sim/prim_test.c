// SPDX-License-Identifier: GPL-2.0-or-later
//
// What all primitives have in common: each is a scheduling point before its effect - the
// number of steps of each, uncontended, is fixed here - and each refuses contexts and
// objects that the kernel refuses.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/rcu.h"
#include "sim/refcount.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"
#include "sim/work.h"

static struct things {
  struct sim_spinlock spin;
  struct sim_local_lock *local;
  struct sim_mutex mutex;
  struct sim_completion done;
  struct sim_wait_queue_head wq;
  struct sim_kref kref;
  struct sim_timer timer;
  struct sim_work work;
  struct sim_delayed_work dw;
  struct sim_rcu_head head;
  struct sim_workqueue *queue;
  struct sim_notifier_chain chain;
  struct sim_notifier nb;
  u32 shared;
} * x;

static void no_timer(struct sim_timer *timer) { (void)timer; }
static void no_work(struct sim_work *work) { (void)work; }
static void no_callback(struct sim_rcu_head *head) { (void)head; }
static void no_release(struct sim_kref *kref) { (void)kref; }
static int no_notice(struct sim_notifier *nb, unsigned long action, void *data) {
  (void)nb;
  (void)action;
  (void)data;
  return SIM_NOTIFY_OK;
}
static void no_call(void *arg) { (void)arg; }

static void make_things(void) {
  x = sim_alloc_static(sizeof(*x), "things");
  sim_spin_lock_init(&x->spin, "spin");
  x->local = sim_alloc_percpu(struct sim_local_lock, "local");
  for (u32 i = 0; i < sim_nr_cpus(); i++) sim_local_lock_init(&x->local[i], "local");
  sim_mutex_init(&x->mutex, "mutex");
  sim_init_completion(&x->done, "done");
  sim_init_waitqueue_head(&x->wq, "wq");
  sim_kref_init(&x->kref);
  sim_timer_setup(&x->timer, no_timer);
  sim_init_work(&x->work, no_work);
  sim_init_delayed_work(&x->dw, no_work);
  sim_notifier_chain_init(&x->chain, "chain", false);
  x->nb.fn = no_notice;
  x->queue = sim_alloc_workqueue("queue", 1, 1);
}

// ---- Scheduling points ----

static void expect_steps(const char *what, u64 before, u64 want) {
  u64 took = sim_steps() - before;
  if (took != want)
    sim_fail(&sim_test_oracle, what, "%s took %llu steps, not %llu", what, (unsigned long long)took,
             (unsigned long long)want);
}
#define STEPS(want, ...)                         \
  do {                                           \
    u64 before_ = sim_steps();                   \
    __VA_ARGS__;                                 \
    expect_steps(#__VA_ARGS__, before_, (want)); \
  } while (0)

static void steps_main(void *arg) {
  unsigned long flags;
  (void)arg;
  // Locks: one before it is taken, one before it is released, and one where preemption
  // or interrupts come on again.
  STEPS(1, sim_spin_lock(&x->spin));
  STEPS(2, sim_spin_unlock(&x->spin));
  STEPS(1, (void)sim_spin_trylock(&x->spin));
  STEPS(1, (void)sim_spin_trylock(&x->spin));  // held
  STEPS(2, sim_spin_unlock(&x->spin));
  STEPS(1, sim_spin_lock_irqsave(&x->spin, flags));
  STEPS(2, sim_spin_unlock_irqrestore(&x->spin, flags));
  STEPS(1, sim_local_lock(x->local));
  STEPS(2, sim_local_unlock(x->local));
  STEPS(1, sim_local_lock_irqsave(x->local, flags));
  STEPS(2, sim_local_unlock_irqrestore(x->local, flags));
  STEPS(1, sim_mutex_lock(&x->mutex));
  STEPS(1, sim_mutex_unlock(&x->mutex));
  STEPS(1, (void)!sim_mutex_lock_interruptible(&x->mutex));
  STEPS(1, (void)!sim_mutex_trylock(&x->mutex));  // held
  STEPS(1, sim_mutex_unlock(&x->mutex));
  STEPS(1, (void)!sim_mutex_trylock(&x->mutex));
  STEPS(1, sim_mutex_unlock(&x->mutex));
  // Waking and waiting.
  STEPS(1, sim_complete(&x->done));
  STEPS(1, sim_wait_for_completion(&x->done));
  STEPS(1, sim_complete_all(&x->done));
  STEPS(1, (void)sim_wait_for_completion_interruptible_timeout(&x->done, 5));
  STEPS(0, (void)sim_completion_done(&x->done));
  STEPS(1, sim_wake_up(&x->wq));
  STEPS(1, sim_wake_up_all(&x->wq));
  STEPS(0, sim_wait_event(&x->wq, true));
  struct sim_wait_entry entry = {0};
  STEPS(1, sim_prepare_to_wait_at(SIM_SITE("prepare"), &x->wq, &entry, SIM_TASK_IDLE, false));
  STEPS(1, sim_finish_wait_at(SIM_SITE("finish"), &x->wq, &entry));
  STEPS(0, sim_finish_wait_at(SIM_SITE("finish"), &x->wq, &entry));  // not queued
  STEPS(1, sim_wake_up_process(sim_current()));
  STEPS(1, sim_send_signal(sim_current()));
  STEPS(1, (void)sim_signal_pending());
  sim_clear_signals();
  STEPS(1, (void)sim_kthread_should_stop());
  STEPS(1, (void)sim_kthread_should_park());
  STEPS(1, sim_set_current_state(SIM_TASK_RUNNING));
  // Counts, RCU.
  STEPS(1, sim_kref_get(&x->kref));
  STEPS(1, (void)!sim_kref_get_unless_zero(&x->kref));
  STEPS(1, sim_kref_put(&x->kref, no_release));
  STEPS(0, sim_rcu_read_lock());
  STEPS(1, sim_rcu_read_unlock());
  STEPS(1, sim_call_rcu(&x->head, no_callback));
  STEPS(1, (void)sim_rcu_dereference(x->shared));
  STEPS(1, sim_rcu_assign_pointer(x->shared, 1));
  STEPS(1, (void)sim_cmpxchg(&x->shared, 1, 2));
  // Timers and work.
  STEPS(1, sim_mod_timer(&x->timer, sim_jiffies() + 100));
  STEPS(1, sim_timer_delete(&x->timer));
  STEPS(1, sim_add_timer_on(&x->timer, sim_jiffies() + 100, 1));
  STEPS(1, sim_timer_delete_sync(&x->timer));
  STEPS(1, sim_timer_delete_sync_try(&x->timer));
  STEPS(1, sim_queue_delayed_work(x->queue, &x->dw, 100));
  STEPS(1, sim_mod_delayed_work(x->queue, &x->dw, 200));
  STEPS(1, sim_cancel_delayed_work_sync(&x->dw));
  STEPS(1, sim_cancel_work_sync(&x->work));
  STEPS(1, sim_flush_work(&x->work));
  STEPS(1, sim_queue_work(x->queue, &x->work));
  // Notifiers: the lock of an atomic chain; each callback; the end of the RCU reader.
  STEPS(3, sim_notifier_register(&x->chain, &x->nb));
  STEPS(2, sim_notifier_call(&x->chain, 0, NULL));
  // Calls on this CPU: before it, and where interrupts and preemption come on.
  STEPS(3, sim_smp_call_function_single(0, no_call, NULL, true));
}
static void steps_setup(void) {
  make_things();
  sim_task_new("main", steps_main, NULL, 0);
}
static const struct sim_scenario steps = {.name = "steps", .setup = steps_setup};

// Calm: otherwise others' steps are counted too.
static void primitives_are_scheduling_points(void **state) {
  (void)state;
  sim_test_clean(&steps, NULL, 0);
}

// ---- Contexts ----

enum where { IN_TASK, WITH_PREEMPTION_OFF, WITH_IRQS_OFF, IN_SOFTIRQ, IN_IRQ, IN_NMI };

struct use {
  const char *name;
  void (*fn)(void);
  u8 allowed;  // bit per enum where
};
enum { TASK = 1, ATOMIC = 1 | 2 | 4 | 8 | 16, ANY = ATOMIC | 32, BOTTOM = 1 | 2 | 4 | 8 };

static void use_mutex(void) {
  sim_mutex_lock(&x->mutex);
  sim_mutex_unlock(&x->mutex);
}
static void use_mutex_interruptible(void) {
  if (sim_mutex_lock_interruptible(&x->mutex) == 0) sim_mutex_unlock(&x->mutex);
}
static void use_mutex_trylock(void) {
  if (sim_mutex_trylock(&x->mutex)) sim_mutex_unlock(&x->mutex);
}
static void use_spin(void) {
  unsigned long flags;
  sim_spin_lock_irqsave(&x->spin, flags);
  sim_spin_unlock_irqrestore(&x->spin, flags);
}
static void use_spin_trylock(void) {
  unsigned long flags;
  sim_local_irq_save(flags);
  if (sim_spin_trylock(&x->spin)) sim_spin_unlock(&x->spin);
  sim_local_irq_restore(flags);
}
static void use_complete(void) { sim_complete(&x->done); }
static void use_wait_completion(void) {
  sim_complete(&x->done);
  sim_wait_for_completion(&x->done);
}
static void use_wait_event(void) { sim_wait_event(&x->wq, true); }
static void use_wake_up(void) { sim_wake_up(&x->wq); }
static void use_wake_process(void) { sim_wake_up_process(sim_current()); }
static void use_signal(void) { sim_send_signal(sim_current()); }
static void use_kref(void) {
  sim_kref_get(&x->kref);
  sim_kref_put(&x->kref, no_release);
}
static void use_rcu_reader(void) {
  sim_rcu_read_lock();
  sim_rcu_read_unlock();
}
static void use_call_rcu(void) { sim_call_rcu(&x->head, no_callback); }
static void use_synchronize(void) { sim_synchronize_rcu(); }
static void use_rcu_barrier(void) { sim_rcu_barrier(); }
static void use_mod_timer(void) { sim_mod_timer(&x->timer, sim_jiffies() + 100); }
static void use_add_timer_on(void) { sim_add_timer_on(&x->timer, sim_jiffies() + 100, 1); }
static void use_timer_delete(void) { sim_timer_delete(&x->timer); }
static void use_timer_delete_sync(void) { sim_timer_delete_sync(&x->timer); }
static void use_queue_work(void) { sim_queue_work(x->queue, &x->work); }
static void use_queue_delayed(void) { sim_queue_delayed_work(x->queue, &x->dw, 50); }
static void use_mod_delayed(void) { sim_mod_delayed_work(x->queue, &x->dw, 50); }
static void use_cancel_work(void) { sim_cancel_work_sync(&x->work); }
static void use_flush_work(void) { sim_flush_work(&x->work); }
static void use_msleep(void) { sim_msleep(1); }
static void use_msleep_zero(void) { sim_msleep(0); }
static void use_usleep(void) { sim_usleep_range(1, 2); }
static void use_timeout(void) { sim_schedule_timeout_interruptible(1); }
static void use_yield(void) { sim_yield(); }
static void use_cond_resched(void) { sim_cond_resched(); }
static void use_ipi(void) { sim_smp_call_function_single(1, no_call, NULL, true); }
static void use_kthread_stop(void) {
  struct sim_task *t = sim_kthread_create(NULL, NULL, "t", 0);
  sim_kthread_stop(t);
}
static void use_cpu_down(void) { sim_cpu_down(5); }

// A call to another CPU needs interrupts on, not preemption.
static const struct use uses[] = {
    {"mutex_lock", use_mutex, TASK},
    {"mutex_lock_interruptible", use_mutex_interruptible, TASK},
    {"mutex_trylock", use_mutex_trylock, 1 | 2 | 4},
    {"spin_lock_irqsave", use_spin, ATOMIC},
    {"spin_trylock", use_spin_trylock, ANY},
    {"complete", use_complete, ATOMIC},
    {"wait_for_completion", use_wait_completion, TASK},
    {"wait_event", use_wait_event, TASK},
    {"wake_up", use_wake_up, ATOMIC},
    {"wake_up_process", use_wake_process, ATOMIC},
    {"send_signal", use_signal, ATOMIC},
    {"kref", use_kref, ANY},
    {"rcu_read_lock", use_rcu_reader, ANY},
    {"call_rcu", use_call_rcu, ATOMIC},
    {"synchronize_rcu", use_synchronize, TASK},
    {"rcu_barrier", use_rcu_barrier, TASK},
    {"mod_timer", use_mod_timer, ATOMIC},
    {"add_timer_on", use_add_timer_on, ATOMIC},
    {"timer_delete", use_timer_delete, ATOMIC},
    {"timer_delete_sync", use_timer_delete_sync, BOTTOM},
    {"queue_work", use_queue_work, ATOMIC},
    {"queue_delayed_work", use_queue_delayed, ATOMIC},
    {"mod_delayed_work", use_mod_delayed, ATOMIC},
    {"cancel_work_sync", use_cancel_work, TASK},
    {"flush_work", use_flush_work, TASK},
    {"msleep", use_msleep, TASK},
    {"msleep_zero", use_msleep_zero, ANY},
    {"usleep_range", use_usleep, TASK},
    {"schedule_timeout", use_timeout, TASK},
    {"yield", use_yield, TASK},
    {"cond_resched", use_cond_resched, TASK},
    {"smp_call_function", use_ipi, 1 | 2},
    {"kthread_stop", use_kthread_stop, TASK},
    {"cpu_down", use_cpu_down, TASK},
};

static const struct use *use_now;
static enum where where_now;
static u32 line, nmi;

static void use_in_irq(void *arg) {
  (void)arg;
  use_now->fn();
}
static void use_in_softirq(void) { use_now->fn(); }
static void use_main(void *arg) {
  (void)arg;
  switch (where_now) {
    case IN_TASK:
      use_now->fn();
      break;
    case WITH_PREEMPTION_OFF:
      sim_preempt_disable();
      use_now->fn();
      sim_preempt_enable();
      break;
    case WITH_IRQS_OFF:
      sim_local_irq_disable();
      use_now->fn();
      sim_local_irq_enable();
      break;
    case IN_SOFTIRQ:
      sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
      break;
    case IN_IRQ:
      sim_irq_raise(line);
      break;
    case IN_NMI:
      sim_irq_raise(nmi);
      break;
  }
  sim_udelay(1);
  sim_timer_delete_sync(&x->timer);
  sim_cancel_delayed_work_sync(&x->dw);
  sim_cancel_work_sync(&x->work);
}
static void use_setup(void) {
  make_things();
  line = sim_irq_register("line", use_in_irq, NULL, 0, false);
  nmi = sim_irq_register("nmi", use_in_irq, NULL, 0, true);
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, use_in_softirq);
  sim_task_new("main", use_main, NULL, 0);
}
static const struct sim_scenario use_one = {.name = "use", .setup = use_setup};

// Each primitive in each context: silent where the kernel allows it, a finding of context
// where it does not.
static void primitives_in_every_context(void **state) {
  (void)state;
  struct sim_test t;
  u32 wrong = 0;
  sim_test_open(&t, &use_one, NULL);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(uses); i++) {
    for (u32 where = IN_TASK; where <= IN_NMI; where++) {
      use_now = &uses[i];
      where_now = (enum where)where;
      sim_test_calm(&t);
      bool allowed = uses[i].allowed & (1u << where);
      const char *oracle = t.result.num_failures ? t.result.failures[0].oracle : "";
      bool right =
          allowed ? t.result.num_failures == 0
                  : strcmp(oracle, "context-misuse") == 0 || strcmp(oracle, "sleep-in-atomic") == 0;
      if (right) continue;
      print_message("%s in context %u: %s\n", uses[i].name, where,
                    t.result.num_failures ? t.result.failures[0].text : "nothing found");
      wrong++;
    }
  }
  assert_int_equal(wrong, 0);
  sim_test_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(primitives_are_scheduling_points),
      cmocka_unit_test(primitives_in_every_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
