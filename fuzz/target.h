// SPDX-License-Identifier: GPL-2.0-or-later
//
// A fuzz target: one scenario behind the entry points of libFuzzer, which AFL++'s driver and the
// replaying main (replay_main.c) call as well.
//
// Environment, all optional:
//   SEEDBED_FUZZ_BUG=ID     plants a bug
//   SEEDBED_FUZZ_TWICE=N    each Nth input is run again, with other bytes in unused memory, and
//                           must give the same digest; default 1024, 1: all, 0: none
//   and those of history.h and failed.h
//
// A failure prints the line of its run ("FAIL key=...") and ends the process by abort(), so that
// the engine keeps the input. Two runs of one input that differ are a failure too
// ("not-deterministic"; "depends-on-history" where others ran between them).
#ifndef SEEDBED_FUZZ_TARGET_H_
#define SEEDBED_FUZZ_TARGET_H_

#include "sim/base.h"
#include "sim/scenario.h"
#include "sim/world.h"

// Defined by the target's generated file.
extern const char fuzz_scenario_name[];

// Runs one input; the result is valid until the next. For tests and the mutator.
const struct sim_result *fuzz_run(const u8 *bytes, size_t len);
// Of the last run, which there was.
const struct sim_result *fuzz_last(void);
// The world of the last run; NULL: there was none.
const struct sim_world *fuzz_world(void);
// Draws at each class in the last run, SIM_BYTES_CLASSES of them; NULL: not known.
const u32 *fuzz_draws(void);

// Runs the inputs of a record (history.h) in their order, each once or twice as it was; equal
// inputs must have equal digests. What fails prints its line and ends the process with its status,
// 13 for a difference. Returns SIM_OK, or after a complaint SIM_MISSING_FILE or, for a file that is
// no record of this scenario, SIM_MALFORMED.
int fuzz_replay_history(const char *path);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const u8 *data1, size_t size1, const u8 *data2, size_t size2,
                                 u8 *out, size_t max_out, unsigned seed);

#endif  // SEEDBED_FUZZ_TARGET_H_
