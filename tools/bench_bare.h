// SPDX-License-Identifier: GPL-2.0-or-later
//
// The least that a scheduling decision could cost on this machine, to compare with: eight
// coroutines at four call sites each that draw, record, fold and switch, and nothing else.
#ifndef SEEDBED_TOOLS_BENCH_BARE_H_
#define SEEDBED_TOOLS_BENCH_BARE_H_

#include "sim/base.h"

// Makes `decisions` such decisions. Returns a number that depends on all of them.
u64 bench_bare(u64 decisions);

#endif  // SEEDBED_TOOLS_BENCH_BARE_H_
