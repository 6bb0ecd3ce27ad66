// SPDX-License-Identifier: GPL-2.0-or-later
//
// Failures that do not end the process. An engine that a failure ends would go no further than the
// first one that is easily reached; with
//   SEEDBED_FUZZ_FAILED=FOLDER
// in its environment a target puts the first input that fails with a key into the folder, and goes
// on. The input is forgotten by feedback, so that no engine builds on it. Beside it lies the record
// of what the process had run (history.h), where there is one.
//
//   FOLDER/KEY           the input; '/' of the key is '+'
//   FOLDER/KEY.history   the record, which ends with it
//
// A file comes by a rename, the record first. Only what an oracle says is taken so: a run that
// kills its process, or differs from itself, ends it whatever the environment says.
#ifndef SEEDBED_FUZZ_FAILED_H_
#define SEEDBED_FUZZ_FAILED_H_

#include "sim/world.h"

// Takes an input that failed. Returns false where the process must end by it: there is no folder,
// or it cannot be written.
bool failed_take(const struct sim_result *result, const u8 *bytes, size_t len);

#endif  // SEEDBED_FUZZ_FAILED_H_
