// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the primitives: what sim/lock.c, mutex.c, wait.c, ... share. Every primitive
// has the same shape: context checks, sim_point (which reports an object that was freed),
// then its effect at once - nothing else runs between two points of an actor.
#ifndef SEEDBED_SIM_PRIM_H_
#define SEEDBED_SIM_PRIM_H_

#include "sim/race.h"
#include "sim/sched.h"

// Reports use after free if `obj` lies in a freed object: where something is touched
// that no point has just looked at, as after a sleep.
static inline void sim_alive(const void *obj, const char *what) {
  if (sim_unlikely(sim_arena_is_freed(&sim_w->arena, obj))) sim_check_alive(obj, what);
}

// sim_might_sleep without a call where all is well.
static inline void sim_may_sleep(const char *what) {
  const struct sim_cpu *cpu = sim_w->st->cpu;
  if (sim_unlikely(cpu->cur->preempt_count | cpu->cur->rcu_nesting | cpu->irqs_off))
    sim_might_sleep(what);
}

// 0 in a task, 1 in a softirq, 2 in a hardirq, 3 in an NMI.
static inline u8 sim_context_level(u32 preempt_count) {
  if (sim_likely((preempt_count & (SIM_NMI_MASK | SIM_HARDIRQ_MASK | SIM_SOFTIRQ_ONE)) == 0))
    return 0;
  if (preempt_count & SIM_NMI_MASK) return 3;
  return preempt_count & SIM_HARDIRQ_MASK ? 2 : 1;
}
static inline bool sim_in_task_context(void) {
  return sim_context_level(sim_cur_task()->preempt_count) == 0;
}

// The running context is about to become atomic, or has ceased to be, if it is neither before
// (after): see sim/race.h.
static inline bool sim_is_atomic(const struct sim_cpu *cpu) {
  return cpu->cur->preempt_count != 0 || cpu->irqs_off;
}
static inline void sim_hb_atomic_begins(const struct sim_cpu *cpu) {
  if (sim_unlikely(sim_race != NULL) && !sim_is_atomic(cpu)) sim_race_cpu_acquire(cpu, cpu->cur);
}
static inline void sim_hb_atomic_ended(const struct sim_cpu *cpu) {
  if (sim_unlikely(sim_race != NULL) && !sim_is_atomic(cpu)) sim_race_cpu_release(cpu, cpu->cur);
}

// A marked access's load and store; sizes are 1, 2, 4 or 8 bytes.
u64 sim_read_memory(const void *at, u32 size);
void sim_write_memory(void *at, u32 size, u64 value);

// For what takes a spinlock inside, in the kernel: an NMI may have interrupted its holder.
SIM_NORETURN SIM_COLD void sim_used_in_nmi(const char *what);
static inline void sim_not_in_nmi(const char *what) {
  if (sim_unlikely(sim_cur_task()->preempt_count & SIM_NMI_MASK)) sim_used_in_nmi(what);
}

// Whether the callback of `timer` runs on some CPU.
static inline bool sim_timer_running(const struct sim_timer *timer) {
  const struct sim_state *st = sim_w->st;
  for (u32 i = 0; i < st->num_cpus; i++)
    if (st->cpus[i]->running_timer == timer) return true;
  return false;
}

// Sleeps in the state that the current task has set, for at most `timeout` jiffies
// (SIM_MAX_SCHEDULE_TIMEOUT: no bound); not at all if it was set back to running or a
// signal is pending. No scheduling point before the sleep. Returns the jiffies left, 0
// if they ran out, in state SIM_TASK_RUNNING. `what` names what is waited for.
s64 sim_sleep_timeout(struct sim_site *site, const char *what, s64 timeout);

// Adds a waiter: exclusive ones at the tail, others at the head. No point.
struct sim_wait_queue_head;
struct sim_wait_entry;
void sim_wait_entry_add(struct sim_wait_queue_head *wq, struct sim_wait_entry *entry);
void sim_wait_entry_remove(struct sim_wait_queue_head *wq, struct sim_wait_entry *entry);

// The name of a task without its number, "reader": for the stable context of reports.
enum { SIM_TASK_BASE_LEN = 24 };
const char *sim_task_base(const struct sim_task *task, char out[SIM_TASK_BASE_LEN]);

// Where a task was seen last, "f:mutex_lock"; "?" before its first point.
enum { SIM_PLACE_LEN = 96 };
const char *sim_task_place(const struct sim_task *task, char out[SIM_PLACE_LEN]);

// Whether a queued work item, or an RCU callback, lies in these bytes.
bool sim_work_queued_in(const char *from, size_t size);
bool sim_rcu_queued_in(const char *from, size_t size);

// A grace period of RCU needs no more of a CPU that goes offline; its callbacks move to
// `to`.
void sim_rcu_cpu_dead(struct sim_cpu *cpu, struct sim_cpu *to);

#endif  // SEEDBED_SIM_PRIM_H_
