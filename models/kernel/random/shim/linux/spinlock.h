// SPDX-License-Identifier: GPL-2.0-or-later
//
// Spin locks of the world; with interrupts, preemption, and who runs.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SPINLOCK_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SPINLOCK_H_

#include <linux/preempt.h>
#include <linux/seedbed_object.h>

typedef struct spinlock {
  unsigned long seedbed[KERNEL_SPINLOCK_WORDS];
  struct seedbed_object object;
} spinlock_t;

#define __SPIN_LOCK_UNLOCKED(name) \
  { .object = SEEDBED_OBJECT(SPINLOCK, #name, 0) }
#define DEFINE_SPINLOCK(name) spinlock_t name = __SPIN_LOCK_UNLOCKED(name)
#define spin_lock_init(l) seedbed_k_spin_lock_init((l), #l)
#define spin_lock(l) seedbed_k_spin_lock(SIM_SITE("spin_lock"), (l))
#define spin_unlock(l) seedbed_k_spin_unlock(SIM_SITE("spin_unlock"), (l))
#define spin_lock_irqsave(l, flags) \
  ((flags) = seedbed_k_spin_lock_irqsave(SIM_SITE("spin_lock_irqsave"), (l)))
#define spin_unlock_irqrestore(l, flags) \
  seedbed_k_spin_unlock_irqrestore(SIM_SITE("spin_unlock_irqrestore"), (l), (flags))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SPINLOCK_H_
