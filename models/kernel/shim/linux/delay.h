// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sleeping and waiting for a time.
#ifndef SEEDBED_SHIM_LINUX_DELAY_H_
#define SEEDBED_SHIM_LINUX_DELAY_H_

#include <linux/jiffies.h>
#include <linux/sched.h>

#define msleep(ms) seedbed_k_msleep(SIM_SITE("msleep"), (ms))
#define usleep_range(min, max) seedbed_k_usleep_range(SIM_SITE("usleep_range"), (min), (max))
#define ndelay(ns) seedbed_k_ndelay(SIM_SITE("ndelay"), (ns))
#define udelay(us) seedbed_k_ndelay(SIM_SITE("udelay"), (us)*1000ul)
#define mdelay(ms) seedbed_k_ndelay(SIM_SITE("mdelay"), (ms)*1000000ul)

#endif  // SEEDBED_SHIM_LINUX_DELAY_H_
