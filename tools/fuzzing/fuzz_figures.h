// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an engine says of its work: libFuzzer in lines on stderr, AFL++ in its file fuzzer_stats.
// Text of any kind is taken; lines that are none of theirs are passed over, and a number that is
// too large counts as the largest.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_FIGURES_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_FIGURES_H_

#include "sim/base.h"

struct fuzz_figures {
  u64 executions;
  u64 rate;      // executions a second, as the engine says it; 0: it did not
  u64 features;  // libFuzzer's ft; AFL++'s edges
  u64 edges;     // libFuzzer's cov; AFL++'s edges
  u64 corpus;    // inputs that the engine holds
};

// Of libFuzzer's output, however it ended.
void fuzz_figures_libfuzzer(const char *text, struct fuzz_figures *out);
// Of AFL++'s fuzzer_stats.
void fuzz_figures_afl(const char *text, struct fuzz_figures *out);

// Inputs of its -i folder that AFL++ passed over because they crash or hang: calls fn with the
// name of each file.
void fuzz_figures_afl_skipped(const char *text, void (*fn)(void *arg, const char *name), void *arg);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_FIGURES_H_
