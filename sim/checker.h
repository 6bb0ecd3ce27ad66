// SPDX-License-Identifier: GPL-2.0-or-later
//
// Failing: how an oracle, of the world or of a model, reports.
#ifndef SEEDBED_SIM_CHECKER_H_
#define SEEDBED_SIM_CHECKER_H_

#include "sim/base.h"
#include "sim/scenario.h"

// sim_fail reports that `oracle` fired and ends the run: it does not return. The
// stable context `stable` (a string without addresses, times or counts; "" is
// fine) and the oracle id make the key; `fmt` is the one line a person reads. In
// set-up and on the host stack it returns to sim_world_setup or sim_world_run.
// If an active suspect names the oracle it is counted and the run ends as OK.
SIM_NORETURN SIM_COLD void sim_fail(const struct sim_oracle *oracle, const char *stable,
                                    const char *fmt, ...) SIM_PRINTF(3, 4);
// sim_report records and goes on: for oracles after which the run makes sense.
// One report per key and run.
SIM_COLD void sim_report(const struct sim_oracle *oracle, const char *stable, const char *fmt, ...)
    SIM_PRINTF(3, 4);

// Oracles of the world itself, always on. Defined in sim/checker.c.
// X(name, id, status, sentence, source)
#define SIM_CHECKERS(X)                                                                            \
  X(lock_order, "lock-order", SIM_SAFETY, "lock classes are taken in an order without cycles",     \
    "Documentation/locking/lockdep-design.rst, \"Multi-lock dependency rules\"")                   \
  X(lock_misuse, "lock-misuse", SIM_SAFETY,                                                        \
    "a lock is released by its owner, and not taken twice",                                        \
    "kernel/locking/spinlock_debug.c, mutex-debug.c; check_no_locks_held")                         \
  X(lock_context, "lock-context", SIM_SAFETY,                                                      \
    "a lock taken in an interrupt is never held with that interrupt enabled",                      \
    "Documentation/locking/lockdep-design.rst, \"Single-lock state rules\"")                       \
  X(atomic_sleep, "sleep-in-atomic", SIM_SAFETY,                                                   \
    "nothing sleeps with preemption, softirqs or interrupts off",                                  \
    "kernel/sched/core.c, __might_sleep and __schedule_bug")                                       \
  X(context, "context-misuse", SIM_SAFETY,                                                         \
    "a primitive is used in the contexts that the kernel allows",                                  \
    "the warnings of kernel/softirq.c, smp.c, time/timer.c, lib/smp_processor_id.c")               \
  X(irq_off, "irq-off-too-long", SIM_SAFETY,                                                       \
    "interrupts stay off for a bounded stretch of a CPU's own execution",                          \
    "a bound of the testbed (irq_off_max_ns)")                                                     \
  X(preempt_off, "preempt-off-too-long", SIM_SAFETY,                                               \
    "preemption stays off for a bounded stretch of a CPU's own execution",                         \
    "a bound of the testbed (preempt_off_max_ns)")                                                 \
  X(soft_lockup, "soft-lockup", SIM_LIVENESS, "a CPU schedules within the watchdog's threshold",   \
    "kernel/watchdog.c, 2 * watchdog_thresh")                                                      \
  X(rcu_stall, "rcu-stall", SIM_LIVENESS, "a grace period ends within the stall timeout",          \
    "kernel/rcu/tree_stall.h, CONFIG_RCU_CPU_STALL_TIMEOUT")                                       \
  X(hung_task, "hung-task", SIM_LIVENESS,                                                          \
    "an uninterruptible sleep ends within the hung-task timeout",                                  \
    "kernel/hung_task.c, sysctl_hung_task_timeout_secs")                                           \
  X(use_after_free, "use-after-free", SIM_SAFETY, "a freed object is not touched", "mm/kasan")     \
  X(data_race, "data-race", SIM_SAFETY,                                                            \
    "of two concurrent accesses to one place, one of them a write, both are marked",               \
    "tools/memory-model/Documentation/explanation.txt, \"Plain accesses and data races\"")         \
  X(double_free, "double-free", SIM_SAFETY, "an object is freed once",                             \
    "mm/slub.c, free_consistency_checks")                                                          \
  X(leak, "leak", SIM_SAFETY, "what a run allocates it frees", "mm/kmemleak.c")                    \
  X(refcount, "refcount-misuse", SIM_SAFETY,                                                       \
    "a reference count never grows from zero nor falls below it", "lib/refcount.c")                \
  X(lost_wakeup, "lost-wakeup", SIM_LIVENESS, "no task sleeps for ever on a condition that holds", \
    "Documentation/memory-barriers.txt, \"Sleep and wake-up functions\"")                          \
  X(deadlock, "deadlock", SIM_LIVENESS, "when nothing is left to happen, no task still waits",     \
    "kernel/hung_task.c, without its timeout")                                                     \
  X(convergence, "no-convergence", SIM_LIVENESS,                                                   \
    "after healing, the run ends within its virtual budget",                                       \
    "a bound of the testbed (heal_budget_ns)")                                                     \
  X(kthread, "kthread-misuse", SIM_SAFETY,                                                         \
    "a kthread is stopped once, by someone else, while it exists",                                 \
    "kernel/kthread.c, kthread_stop")                                                              \
  X(stack, "stack-overflow", SIM_CRASH, "a task stays within its stack",                           \
    "mm/vmalloc.c, guard pages of CONFIG_VMAP_STACK")                                              \
  X(budget, "budget", SIM_BUDGET, "a run ends within its budget of steps",                         \
    "a bound of the testbed (steps_max)")                                                          \
  X(api, "api-misuse", SIM_SAFETY, "a primitive is used as its contract says",                     \
    "the header of the primitive")

#define X(name, id, status, sentence, source) extern const struct sim_oracle sim_oracle_##name;
SIM_CHECKERS(X)
#undef X

// The same as a table.
u32 sim_checkers_count(void);
const struct sim_oracle *sim_checker_at(u32 index);

// SIM_SOMETIMES marks a situation that exploration of the scenario `scenario_`
// must reach. Both names are literals; `runs_` is the number of runs from which on
// never having reached it is a failure (status 15 of `explore`), of the scenario's default
// parameters: with others, `hooks` and suspects apart, marks are not judged.
struct sim_mark {
  const char *scenario;
  const char *name;
  u64 runs_min;
  u64 hits;  // in this process, over all runs of that scenario
} __attribute__((aligned(32)));
#define SIM_SOMETIMES(scenario_, name_, runs_, cond)                                             \
  do {                                                                                           \
    static struct sim_mark sim_mark_                                                             \
        __attribute__((section("sim_marks"), used, aligned(32))) = {scenario_, name_, runs_, 0}; \
    if (cond) sim_mark_hit(&sim_mark_);                                                          \
  } while (0)
// Counts a hit if the running scenario is the mark's and this is a run. In set-up, which runs once
// for many runs and calmly, a mark counts nothing.
void sim_mark_hit(struct sim_mark *mark);
u32 sim_marks_count(void);
struct sim_mark *sim_mark_at(u32 index);

#endif  // SEEDBED_SIM_CHECKER_H_
