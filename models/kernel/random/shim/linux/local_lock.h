// SPDX-License-Identifier: GPL-2.0-or-later
//
// Local locks of the world, by their place in the template of per-CPU variables.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_LOCAL_LOCK_H_
#define SEEDBED_SHIM_RANDOM_LINUX_LOCAL_LOCK_H_

#include <linux/preempt.h>

typedef struct {
  struct seedbed_object object;
} local_lock_t;

#define INIT_LOCAL_LOCK(name) \
  { .object = SEEDBED_OBJECT(LOCAL_LOCK, #name, 0) }
#define local_lock(l) seedbed_k_local_lock(SIM_SITE("local_lock"), (l))
#define local_unlock(l) seedbed_k_local_unlock(SIM_SITE("local_unlock"), (l))
#define local_lock_irqsave(l, flags) \
  ((flags) = seedbed_k_local_lock_irqsave(SIM_SITE("local_lock_irqsave"), (l)))
#define local_unlock_irqrestore(l, flags) \
  seedbed_k_local_unlock_irqrestore(SIM_SITE("local_unlock_irqrestore"), (l), (flags))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_LOCAL_LOCK_H_
