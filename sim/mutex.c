// SPDX-License-Identifier: GPL-2.0-or-later
//
// The mutex (kernel/locking/mutex.c): waiters queue in FIFO order; unlock frees it and
// wakes the first, who competes with whoever comes by and stays first if it loses. Having
// lost once, it is handed the mutex by the next unlock (MUTEX_FLAG_HANDOFF).
// Left out: spinning on the owner, wound/wait.
#include "sim/lockdep.h"

void sim_mutex_init(struct sim_mutex *mutex, const char *name) {
  *mutex = (struct sim_mutex){.name = name, .cls = sim_lock_class(name)};
  sim_task_list_init(&mutex->waiters);
}

static inline void mutex_take(struct sim_site *site, struct sim_mutex *mutex) {
  mutex->owner = sim_cur_task();
  sim_clock_at_least(mutex->release_ns);
  sim_hb_acquire(mutex);
  sim_lockdep_acquired(mutex, mutex->cls, site);
}

SIM_NOINLINE static int mutex_wait(struct sim_site *site, struct sim_mutex *mutex,
                                   enum sim_task_state state) {
  struct sim_task *self = sim_cur_task();
  sim_task_list_add(&mutex->waiters, self);
  int rc = 0;
  while (mutex->owner && mutex->owner != self) {
    if (state == SIM_TASK_INTERRUPTIBLE && self->signal) {
      rc = -SIM_EINTR;
      break;
    }
    sim_block(site, state, mutex->name);
    sim_alive(mutex, "mutex_lock");
    if (mutex->owner && mutex->waiters.head == self->slot) mutex->handoff = true;
  }
  sim_task_list_remove(&mutex->waiters, self);
  if (mutex->owner == self || sim_task_list_empty(&mutex->waiters)) mutex->handoff = false;
  return rc;
}

static inline int mutex_lock(struct sim_site *site, struct sim_mutex *mutex,
                             enum sim_task_state state) {
  sim_may_sleep("mutex_lock");
  sim_point(site, mutex, SIM_COST_LOCK);
  sim_lockdep_check(mutex, mutex->cls, site, false);
  if (sim_unlikely(mutex->owner != NULL)) {
    int rc = mutex_wait(site, mutex, state);
    if (rc) return rc;
  }
  mutex_take(site, mutex);
  return 0;
}

void sim_mutex_lock_at(struct sim_site *site, struct sim_mutex *mutex) {
  (void)mutex_lock(site, mutex, SIM_TASK_UNINTERRUPTIBLE);
}

int sim_mutex_lock_interruptible_at(struct sim_site *site, struct sim_mutex *mutex) {
  return mutex_lock(site, mutex, SIM_TASK_INTERRUPTIBLE);
}

static void check_task_context(const char *what) {
  if (sim_likely(sim_in_task_context())) return;
  sim_fail(&sim_oracle_context, what, "%s in an interrupt of %s", what,
           sim_task_label(sim_cur_task()));
}

bool sim_mutex_trylock_at(struct sim_site *site, struct sim_mutex *mutex) {
  check_task_context("mutex_trylock");
  sim_point(site, mutex, SIM_COST_LOCK);
  if (mutex->owner) return false;
  sim_lockdep_check(mutex, mutex->cls, site, true);
  mutex_take(site, mutex);
  return true;
}

void sim_mutex_unlock_at(struct sim_site *site, struct sim_mutex *mutex) {
  check_task_context("mutex_unlock");
  sim_point(site, mutex, SIM_COST_LOCK);
  if (sim_unlikely(mutex->owner != sim_cur_task()))
    sim_lock_misused(mutex->name, mutex->owner ? "is released by another" : "is released but free",
                     site);
  sim_lockdep_released(mutex, site, mutex->name);
  sim_hb_release(mutex);
  mutex->owner = NULL;
  mutex->release_ns = sim_w->st->cpu->clock_ns;
  if (sim_likely(mutex->waiters.head == SIM_NO_SLOT)) return;
  struct sim_task *first = sim_w->st->tasks[mutex->waiters.head];
  if (mutex->handoff) mutex->owner = first;
  sim_wake(first);
}

bool sim_mutex_is_locked(const struct sim_mutex *mutex) { return mutex->owner != NULL; }

void sim_assert_mutex_held(const struct sim_mutex *mutex) {
  if (sim_likely(mutex->owner == sim_cur_task())) return;
  sim_lock_misused(mutex->name, "should be held here", SIM_SITE("assert_mutex_held"));
}
