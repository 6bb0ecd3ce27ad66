// SPDX-License-Identifier: GPL-2.0-or-later
//
// See hooked.h. Sections: programs of two sides; lost updates; waiting; freed memory.
#include "sim/testing/hooked.h"

#include <string.h>

#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/hook.h"
#include "sim/lock.h"
#include "sim/rcu.h"
#include "sim/static_key.h"
#include "sim/refcount.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/trace.h"
#include "sim/wait.h"
#include "sim/work.h"
#include "sim/world.h"

// ---- Programs of two sides ----

struct races {
  enum testing_race program;
  bool order;
  u32 x;
  u32 flag;
  u8 bytes[8];
  bool key;
  volatile u32 v;
  u8 copy[32], from[32];
  u32 *pointer;
  struct sim_spinlock lock;
  struct sim_mutex mutex, others;
  u32 num_others;
  struct sim_local_lock *local_lock;
  struct sim_completion done;
  struct sim_wait_queue_head wait;
  struct sim_workqueue *wq;
  struct sim_work work;
  struct sim_delayed_work delayed;
  struct sim_timer timer;
  struct sim_hw_event event;
  struct sim_rcu_head head;
  struct sim_kref kref;
  struct sim_notifier_chain chain;
  struct sim_notifier notifier;
  struct sim_task *second;
  u32 line;
};

static struct races *races(void) { return sim_private(); }

// An access of x by whatever calls it. One function, so that all reports have one key.
static SIM_NOINLINE void touch(void) { races()->x++; }
static void touch_from(void *arg) { touch(); }
static void touch_in_work(struct sim_work *work) { touch(); }
static void touch_in_timer(struct sim_timer *timer) { touch(); }
static void touch_in_rcu(struct sim_rcu_head *head) { touch(); }
static int touch_in_thread(void *arg) {
  touch();
  while (!sim_kthread_should_stop()) sim_schedule_timeout_interruptible(1);
  return 0;
}
static int touch_in_chain(struct sim_notifier *nb, unsigned long action, void *data) {
  touch();
  return SIM_NOTIFY_OK;
}

static void wait_for_flag(struct races *r) {
  while (!sim_read_once(r->flag)) sim_cpu_relax();
}

