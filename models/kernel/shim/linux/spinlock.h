// SPDX-License-Identifier: GPL-2.0-or-later
//
// Included by drivers that take no spin lock: of one that does, the compiler names the function.
// random.c has its own (models/kernel/random/shim).
#ifndef SEEDBED_SHIM_LINUX_SPINLOCK_H_
#define SEEDBED_SHIM_LINUX_SPINLOCK_H_

#include <asm/barrier.h>
#include <linux/sched.h>

#endif  // SEEDBED_SHIM_LINUX_SPINLOCK_H_
