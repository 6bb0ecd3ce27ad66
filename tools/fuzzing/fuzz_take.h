// SPDX-License-Identifier: GPL-2.0-or-later
//
// Taking a slice in: its new inputs go to the target's corpus, its failing inputs become findings
// (fuzz_finding.h), a line goes to the log, and the folder goes. Killed at any moment, it is done
// again and nothing is lost or counted twice.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_TAKE_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_TAKE_H_

#include "tools/fuzzing/fuzz_slice.h"

// How the slice ended.
struct fuzz_ending {
  bool ours;   // we saw it end; else it is what a killed campaign left
  int status;  // the minder's
  u64 ms;      // how long it took
};

// Takes it in, in the calling process. What inputs failed with is added to the place's `failed`,
// here and below. Returns SIM_OK, or after a complaint 70: the machine refused, and the folder is
// left for the next time. `out` is filled as far as it is known.
SIM_MUST_CHECK int fuzz_take(const struct fuzz_place *place, const struct fuzz_target *target,
                             const struct fuzz_slice *slice, const struct fuzz_ending *ending,
                             struct fuzz_record *out);

// The same in a child: its process id, or -1. It writes to `out_fd` the lines of the findings that
// inputs failed with (fuzz_failed.h), then that of the record, and exits with what fuzz_take
// returned.
pid_t fuzz_take_start(const struct fuzz_place *place, const struct fuzz_target *target,
                      const struct fuzz_slice *slice, const struct fuzz_ending *ending,
                      int *out_fd);

// Takes in what earlier processes left in the target's folder. Returns SIM_OK or 70; adds to
// `records` what was not in the log.
SIM_MUST_CHECK int fuzz_take_left(const struct fuzz_place *place, const struct fuzz_target *target,
                                  struct fuzz_log *records);

// Handles one failing input that is no slice's, which stays where it is. Adds to the counts of
// `record`, whose engine is known.
SIM_MUST_CHECK int fuzz_take_failure(const struct fuzz_place *place,
                                     const struct fuzz_target *target, const char *path,
                                     const char *log, struct fuzz_record *record);
// The same for those of a folder, by their names; they are removed.
SIM_MUST_CHECK int fuzz_take_failures(const struct fuzz_place *place,
                                      const struct fuzz_target *target, const char *folder,
                                      const char *log, struct fuzz_record *record);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_TAKE_H_
