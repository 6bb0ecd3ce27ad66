// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a campaign has done so far: its log by target and engine, and its findings.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_SUMMARY_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_SUMMARY_H_

#include "tools/fuzzing/fuzz_log.h"
#include "tools/fuzzing/fuzz_place.h"

// Of a target and an engine.
struct fuzz_row {
  char target[FUZZ_NAME_LEN];
  enum fuzz_engine engine;
  u64 slices, ms, executions, found, failures;
  u64 rate, features;  // of the last slice that ran anything
  u64 corpus;          // files, now
  u64 last_new_ms;     // end of the last slice that found something new, since 1970; 0: none
};

struct fuzz_found {
  char *key, *folder, *cause, *replay;  // `folder` below DIR; "" where there is none
  char *bug;                            // planted, with which it was found; NULL: none
  u64 count;
  bool reproduced;
};

struct fuzz_summary {
  struct fuzz_log log;
  struct fuzz_row *row;
  u32 num_rows;
  struct fuzz_found *found;
  u32 num_found;
  struct text bugs;  // planted in any slice: their names, ", " between; empty: none
};

// Reads it all; targets in the order of their names, all if `num_names` is 0, which may be those of
// their scenarios. False with a reason.
SIM_MUST_CHECK bool fuzz_summary_read(const char *dir, const char *const names[], u32 num_names,
                                      struct fuzz_summary *out, char *err, size_t len);
void fuzz_summary_free(struct fuzz_summary *summary);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_SUMMARY_H_
