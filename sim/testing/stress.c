// SPDX-License-Identifier: GPL-2.0-or-later
//
// The stress scenario. Sections: state and expectations; handlers; operations; life of a
// run; machines.
#include "sim/testing/stress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/checker.h"
#include "sim/cpu.h"
#include "sim/decision.h"
#include "sim/lock.h"
#include "sim/prng.h"
#include "sim/rcu.h"
#include "sim/refcount.h"
#include "sim/strategy.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"
#include "sim/work.h"
#include "sim/world.h"

// ---- State and expectations ----

enum { TASKS_MAX = 16, TIMERS = 3, EVENTS = 3, LINES = 8, WORKS = 2, OBJECT_MAGIC = 0x5eed };

struct section {  // what a lock protects
  u32 inside;
  u64 until_ns;  // clock at its last end
  u64 entries;
};

struct object {  // replaced under RCU
  struct sim_rcu_head rcu;
  struct sim_kref kref;
  u32 magic;
};

struct stress_timer {
  struct sim_timer timer;
  u32 fired;
};

struct stress_event {
  struct sim_hw_event event;
  u64 due_ns;
  u32 cpu;
};

struct stress {
  u32 ops, num_tasks;
  u64 mask;  // operations that are on, bit = number
  // Locks in the order of their taking.
  struct sim_mutex mutex[2];
  struct sim_spinlock plain, bh, irq;
  struct section in_mutex[2], in_plain, in_bh, in_irq;
  struct sim_completion done;
  struct sim_wait_queue_head wq;
  u32 tokens;  // under `irq`
  struct stress_timer timer[TIMERS];
  struct stress_event event[EVENTS];
  u32 line[LINES];
  u32 nmi;
  struct sim_workqueue *bound, *unbound;
  struct sim_work work[WORKS];
  struct sim_delayed_work delayed;
  struct object *object;
  u64 *percpu;
  struct sim_task *task[TASKS_MAX];
  struct sim_task *kthread;
  bool kthread_parked;
  struct sim_mutex park;
  u32 left;      // tasks that have not come to their end
  bool closing;  // devices and timers are not started again
  u32 read_a, read_b;
  u32 calls;
};

static const struct sim_oracle expect = {"stress-expect", SIM_SAFETY,
                                         "what the stress test expects", "this file"};
