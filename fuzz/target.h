// SPDX-License-Identifier: GPL-2.0-or-later
//
// A fuzz target: one scenario behind the entry points of libFuzzer, which AFL++'s driver and the
// replaying main (replay_main.c) call as well.
//
// Environment, all optional:
//   SEEDBED_FUZZ_BUG=ID     plants a bug
//   SEEDBED_FUZZ_TWICE=N    each Nth input is run again, with other bytes in unused memory, and
//                           must give the same digest; default 1024, 1: all, 0: none
//
// A failure prints the line of its run ("FAIL key=...") and ends the process by abort(), so that
// the engine keeps the input. Two runs of one input that differ are a failure too
// ("not-deterministic").
#ifndef SEEDBED_FUZZ_TARGET_H_
#define SEEDBED_FUZZ_TARGET_H_

#include "sim/base.h"
#include "sim/scenario.h"
#include "sim/world.h"

// Defined by the target's generated file.
extern const char fuzz_scenario_name[];

// Runs one input; the result is valid until the next. For tests and the mutator.
const struct sim_result *fuzz_run(const u8 *bytes, size_t len);
// The world of the last run; NULL: there was none.
const struct sim_world *fuzz_world(void);
// Draws at each class in the last run, SIM_BYTES_CLASSES of them; NULL: not known.
const u32 *fuzz_draws(void);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const u8 *data1, size_t size1, const u8 *data2, size_t size2,
                                 u8 *out, size_t max_out, unsigned seed);

#endif  // SEEDBED_FUZZ_TARGET_H_
