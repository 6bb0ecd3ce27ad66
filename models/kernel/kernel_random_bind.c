// SPDX-License-Identifier: GPL-2.0-or-later
//
// What random.c of a kernel tree calls of the world: each is the primitive of that name. What an
// onlooker is told is in kernel_random_watch.c. Sections: locks, interrupts, CPUs; waiting;
// timers; work; atomics and static keys; time; processes.
#include <string.h>

#include "models/kernel/kernel_calls.h"
#include "models/kernel/kernel_random.h"
#include "models/kernel/kernel_random_calls.h"
#include "models/kernel/kernel_world.h"
#include "sim/checker.h"
#include "sim/cpu.h"
#include "sim/hook.h"
#include "sim/lock.h"
#include "sim/static_key.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"
#include "sim/work.h"

_Static_assert(sizeof(struct sim_timer) <= 8 * KERNEL_TIMER_WORDS, "a timer fits");
_Static_assert(sizeof(struct sim_delayed_work) <= 8 * KERNEL_DELAYED_WORK_WORDS, "work fits");
_Static_assert(sizeof(struct sim_wait_entry) <= 8 * KERNEL_WAIT_ENTRY_WORDS, "an entry fits");
_Static_assert(sizeof(struct sim_wait_queue_head) == 16, "a queue's head is two words");

// ---- Locks, interrupts, CPUs ----

void seedbed_k_spin_lock_init(void *lock, const char *name) { sim_spin_lock_init(lock, name); }

void seedbed_k_spin_lock(struct sim_site *site, void *lock) { sim_spin_lock_at(site, lock); }

void seedbed_k_spin_unlock(struct sim_site *site, void *lock) {
  kernel_random_unlocking(lock);
  sim_spin_unlock_at(site, lock);
}

unsigned long seedbed_k_spin_lock_irqsave(struct sim_site *site, void *lock) {
  return sim_spin_lock_irqsave_flags(site, lock);
}

void seedbed_k_spin_unlock_irqrestore(struct sim_site *site, void *lock, unsigned long flags) {
  kernel_random_unlocking(lock);
  sim_spin_unlock_irqrestore_at(site, lock, flags);
}

static struct sim_local_lock *local_of(const void *lock) {
  static const struct sim_oracle oracle = {"kernel-local-lock", SIM_OURS,
                                           "local locks are per-CPU variables' members",
                                           "models/kernel/random/shim/linux/local_lock.h"};
  const struct kernel_random_world *world = kernel_random_world();

  for (u32 i = 0; i < world->num_locals; i++)
    if (world->locals[i].at == lock) return world->locals[i].locks;
  sim_fail(&oracle, "", "a local lock is taken that no INIT_LOCAL_LOCK has made");
}

void seedbed_k_local_lock(struct sim_site *site, const void *lock) {
  sim_local_lock_at(site, local_of(lock));
}

void seedbed_k_local_unlock(struct sim_site *site, const void *lock) {
  sim_local_unlock_at(site, local_of(lock));
}

unsigned long seedbed_k_local_lock_irqsave(struct sim_site *site, const void *lock) {
  return sim_local_lock_irqsave_flags(site, local_of(lock));
}

void seedbed_k_local_unlock_irqrestore(struct sim_site *site, const void *lock,
                                       unsigned long flags) {
  sim_local_unlock_irqrestore_at(site, local_of(lock), flags);
}

void seedbed_k_local_irq_disable(void) { sim_local_irq_disable(); }

void seedbed_k_local_irq_enable(struct sim_site *site) { sim_local_irq_enable_at(site); }

unsigned long seedbed_k_local_irq_save(void) { return sim_local_irq_save_flags(); }

void seedbed_k_local_irq_restore(struct sim_site *site, unsigned long flags) {
  sim_local_irq_restore_at(site, flags);
}

void seedbed_k_preempt_disable(void) { sim_preempt_disable(); }

void seedbed_k_preempt_enable(struct sim_site *site) { sim_preempt_enable_at(site); }

int seedbed_k_in_hardirq(void) { return sim_in_hardirq(); }

int seedbed_k_in_interrupt(void) { return sim_in_interrupt(); }

unsigned int seedbed_k_smp_processor_id(int checked) {
  if (checked) sim_check_percpu();
  return sim_smp_processor_id();
}

