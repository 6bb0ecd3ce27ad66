// SPDX-License-Identifier: GPL-2.0-or-later
//
// The round of SipHash (Aumasson, Bernstein 2012) and its constants.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SIPHASH_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SIPHASH_H_

#include <linux/bitops.h>

#define SIPHASH_CONST_0 0x736f6d6570736575ul
#define SIPHASH_CONST_1 0x646f72616e646f6dul
#define SIPHASH_CONST_2 0x6c7967656e657261ul
#define SIPHASH_CONST_3 0x7465646279746573ul
#define SIPHASH_PERMUTATION(a, b, c, d)                                                        \
  ((a) += (b), (b) = rol64((b), 13), (b) ^= (a), (a) = rol64((a), 32), (c) += (d),             \
   (d) = rol64((d), 16), (d) ^= (c), (a) += (d), (d) = rol64((d), 21), (d) ^= (a), (c) += (b), \
   (b) = rol64((b), 17), (b) ^= (c), (c) = rol64((c), 32))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SIPHASH_H_
