// SPDX-License-Identifier: GPL-2.0-or-later
//
// What calls of a vDSO's getrandom cost under the oracles: for the benchmark.
#ifndef SEEDBED_TOOLS_BENCH_VDSO_H_
#define SEEDBED_TOOLS_BENCH_VDSO_H_

#include "sim/base.h"

// One thing that is done again and again, on one machine (models/vdso/vdso_machine.h).
enum bench_vdso_op {
  BENCH_VDSO_FIRST,      // a run: a first call of 32 bytes, and all oracles that need one run
  BENCH_VDSO_HITS,       // a run: a first call of 4 bytes and 23 that the batch has
  BENCH_VDSO_RESET,      // beginning a run
  BENCH_VDSO_GUEST,      // the first call alone: reset, guest and system call, no oracle
  BENCH_VDSO_UNCOUNTED,  // the same on an engine that counts no instructions
  BENCH_VDSO_ENTRY,      // entering the engine and leaving it after one instruction
  BENCH_VDSO_TWICE,      // the oracles that compare two runs
  BENCH_VDSO_NAIVE,      // the first call alone, on a new engine
  BENCH_VDSO_CHACHA,     // 64 blocks of the block function
};
enum { BENCH_VDSO_HITS_CALLS = 24, BENCH_VDSO_CHACHA_BYTES = 64 * 64 };

// The built-in subject for ppc64le, or the image of that file. Does `op` `times` times.
// Ends the process with a reason where something fails.
void bench_vdso_open(const char *image_file);
void bench_vdso_do(enum bench_vdso_op op, u32 times);

#endif  // SEEDBED_TOOLS_BENCH_VDSO_H_