unsigned int seedbed_k_nr_cpus(void) { return sim_nr_cpus(); }

unsigned long seedbed_k_cpu_online_mask(void) {
  unsigned long mask = 0;

  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++)
    if (sim_cpu_online(cpu)) mask |= 1ul << cpu;
  return mask;
}

void *seedbed_k_per_cpu_ptr(const void *p, unsigned int cpu) {
  return kernel_random_of_cpu(p, cpu);
}

void *seedbed_k_this_cpu_ptr(const void *p, int checked) {
  if (checked) sim_check_percpu();
  return kernel_random_of_cpu(p, sim_smp_processor_id());
}

// ---- Waiting ----

unsigned int seedbed_k_wake_up(struct sim_site *site, void *wq, int all) {
  return sim_wake_up_at(site, wq, all);
}

void seedbed_k_wait_begin(void) { sim_wait_begin_(); }

void seedbed_k_prepare_to_wait(struct sim_site *site, void *wq, void *entry, int state) {
  sim_prepare_to_wait_at(site, wq, entry, (enum sim_task_state)state, false);
}

void seedbed_k_wait_recheck(const void *wq, int cond) { sim_wait_recheck_(wq, cond); }

long seedbed_k_wait_sleep(struct sim_site *site, void *wq, void *entry, int state, long timeout) {
  return sim_wait_sleep_(site, wq, entry, (enum sim_task_state)state, timeout);
}

void seedbed_k_finish_wait(struct sim_site *site, void *wq, void *entry) {
  if (((struct sim_wait_entry *)entry)->task) sim_finish_wait_at(site, wq, entry);
}

// Of a task that goes on if nobody else wants its CPU: the jitter loop, a turn of which takes 1 us
// or so. It takes 50 here, so that a tick of it is some hundred steps.
void seedbed_k_schedule_running(struct sim_site *site) {
  enum { TURN_NS = 50000 };

  sim_elapse_at(site, TURN_NS);
  sim_schedule_at(site);
}

// ---- Timers ----

// What stands behind the storage: struct seedbed_object of models/kernel/random/shim.
struct timer_object {
  u64 mark;
  const char *name;
  void (*fn)(void *timer);
};

static struct timer_object *object_of(void *timer) {
  return (struct timer_object *)((char *)timer + 8 * KERNEL_TIMER_WORDS);
}

static void run_timer(struct sim_timer *timer) { object_of(timer)->fn(timer); }

// One on a stack is jitter's.
static void run_stack_timer(struct sim_timer *timer) {
  struct kernel_random_world *world = kernel_random_world();
  u32 cpu = sim_smp_processor_id();

  world->jitter[cpu].timer = timer;
  world->jitter[cpu].task = sim_current();
  object_of(timer)->fn(timer);
  world->jitter[cpu].timer = NULL;
}

void seedbed_k_timer_setup(void *timer, void (*fn)(void *timer), const char *name, int on_stack) {
  *object_of(timer) = (struct timer_object){.name = name, .fn = fn};
  sim_timer_setup_named(timer, on_stack ? run_stack_timer : run_timer, name);
}

int seedbed_k_timer_pending(const void *timer) { return sim_timer_pending(timer); }

int seedbed_k_mod_timer(struct sim_site *site, void *timer, unsigned long expires) {
  return sim_mod_timer_at(site, timer, expires);
}

void seedbed_k_add_timer_on(struct sim_site *site, void *timer, unsigned long expires,
                            unsigned int cpu) {
  sim_add_timer_on_at(site, timer, expires, cpu);
}

int seedbed_k_timer_delete_sync(struct sim_site *site, void *timer) {
  return sim_timer_delete_sync_at(site, timer);
}

int seedbed_k_timer_delete_sync_try(struct sim_site *site, void *timer) {
  return sim_timer_delete_sync_try_at(site, timer);
}

// ---- Work ----

static struct sim_workqueue *queueing(void *wq) {
  const struct kernel_random_hooks *hooks = &kernel_random_world()->config.hooks;

  hooks->queueing(hooks->arg, wq != NULL);
  return wq;
}

int seedbed_k_queue_work_on_wq(struct sim_site *site, void *wq, void *work) {
  return sim_queue_work_at(site, queueing(wq), work);
}

