// SPDX-License-Identifier: GPL-2.0-or-later
//
// Jiffies. HZ is a constant here: there is one object for each.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_JIFFIES_H_
#define SEEDBED_SHIM_RANDOM_LINUX_JIFFIES_H_

#include <linux/seedbed.h>

#define HZ SEEDBED_HZ
#define INITIAL_JIFFIES 0ul
#define jiffies seedbed_k_jiffies(SIM_SITE("jiffies"))
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)
#define time_is_before_jiffies(a) time_after(jiffies, a)
#define time_is_after_jiffies(a) time_before(jiffies, a)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_JIFFIES_H_
