// SPDX-License-Identifier: GPL-2.0-or-later
//
// As the objects' other files have it. schedule() of a task that runs is the jitter loop's: see
// seedbed_k_schedule_running.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SCHED_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SCHED_H_

#include_next <linux/sched.h>
#include <linux/seedbed_object.h>

struct seedbed_task {
  char comm[16];
};
#undef schedule
#define schedule() seedbed_k_schedule_running(SIM_SITE("schedule"))
#undef current
#define current (&(struct seedbed_task){"task"})

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SCHED_H_
