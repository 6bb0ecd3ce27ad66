// SPDX-License-Identifier: GPL-2.0-or-later
//
// Jiffies, at the world's HZ. A read of jiffies is volatile in the kernel, so a point here.
#ifndef SEEDBED_SHIM_LINUX_JIFFIES_H_
#define SEEDBED_SHIM_LINUX_JIFFIES_H_

#include <linux/seedbed.h>

#define HZ seedbed_k_hz()
#define jiffies seedbed_k_jiffies(SIM_SITE("jiffies"))
#define msecs_to_jiffies(ms) seedbed_k_msecs_to_jiffies(ms)
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)

#endif  // SEEDBED_SHIM_LINUX_JIFFIES_H_