// The side that comes first where there is an order.
static void first(void *arg) {
  struct races *r = races();
  unsigned long flags = 0;

  switch (r->program) {
    case TESTING_RACE_SPINLOCK:
      if (r->order) sim_spin_lock(&r->lock);
      touch();
      if (r->order) sim_spin_unlock(&r->lock);
      break;
    case TESTING_RACE_MUTEX:
      if (r->order) sim_mutex_lock(&r->mutex);
      touch();
      if (r->order) sim_mutex_unlock(&r->mutex);
      break;
    case TESTING_RACE_LOCAL_LOCK:
      if (r->order) sim_local_lock(r->local_lock);
      touch();
      if (r->order) sim_local_unlock(r->local_lock);
      break;
    case TESTING_RACE_COMPLETION:
    case TESTING_RACE_COMPLETION_DONE:
      touch();
      sim_complete(&r->done);
      break;
    case TESTING_RACE_WAKE_UP:
      sim_msleep(20);
      touch();
      sim_wake_up_process(r->second);
      break;
    case TESTING_RACE_WAIT_QUEUE:
      touch();
      sim_wake_up(&r->wait);
      sim_write_once(r->flag, 1);
      break;
    case TESTING_RACE_WORK:
      touch();
      if (r->order) sim_queue_work(r->wq, &r->work);
      if (r->order) sim_flush_work(&r->work);
      touch();
      break;
    case TESTING_RACE_DELAYED_WORK:
      touch();
      if (r->order) sim_queue_delayed_work(r->wq, &r->delayed, 1);
      if (r->order) sim_msleep(30);
      if (r->order) sim_cancel_delayed_work_sync(&r->delayed);
      touch();
      break;
    case TESTING_RACE_TIMER:
      touch();
      if (r->order) sim_add_timer_on(&r->timer, sim_jiffies() + 1, 1);
      sim_msleep(30);
      if (r->order) sim_timer_delete_sync(&r->timer);
      touch();
      break;
    case TESTING_RACE_HW_EVENT:
      touch();
      if (r->order) sim_hw_event_arm(&r->event, sim_clock_ns(), touch_from, NULL, 1);
      break;
    case TESTING_RACE_IRQ_LINE:
      touch();
      if (r->order) sim_irq_raise(r->line);
      break;
    case TESTING_RACE_IPI:
      touch();
      if (r->order) (void)sim_smp_call_function_single(1, touch_from, NULL, true);
      touch();
      break;
    case TESTING_RACE_CALL_RCU:
      touch();
      if (r->order) sim_call_rcu(&r->head, touch_in_rcu);
      if (r->order) sim_rcu_barrier();
      touch();
      break;
    case TESTING_RACE_RCU_READER:
      sim_rcu_read_lock();
      if (sim_rcu_dereference(r->pointer)) touch();
      sim_rcu_read_unlock();
      break;
    case TESTING_RACE_RCU_BEGIN:
      touch();
      if (r->order) sim_synchronize_rcu();
      sim_write_once(r->flag, 1);
      break;
    case TESTING_RACE_RCU_ATOMIC:
      sim_preempt_disable();
      if (sim_rcu_dereference(r->pointer)) touch();
      sim_preempt_enable();
      break;
    case TESTING_RACE_KTHREAD:
      touch();
      if (r->order) {
        struct sim_task *thread = sim_kthread_run(touch_in_thread, NULL, "thread", 1);

        sim_msleep(1);
        (void)sim_kthread_stop(thread);
      }
      touch();
      break;
    case TESTING_RACE_JOIN:
      touch();
      break;
    case TESTING_RACE_KREF:
      touch();
      break;
    case TESTING_RACE_NOTIFIER:
      touch();
      (void)sim_notifier_register(&r->chain, &r->notifier);
      break;
    case TESTING_RACE_RELEASE:
      touch();
      if (r->order)
        sim_smp_store_release(&r->flag, 1);
      else
        sim_write_once(r->flag, 1);
      break;
    case TESTING_RACE_FENCES:
      touch();
      if (r->order) sim_smp_wmb();
      sim_write_once(r->flag, 1);
      break;
    case TESTING_RACE_CMPXCHG:
      touch();
      (void)sim_cmpxchg(&r->flag, 0, 1);
      break;
    case TESTING_RACE_ATOMIC:
      touch();
      __atomic_store_n(&r->flag, 1, r->order ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
      break;
    case TESTING_RACE_PREEMPT_OFF:
      if (r->order) sim_preempt_disable();
      touch();
      if (r->order) sim_preempt_enable();
      break;
    case TESTING_RACE_IRQ_OFF:
      if (r->order) sim_local_irq_save(flags);
      touch();
      if (r->order) sim_local_irq_restore(flags);
      break;
    case TESTING_RACE_BH_OFF:
      if (r->order) sim_local_bh_disable();
      touch();
      if (r->order) sim_local_bh_enable();
      break;
    case TESTING_RACE_BYTES:
      r->bytes[3]++;
      break;
    case TESTING_RACE_MARKED:
      sim_write_once(r->x, 1);
      break;
    case TESTING_RACE_STATIC_KEY:
      if (r->order)
        sim_static_branch_enable(&r->key);
      else
        r->key = true;
      break;
    case TESTING_RACE_VOLATILE:
      r->v = 1;
      break;
    case TESTING_RACE_COPY:
      if (r->order) sim_spin_lock(&r->lock);
      memcpy(r->copy, r->from, sizeof(r->copy));
      memset(r->from, 1, sizeof(r->from));
      memmove(r->from + 1, r->from, 20);
      if (r->order) sim_spin_unlock(&r->lock);
      break;
    case TESTING_RACE_TOUCH:
      if (r->order) sim_spin_lock(&r->lock);
      SIM_TOUCH_WRITE(&r->x, sizeof(r->x));
      if (r->order) sim_spin_unlock(&r->lock);
      break;
    default:
      break;
  }
}

static void drop_last(struct sim_kref *kref) { touch(); }

static void second(void *arg) {
  struct races *r = races();

  switch (r->program) {
    case TESTING_RACE_COMPLETION:
      if (r->order) sim_wait_for_completion(&r->done);
      touch();
      break;
    case TESTING_RACE_COMPLETION_DONE:
      if (r->order)
        while (!sim_completion_done(&r->done)) sim_cpu_relax();
      touch();
      break;
    case TESTING_RACE_WAKE_UP:
      sim_set_current_state(r->order ? SIM_TASK_UNINTERRUPTIBLE : SIM_TASK_RUNNING);
      if (r->order) sim_schedule();
      sim_set_current_state(SIM_TASK_RUNNING);
      touch();
      break;
    case TESTING_RACE_WAIT_QUEUE:
      wait_for_flag(r);
      // The flag alone orders nothing; the queue's lock does.
      if (r->order) sim_wake_up(&r->wait);
      touch();
      break;
    case TESTING_RACE_RCU_READER:
    case TESTING_RACE_RCU_ATOMIC:
      sim_rcu_assign_pointer(r->pointer, NULL);
      if (r->order) sim_synchronize_rcu();
      touch();
      break;
    case TESTING_RACE_RCU_BEGIN:
      wait_for_flag(r);
      sim_rcu_read_lock();
      touch();
      sim_rcu_read_unlock();
      break;
    case TESTING_RACE_JOIN:
      if (r->order) sim_task_join(arg);
      touch();
      break;
    case TESTING_RACE_KREF:
      touch();
      break;
    case TESTING_RACE_NOTIFIER:
      if (r->order)
        (void)sim_notifier_call(&r->chain, 0, NULL);
      else
        touch();
      break;
    case TESTING_RACE_RELEASE:
      if (r->order)
        while (!sim_smp_load_acquire(&r->flag)) sim_cpu_relax();
      else
        wait_for_flag(r);
      touch();
      break;
    case TESTING_RACE_FENCES:
      wait_for_flag(r);
      sim_smp_rmb();
      touch();
      break;
    case TESTING_RACE_CMPXCHG:
      if (r->order)
        while (sim_cmpxchg(&r->flag, 1, 2) != 1) sim_cpu_relax();
      else
        wait_for_flag(r);
      touch();
      break;
    case TESTING_RACE_ATOMIC:
      while (!__atomic_load_n(&r->flag, __ATOMIC_ACQUIRE)) sim_cpu_relax();
      touch();
      break;
    case TESTING_RACE_BYTES:
      r->bytes[r->order ? 2 : 3]++;
      break;
    case TESTING_RACE_MARKED:
      if (r->order)
        (void)sim_read_once(r->x);
      else
        touch();
      break;
    case TESTING_RACE_STATIC_KEY:
      if (sim_static_branch(&r->key) || (!r->order && r->key)) r->bytes[0]++;
      break;
    case TESTING_RACE_VOLATILE:
      if (r->order)
        (void)r->v;
      else
        *(u32 *)&r->v = 2;
      break;
    case TESTING_RACE_WORK:
    case TESTING_RACE_DELAYED_WORK:
    case TESTING_RACE_TIMER:
    case TESTING_RACE_HW_EVENT:
    case TESTING_RACE_IRQ_LINE:
    case TESTING_RACE_IPI:
    case TESTING_RACE_CALL_RCU:
    case TESTING_RACE_KTHREAD:
      // What the other side starts touches it too.
      if (!r->order) touch();
      break;
    default:
      first(arg);
  }
}

// Whoever drops the last reference writes what the others have used.
static void user(void *arg) {
  struct races *r = races();

  SIM_TOUCH_READ(&r->x, sizeof(r->x));
  if (r->order)
    (void)sim_kref_put(&r->kref, drop_last);
  else
    touch();
}

// Another thread, with a lock that orders it with its like alone.
static void bystander(void *arg) {
  struct races *r = sim_private();

  sim_mutex_lock(&r->others);
  r->num_others++;
  sim_mutex_unlock(&r->others);
}

static void bystanders(u32 num) {
  for (u32 i = 0; i < num; i++) sim_task_new("bystander", bystander, NULL, i % sim_nr_cpus());
}

static void races_setup(void) {
  struct races *r = sim_alloc_static(sizeof(*r), "races");
  bool one_cpu;

  sim_set_private(r);
  r->program = (enum testing_race)sim_param("program");
  r->order = sim_param("order");
  r->pointer = &r->x;
  sim_spin_lock_init(&r->lock, "lock");
  sim_mutex_init(&r->mutex, "mutex");
  sim_mutex_init(&r->others, "others");
  r->local_lock = sim_alloc_percpu(struct sim_local_lock, "local lock");
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++)
    sim_local_lock_init(&r->local_lock[cpu], "local lock");
  sim_init_completion(&r->done, "done");
  sim_init_waitqueue_head(&r->wait, "wait");
  r->wq = sim_alloc_workqueue("events", -1, 2);
  sim_init_work(&r->work, touch_in_work);
  sim_init_delayed_work(&r->delayed, touch_in_work);
  sim_timer_setup(&r->timer, touch_in_timer);
  sim_kref_init(&r->kref);
  sim_notifier_chain_init(&r->chain, "chain", false);
  r->notifier.fn = touch_in_chain;
  r->line = sim_irq_register("line", touch_from, NULL, 1, false);
  if (r->program == TESTING_RACE_IRQ_OFF) sim_irq_drawn("drawn", touch_from, NULL, 1, 1, 8);
  if (r->program == TESTING_RACE_KREF) {
    r->kref.count = 2;
    sim_task_new("first", user, NULL, 0);
    sim_task_new("second", user, NULL, 1);
    return;
  }
  one_cpu = r->program == TESTING_RACE_LOCAL_LOCK || r->program == TESTING_RACE_PREEMPT_OFF ||
            r->program == TESTING_RACE_IRQ_OFF || r->program == TESTING_RACE_BH_OFF;
  bystanders((u32)sim_param("before"));
  struct sim_task *task = sim_task_new("first", first, NULL, 0);
  r->second = sim_task_new("second", second, task, one_cpu ? 0 : 1);
  bystanders((u32)sim_param("behind"));
}