int seedbed_k_queue_delayed_work(struct sim_site *site, void *wq, void *work, unsigned long delay) {
  kernel_random_world()->delayed = work;
  return sim_queue_delayed_work_at(site, queueing(wq), work, delay);
}

int seedbed_k_mod_delayed_work(struct sim_site *site, void *wq, void *work, unsigned long delay) {
  return sim_mod_delayed_work_at(site, queueing(wq), work, delay);
}

// ---- Atomics and static keys ----

unsigned long seedbed_k_cmpxchg(struct sim_site *site, void *at, unsigned int size,
                                unsigned long old, unsigned long value) {
  u64 was = sim_hooked_cmpxchg(site, at, size, old, value);

  if (was == old) kernel_random_swapped(at, old, value);
  return was;
}

// It is there when the value is what was looked at just now.
unsigned long seedbed_k_xchg(struct sim_site *site, void *at, unsigned int size,
                             unsigned long value) {
  u64 old = sim_read_memory(at, size), was;

  while ((was = sim_hooked_cmpxchg(site, at, size, old, value)) != old) old = was;
  return was;
}

int seedbed_k_atomic_add_return(struct sim_site *site, int *at, int add) {
  u64 old = sim_read_memory(at, sizeof(*at)), was;

  while ((was = sim_hooked_cmpxchg(site, at, sizeof(*at), old, (u32)old + (u32)add)) != old)
    old = was;
  return (int)((u32)old + (u32)add);
}

int seedbed_k_static_branch(const _Bool *key) { return sim_static_branch(key); }

// While there is but one task the locks that it takes are free, and nothing sleeps.
void seedbed_k_static_branch_enable(struct sim_site *site, _Bool *key) {
  if (!kernel_random_world()->booting) sim_might_sleep("static_branch_enable");
  sim_static_branch_enable_at(site, key);
}

// ---- Time ----

static u64 in_steps(u64 now) {
  u64 step = kernel_random_world()->config.clock_step_ns;

  return step ? now - now % step : now;
}

unsigned long seedbed_k_ktime_get(void) { return in_steps(sim_clock_ns()); }

unsigned long seedbed_k_uptime_s(void) {
  return kernel_random_world()->config.uptime_s + sim_clock_ns() / SIM_NSEC_PER_SEC;
}

// The world's counter stands still while no time passes; then every n-th look at it shows another
// value, so that jitter finds as many samples to make a bit as the scenario wants; where it wants
// none, an answer serves 32 calls.
unsigned long seedbed_k_random_get_entropy(unsigned int *out_again) {
  enum { AGAIN = 31 };
  struct kernel_random_world *world = kernel_random_world();
  u64 now_ns;

  *out_again = world->config.samples_per_bit ? 0 : AGAIN;
  if (!world->config.samples_per_bit) return in_steps(sim_cycles());
  now_ns = sim_clock_ns();
  if (world->entropy_ns != now_ns) world->entropy_same = 0;
  world->entropy_ns = now_ns;
  return sim_cycles() + world->entropy_same++ / world->config.samples_per_bit;
}

unsigned long seedbed_k_arch_random(unsigned long *v, unsigned long max, int seed) {
  const struct kernel_random_hooks *hooks = &kernel_random_world()->config.hooks;

  return hooks->arch_random(hooks->arg, v, (u32)max, seed);
}

int seedbed_k_ratelimit(struct sim_site *site, unsigned long *begin, int *printed, int *missed,
                        int interval, int burst) {
  u64 now;

  sim_point(site, begin, SIM_COST_ACCESS);
  now = sim_jiffies();
  if (!*begin || now > *begin + (u64)interval) {
    *begin = now;
    *printed = 0;
  }
  if (*printed < burst) {
    ++*printed;
    return 1;
  }
  ++*missed;
  return 0;
}

// ---- Processes ----

unsigned long seedbed_k_copy_from_user(void *to, const void *from, unsigned long len) {
  sim_might_sleep("copy_from_user");
  sim_hook_touch(SIM_SITE("copy_from_user"), to, len, true);
  memcpy(to, from, len);
  return 0;
}

long seedbed_k_unmodelled(const char *name) {
  static const struct sim_oracle oracle = {"kernel-unmodelled", SIM_OURS,
                                           "what the tree's files call, seedbed models",
                                           "models/kernel/kernel_random.h"};

  sim_fail(&oracle, name, "random.c calls %s, which seedbed does not model", name);
}
