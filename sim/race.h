// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the world: the detector of data races (hooks=2). A data race, as in the kernel's
// memory model (tools/memory-model/Documentation/explanation.txt, "Plain accesses and data
// races"; Documentation/dev-tools/kcsan.rst): two accesses to the same bytes, at least one of
// them a write, at least one of them plain, and neither happens before the other. Who
// accesses is told by the hooks (sim/hook.h); the primitives of sim/ tell what orders.
//
// Threads are tasks. What orders two of them:
//   - a lock: whoever takes it is behind whoever released it; a mutex, a spinlock, and the
//     locks inside a wait queue and a completion;
//   - a wake-up that did wake, or that found the task about to sleep: waker, then sleeper;
//   - creation and end of a task: creator, task, whoever joins or stops it;
//   - queue_work, then the item (also if it was queued already); the item, then flush and
//     cancel; arming a timer or a device's event, then its function; that, then
//     timer_delete_sync; raising an interrupt line, or calling another CPU, then the handler;
//   - RCU: a reader, then whoever waited for a grace period that began before its end; who
//     begins a grace period, then every reader that begins later. Stretches with preemption
//     or interrupts off are readers too;
//   - call_rcu, then the callback; a reference dropped, then whoever drops the last one;
//   - smp_store_release, then an smp_load_acquire of that location; cmpxchg both, if it
//     succeeds. smp_wmb, or smp_mb, then a marked store, and a marked load, then smp_rmb or
//     smp_mb: as fences of C11, so that smp_wmb holds loads back too. A marked access alone
//     orders nothing, nor does a dependency: sim_rcu_dereference is an acquire here.
//     With weak=1 a load that shows an old value counts as if it showed the newest.
//
// One CPU: a stretch with preemption, softirqs or interrupts off, or inside an interrupt, is
// ordered with every other such stretch of the same CPU, for nothing else runs there meanwhile.
// Under rt=1 so is one with a local lock, for it is bound to the CPU, which goes only behind it.
// An interrupt belongs to the thread that it interrupted: it comes behind what that did, and
// what that does next comes behind it. So a plain access in a task and one in an interrupt of
// the same CPU, in that task, are no race. That is what KCSAN checks unless
// CONFIG_KCSAN_INTERRUPT_WATCHER is set, which is off by default since safe accesses to per-CPU
// data would be reported. A context switch between two tasks orders nothing: the tasks might
// as well be on two CPUs. A thread that is bound to its CPU is ordered with all of it.
//
// Not seen: accesses of code without hooks (the scenario's, libraries': SIM_TOUCH_READ and
// SIM_TOUCH_WRITE stand for those), on a task's stack, in set-up; of one 8-byte word more
// than four accesses are not remembered at once, so that a race may go unreported. Nothing is
// reported that is none.
//
// The shadow is never cleared: clocks of a run start above those of the run before. What is
// found does not depend on what ran before.
#ifndef SEEDBED_SIM_RACE_H_
#define SEEDBED_SIM_RACE_H_

#include "sim/base.h"

struct sim_cpu;
struct sim_race;
struct sim_task;
struct sim_world;

// The detector of the run in progress; NULL while none looks. On the host.
extern struct sim_race *sim_race;

// A run begins (cfg.hooks is 2) and ends.
void sim_race_begin(struct sim_world *w);
void sim_race_end(void);
void sim_race_free(struct sim_race *race);
// A run whose clocks would begin above this begins anew, at 0. It leaves a run as many again.
enum { SIM_RACE_CLOCK_LAST = 0x40000000 };
// For tests: the next run's clocks begin here.
void sim_race_set_clock(struct sim_race *race, u32 clock);

// ---- Accesses ----

enum { SIM_RACE_WRITE = 1, SIM_RACE_MARKED = 2 };
// The running context accesses `size` bytes from `offset` of the arena on, at the site of that
// canonical number. Reports data-race.
void sim_race_access(size_t offset, size_t size, u32 how, u32 site);
// What a marked access orders: nothing by itself; as an acquire, a release, or (read, modify,
// write) both; as a full barrier on both sides.
enum { SIM_RACE_RELAXED, SIM_RACE_ORDERED, SIM_RACE_FULL };
void sim_race_marked_load(const void *at, u32 order);
void sim_race_marked_store(const void *at, u32 order);
void sim_race_rmw(const void *at, u32 order);
void sim_race_fence(bool acquire, bool release);

// Function calls, for the stacks of reports: the context's place in the tree of calls.
void sim_race_call(u32 site);
void sim_race_return(void);

// ---- Orders ----

void sim_race_acquire(const void *object);
void sim_race_release(const void *object);
void sim_race_task_new(const struct sim_task *task);
// What others know of this CPU's atomic stretches, and what is added to that.
void sim_race_cpu_acquire(const struct sim_cpu *cpu, const struct sim_task *task);
void sim_race_cpu_release(const struct sim_cpu *cpu, const struct sim_task *task);
// `task` comes to the CPU and leaves it: a thread that is bound to it.
void sim_race_switched_in(const struct sim_cpu *cpu, const struct sim_task *task);
void sim_race_switched_out(const struct sim_cpu *cpu, const struct sim_task *task);
void sim_race_gp_begin(void);
void sim_race_gp_end(const void *rcu);  // readers have released into `rcu`
void sim_race_reader(void);

// What the primitives call. `object`'s address is its name and nothing else.
static inline void sim_hb_acquire(const void *object) {
  if (sim_unlikely(sim_race != NULL)) sim_race_acquire(object);
}
static inline void sim_hb_release(const void *object) {
  if (sim_unlikely(sim_race != NULL)) sim_race_release(object);
}
// A lock taken and released inside a primitive.
static inline void sim_hb_locked(const void *object) {
  if (sim_likely(sim_race == NULL)) return;
  sim_race_acquire(object);
  sim_race_release(object);
}
static inline void sim_hb_fence(bool acquire, bool release) {
  if (sim_unlikely(sim_race != NULL)) sim_race_fence(acquire, release);
}

#endif  // SEEDBED_SIM_RACE_H_