static const char *const program_names[] = {
#define X(id, name) name,
    TESTING_RACES(X)
#undef X
        NULL,
};
static const struct sim_param races_params[] = {
    {.name = "program", .line = "what orders the sides", .names = program_names},
    {"order", 1, 0, 1, "", "it does"},
    {"before", 0, 0, 40, "", "other tasks, made before the two"},
    {"behind", 0, 0, 40, "", "and after them"},
    {.name = NULL},
};
static const struct sim_oracle *const no_oracles[] = {NULL};

const struct sim_scenario testing_races = {
    .name = "testing-races",
    .claim = "two sides touch a plain variable",
    .params = races_params,
    .oracles = no_oracles,
    .input_len_max = 64,
    .testonly = true,
    .hooked = SIM_HOOKED_TWIN(testing_races),
    .setup = races_setup,
};

// The compiler keeps nothing in registers across it: the kernel's barrier().
static void barrier(void) { __asm__ __volatile__("" ::: "memory"); }

// ---- Lost updates ----

struct plain {
  u32 counter, adds, irqs;
  u8 source[32], target[32];
};

static const struct sim_oracle lost_update = {"testing-lost-update", SIM_SAFETY,
                                              "no addition is lost", "sim/testing/hooked.h"};
static const struct sim_oracle torn_copy = {"testing-torn-copy", SIM_SAFETY,
                                            "32 bytes are copied as one", "sim/testing/hooked.h"};

