// SPDX-License-Identifier: GPL-2.0-or-later
//
// A slice: one engine on one target for a while, in a folder of its own, DIR/TARGET/slice.N, so
// that no two engines ever write one folder. Both engines begin with the target's corpus. The
// folder holds
//   slice       what it is: engine, start, planted bug
//   output      what the engine printed
//   inputs/     what the engine begins with: links to the corpus, fuzz_inputs.h
//   new/        libFuzzer's new inputs; artifacts/: its inputs that failed
//   afl/        AFL++'s folder
//   failed/     the first input that failed with each key of an oracle, fuzz/failed.h
//   history/    the targets' records of what ran before a failure, fuzz/history.h
//   taken       of fuzz_take.h: failing inputs that were handled
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_SLICE_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_SLICE_H_

#include <sys/types.h>

#include "tools/fuzzing/fuzz_log.h"
#include "tools/fuzzing/fuzz_place.h"

// What one input may take; more is a failure.
enum { FUZZ_RUN_TIMEOUT_S = 25, FUZZ_RUN_MEMORY_MB = 2048 };

// What a slice's folder says of it.
struct fuzz_slice {
  char id[FUZZ_ID_LEN];  // TARGET/slice.N
  char *folder;          // owned
  enum fuzz_engine engine;
  u64 start_ms;  // since 1970
  char bug[64];  // planted; "": none
};
void fuzz_slice_free(struct fuzz_slice *slice);

// Puts the target's inputs of the tree, and the calm run, into its corpus, except those that were
// set aside; those come back that were set aside before the programs were built anew. Then makes
// the description of the target for its engines. False, with a reason, where the machine refuses
// or the program cannot describe itself.
SIM_MUST_CHECK bool fuzz_target_prepare(const struct fuzz_place *place,
                                        const struct fuzz_target *target, enum fuzz_engine engine,
                                        char *err, size_t len);

// Begins a slice of `ms`: returns the minder (fuzz_minder.h), or -1 with a reason.
pid_t fuzz_slice_start(const struct fuzz_place *place, const struct fuzz_target *target,
                       enum fuzz_engine engine, u64 ms, struct fuzz_slice *out, int *out_fd,
                       char *err, size_t len);
// Reads what the slice in that folder of the target ("slice.N") is; false: nothing was begun there.
SIM_MUST_CHECK bool fuzz_slice_read(const struct fuzz_target *target, const char *name,
                                    struct fuzz_slice *out);

// Milliseconds since 1970.
u64 fuzz_now_ms(void);
// The value of a line "NAME VALUE" of a text; 0 without it.
u64 fuzz_line_number(const char *text, const char *name);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_SLICE_H_
