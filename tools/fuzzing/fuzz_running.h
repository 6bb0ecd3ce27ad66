// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an engine has done that is still at work, by what lies in its slice's folder.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_RUNNING_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_RUNNING_H_

#include "tools/fuzzing/fuzz_slice.h"

struct fuzz_running {
  u64 executions;  // as the targets' records count them, or as the engine last said, what is more
  u64 found;       // inputs that it kept as new
  u64 failed;      // inputs that failed, none of which has been looked at
};

// Looks at it. No figure becomes less: `io` is what an earlier look at the same slice said, or
// zero.
void fuzz_running_look(const struct fuzz_slice *slice, struct fuzz_running *io);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_RUNNING_H_
