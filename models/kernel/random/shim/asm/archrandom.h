// SPDX-License-Identifier: GPL-2.0-or-later
//
// The processor's random numbers, as the scenario's platform has them.
#ifndef SEEDBED_SHIM_RANDOM_ASM_ARCHRANDOM_H_
#define SEEDBED_SHIM_RANDOM_ASM_ARCHRANDOM_H_

#include <linux/seedbed_object.h>

#define arch_get_random_seed_longs(v, max) seedbed_k_arch_random((v), (max), 1)
#define arch_get_random_longs(v, max) seedbed_k_arch_random((v), (max), 0)
#define arch_get_random_seed_longs_early(v, max) seedbed_k_arch_random((v), (max), 1)
#define arch_get_random_longs_early(v, max) seedbed_k_arch_random((v), (max), 0)

#endif  // SEEDBED_SHIM_RANDOM_ASM_ARCHRANDOM_H_