static void plain_task(void *arg) {
  struct plain *plain = sim_private();
  u8 seen[32];

  for (u32 i = 0; i < plain->adds; i++) {
    plain->counter++;
    barrier();
  }
  memset(plain->source, arg ? 1 : 2, sizeof(plain->source));
  memcpy(seen, plain->source, sizeof(seen));
  for (u32 i = 1; i < sizeof(seen); i++)
    if (seen[i] != seen[0]) sim_report(&torn_copy, "", "byte %u is of another copy", i);
}

static void plain_irq(void *arg) {
  struct plain *plain = sim_private();

  plain->irqs++;
}

static void plain_setup(void) {
  struct plain *plain = sim_alloc_static(sizeof(*plain), "plain");

  sim_set_private(plain);
  plain->adds = (u32)sim_param("adds");
  sim_task_new("one", plain_task, NULL, 0);
  sim_task_new("two", plain_task, plain, sim_nr_cpus() - 1);
  if (sim_param("irq")) sim_irq_drawn("tick", plain_irq, NULL, ~0u, 1, 16);
}

static void plain_check(void) {
  const struct plain *plain = sim_private();

  sim_trace_model("irqs", plain->irqs, plain->counter);
  if (plain->counter != 2 * plain->adds)
    sim_fail(&lost_update, "", "%u of %u", plain->counter, 2 * plain->adds);
}

