// SPDX-License-Identifier: GPL-2.0-or-later
//
// The running task: states, sleeping, signals. Values of states are the world's and the kernel's.
#ifndef SEEDBED_SHIM_LINUX_SCHED_H_
#define SEEDBED_SHIM_LINUX_SCHED_H_

#include <linux/seedbed.h>

struct task_struct;

#define TASK_RUNNING 0
#define TASK_INTERRUPTIBLE 1
#define TASK_UNINTERRUPTIBLE 2
#define TASK_IDLE 3
#define MAX_SCHEDULE_TIMEOUT ((long)(~0UL >> 1))

#define current ((struct task_struct *)seedbed_k_current())
#define set_current_state(state) seedbed_k_set_current_state(SIM_SITE("set_current_state"), (state))
#define __set_current_state(state) \
  seedbed_k_set_current_state(SIM_SITE("__set_current_state"), (state))
#define schedule() seedbed_k_schedule(SIM_SITE("schedule"))
#define schedule_timeout(timeout) \
  seedbed_k_schedule_timeout(SIM_SITE("schedule_timeout"), -1, (timeout))
#define schedule_timeout_interruptible(timeout)                                              \
  seedbed_k_schedule_timeout(SIM_SITE("schedule_timeout_interruptible"), TASK_INTERRUPTIBLE, \
                             (timeout))
#define schedule_timeout_uninterruptible(timeout)                                                \
  seedbed_k_schedule_timeout(SIM_SITE("schedule_timeout_uninterruptible"), TASK_UNINTERRUPTIBLE, \
                             (timeout))
#define wake_up_process(task) seedbed_k_wake_up_process(SIM_SITE("wake_up_process"), (task))
#define need_resched() seedbed_k_need_resched(SIM_SITE("need_resched"))
#define cond_resched() seedbed_k_cond_resched(SIM_SITE("cond_resched"))
#define cpu_relax() seedbed_k_cpu_relax(SIM_SITE("cpu_relax"))
#define might_sleep() seedbed_k_might_sleep(__func__)

#endif  // SEEDBED_SHIM_LINUX_SCHED_H_
