// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a kernel object calls of the world: each of these is the primitive of that name. Those of
// the machine are in kernel_machine.c, text in kernel_text.c. Sections: locks and completions;
// work; references; RCU and marked accesses; tasks; time; memory.
#include <string.h>

#include "models/kernel/kernel_calls.h"
#include "models/kernel/kernel_random.h"
#include "models/kernel/kernel_world.h"
#include "sim/hook.h"
#include "sim/lock.h"
#include "sim/rcu.h"
#include "sim/refcount.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"
#include "sim/work.h"

enum { GFP_DIRECT_RECLAIM = 1, GFP_ZERO = 2 };  // shim/linux/gfp.h

_Static_assert(sizeof(struct sim_mutex) <= 8 * KERNEL_MUTEX_WORDS, "a mutex fits");
_Static_assert(sizeof(struct sim_completion) <= 8 * KERNEL_COMPLETION_WORDS, "a completion fits");
_Static_assert(sizeof(struct sim_work) <= 8 * KERNEL_WORK_WORDS, "a work item fits");
_Static_assert(sizeof(struct sim_kref) == 4, "a reference count is an int");

// ---- Locks and completions ----

void seedbed_k_mutex_init(void *mutex, const char *name) { sim_mutex_init(mutex, name); }

void seedbed_k_mutex_lock(struct sim_site *site, void *mutex) { sim_mutex_lock_at(site, mutex); }

int seedbed_k_mutex_lock_interruptible(struct sim_site *site, void *mutex) {
  return sim_mutex_lock_interruptible_at(site, mutex);
}

int seedbed_k_mutex_trylock(struct sim_site *site, void *mutex) {
  return sim_mutex_trylock_at(site, mutex);
}

void seedbed_k_mutex_unlock(struct sim_site *site, void *mutex) {
  sim_mutex_unlock_at(site, mutex);
}

int seedbed_k_mutex_is_locked(struct sim_site *site, const void *mutex) {
  sim_point(site, mutex, SIM_COST_ACCESS);
  return sim_mutex_is_locked(mutex);
}

void seedbed_k_init_completion(void *x, const char *name) { sim_init_completion(x, name); }

void seedbed_k_reinit_completion(struct sim_site *site, void *x) {
  sim_point(site, x, SIM_COST_ACCESS);
  sim_reinit_completion(x);
}

void seedbed_k_complete(struct sim_site *site, void *x, int all) { sim_complete_at(site, x, all); }

int seedbed_k_completion_done(struct sim_site *site, const void *x) {
  sim_point(site, x, SIM_COST_ACCESS);
  return sim_completion_done(x);
}

long seedbed_k_wait_for_completion(struct sim_site *site, void *x, int state, long timeout) {
  return sim_wait_for_completion_at(site, x, (enum sim_task_state)state, timeout);
}

// ---- Work ----

void seedbed_k_init_work(void *work, void (*fn)(void *work), const char *name) {
  sim_init_work_named(work, (void (*)(struct sim_work *))fn, name);
}

int seedbed_k_queue_work(struct sim_site *site, void *work) {
  const struct kernel_hooks *hooks = &kernel_world()->config.hooks;

  if (hooks->queues_work) hooks->queues_work(work);
  return sim_queue_work_at(site, kernel_world()->events, work);
}

int seedbed_k_cancel_work_sync(struct sim_site *site, void *work) {
  return sim_cancel_work_sync_at(site, work);
}

void seedbed_k_flush_work(struct sim_site *site, void *work) { sim_flush_work_at(site, work); }

// ---- References ----

void seedbed_k_kref_get(struct sim_site *site, void *kref) { sim_kref_get_at(site, kref); }

int seedbed_k_kref_get_unless_zero(struct sim_site *site, void *kref) {
  return sim_kref_get_unless_zero_at(site, kref);
}

int seedbed_k_kref_put(struct sim_site *site, void *kref, void (*release)(void *kref)) {
  return sim_kref_put_at(site, kref, (void (*)(struct sim_kref *))release);
}

unsigned int seedbed_k_kref_read(struct sim_site *site, const void *kref) {
  return (unsigned int)sim_hooked_load(site, kref, sizeof(int), false);
}

int seedbed_k_ida_alloc(struct sim_site *site, unsigned long *used, unsigned int gfp) {
  int id = 0;

  if (gfp & GFP_DIRECT_RECLAIM) sim_might_sleep("ida_alloc");
  sim_point(site, used, SIM_COST_ACCESS);
  while (id < 64 && *used >> id & 1) id++;
  SIM_ASSERT(id < 64);
  *used |= 1ul << id;
  return id;
}

void seedbed_k_ida_free(struct sim_site *site, unsigned long *used, unsigned int id) {
  sim_point(site, used, SIM_COST_ACCESS);
  if (id >= 64 || !(*used >> id & 1)) seedbed_k_warn("ida_free", "an id that was not allocated");
  *used &= ~(1ul << id);
}

// ---- RCU and marked accesses ----

void seedbed_k_rcu_read_lock(void) { sim_rcu_read_lock(); }

void seedbed_k_rcu_read_unlock(struct sim_site *site) { sim_rcu_read_unlock_at(site); }

void seedbed_k_synchronize_rcu(struct sim_site *site) { sim_synchronize_rcu_at(site); }

