// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is needed of it.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_BITOPS_H_
#define SEEDBED_SHIM_RANDOM_LINUX_BITOPS_H_

#include <linux/types.h>
#include <linux/bits.h>

static inline u64 rol64(u64 w, unsigned int n) { return w << (n & 63) | w >> (-n & 63); }
static inline u32 rol32(u32 w, unsigned int n) { return w << (n & 31) | w >> (-n & 31); }
static inline u32 ror32(u32 w, unsigned int n) { return w >> (n & 31) | w << (-n & 31); }
static inline int fls(unsigned int w) { return w ? 32 - __builtin_clz(w) : 0; }

#endif  // SEEDBED_SHIM_RANDOM_LINUX_BITOPS_H_
