// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine's parameters as a table: one line for each field of struct sim_config, in
// its order. sim/params.c makes of it the defaults, the bounds of --set, and what
// `seedbed list` prints (sim_machine_param in sim/scenario.h). Where a default comes from
// is said at the field in sim/world.h.
#ifndef SEEDBED_SIM_CONFIG_H_
#define SEEDBED_SIM_CONFIG_H_

// X(field, type, default, min, max, unit, line). Bounds are included; hz takes the values
// of the kernel's CONFIG_HZ that the timer code knows: 100, 250 and 1000.
#define SIM_CONFIG_TABLE(X)                                                                     \
  X(num_cpus, u32, 2, 1, 8, "CPUs", "processors of the machine")                                \
  X(hz, u32, 250, 100, 1000, "ticks/s", "CONFIG_HZ: 100, 250 or 1000")                          \
  X(skew_ns, u64, 2000, 1, 1000000000000, "ns",                                                 \
    "how far a runnable CPU's clock may lag the fastest")                                       \
  X(start_ns, u64, 1004000000, 0, 1000000000000000000, "ns", "clock of every CPU at set-up")    \
  X(access_cost_ns, u32, 10, 1, 500000, "ns", "a marked access or a light primitive")           \
  X(lock_cost_ns, u32, 25, 1, 500000, "ns", "taking or releasing a lock")                       \
  X(switch_cost_ns, u32, 1500, 0, 500000, "ns", "a context switch")                             \
  X(irq_cost_ns, u32, 1000, 0, 500000, "ns", "entry and exit of an interrupt")                  \
  X(wake_latency_ns, u32, 15000, 0, 10000000, "ns",                                             \
    "way out of idle for a woken task, beside interrupt and switch")                            \
  X(relax_cost_ns, u32, 40, 1, 500000, "ns", "cpu_relax")                                       \
  X(rcu_gp_ns, u64, 8000000, 0, 1000000000000, "ns", "shortest RCU grace period")               \
  X(irq_off_max_ns, u64, 10000000, 1, 1000000000000000, "ns",                                   \
    "checker: longest stretch with interrupts off")                                             \
  X(preempt_off_max_ns, u64, 20000000, 1, 1000000000000000, "ns",                               \
    "checker: longest stretch with preemption off")                                             \
  X(soft_lockup_ns, u64, 20000000000, 1, 1000000000000000, "ns",                                \
    "checker: longest time of a CPU without a schedule")                                        \
  X(rcu_stall_ns, u64, 21000000000, 1, 1000000000000000, "ns", "checker: longest grace period") \
  X(hung_task_ns, u64, 120000000000, 1, 1000000000000000, "ns",                                 \
    "checker: longest uninterruptible sleep")                                                   \
  X(chaos_ns, u64, 10000000000, 0, 1000000000000000000, "ns", "virtual length of phase one")    \
  X(heal_budget_ns, u64, 60000000000, 1, 1000000000000000000, "ns",                             \
    "virtual time within which phase two must converge")                                        \
  X(steps_max, u64, 2000000, 1, 1000000000000, "steps", "budget of a run (exit status 14)")     \
  X(weak, bool, 0, 0, 1, "", "marked stores may be delayed, marked loads be late by one value") \
  X(preempt, bool, 1, 0, 1, "", "kernel code may be preempted (CONFIG_PREEMPT)")                \
  X(rt, bool, 0, 0, 1, "", "spinlocks sleep, softirqs have threads (CONFIG_PREEMPT_RT)")        \
  X(hooks, u32, 0, 0, 2, "",                                                                    \
    "where the subject has a twin: 1, each access a scheduling point; 2, and data races found")

#endif  // SEEDBED_SIM_CONFIG_H_
