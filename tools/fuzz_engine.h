// SPDX-License-Identifier: GPL-2.0-or-later
//
// The binary of a fuzzing engine's build, run once on one input, or on a record of inputs
// (fuzz/history.h): how it ended, and what its output says of it.
//
// It is a process group of its own without stdin, which dies with the caller, and is killed at its
// limits: libFuzzer keeps its own, so that its report is complete, and is killed only well above
// them; for the others, and for records, they are kept by force.
#ifndef SEEDBED_TOOLS_FUZZ_ENGINE_H_
#define SEEDBED_TOOLS_FUZZ_ENGINE_H_

#include "sim/world.h"
#include "tools/fuzz_finding.h"

struct fuzz_build {
  const char *binary;
  enum fuzz_engine engine;
  const char *bug;  // NULL: none
  u32 timeout_s, rss_mb;
};

enum fuzz_outcome {
  FUZZ_PASSED,
  FUZZ_FAILED,
  // No process could be started, it was killed from outside, or interrupt_signal(); said in `text`.
  FUZZ_REFUSED,
};

// Room for the kinds of fuzz_finding.h.
enum { FUZZ_WHAT_LEN = 32, FUZZ_LOG_MAX = 1 << 16 };

struct fuzz_told {
  enum fuzz_outcome outcome;
  enum sim_status status;        // of FUZZ_FAILED
  char what[FUZZ_WHAT_LEN];      // "asan", "timeout", ...
  char text[SIM_TEXT_LEN];       // a line
  char stable[SIM_TEXT_LEN];     // what is the same in each such failure
  char target_key[SIM_KEY_LEN];  // of the target's own line "FAIL key="; "": none
  struct text log;               // owned; the end of the output, at most FUZZ_LOG_MAX bytes
};

// Runs the binary on the file `path`: an input, or with `is_history` a record. Free the log with
// fuzz_told_free.
void fuzz_engine_run(const struct fuzz_build *build, const char *path, bool is_history,
                     struct fuzz_told *out);
void fuzz_told_free(struct fuzz_told *told);
// Whether two runs failed in the same way.
bool fuzz_told_same(const struct fuzz_told *a, const struct fuzz_told *b);

// What an output and an end say; `signal` or `code` is how the process ended, `limit` "timeout",
// "out-of-memory" or NULL, which limit it was killed at. Fills all but the log.
void fuzz_engine_read(const char *output, int signal, int code, const char *limit,
                      const struct fuzz_build *build, struct fuzz_told *out);

// Adds the shell command that repeats it: environment, the binary, its flags, the file.
void fuzz_engine_add_command(const struct fuzz_build *build, const char *path, bool is_history,
                             const char *what, struct text *text);

#endif  // SEEDBED_TOOLS_FUZZ_ENGINE_H_