unsigned long seedbed_k_load(struct sim_site *site, const void *at, unsigned int size,
                             int acquire) {
  return sim_hooked_load(site, at, size, acquire);
}

void seedbed_k_store(struct sim_site *site, void *at, unsigned int size, unsigned long value,
                     int release) {
  sim_hooked_store(site, at, size, value, release);
  kernel_random_stored(at, value);
}

void seedbed_k_barrier(struct sim_site *site, int acquire, int release) {
  sim_hooked_barrier(site, acquire, release);
}

// ---- Tasks ----

void *seedbed_k_current(void) { return sim_current(); }

void *seedbed_k_kthread_create(int (*fn)(void *arg), void *arg, const char *name) {
  const struct kernel_config *config = &kernel_world()->config;

  sim_might_sleep("kthread_create");
  if (config->no_kthreads) return (void *)(intptr_t)-SIM_ENOMEM;  // ERR_PTR
  kernel_world()->kthread = sim_kthread_create(fn, arg, name, config->kthread_cpu);
  return kernel_world()->kthread;
}

int seedbed_k_kthread_stop(struct sim_site *site, void *task) {
  return sim_kthread_stop_at(site, task);
}

int seedbed_k_kthread_should_stop(struct sim_site *site) {
  return sim_kthread_should_stop_at(site);
}

int seedbed_k_wake_up_process(struct sim_site *site, void *task) {
  return sim_wake_up_process_at(site, task);
}

void seedbed_k_set_current_state(struct sim_site *site, int state) {
  sim_set_current_state_at(site, (enum sim_task_state)state);
}

void seedbed_k_schedule(struct sim_site *site) { sim_schedule_at(site); }

long seedbed_k_schedule_timeout(struct sim_site *site, int state, long timeout) {
  if (state == SIM_TASK_INTERRUPTIBLE) return sim_schedule_timeout_interruptible_at(site, timeout);
  if (state == SIM_TASK_UNINTERRUPTIBLE)
    return sim_schedule_timeout_uninterruptible_at(site, timeout);
  return sim_schedule_timeout_at(site, timeout);
}

int seedbed_k_signal_pending(struct sim_site *site, void *task) {
  (void)task;  // current: the world has no other's
  return sim_signal_pending_at(site);
}

int seedbed_k_need_resched(struct sim_site *site) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  return sim_need_resched();
}

int seedbed_k_cond_resched(struct sim_site *site) { return sim_cond_resched_at(site); }

void seedbed_k_cpu_relax(struct sim_site *site) { sim_cpu_relax_at(site); }

// ---- Time ----

void seedbed_k_msleep(struct sim_site *site, unsigned int ms) { sim_msleep_at(site, ms); }

void seedbed_k_usleep_range(struct sim_site *site, unsigned long min, unsigned long max) {
  sim_usleep_range_at(site, min, max);
}

void seedbed_k_ndelay(struct sim_site *site, unsigned long ns) { sim_elapse_at(site, ns); }

void seedbed_k_might_sleep(const char *what) { sim_might_sleep(what); }

unsigned long seedbed_k_jiffies(struct sim_site *site) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  return sim_jiffies();
}

unsigned long seedbed_k_msecs_to_jiffies(unsigned int ms) { return sim_msecs_to_jiffies(ms); }

unsigned long seedbed_k_hz(void) { return sim_hz(); }

// ---- Memory ----

void *seedbed_k_kmalloc(unsigned long size, unsigned int gfp, const char *name) {
  if (gfp & GFP_DIRECT_RECLAIM) sim_might_sleep("kmalloc");
  return gfp & GFP_ZERO ? sim_zalloc(size, name) : sim_alloc(size, name);
}

void seedbed_k_kfree(const void *p) { sim_free((void *)(uintptr_t)p); }

void seedbed_k_check_alive(const void *p, const char *what) { sim_check_alive(p, what); }

void seedbed_k_copies_from(const void *from, unsigned long len) {
  const struct kernel_hooks *hooks = &kernel_world()->config.hooks;

  if (hooks->copies_from) hooks->copies_from(from, len);
}

unsigned long seedbed_k_copy_to_user(void *to, const void *from, unsigned long len) {
  const struct kernel_hooks *hooks = &kernel_world()->config.hooks;

  sim_might_sleep("copy_to_user");
  sim_hook_touch(SIM_SITE("copy_to_user"), from, len, false);
  if (hooks->copy_to_user) return hooks->copy_to_user(to, from, len);
  memcpy(to, from, len);
  return 0;
}

// The pool takes it and credits nothing.
void seedbed_k_add_device_randomness(const void *buf, unsigned long len) {
  const struct kernel_hooks *hooks = &kernel_world()->config.hooks;

  sim_hook_touch(SIM_SITE("add_device_randomness"), buf, len, false);
  if (hooks->add_device_randomness) hooks->add_device_randomness(buf, len);
}

void seedbed_k_add_hwgenerator_randomness(const void *buf, unsigned long len, unsigned long entropy,
                                          int sleep_after) {
  const struct kernel_hooks *hooks = &kernel_world()->config.hooks;

  sim_hook_touch(SIM_SITE("add_hwgenerator_randomness"), buf, len, false);
  if (hooks->add_randomness) hooks->add_randomness(buf, len, entropy, sleep_after);
}
