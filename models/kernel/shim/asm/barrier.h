// SPDX-License-Identifier: GPL-2.0-or-later
//
// Barriers of the world, and marked accesses that order.
#ifndef SEEDBED_SHIM_ASM_BARRIER_H_
#define SEEDBED_SHIM_ASM_BARRIER_H_

#include <linux/compiler.h>
#include <linux/seedbed.h>

#define smp_mb() seedbed_k_barrier(SIM_SITE("smp_mb"), 1, 1)
#define smp_rmb() seedbed_k_barrier(SIM_SITE("smp_rmb"), 1, 0)
#define smp_wmb() seedbed_k_barrier(SIM_SITE("smp_wmb"), 0, 1)
#define smp_load_acquire(p) seedbed_load("smp_load_acquire", *(p), 1)
#define smp_store_release(p, v)                             \
  do {                                                      \
    __typeof__(*(p)) seedbed_v = (v);                       \
    seedbed_store("smp_store_release", *(p), seedbed_v, 1); \
  } while (0)

#endif  // SEEDBED_SHIM_ASM_BARRIER_H_
