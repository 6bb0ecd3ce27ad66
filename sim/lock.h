// SPDX-License-Identifier: GPL-2.0-or-later
//
// Locks: raw spinlock, spinlock (the same, but under rt=1 it sleeps: sim/rt.h), local_lock,
// mutex.
// Every lock has a class (a literal name); the lock-order checker works on classes.
#ifndef SEEDBED_SIM_LOCK_H_
#define SEEDBED_SIM_LOCK_H_

#include "sim/base.h"
#include "sim/cpu.h"
#include "sim/site.h"
#include "sim/task.h"

struct sim_task_list {  // FIFO of waiting tasks, by slot; see sim/sched.h
  u8 head, tail;
};

struct sim_spinlock {
  const char *name;
  u64 release_ns;  // clock of the last release: a later taker's clock is at least it
  u16 owner;       // 1 + task slot that holds it; 0: free
  u16 cls;
  union {
    struct {
      u8 owner_cpu;
      u8 taken_in;  // context of the holder
      u8 heir;      // 1 + CPU that waited longest when it was released; 0: none
    };
    struct sim_task_list waiters;  // rt=1
  };
};

void sim_spin_lock_init(struct sim_spinlock *lock, const char *name);
void sim_spin_lock_at(struct sim_site *site, struct sim_spinlock *lock);
bool sim_spin_trylock_at(struct sim_site *site, struct sim_spinlock *lock);
void sim_spin_unlock_at(struct sim_site *site, struct sim_spinlock *lock);
unsigned long sim_spin_lock_irqsave_flags(struct sim_site *site, struct sim_spinlock *lock);
void sim_spin_unlock_irqrestore_at(struct sim_site *site, struct sim_spinlock *lock,
                                   unsigned long flags);
#define sim_spin_lock(l) sim_spin_lock_at(SIM_SITE("spin_lock"), (l))
#define sim_spin_trylock(l) sim_spin_trylock_at(SIM_SITE("spin_trylock"), (l))
#define sim_spin_unlock(l) sim_spin_unlock_at(SIM_SITE("spin_unlock"), (l))
#define sim_spin_lock_irqsave(l, flags) \
  ((flags) = sim_spin_lock_irqsave_flags(SIM_SITE("spin_lock_irqsave"), (l)))
#define sim_spin_unlock_irqrestore(l, flags) \
  sim_spin_unlock_irqrestore_at(SIM_SITE("spin_unlock_irqrestore"), (l), (flags))
bool sim_spin_is_locked(const struct sim_spinlock *lock);
// Reports lock-misuse if the current context does not hold `lock`.
void sim_assert_spin_held(const struct sim_spinlock *lock);

// raw_spinlock: spins, and is atomic, under rt=1 too.
struct sim_raw_spinlock {
  struct sim_spinlock spin;
};
void sim_raw_spin_lock_init(struct sim_raw_spinlock *lock, const char *name);
void sim_raw_spin_lock_at(struct sim_site *site, struct sim_raw_spinlock *lock);
void sim_raw_spin_unlock_at(struct sim_site *site, struct sim_raw_spinlock *lock);
unsigned long sim_raw_spin_lock_irqsave_flags(struct sim_site *site, struct sim_raw_spinlock *lock);
void sim_raw_spin_unlock_irqrestore_at(struct sim_site *site, struct sim_raw_spinlock *lock,
                                       unsigned long flags);
#define sim_raw_spin_lock(l) sim_raw_spin_lock_at(SIM_SITE("raw_spin_lock"), (l))
#define sim_raw_spin_unlock(l) sim_raw_spin_unlock_at(SIM_SITE("raw_spin_unlock"), (l))
#define sim_raw_spin_lock_irqsave(l, flags) \
  ((flags) = sim_raw_spin_lock_irqsave_flags(SIM_SITE("raw_spin_lock_irqsave"), (l)))
#define sim_raw_spin_unlock_irqrestore(l, flags) \
  sim_raw_spin_unlock_irqrestore_at(SIM_SITE("raw_spin_unlock_irqrestore"), (l), (flags))

// local_lock: per-CPU; without RT it disables preemption (irqsave: interrupts) and
// checks that it is not taken twice (lock-misuse). `percpu` is the array of one lock per
// CPU that sim_alloc_percpu made; the calling CPU's is taken. init initialises one.
struct sim_local_lock {
  const char *name;
  u16 owner;
  u16 cls;
  struct sim_task_list waiters;  // rt=1
};
void sim_local_lock_init(struct sim_local_lock *lock, const char *name);
void sim_local_lock_at(struct sim_site *site, struct sim_local_lock *percpu);
void sim_local_unlock_at(struct sim_site *site, struct sim_local_lock *percpu);
unsigned long sim_local_lock_irqsave_flags(struct sim_site *site, struct sim_local_lock *percpu);
void sim_local_unlock_irqrestore_at(struct sim_site *site, struct sim_local_lock *percpu,
                                    unsigned long flags);
#define sim_local_lock(l) sim_local_lock_at(SIM_SITE("local_lock"), (l))
#define sim_local_unlock(l) sim_local_unlock_at(SIM_SITE("local_unlock"), (l))
#define sim_local_lock_irqsave(l, flags) \
  ((flags) = sim_local_lock_irqsave_flags(SIM_SITE("local_lock_irqsave"), (l)))
#define sim_local_unlock_irqrestore(l, flags) \
  sim_local_unlock_irqrestore_at(SIM_SITE("local_unlock_irqrestore"), (l), (flags))

// mutex: sleeps; owner checked; FIFO hand-over as the kernel's slow path gives it
// (a waiter that is woken competes with newcomers, and if it loses is handed the mutex by
// the next unlock).
struct sim_mutex {
  const char *name;
  u64 release_ns;
  struct sim_task *owner;
  struct sim_task_list waiters;
  u16 cls;
  bool handoff;  // the first waiter lost once: the next unlock gives it the mutex
};
void sim_mutex_init(struct sim_mutex *mutex, const char *name);
void sim_mutex_lock_at(struct sim_site *site, struct sim_mutex *mutex);
// Returns 0, or -SIM_EINTR without the mutex when it would sleep and a signal is pending.
// A mutex that is free is taken in any case, as the kernel does.
SIM_MUST_CHECK int sim_mutex_lock_interruptible_at(struct sim_site *site, struct sim_mutex *mutex);
SIM_MUST_CHECK bool sim_mutex_trylock_at(struct sim_site *site, struct sim_mutex *mutex);
void sim_mutex_unlock_at(struct sim_site *site, struct sim_mutex *mutex);
bool sim_mutex_is_locked(const struct sim_mutex *mutex);
// Reports lock-misuse if the current task does not hold `mutex`.
void sim_assert_mutex_held(const struct sim_mutex *mutex);
#define sim_mutex_lock(m) sim_mutex_lock_at(SIM_SITE("mutex_lock"), (m))
#define sim_mutex_lock_interruptible(m) \
  sim_mutex_lock_interruptible_at(SIM_SITE("mutex_lock_interruptible"), (m))
#define sim_mutex_trylock(m) sim_mutex_trylock_at(SIM_SITE("mutex_trylock"), (m))
#define sim_mutex_unlock(m) sim_mutex_unlock_at(SIM_SITE("mutex_unlock"), (m))

#endif  // SEEDBED_SIM_LOCK_H_
