// SPDX-License-Identifier: GPL-2.0-or-later
//
// The record of a process's last inputs: what had run before the one that failed. It is a file that
// the process has mapped, so it is whole after abort, SIGKILL or out of memory; an input is in it
// before its run begins. The last 64 inputs at least, or 1 MiB of them.
//
// Environment of a target, all optional:
//   SEEDBED_FUZZ_HISTORY=FILE          keeps the record in FILE; "%p" in it is the process's id.
//                                      With "%p" as the last part of the path, records of
//                                      processes that have ended go but for the newest 16
//   SEEDBED_FUZZ_AGAIN=N               with a record: after each Nth input an earlier one runs
//                                      again, and must give the digest that it gave then; default
//                                      1024, 0: never
//   SEEDBED_FUZZ_REPLAY_HISTORY=FILE   runs the inputs of the record FILE in their order, in place
//                                      of anything else, in the build of any engine; ends with 0,
//                                      the status of what failed, 65 or 66 for a FILE that is no
//                                      record or is missing
//
// A process that is forked has a record of its own from its first run on.
#ifndef SEEDBED_FUZZ_HISTORY_H_
#define SEEDBED_FUZZ_HISTORY_H_

#include "sim/base.h"

#endif  // SEEDBED_FUZZ_HISTORY_H_