#define EXPECT(cond)                                                               \
  do {                                                                             \
    if (!(cond)) sim_fail(&expect, #cond, "line %d: not so: %s", __LINE__, #cond); \
  } while (0)

static struct stress *stress(void) { return sim_private(); }

static u32 pick(u32 n) {
  return sim_choose(sim_w, SIM_SITE_DRAW("stress-pick", SIM_SITE_WORK, 0, 0), n);
}

static void enter(struct section *s) {
  EXPECT(s->inside == 0);
  EXPECT(sim_clock_ns() >= s->until_ns);
  s->inside = 1;
  s->entries++;
}
static void leave_section(struct section *s) {
  EXPECT(s->inside == 1);
  s->inside = 0;
  s->until_ns = sim_clock_ns();
}

static void touch(struct stress *s, u32 times) {
  for (u32 i = 0; i < times; i++) {
    u32 a = sim_read_once(s->read_a);
    sim_write_once(s->read_b, a + 1);
  }
}

static u64 some_ns(void) {
  static const u32 table[] = {0, 1, 40, 2000, 30000, 1000000, 5000000};
  return table[pick(SIM_ARRAY_SIZE(table))];
}

// ---- Handlers ----

static void use_irq_lock(struct stress *s) {
  unsigned long flags;
  sim_spin_lock_irqsave(&s->irq, flags);
  enter(&s->in_irq);
  EXPECT(sim_irqs_disabled());
  touch(s, pick(3));
  s->tokens++;
  leave_section(&s->in_irq);
  sim_spin_unlock_irqrestore(&s->irq, flags);
}

static void some_effect(struct stress *s) {
  switch (pick(6)) {
    case 0:
      sim_wake_up(&s->wq);
      break;
    case 1:
      sim_complete(&s->done);
      break;
    case 2:
      sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
      break;
    case 3:
      if (!s->closing) sim_queue_work(s->unbound, &s->work[0]);
      break;
    case 4:
      if (!s->closing) sim_irq_raise(s->line[pick(sim_nr_cpus())]);
      break;
    default:
      break;
  }
}

static void hardirq(void *arg) {
  struct stress *s = arg;
  u32 cpu = sim_smp_processor_id();
  EXPECT(sim_in_hardirq() && sim_in_interrupt() && !sim_in_task() && !sim_in_nmi());
  EXPECT(sim_irqs_disabled() && sim_in_atomic() && !sim_preemptible());
  use_irq_lock(s);
  EXPECT(sim_irqs_disabled());
  if (pick(2)) some_effect(s);
  EXPECT(sim_smp_processor_id() == cpu);
}

static void nmi(void *arg) {
  struct stress *s = arg;
  EXPECT(sim_in_nmi() && sim_irqs_disabled());
  touch(s, 2);
  if (pick(4) == 1 && !s->closing) sim_irq_raise(s->line[pick(sim_nr_cpus())]);
  EXPECT(sim_in_nmi());
}

static void softirq_rx(void) {
  struct stress *s = stress();
  EXPECT(sim_in_serving_softirq() && !sim_in_hardirq() && !sim_irqs_disabled());
  sim_spin_lock(&s->bh);
  enter(&s->in_bh);
  touch(s, pick(3));
  leave_section(&s->in_bh);
  sim_spin_unlock(&s->bh);
  if (pick(4) == 1) sim_raise_softirq(SIM_NET_TX_SOFTIRQ);
  if (pick(8) == 1) sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  EXPECT(sim_in_serving_softirq());
}

static void softirq_tx(void) {
  struct stress *s = stress();
  EXPECT(sim_in_serving_softirq());
  use_irq_lock(s);
}

static void timer_fn(struct sim_timer *timer) {
  struct stress *s = stress();
  struct stress_timer *t = sim_container_of(timer, struct stress_timer, timer);
  EXPECT(sim_in_serving_softirq());
  EXPECT(sim_jiffies() >= timer->expires);
  EXPECT(!sim_timer_pending(timer));
  t->fired++;
  if (pick(2)) use_irq_lock(s);
  if (pick(4) == 1) some_effect(s);
  if (!s->closing && pick(4) == 1) sim_mod_timer(timer, sim_jiffies() + pick(3));
}

static void arm_event(struct stress_event *e, u64 delay_ns, u32 cpu);

static void event_fn(void *arg) {
  struct stress *s = stress();
  struct stress_event *e = arg;
  EXPECT(sim_in_hardirq() && sim_irqs_disabled());
  EXPECT(sim_clock_ns() >= e->due_ns);
  EXPECT(!sim_cpu_online(e->cpu) || sim_smp_processor_id() == e->cpu ||
         sim_smp_processor_id() == 0);
  if (pick(2)) use_irq_lock(s);
  if (pick(2)) some_effect(s);
  if (!s->closing && pick(3) == 1 && !e->event.armed) {
    u64 delay_ns = 100 + some_ns();  // C does not say which argument comes first
    arm_event(e, delay_ns, pick(sim_nr_cpus()));
  }
}

static void arm_event(struct stress_event *e, u64 delay_ns, u32 cpu) {
  if (!sim_cpu_online(cpu)) cpu = 0;
  e->cpu = cpu;
  e->due_ns = sim_clock_ns() + delay_ns;
  sim_hw_event_arm(&e->event, e->due_ns, event_fn, e, cpu);
}

static void work_fn(struct sim_work *work) {
  struct stress *s = stress();
  EXPECT(sim_in_task() && sim_preempt_count() == 0 && !sim_irqs_disabled());
  sim_mutex_lock(&s->mutex[1]);
  enter(&s->in_mutex[1]);
  touch(s, pick(3));
  if (pick(4) == 1) sim_usleep_range(1, 10);
  leave_section(&s->in_mutex[1]);
  sim_mutex_unlock(&s->mutex[1]);
  if (pick(8) == 1 && !s->closing) sim_queue_work(s->unbound, work);
}

static void ipi_fn(void *arg) {
  struct stress *s = arg;
  EXPECT(sim_irqs_disabled());
  s->calls++;
  use_irq_lock(s);
}

static int kthread_fn(void *arg) {
  struct stress *s = arg;
  while (!sim_kthread_should_stop()) {
    if (sim_kthread_should_park()) {
      sim_kthread_parkme();
      continue;
    }
    sim_wait_event_interruptible_timeout(&s->wq,
                                         sim_kthread_should_stop() || sim_kthread_should_park(), 2);
    touch(s, 1);
  }
  return 7;
}

static void object_free(struct sim_rcu_head *head) {
  struct object *o = sim_container_of(head, struct object, rcu);
  EXPECT(o->magic == OBJECT_MAGIC);
  o->magic = 0;
  sim_free(o);
}
static void object_release(struct sim_kref *kref) {
  sim_call_rcu(&sim_container_of(kref, struct object, kref)->rcu, object_free);
}
static struct object *object_new(void) {
  struct object *o = sim_zalloc(sizeof(*o), "stress_object");
  o->magic = OBJECT_MAGIC;
  sim_kref_init(&o->kref);
  return o;
}

// ---- Operations ----

static void op_access(struct stress *s) { touch(s, 1 + pick(8)); }

static void op_plain(struct stress *s) {
  if (pick(4) == 1) {
    if (!sim_spin_trylock(&s->plain)) return;
  } else {
    sim_spin_lock(&s->plain);
  }
  enter(&s->in_plain);
  EXPECT(!sim_preemptible() && !sim_irqs_disabled() && sim_spin_is_locked(&s->plain));
  touch(s, pick(4));
  if (pick(4) == 1) sim_elapse(some_ns());
  leave_section(&s->in_plain);
  sim_spin_unlock(&s->plain);
}

static void op_irqsave(struct stress *s) {
  use_irq_lock(s);
  EXPECT(!sim_irqs_disabled());
}

static void op_bh(struct stress *s) {
  sim_local_bh_disable();
  EXPECT(sim_in_interrupt() && sim_in_task() && !sim_in_serving_softirq());
  sim_spin_lock(&s->bh);
  enter(&s->in_bh);
  touch(s, pick(3));
  if (pick(2)) sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  leave_section(&s->in_bh);
  sim_spin_unlock(&s->bh);
  sim_local_bh_enable();
}

static void op_mutex(struct stress *s) {
  u32 from = pick(2);
  if (pick(4) == 1) {
    if (sim_mutex_lock_interruptible(&s->mutex[from])) return;
  } else {
    sim_mutex_lock(&s->mutex[from]);
  }
  enter(&s->in_mutex[from]);
  touch(s, pick(3));
  if (pick(4) == 1) sim_usleep_range(10, 20 + pick(100));
  if (pick(4) == 1) op_plain(s);
  if (from == 0 && pick(2)) {
    sim_mutex_lock(&s->mutex[1]);
    enter(&s->in_mutex[1]);
    touch(s, 1);
    leave_section(&s->in_mutex[1]);
    sim_mutex_unlock(&s->mutex[1]);
  }
  leave_section(&s->in_mutex[from]);
  sim_mutex_unlock(&s->mutex[from]);
}

static void op_give_up(struct stress *s) {
  (void)s;
  switch (pick(3)) {
    case 0:
      sim_yield();
      break;
    case 1:
      sim_cond_resched();
      break;
    default:
      sim_schedule();
      break;
  }
  EXPECT(sim_task_state(sim_current()) == SIM_TASK_RUNNING);
}

static void op_relax(struct stress *s) {
  (void)s;
  for (u32 i = pick(20); i; i--) sim_cpu_relax();
}

static void op_elapse(struct stress *s) {
  (void)s;
  u64 before = sim_clock_ns(), ns = some_ns();
  u32 cpu = sim_smp_processor_id();
  sim_elapse(ns);
  if (cpu == sim_smp_processor_id()) EXPECT(sim_clock_ns() >= before + ns);
}

static void op_usleep(struct stress *s) {
  (void)s;
  u64 before = sim_clock_ns(), us = pick(300);
  u32 cpu = sim_smp_processor_id();
  sim_usleep_range(us, us + pick(300));
  if (cpu == sim_smp_processor_id()) EXPECT(sim_clock_ns() >= before + us * 1000);
}

static void op_jiffies(struct stress *s) {
  (void)s;
  u64 before = sim_jiffies();
  u32 cpu = sim_smp_processor_id(), how = pick(3), n = pick(4);
  if (how == 0) {
    sim_msleep(n);
    if (cpu == sim_smp_processor_id()) EXPECT(sim_jiffies() >= before + sim_msecs_to_jiffies(n));
  } else if (how == 1) {
    s64 left = sim_schedule_timeout_uninterruptible(n);
    EXPECT(left >= 0 && left <= (s64)n);
  } else {
    s64 left = sim_schedule_timeout_interruptible(n);
    EXPECT(left >= 0 && left <= (s64)n);
    if (sim_signal_pending()) sim_clear_signals();
  }
  EXPECT(sim_task_state(sim_current()) == SIM_TASK_RUNNING);
}

static void op_signal(struct stress *s) { sim_send_signal(s->task[pick(s->num_tasks)]); }

static void op_state(struct stress *s) {
  sim_set_current_state(pick(2) ? SIM_TASK_INTERRUPTIBLE : SIM_TASK_UNINTERRUPTIBLE);
  if (sim_read_once(s->tokens) % 2) {
    sim_schedule_timeout(1 + pick(2));
  } else {
    sim_set_current_state(SIM_TASK_RUNNING);
  }
  EXPECT(sim_task_state(sim_current()) == SIM_TASK_RUNNING);
  sim_clear_signals();
}

// A wake-up that nobody expects: what waits for a condition looks again.
static void op_wake(struct stress *s) {
  struct sim_task *task = s->task[pick(s->num_tasks)];
  if (sim_task_state(task) != SIM_TASK_DEAD) sim_wake_up_process(task);
}

static void op_raise(struct stress *s) {
  u32 n = pick(sim_nr_cpus() + 1);
  sim_irq_raise(n == sim_nr_cpus() ? s->nmi : s->line[n]);
}

static void op_softirq(struct stress *s) {
  unsigned long flags;
  switch (pick(3)) {
    case 0:
      sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
      break;
    case 1:
      sim_local_irq_save(flags);
      touch(s, 1);
      sim_raise_softirq(SIM_NET_TX_SOFTIRQ);
      touch(s, 1);
      sim_local_irq_restore(flags);
      break;
    default:
      sim_local_bh_disable();
      sim_local_bh_disable();
      touch(s, 1);
      sim_raise_softirq(SIM_NET_TX_SOFTIRQ);
      sim_local_bh_enable();
      touch(s, 1);
      sim_local_bh_enable();
      break;
  }
  EXPECT(!sim_irqs_disabled());
}

static void op_timer(struct stress *s) {
  struct stress_timer *t = &s->timer[pick(TIMERS)];
  switch (pick(4)) {
    case 0:
      sim_timer_delete(&t->timer);
      break;
    case 1:
      sim_timer_delete_sync(&t->timer);
      break;
    default:
      sim_mod_timer(&t->timer, sim_jiffies() + pick(4));
      break;
  }
}

static void op_event(struct stress *s) {
  struct stress_event *e = &s->event[pick(EVENTS)];
  SIM_POINT("event", e);
  if (pick(4) == 1) {
    sim_hw_event_disarm(&e->event);
  } else if (!e->event.armed) {
    u64 delay_ns = some_ns();
    arm_event(e, delay_ns, pick(sim_nr_cpus()));
  }
}

static void op_work(struct stress *s) {
  u32 i = pick(WORKS);
  switch (pick(6)) {
    case 0:
      sim_flush_work(&s->work[i]);
      break;
    case 1:
      sim_cancel_work_sync(&s->work[i]);
      break;
    case 2:
      sim_queue_delayed_work(s->bound, &s->delayed, pick(3));
      break;
    case 3:
      sim_mod_delayed_work(s->bound, &s->delayed, pick(3));
      break;
    case 4:
      sim_cancel_delayed_work_sync(&s->delayed);
      break;
    default:
      sim_queue_work(i ? s->bound : s->unbound, &s->work[i]);
      break;
  }
}

static void op_rcu_read(struct stress *s) {
  sim_rcu_read_lock();
  struct object *o = sim_rcu_dereference(s->object);
  sim_check_alive(o, "stress_object");
  EXPECT(o->magic == OBJECT_MAGIC);
  bool got = pick(2) && sim_kref_get_unless_zero(&o->kref);
  touch(s, pick(3));
  sim_check_alive(o, "stress_object");
  EXPECT(o->magic == OBJECT_MAGIC);
  sim_rcu_read_unlock();
  if (!got) return;
  EXPECT(o->magic == OBJECT_MAGIC);
  sim_kref_put(&o->kref, object_release);
}

static void op_rcu_update(struct stress *s) {
  struct object *fresh = object_new();
  sim_mutex_lock(&s->mutex[0]);
  enter(&s->in_mutex[0]);
  struct object *old = s->object;
  sim_rcu_assign_pointer(s->object, fresh);
  leave_section(&s->in_mutex[0]);
  sim_mutex_unlock(&s->mutex[0]);
  sim_kref_put(&old->kref, object_release);
  if (pick(4) == 1) sim_synchronize_rcu();
}

static void op_hotplug(struct stress *s) {
  (void)s;
  u32 cpu = pick(sim_nr_cpus());
  int rc = pick(2) ? sim_cpu_down(cpu) : sim_cpu_up(cpu);
  EXPECT(rc == 0 || (cpu == 0 && rc == -SIM_EBUSY));
}

static void op_ipi(struct stress *s) {
  u32 cpu = pick(sim_nr_cpus());
  bool wait = pick(2);
  u32 before = s->calls;
  int rc = sim_smp_call_function_single(cpu, ipi_fn, s, wait);
  EXPECT(rc == 0 || rc == -SIM_ENXIO);
  if (rc == 0 && wait) EXPECT(s->calls != before);
}

static void op_percpu(struct stress *s) {
  sim_preempt_disable();
  u32 cpu = sim_smp_processor_id();
  u64 *mine = sim_this_cpu_ptr(s->percpu);
  u64 v = *mine;
  touch(s, pick(4));
  EXPECT(sim_smp_processor_id() == cpu && *mine == v);
  *mine = v + 1;
  EXPECT(sim_preempt_count() == 1);
  sim_preempt_enable();
}

static void child_main(void *arg) {
  struct stress *s = arg;
  touch(s, pick(4));
  if (pick(4) == 1) sim_usleep_range(1, 2);
}
static void op_child(struct stress *s) {
  u32 cpu = pick(sim_nr_cpus());
  struct sim_task *task = sim_task_new("child", child_main, s, sim_cpu_online(cpu) ? cpu : 0);
  if (pick(2)) sim_task_join(task);
}

static void op_completion(struct stress *s) {
  if (pick(2))
    sim_complete(&s->done);
  else
    EXPECT(sim_wait_for_completion_timeout(&s->done, 1 + pick(2)) >= 0);
}

static void op_wait(struct stress *s) {
  u32 before = s->tokens;
  switch (pick(3)) {
    case 0:
      sim_wake_up_all(&s->wq);
      break;
    case 1:
      sim_wait_event_timeout(&s->wq, sim_read_once(s->tokens) != before, 1 + pick(2));
      break;
    default:
      if (sim_wait_event_interruptible_timeout(&s->wq, sim_read_once(s->tokens) != before, 1) < 0)
        sim_clear_signals();
      break;
  }
}

static void op_irqs_off(struct stress *s) {
  sim_local_irq_disable();
  u32 cpu = sim_smp_processor_id();
  touch(s, pick(4));
  if (pick(2)) sim_elapse(some_ns());
  EXPECT(sim_irqs_disabled() && sim_smp_processor_id() == cpu);
  sim_local_irq_enable();
}

static void op_park(struct stress *s) {
  sim_mutex_lock(&s->park);
  if (s->kthread_parked)
    sim_kthread_unpark(s->kthread);
  else
    sim_kthread_park(s->kthread);
  s->kthread_parked = !s->kthread_parked;
  sim_mutex_unlock(&s->park);
}

static void (*const operations[])(struct stress *s) = {
    op_access,  op_plain,  op_irqsave, op_bh,         op_mutex,    op_give_up,    op_relax,
    op_elapse,  op_usleep, op_jiffies, op_signal,     op_state,    op_wake,       op_raise,
    op_softirq, op_timer,  op_event,   op_work,       op_rcu_read, op_rcu_update, op_hotplug,
    op_ipi,     op_percpu, op_child,   op_completion, op_wait,     op_irqs_off,   op_park,
};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

// ---- Life of a run ----

// The last task ends all that could go on after it.
static void close_all(struct stress *s) {
  s->closing = true;
  for (u32 i = 0; i < EVENTS; i++) sim_hw_event_disarm(&s->event[i].event);
  for (u32 i = 0; i < TIMERS; i++) {
    sim_timer_delete_sync(&s->timer[i].timer);
    EXPECT(!sim_timer_pending(&s->timer[i].timer));
  }
  for (u32 i = 0; i < WORKS; i++) sim_cancel_work_sync(&s->work[i]);
  sim_cancel_delayed_work_sync(&s->delayed);
  if (s->kthread_parked) sim_kthread_unpark(s->kthread);
  int rc = sim_kthread_stop(s->kthread);
  EXPECT(rc == 7 || rc == -SIM_EINTR);  // the latter if it never ran
  sim_kref_put(&s->object->kref, object_release);
  sim_rcu_barrier();
}

static void task_main(void *arg) {
  struct stress *s = arg;
  for (u32 i = 0; i < s->ops; i++) {
    u32 nr = pick(OPERATIONS);
    if (!(s->mask & (1ull << nr))) nr = 0;
    operations[nr](s);
    EXPECT(sim_in_task() && sim_preempt_count() == 0 && !sim_irqs_disabled());
  }
  if (--s->left == 0) close_all(s);
}

static void stress_setup(void) {
  struct stress *s = sim_alloc_static(sizeof(*s), "stress");
  sim_set_private(s);
  s->ops = (u32)sim_param("ops");
  s->num_tasks = (u32)sim_param("tasks");
  s->mask = (u64)sim_param("mask");
  sim_mutex_init(&s->mutex[0], "mutex0");
  sim_mutex_init(&s->mutex[1], "mutex1");
  sim_mutex_init(&s->park, "park");
  sim_spin_lock_init(&s->plain, "plain");
  sim_spin_lock_init(&s->bh, "bh");
  sim_spin_lock_init(&s->irq, "irq");
  sim_init_completion(&s->done, "done");
  sim_init_waitqueue_head(&s->wq, "wq");
  s->percpu = sim_alloc_percpu(u64, "percpu");
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, softirq_rx);
  sim_open_softirq(SIM_NET_TX_SOFTIRQ, softirq_tx);
  for (u32 i = 0; i < TIMERS; i++) sim_timer_setup(&s->timer[i].timer, timer_fn);
  for (u32 i = 0; i < sim_nr_cpus(); i++)
    s->line[i] = sim_irq_register("line", hardirq, s, i, false);
  s->nmi = sim_irq_register("nmi", nmi, s, sim_nr_cpus() - 1, true);
  if (sim_param("noise")) sim_irq_drawn("noise", hardirq, s, 0xff, 1, (u16)sim_param("noise"));
  s->bound = sim_alloc_workqueue("bound", 0, 1);
  s->unbound = sim_alloc_workqueue("unbound", -1, 2);
  for (u32 i = 0; i < WORKS; i++) sim_init_work(&s->work[i], work_fn);
  sim_init_delayed_work(&s->delayed, work_fn);
  s->object = object_new();
  s->kthread = sim_kthread_run(kthread_fn, s, "kthread", sim_nr_cpus() - 1);
  s->left = s->num_tasks;
  for (u32 i = 0; i < s->num_tasks; i++)
    s->task[i] = sim_task_new("task", task_main, s, i % sim_nr_cpus());
}

