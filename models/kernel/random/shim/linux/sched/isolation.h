// SPDX-License-Identifier: GPL-2.0-or-later
//
// No CPU is isolated.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SCHED_ISOLATION_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SCHED_ISOLATION_H_

#include <linux/cpumask.h>

#define HK_TYPE_TIMER 0
#define housekeeping_cpumask(type) cpu_online_mask

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SCHED_ISOLATION_H_
