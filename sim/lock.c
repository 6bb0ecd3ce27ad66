// SPDX-License-Identifier: GPL-2.0-or-later
//
// Spinlocks and local locks (kernel/locking/spinlock.c, linux/local_lock_internal.h):
// what they do to preemption and interrupts, who holds them, and waiting for another
// CPU. The lock-order checker is sim/lockdep.h.
//
// Who waits longest gets it next, as the kernel's queued spinlock has it; nobody is faster.
// A lock's clock: a CPU that takes what another released moves its own clock to the
// release at least, so that no critical section overlaps another in virtual time.
#include "sim/lock.h"

#include "sim/engine.h"
#include "sim/lockdep.h"
#include "sim/rt.h"

// ---- Spinlocks ----

void sim_spin_lock_init(struct sim_spinlock *lock, const char *name) {
  *lock = (struct sim_spinlock){.name = name, .cls = sim_lock_class(name)};
  if (sim_rt()) sim_task_list_init(&lock->waiters);
}

static void rt_spin_lock(struct sim_site *site, struct sim_spinlock *lock) {
  sim_rt_lock(site, lock, lock->name, lock->cls, &lock->owner, &lock->waiters);
  sim_clock_at_least(lock->release_ns);
}

static void rt_spin_unlock(struct sim_site *site, struct sim_spinlock *lock) {
  lock->release_ns = sim_w->st->cpu->clock_ns;
  sim_rt_unlock(site, lock, lock->name, &lock->owner, &lock->waiters);
}

// preempt_enable without its scheduling point: one follows at once, or preemption stays
// off.
static inline void preempt_enable_no_point(struct sim_cpu *cpu) {
  sim_check_preempt_off(cpu, SIM_PREEMPT_ONE);
  cpu->cur->preempt_count--;
  sim_hb_atomic_ended(cpu);
}

static inline void spin_take(struct sim_spinlock *lock, const struct sim_site *site) {
  const struct sim_cpu *cpu = sim_w->st->cpu;
  lock->owner = (u16)(1 + cpu->cur->slot);
  lock->owner_cpu = cpu->id;
  lock->heir = 0;
  lock->taken_in = sim_context_level(cpu->cur->preempt_count);
  sim_clock_at_least(lock->release_ns);
  sim_hb_acquire(lock);
  sim_lockdep_acquired(lock, lock->cls, site);
}

// The holder is this CPU: it was interrupted, or wants the lock a second time.
SIM_NORETURN SIM_COLD static void spin_deadlock(const struct sim_spinlock *lock,
                                                struct sim_site *site) {
  sim_lock_misused(lock->name, "is waited for on the CPU that holds it", site);
}

SIM_NOINLINE static void spin_wait(struct sim_site *site, struct sim_spinlock *lock) {
  const struct sim_cpu *cpu = sim_w->st->cpu;
  while (lock->owner || (lock->heir && lock->heir != 1 + cpu->id)) {
    if (lock->owner && lock->owner_cpu == cpu->id) spin_deadlock(lock, site);
    sim_spin_until_released(site, &lock->owner, lock->name);
    sim_alive(lock, "spin_lock");
  }
}

static inline void spin_acquire(struct sim_site *site, struct sim_spinlock *lock) {
  sim_preempt_disable();
  sim_lockdep_check(lock, lock->cls, site, false);
  if (sim_unlikely((lock->owner | lock->heir) != 0)) spin_wait(site, lock);
  spin_take(lock, site);
}

static inline void spin_release(struct sim_site *site, struct sim_spinlock *lock) {
  const struct sim_cpu *cpu = sim_w->st->cpu;
  if (sim_unlikely(lock->owner != 1 + cpu->cur->slot))
    sim_lock_misused(lock->name, lock->owner ? "is released by another" : "is released but free",
                     site);
  if (sim_unlikely(lock->taken_in != sim_context_level(cpu->cur->preempt_count)))
    sim_lock_misused(lock->name, "is released in another context", site);
  sim_lockdep_released(lock, site, lock->name);
  sim_hb_release(lock);
  lock->owner = 0;
  lock->release_ns = cpu->clock_ns;
  lock->heir = sim_spin_released(&lock->owner);
}

