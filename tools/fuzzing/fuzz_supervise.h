// SPDX-License-Identifier: GPL-2.0-or-later
//
// The campaign: slices of engines on targets, as many at once as there are to be, until the time is
// over or somebody interrupts. All that it knows is in folders and the log, so that one that was
// killed goes on where it was.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_SUPERVISE_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_SUPERVISE_H_

#include "tools/fuzzing/fuzz_log.h"
#include "tools/fuzzing/fuzz_place.h"

enum {
  FUZZ_SLICE_MS = 30000,  // a pair's first slice; each of the next three is twice as long
  FUZZ_SLICE_DOUBLINGS = 3,
  FUZZ_SLICE_MS_MIN = 1000,  // a shorter --time or --slice is a mistake
  // How long what was found may be taken in after an interruption, and after the end of the time.
  // What is not taken in by then waits for the next call.
  FUZZ_TAKE_GRACE_MS = 10000,
  FUZZ_LATE_MS = 30000,
};

struct fuzz_plan {
  const struct fuzz_place *place;  // locked
  const struct fuzz_targets *targets;
  bool libfuzzer, afl;
  u32 jobs;
  u64 time_ms;     // 0: without end
  u64 slice_ms;    // of the first slice
  u64 slices_max;  // 0: no bound
  u64 late_ms;     // beyond time_ms
};

struct fuzz_outcome {
  u64 slices, executions, found, failures, findings;
  int status;  // the smallest of the findings', and 70 where the machine refused
};

// Runs it. Lines about slices go to stdout; to stderr complaints, and progress of what is running:
// each two seconds on a terminal, more seldom elsewhere (progress.h).
void fuzz_supervise(const struct fuzz_plan *plan, struct fuzz_outcome *out);

// How long the next slice of a pair is that has had `slices`, of a campaign that has `left_ms`
// (0: without end) for so many jobs, with so many pairs that have had none.
u64 fuzz_slice_length(const struct fuzz_plan *plan, u32 slices, u64 left_ms, u32 fresh);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_SUPERVISE_H_
