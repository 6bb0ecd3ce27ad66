// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page that the vDSO reads, as far as random.c writes it.
#ifndef SEEDBED_SHIM_RANDOM_VDSO_DATAPAGE_H_
#define SEEDBED_SHIM_RANDOM_VDSO_DATAPAGE_H_

#include <linux/types.h>

struct vdso_rng_data {
  u64 generation;
  u8 is_ready;
};
extern struct vdso_rng_data seedbed_vdso_rng_data;  // models/kernel/inside/random.c
#define vdso_k_rng_data (&seedbed_vdso_rng_data)
#define __arch_get_k_vdso_rng_data() (&seedbed_vdso_rng_data)

#endif  // SEEDBED_SHIM_RANDOM_VDSO_DATAPAGE_H_