void sim_spin_lock_at(struct sim_site *site, struct sim_spinlock *lock) {
  sim_point(site, lock, SIM_COST_LOCK);
  if (sim_rt())
    rt_spin_lock(site, lock);
  else
    spin_acquire(site, lock);
}

bool sim_spin_trylock_at(struct sim_site *site, struct sim_spinlock *lock) {
  sim_point(site, lock, SIM_COST_LOCK);
  if (sim_rt()) return sim_rt_trylock(site, lock, lock->name, lock->cls, &lock->owner);
  if (lock->owner | lock->heir) return false;
  sim_preempt_disable();
  sim_lockdep_check(lock, lock->cls, site, true);
  spin_take(lock, site);
  return true;
}

void sim_spin_unlock_at(struct sim_site *site, struct sim_spinlock *lock) {
  sim_point(site, lock, SIM_COST_LOCK);
  if (sim_rt()) {
    rt_spin_unlock(site, lock);
    return;
  }
  spin_release(site, lock);
  sim_preempt_enable_at(site);
}

static unsigned long lock_irqsave(struct sim_site *site, struct sim_spinlock *lock) {
  unsigned long flags = sim_local_irq_save_flags();
  spin_acquire(site, lock);
  return flags;
}

static void unlock_irqrestore(struct sim_site *site, struct sim_spinlock *lock,
                              unsigned long flags) {
  spin_release(site, lock);
  preempt_enable_no_point(sim_w->st->cpu);
  sim_local_irq_restore_at(site, flags);
  sim_resched_if_needed();
}

unsigned long sim_spin_lock_irqsave_flags(struct sim_site *site, struct sim_spinlock *lock) {
  sim_point(site, lock, SIM_COST_LOCK);
  if (!sim_rt()) return lock_irqsave(site, lock);
  rt_spin_lock(site, lock);
  return 0;
}

void sim_spin_unlock_irqrestore_at(struct sim_site *site, struct sim_spinlock *lock,
                                   unsigned long flags) {
  sim_point(site, lock, SIM_COST_LOCK);
  if (sim_rt())
    rt_spin_unlock(site, lock);
  else
    unlock_irqrestore(site, lock, flags);
}

bool sim_spin_is_locked(const struct sim_spinlock *lock) {
  return (lock->owner | (sim_rt() ? 0 : lock->heir)) != 0;
}

void sim_assert_spin_held(const struct sim_spinlock *lock) {
  if (sim_likely(lock->owner == 1 + sim_cur_task()->slot)) return;
  sim_lock_misused(lock->name, "should be held here", SIM_SITE("assert_spin_held"));
}

// ---- Raw spinlocks ----

void sim_raw_spin_lock_init(struct sim_raw_spinlock *lock, const char *name) {
  lock->spin = (struct sim_spinlock){.name = name, .cls = sim_lock_class(name)};
}

void sim_raw_spin_lock_at(struct sim_site *site, struct sim_raw_spinlock *lock) {
  sim_point(site, lock, SIM_COST_LOCK);
  spin_acquire(site, &lock->spin);
}

void sim_raw_spin_unlock_at(struct sim_site *site, struct sim_raw_spinlock *lock) {
  sim_point(site, lock, SIM_COST_LOCK);
  spin_release(site, &lock->spin);
  sim_preempt_enable_at(site);
}

unsigned long sim_raw_spin_lock_irqsave_flags(struct sim_site *site,
                                              struct sim_raw_spinlock *lock) {
  sim_point(site, lock, SIM_COST_LOCK);
  return lock_irqsave(site, &lock->spin);
}

