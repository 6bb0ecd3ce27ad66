// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the primitives: what is otherwise under rt=1, as with CONFIG_PREEMPT_RT
// (kernel/locking/spinlock_rt.c, kernel/softirq.c).
//
//   - a spinlock and a local lock sleep: they leave preemption and interrupts on, also by
//     their _irqsave functions, keep their holder on its CPU, and are handed to whoever
//     waits longest. Taking one where nothing may sleep is reported, free or not
//   - a raw spinlock stays what it is
//   - softirqs run in a thread of their CPU, ksoftirqd, which may be preempted and sleep;
//     local_bh_disable is a lock of the CPU that keeps it out
//   - a task that waits for such a lock keeps the state that it had set: a wake-up that
//     comes meanwhile is not lost
//
// Left out: priorities and their inheritance, softirqs at the end of local_bh_enable, and
// threads for hardirqs: what a model does in a hardirq stands for what stays there
// (IRQF_NO_THREAD, or the primary handler).
#ifndef SEEDBED_SIM_RT_H_
#define SEEDBED_SIM_RT_H_

#include "sim/prim.h"

static inline bool sim_rt(void) { return sim_unlikely(sim_w->cfg.rt); }

// Softirqs are pending on this CPU.
void sim_rt_wake_ksoftirqd(const struct sim_cpu *cpu);
// Whether a task must not leave the CPU now, or its ksoftirqd has something to do.
bool sim_rt_cpu_busy(const struct sim_cpu *cpu);
void sim_rt_bh_disable(void);
void sim_rt_bh_enable(struct sim_site *site);

// Takes a lock of `*owner` and `waiters`, by whose address `lock` it is known; may sleep. No
// point before.
void sim_rt_lock(struct sim_site *site, const void *lock, const char *name, u16 cls, u16 *owner,
                 struct sim_task_list *waiters);
// The same if it is free.
bool sim_rt_trylock(struct sim_site *site, const void *lock, const char *name, u16 cls, u16 *owner);
// Gives it to who waits longest, or frees it.
void sim_rt_unlock(struct sim_site *site, const void *lock, const char *name, u16 *owner,
                   struct sim_task_list *waiters);

#endif  // SEEDBED_SIM_RT_H_
