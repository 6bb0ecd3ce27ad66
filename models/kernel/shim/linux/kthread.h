// SPDX-License-Identifier: GPL-2.0-or-later
//
// Kernel threads of the world. A name is taken as it stands: no format.
#ifndef SEEDBED_SHIM_LINUX_KTHREAD_H_
#define SEEDBED_SHIM_LINUX_KTHREAD_H_

#include <linux/err.h>
#include <linux/sched.h>

#define kthread_create(fn, data, name, ...) \
  ((struct task_struct *)seedbed_k_kthread_create((fn), (data), (name)))
#define kthread_run(fn, data, name, ...)                                                         \
  ({                                                                                             \
    struct task_struct *seedbed_task = kthread_create((fn), (data), name);                       \
    if (!IS_ERR(seedbed_task)) seedbed_k_wake_up_process(SIM_SITE("kthread_run"), seedbed_task); \
    seedbed_task;                                                                                \
  })
#define kthread_stop(task) seedbed_k_kthread_stop(SIM_SITE("kthread_stop"), (task))
#define kthread_should_stop() (seedbed_k_kthread_should_stop(SIM_SITE("kthread_should_stop")) != 0)

#endif  // SEEDBED_SHIM_LINUX_KTHREAD_H_
