// SPDX-License-Identifier: GPL-2.0-or-later
//
// What BLAKE2s and what keeping vector registers costs on this machine, in ticks of its counter:
// cycles of the TSC on x86-64, else nanoseconds. Only ratios within one call mean much, on a
// machine that does other things too.
#ifndef SEEDBED_TOOLS_BLAKE2S_BLAKE2S_TIMING_H_
#define SEEDBED_TOOLS_BLAKE2S_BLAKE2S_TIMING_H_

#include "tools/blake2s/blake2s_variants.h"

#ifdef __x86_64__
#define BLAKE2S_TICKS "cycles"
#else
#define BLAKE2S_TICKS "ns"
#endif

struct blake2s_spread {
  double median, min, max;  // all 0: not measured
};

// Of one compression.
struct blake2s_timing {
  struct blake2s_spread warm, cold;              // ticks
  struct blake2s_spread warm_ratio, cold_ratio;  // to the first variant's, measured side by side
};

// Measures `num` variants in turns, for about a tenth of a second each. "Cold": code, state and
// block are evicted from all caches before each compression; constants and predictors are not.
// Not measured where that cannot be done.
void blake2s_time(const struct blake2s_variant *variants, u32 num,
                  struct blake2s_timing *out_timings);

// XSAVE and XRSTOR of x87, SSE, AVX and AVX-512 registers, warm: what a section of the kernel
// pays for a task that has used them, first and on its way to user mode. The kernel's XSAVES
// and XRSTORS may skip some. Returns false where there are none.
bool blake2s_time_xstate(struct blake2s_spread *out_save, struct blake2s_spread *out_restore);

#endif  // SEEDBED_TOOLS_BLAKE2S_BLAKE2S_TIMING_H_
