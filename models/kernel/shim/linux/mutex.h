// SPDX-License-Identifier: GPL-2.0-or-later
//
// Mutexes of the world. One that is defined statically is initialised before the initcalls run.
#ifndef SEEDBED_SHIM_LINUX_MUTEX_H_
#define SEEDBED_SHIM_LINUX_MUTEX_H_

#include <linux/seedbed.h>

struct mutex {
  unsigned long seedbed[KERNEL_MUTEX_WORDS];
};

#define DEFINE_MUTEX(name)   \
  struct mutex name = {{0}}; \
  SEEDBED_STATIC(mutex, name)
#define mutex_init(m) seedbed_k_mutex_init((m), #m)
#define mutex_destroy(m) ((void)(m))
#define mutex_lock(m) seedbed_k_mutex_lock(SIM_SITE("mutex_lock"), (m))
#define mutex_lock_interruptible(m) \
  seedbed_k_mutex_lock_interruptible(SIM_SITE("mutex_lock_interruptible"), (m))
#define mutex_trylock(m) seedbed_k_mutex_trylock(SIM_SITE("mutex_trylock"), (m))
#define mutex_unlock(m) seedbed_k_mutex_unlock(SIM_SITE("mutex_unlock"), (m))
#define mutex_is_locked(m) seedbed_k_mutex_is_locked(SIM_SITE("mutex_is_locked"), (m))
#define lockdep_is_held(m) 1
#define lockdep_assert_held(m) ((void)(m))

#endif  // SEEDBED_SHIM_LINUX_MUTEX_H_