static const struct sim_param plain_params[] = {
    {"adds", 3, 0, 1000000, "", "additions of each task"},
    {"irq", 0, 0, 1, "", "interrupts come"},
    {.name = NULL},
};
static const struct sim_oracle *const plain_oracles[] = {&lost_update, &torn_copy, NULL};

const struct sim_scenario testing_plain = {
    .name = "testing-plain",
    .claim = "plain accesses are no points without hooks",
    .params = plain_params,
    .oracles = plain_oracles,
    .input_len_max = 64,
    .testonly = true,
    .hooked = SIM_HOOKED_TWIN(testing_plain),
    .setup = plain_setup,
    .check = plain_check,
};

// ---- Waiting ----

static void spin_wait(void *arg) {
  u32 *flag = sim_private();

  while (!*flag) barrier();
}

static void spin_set(void *arg) {
  u32 *flag = sim_private();

  sim_udelay(3);
  *flag = 1;
}

static void spin_setup(void) {
  sim_set_private(sim_alloc_static(sizeof(u32), "flag"));
  sim_task_new("waiter", spin_wait, NULL, 0);
  sim_task_new("setter", spin_set, NULL, 1);
}

const struct sim_scenario testing_spin = {
    .name = "testing-spin",
    .claim = "who waits for a plain variable lets time pass",
    .oracles = no_oracles,
    .input_len_max = 64,
    .testonly = true,
    .hooked = SIM_HOOKED_TWIN(testing_spin),
    .setup = spin_setup,
};

// ---- Freed memory ----

struct freed {
  u32 *object;
};

static void freed_user(void *arg) {
  struct freed *freed = sim_private();
  u32 *object = sim_read_once(freed->object);

  if (object) (*object)++;
}

static void freed_owner(void *arg) {
  struct freed *freed = sim_private();
  u32 *object = sim_zalloc(sizeof(*object), "object");

  sim_write_once(freed->object, object);
  sim_cond_resched();
  sim_write_once(freed->object, NULL);
  sim_free(object);
}

static void freed_setup(void) {
  sim_set_private(sim_alloc_static(sizeof(struct freed), "freed"));
  sim_task_new("user", freed_user, NULL, 0);
  sim_task_new("owner", freed_owner, NULL, 1);
}

const struct sim_scenario testing_freed = {
    .name = "testing-freed",
    .claim = "a plain load of freed memory is seen",
    .oracles = no_oracles,
    .input_len_max = 64,
    .testonly = true,
    .hooked = SIM_HOOKED_TWIN(testing_freed),
    .setup = freed_setup,
};
