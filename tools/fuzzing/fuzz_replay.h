// SPDX-License-Identifier: GPL-2.0-or-later
//
// A target's inputs of the tree, run once by an engine's program without fuzzing.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_REPLAY_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_REPLAY_H_

#include "tools/fuzzing/fuzz_log.h"
#include "tools/fuzzing/fuzz_place.h"

// Runs them; each that fails becomes a finding. Adds to the counts of `record`, whose engine says
// which program. Returns SIM_OK, or after a complaint 70.
SIM_MUST_CHECK int fuzz_replay(const struct fuzz_place *place, const struct fuzz_target *target,
                               struct fuzz_record *record);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_REPLAY_H_
