// SPDX-License-Identifier: GPL-2.0-or-later
//
// Signals of the running task.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SCHED_SIGNAL_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SCHED_SIGNAL_H_

#include <linux/sched.h>

#define signal_pending(task) seedbed_k_signal_pending(SIM_SITE("signal_pending"), (void *)0)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SCHED_SIGNAL_H_