static void stress_check(void) {
  struct stress *s = stress();
  EXPECT(s->left == 0 && s->closing);
}

static const struct sim_param stress_params[] = {
    {"tasks", 3, 1, TASKS_MAX, "tasks", "tasks that draw operations", NULL},
    {"ops", 12, 1, 1000, "", "operations of each", NULL},
    {"mask", (1ll << OPERATIONS) - 1, 0, (1ll << OPERATIONS) - 1, "", "operations that are on",
     NULL},
    {"noise", 64, 0, 65535, "", "one step in so many: an interrupt; 0: none", NULL},
    {NULL}};
static const struct sim_oracle *const stress_oracles[] = {&expect, NULL};

const struct sim_scenario testing_stress = {
    .name = "testing-stress",
    .claim = "whatever is done in whatever order, the simulator keeps its promises",
    .params = stress_params,
    .oracles = stress_oracles,
    .input_len_max = 4096,
    .testonly = true,
    .setup = stress_setup,
    .check = stress_check,
};

// ---- Machines ----

static void set(struct sim_params *params, const char *key, u64 value) {
  char text[32], err[128];
  snprintf(text, sizeof(text), "%" PRIu64, value);
  if (!sim_params_set(params, key, text, err, sizeof(err))) {
    fprintf(stderr, "%s=%s: %s\n", key, text, err);
    abort();
  }
}

