/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of include/linux/kernel.h: plain arithmetic, and how far the boot is.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_LINUX_KERNEL_H_
#define SEEDBED_MODELS_ARM64_SHIM_LINUX_KERNEL_H_

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Until kernel_init runs, and after: the machine sets no more of them. */
enum system_states { SYSTEM_BOOTING, SYSTEM_SCHEDULING };
extern enum system_states system_state __attribute__((visibility("hidden")));

#endif /* SEEDBED_MODELS_ARM64_SHIM_LINUX_KERNEL_H_ */