void sim_raw_spin_unlock_irqrestore_at(struct sim_site *site, struct sim_raw_spinlock *lock,
                                       unsigned long flags) {
  sim_point(site, lock, SIM_COST_LOCK);
  unlock_irqrestore(site, &lock->spin, flags);
}

// ---- Local locks ----

void sim_local_lock_init(struct sim_local_lock *lock, const char *name) {
  *lock = (struct sim_local_lock){.name = name, .cls = sim_lock_class(name)};
  if (sim_rt()) sim_task_list_init(&lock->waiters);
}

static void rt_local_lock(struct sim_site *site, struct sim_local_lock *percpu) {
  struct sim_local_lock *lock;
  // From here on it stays on this CPU.
  sim_cur_task()->pinned++;
  lock = &percpu[sim_w->st->cpu->id];
  sim_rt_lock(site, lock, lock->name, lock->cls, &lock->owner, &lock->waiters);
  sim_cur_task()->pinned--;
  // A CPU goes only when nobody is bound to it any more, and comes before anybody is.
  if (sim_unlikely(sim_race != NULL)) sim_race_cpu_acquire(sim_w->st->cpu, sim_cur_task());
}

static void rt_local_unlock(struct sim_site *site, struct sim_local_lock *percpu) {
  struct sim_local_lock *lock = &percpu[sim_w->st->cpu->id];
  if (sim_unlikely(sim_race != NULL)) sim_race_cpu_release(sim_w->st->cpu, sim_cur_task());
  sim_rt_unlock(site, lock, lock->name, &lock->owner, &lock->waiters);
}

// With preemption or interrupts off: this CPU's lock is free, or its holder was
// interrupted by us, or is us.
static void local_acquire(struct sim_site *site, struct sim_local_lock *lock) {
  sim_lockdep_check(lock, lock->cls, site, false);
  if (sim_unlikely(lock->owner != 0)) sim_lock_misused(lock->name, "is taken twice on a CPU", site);
  lock->owner = (u16)(1 + sim_cur_task()->slot);
  sim_lockdep_acquired(lock, lock->cls, site);
}

static void local_release(struct sim_site *site, struct sim_local_lock *lock) {
  if (sim_unlikely(lock->owner != 1 + sim_cur_task()->slot))
    sim_lock_misused(lock->name, lock->owner ? "is released by another" : "is released but free",
                     site);
  sim_lockdep_released(lock, site, lock->name);
  lock->owner = 0;
}

void sim_local_lock_at(struct sim_site *site, struct sim_local_lock *percpu) {
  sim_point(site, percpu, SIM_COST_LOCK);
  if (sim_rt()) {
    rt_local_lock(site, percpu);
    return;
  }
  sim_preempt_disable();
  local_acquire(site, &percpu[sim_w->st->cpu->id]);
}

void sim_local_unlock_at(struct sim_site *site, struct sim_local_lock *percpu) {
  sim_point(site, percpu, SIM_COST_LOCK);
  if (sim_rt()) {
    rt_local_unlock(site, percpu);
    return;
  }
  local_release(site, &percpu[sim_w->st->cpu->id]);
  sim_preempt_enable_at(site);
}

unsigned long sim_local_lock_irqsave_flags(struct sim_site *site, struct sim_local_lock *percpu) {
  sim_point(site, percpu, SIM_COST_LOCK);
  if (sim_rt()) {
    rt_local_lock(site, percpu);
    return 0;
  }
  unsigned long flags = sim_local_irq_save_flags();
  local_acquire(site, &percpu[sim_w->st->cpu->id]);
  return flags;
}

void sim_local_unlock_irqrestore_at(struct sim_site *site, struct sim_local_lock *percpu,
                                    unsigned long flags) {
  sim_point(site, percpu, SIM_COST_LOCK);
  if (sim_rt()) {
    rt_local_unlock(site, percpu);
    return;
  }
  local_release(site, &percpu[sim_w->st->cpu->id]);
  sim_local_irq_restore_at(site, flags);
}
