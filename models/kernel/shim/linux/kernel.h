// SPDX-License-Identifier: GPL-2.0-or-later
//
// What kernel.h brings along.
#ifndef SEEDBED_SHIM_LINUX_KERNEL_H_
#define SEEDBED_SHIM_LINUX_KERNEL_H_

#include <asm/barrier.h>
#include <linux/array_size.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#define snprintf(buf, size, ...) seedbed_k_snprintf((buf), (size), __VA_ARGS__)
// The longest that seedbed_k_snprintf writes to a buffer whose length nobody says.
#define sprintf(buf, ...) seedbed_k_snprintf((buf), 4096, __VA_ARGS__)

#endif  // SEEDBED_SHIM_LINUX_KERNEL_H_