static u64 one_of(struct sim_stream *rng, const u64 *table, u32 n) {
  return table[sim_stream_below(rng, n)];
}
#define ONE_OF(rng, ...) \
  one_of((rng), (const u64[]){__VA_ARGS__}, (u32)SIM_ARRAY_SIZE(((const u64[]){__VA_ARGS__})))

void testing_stress_draw(struct sim_params *params, u64 number) {
  struct sim_stream rng;
  sim_stream_seed(&rng, sim_mix64(number));
  set(params, "num_cpus", 1 + sim_stream_below(&rng, 8));
  set(params, "hz", ONE_OF(&rng, 100, 250, 1000));
  set(params, "skew_ns", ONE_OF(&rng, 1, 2, 100, 2000, 2000, 100000, 1000000000000));
  set(params, "access_cost_ns", ONE_OF(&rng, 1, 10, 10, 777, 100000));
  set(params, "lock_cost_ns", ONE_OF(&rng, 1, 25, 25, 333, 100000));
  set(params, "switch_cost_ns", ONE_OF(&rng, 0, 1, 1500, 1500, 100000));
  set(params, "irq_cost_ns", ONE_OF(&rng, 0, 1, 1000, 1000, 100000));
  set(params, "wake_latency_ns", ONE_OF(&rng, 0, 1, 17500, 17500, 1000000));
  set(params, "relax_cost_ns", ONE_OF(&rng, 1, 40, 40, 5000));
  set(params, "rcu_gp_ns", ONE_OF(&rng, 0, 1, 100000, 8000000));
  set(params, "chaos_ns", ONE_OF(&rng, 0, 1000, 100000, 10000000, 10000000000, 10000000000));
  set(params, "preempt", sim_stream_below(&rng, 4) != 0);
  // Costs are at will, so what is slow is no finding.
  set(params, "irq_off_max_ns", 1000000000000000);
  set(params, "preempt_off_max_ns", 1000000000000000);
  set(params, "soft_lockup_ns", 1000000000000000);
  set(params, "rcu_stall_ns", 1000000000000000);
  set(params, "hung_task_ns", 1000000000000000);
  set(params, "heal_budget_ns", 100000000000);
  set(params, "steps_max", 3000000);
  set(params, "tasks", 1 + sim_stream_below(&rng, sim_stream_below(&rng, 4) ? 4 : TASKS_MAX));
  set(params, "ops", 1 + sim_stream_below(&rng, sim_stream_below(&rng, 4) ? 20 : 60));
  set(params, "noise", ONE_OF(&rng, 0, 2, 16, 64, 1000));
  // Half of the machines: all operations; else some of them.
  u64 all = (1ull << OPERATIONS) - 1;
  u64 some = sim_stream_u64(&rng) & all;
  set(params, "mask", sim_stream_below(&rng, 2) ? all : some);
}

