// SPDX-License-Identifier: GPL-2.0-or-later
//
// Times of the world.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_KTIME_H_
#define SEEDBED_SHIM_RANDOM_LINUX_KTIME_H_

#include <linux/types.h>
#include <linux/seedbed_object.h>

typedef s64 time64_t;
#if SEEDBED_LINUX < 6007
typedef s64 ktime_t;
#endif
#define ktime_get() ((ktime_t)seedbed_k_ktime_get())
#define ktime_get_real() ((ktime_t)seedbed_k_ktime_get())
#define ktime_get_boottime() ((ktime_t)seedbed_k_ktime_get())
#define ktime_get_seconds() ((time64_t)seedbed_k_uptime_s())
#define ktime_get_real_seconds() ((time64_t)seedbed_k_uptime_s())

#endif  // SEEDBED_SHIM_RANDOM_LINUX_KTIME_H_
