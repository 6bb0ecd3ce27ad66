// SPDX-License-Identifier: GPL-2.0-or-later
//
// What launchers and mutators outside of the target's process ask about it. With
// SEEDBED_FUZZ_DESCRIBE=FILE in its environment a target of any engine writes FILE and ends, with
// status 0, or 70 if FILE cannot be written:
//
//   max_len N       bytes of the longest input that is of use: the scenario's input_len_max
//   class C DRAWS   draws at sites of class C (sim/bytes.h) in a run: the most of the calm run, of
//                   runs of the base seeds 0 to 31, and of those of the inputs that are the
//                   target's arguments
//
// Lines are in the order of classes; an argument that is no file is passed over.
#ifndef SEEDBED_FUZZ_DESCRIBE_H_
#define SEEDBED_FUZZ_DESCRIBE_H_

#include "sim/base.h"

// Called by engines, and by replay_main.c, before anything else: writes the description, or runs a
// record (history.h), where the environment asks for it. Paths are of the folder where "bazel run"
// was called. Returns 0.
int LLVMFuzzerInitialize(int *argc, char ***argv);

#endif  // SEEDBED_FUZZ_DESCRIBE_H_
