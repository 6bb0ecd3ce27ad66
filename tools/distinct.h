// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many different runs there were: a set of 64-bit digests. It is exact until it
// holds DISTINCT_EXACT_MAX of them; from there on it is a HyperLogLog sketch
// (Flajolet, Fusy, Gandouet, Meunier 2007; 2^16 registers, standard error
// 1.04/256 = 0.4 %) and says so. The answer depends on the set of digests alone, not
// on their order.
#ifndef SEEDBED_TOOLS_DISTINCT_H_
#define SEEDBED_TOOLS_DISTINCT_H_

#include "sim/base.h"

enum { DISTINCT_EXACT_MAX = 1 << 22, DISTINCT_REGISTERS = 1 << 16 };

// Zero-initialised it is empty.
struct distinct {
  u64 *slot;  // open addressing; 0 marks a free slot
  u64 cap, used;
  bool has_zero;  // the digest 0 itself
  bool sketched;
  u8 *reg;
};
void distinct_add(struct distinct *d, u64 digest);
u64 distinct_count(const struct distinct *d);
// Whether distinct_count is exact.
bool distinct_is_exact(const struct distinct *d);
void distinct_free(struct distinct *d);

#endif  // SEEDBED_TOOLS_DISTINCT_H_
