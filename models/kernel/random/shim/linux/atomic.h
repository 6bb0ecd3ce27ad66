// SPDX-License-Identifier: GPL-2.0-or-later
//
// Atomic operations: each is a scheduling point and told to the detector.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_ATOMIC_H_
#define SEEDBED_SHIM_RANDOM_LINUX_ATOMIC_H_

#include <asm/barrier.h>
#include <asm/rwonce.h>
#include <linux/seedbed_object.h>
#include <linux/types.h>

#define cmpxchg(p, old, new_)                                                  \
  ((__typeof__(*(p)))seedbed_k_cmpxchg(SIM_SITE("cmpxchg"), (p), sizeof(*(p)), \
                                       (unsigned long)(old), (unsigned long)(new_)))
#define try_cmpxchg(p, old, new_)                                     \
  ({                                                                  \
    __typeof__(*(p)) seedbed_old = *(old);                            \
    __typeof__(*(p)) seedbed_was = cmpxchg((p), seedbed_old, (new_)); \
                                                                      \
    if (seedbed_was != seedbed_old) *(old) = seedbed_was;             \
    seedbed_was == seedbed_old;                                       \
  })
#define xchg(p, v) \
  ((__typeof__(*(p)))seedbed_k_xchg(SIM_SITE("xchg"), (p), sizeof(*(p)), (unsigned long)(v)))

#define atomic_read(v) READ_ONCE((v)->counter)
#define atomic_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_add_return(i, v) \
  seedbed_k_atomic_add_return(SIM_SITE("atomic_add_return"), &(v)->counter, (i))
#define atomic_inc_return(v) \
  seedbed_k_atomic_add_return(SIM_SITE("atomic_inc_return"), &(v)->counter, 1)
#define atomic_inc(v) ((void)seedbed_k_atomic_add_return(SIM_SITE("atomic_inc"), &(v)->counter, 1))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_ATOMIC_H_
