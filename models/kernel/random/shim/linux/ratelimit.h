// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often a message is said: counted by the world, in one step.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_RATELIMIT_H_
#define SEEDBED_SHIM_RANDOM_LINUX_RATELIMIT_H_

#include <linux/jiffies.h>
#include <linux/seedbed_object.h>

struct ratelimit_state {
  unsigned long begin;
  int interval, burst, printed, missed;
  unsigned long flags;
};
#define RATELIMIT_MSG_ON_RELEASE 1
#define RATELIMIT_STATE_INIT_FLAGS(name, interval_, burst_, flags_) \
  { .interval = (interval_), .burst = (burst_), .flags = (flags_) }
#define RATELIMIT_STATE_INIT(name, interval_, burst_) \
  RATELIMIT_STATE_INIT_FLAGS(name, interval_, burst_, 0)
#define __ratelimit(state)                                                        \
  (seedbed_k_ratelimit(SIM_SITE("ratelimit"), &(state)->begin, &(state)->printed, \
                       &(state)->missed, (state)->interval, (state)->burst) != 0)
#define ratelimit_state_get_miss(state) READ_ONCE((state)->missed)
#define ratelimit_state_inc_miss(state) \
  ((void)seedbed_k_atomic_add_return(SIM_SITE("ratelimit_state_inc_miss"), &(state)->missed, 1))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_RATELIMIT_H_
