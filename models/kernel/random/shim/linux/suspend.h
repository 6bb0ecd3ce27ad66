// SPDX-License-Identifier: GPL-2.0-or-later
//
// Notices of system sleep: who registers is told by the scenario.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SUSPEND_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SUSPEND_H_

#include <linux/notifier.h>

#define PM_POST_SUSPEND 4
#define PM_RESTORE_PREPARE 5
int register_pm_notifier(struct notifier_block *nb);  // models/kernel/inside/random.c

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SUSPEND_H_