static bool went_wrong(const struct sim_result *r, const struct sim_result *again) {
  return again->digest != r->digest || again->draws != r->draws || again->steps != r->steps ||
         again->status != r->status;
}

static void show(FILE *out, u64 number, u64 seed, const char *what, const struct sim_result *r) {
  fprintf(out, "machine %" PRIu64 " seed %" PRIu64 " (%s): %s", number, seed,
          sim_strategy_name(r->strategy), what);
  for (u32 i = 0; i < r->num_failures; i++)
    fprintf(out, "; %s: %s", r->failures[i].key, r->failures[i].text);
  fprintf(out, "\n");
}

u32 testing_stress_machine(struct sim_world *w, u64 number, u64 first, u32 seeds, FILE *out) {
  struct sim_params *params = sim_params_new(&testing_stress);
  struct sim_result *r = calloc(2, sizeof(*r));
  struct sim_decisions list = {0};
  u32 wrong = 0;
  testing_stress_draw(params, number);
  sim_world_set_fill(w, 0);
  if (sim_world_setup(w, &testing_stress, params, r) != SIM_OK) {
    show(out, number, 0, "set-up", r);
    wrong++;
    seeds = 0;
  }
  for (u64 seed = first; seed < first + seeds; seed++) {
    struct sim_input in = {
        .backend = SIM_BACKEND_SEED, .seed = seed, .strategy = SIM_STRATEGY_PORTFOLIO};
    sim_world_run(w, &in, &r[0]);
    if (r[0].num_failures) {
      show(out, number, seed, "fails", &r[0]);
      wrong++;
    }
    sim_decisions_from_world(&list, w);
    bool refill = seed % 16 == 3;
    if (refill) {
      sim_world_set_fill(w, 0xa5);
      sim_world_run(w, &in, &r[1]);
      if (went_wrong(&r[0], &r[1])) {
        show(out, number, seed, "another fill byte, another run", &r[1]);
        wrong++;
      }
    }
    in = (struct sim_input){.backend = SIM_BACKEND_LIST, .list = &list};
    sim_world_run(w, &in, &r[1]);
    u32 unmatched[4];
    if (!r[0].draws_overflow &&
        (went_wrong(&r[0], &r[1]) || sim_world_unmatched(w, unmatched, 4))) {
      show(out, number, seed, "its list is another run", &r[1]);
      wrong++;
    }
    if (refill) sim_world_set_fill(w, 0);
  }
  sim_decisions_free(&list);
  sim_params_free(params);
  free(r);
  return wrong;
}
