// SPDX-License-Identifier: GPL-2.0-or-later
//
// As the objects' other files have it, with what random.c gets by way of others.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_KERNEL_H_
#define SEEDBED_SHIM_RANDOM_LINUX_KERNEL_H_

#include_next <linux/kernel.h>
#include <asm/byteorder.h>
#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/notifier.h>
#include <linux/sched/signal.h>
#include <linux/swab.h>

#ifndef DIV_ROUND_UP
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#endif
#define KERN_NOTICE ""
#define printk_deferred(fmt, ...) printk(fmt, ##__VA_ARGS__)
#define _RET_IP_ 0ul
#define kstrtobool(s, out) (*(out) = *(s) == '1', 0)
#ifndef CONFIG_VDSO_GETRANDOM
#define CONFIG_VDSO_GETRANDOM 1
#endif
#define CONFIG_SYSCTL 1
#define CONFIG_BLOCK 1
#define CONFIG_VMGENID 1
#define CONFIG_CRYPTO_MANAGER_DISABLE_TESTS 1

#endif  // SEEDBED_SHIM_RANDOM_LINUX_KERNEL_H_
