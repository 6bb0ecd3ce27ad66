// SPDX-License-Identifier: GPL-2.0-or-later
//
// RCU of the world. A dereference is an acquire here, as a dependency cannot be told from the
// compiled code.
#ifndef SEEDBED_SHIM_LINUX_RCUPDATE_H_
#define SEEDBED_SHIM_LINUX_RCUPDATE_H_

#include <linux/compiler.h>
#include <linux/seedbed.h>

#define rcu_read_lock() seedbed_k_rcu_read_lock()
#define rcu_read_unlock() seedbed_k_rcu_read_unlock(SIM_SITE("rcu_read_unlock"))
#define synchronize_rcu() seedbed_k_synchronize_rcu(SIM_SITE("synchronize_rcu"))
#define rcu_dereference(p) seedbed_load("rcu_dereference", p, 1)
#define rcu_access_pointer(p) seedbed_load("rcu_access_pointer", p, 0)
#define rcu_dereference_protected(p, c) ((__typeof__(*(p)) *)(p))
#define rcu_assign_pointer(p, v)                          \
  do {                                                    \
    __typeof__(p) seedbed_v = (v);                        \
    seedbed_store("rcu_assign_pointer", p, seedbed_v, 1); \
  } while (0)
#define RCU_INIT_POINTER(p, v)                          \
  do {                                                  \
    __typeof__(p) seedbed_v = (v);                      \
    seedbed_store("RCU_INIT_POINTER", p, seedbed_v, 0); \
  } while (0)

#endif  // SEEDBED_SHIM_LINUX_RCUPDATE_H_
