// SPDX-License-Identifier: GPL-2.0-or-later
//
// From an input that failed in a fuzzing engine to a finding. What is tried, in this order, each in
// fresh processes and twice:
//   run      the input as `seedbed replay SCENARIO FILE` runs it, on the plain build: an ordinary
//            finding, shrunk, by keep.h
//   engine   the engine's binary on this input alone: a finding of that build (a sanitizer's
//            report, a leak, too much memory, too much time)
//   history  the engine's binary on the record of what its process had run (fuzz/history.h): a
//            run depends on earlier ones, a defect of ours; the record is minimised
//   none     nothing failed twice: kept below not-deterministic/, with what was tried
//
// A folder (findings.h) holds beside its other files
//   input.bytes    the input
//   seen           a line for each distinct input that failed with this key: its hash
//   subject        the subject's SHA-256, where there are no decisions
//   history        the record, minimised (history) or as it was (none); history.full, before that
//   engine.log     the end of what the engine's binary printed
//   tried          below not-deterministic/: what was tried, and how it ended
// Nothing is ever removed or moved: the input and the record stay where they were. A kill at any
// moment leaves a whole folder or none; the same input handled again is counted once.
#ifndef SEEDBED_TOOLS_FUZZ_FINDING_H_
#define SEEDBED_TOOLS_FUZZ_FINDING_H_

#include "tools/run.h"

enum fuzz_engine {
  FUZZ_ENGINE_NONE,  // NAME_bin without an engine
  FUZZ_ENGINE_LIBFUZZER,
  FUZZ_ENGINE_AFL,
};

// What is known of the failure. Zero-initialised, then what there is; all is borrowed.
struct fuzz_failure {
  const struct sim_scenario *scenario;
  const char *input;   // path of the file that failed
  const char *out;     // the findings folder; made where it is not there
  const char *binary;  // NAME_bin of the engine's build; NULL: only the plain build is tried
  enum fuzz_engine engine;
  // The target's record, or a folder of records, of which the newest one that ends with the input
  // is taken; NULL: there is none.
  const char *history;
  const char *bug;  // planted, as SEEDBED_FUZZ_BUG had it; NULL: none
  const char *log;  // a file with what the engine printed when it failed; NULL: there is none
  // Limits. 0: 60 s of CPU time for a run of the plain build; 25 s and 2048 MiB for the engine's
  // binary, which libFuzzer is told as -timeout and -rss_limit_mb, and which are kept by force
  // where the engine does not. Bounds of shrinking and minimising, 0: 60 s each.
  u64 watchdog_ms;
  u32 engine_timeout_s, engine_rss_mb;
  u64 shrink_ms;
};

enum fuzz_kind { FUZZ_KIND_RUN, FUZZ_KIND_ENGINE, FUZZ_KIND_HISTORY, FUZZ_KIND_NONE };

enum fuzz_kept {
  FUZZ_KEPT_NEW,          // a folder was written
  FUZZ_KEPT_BEFORE,       // the folder was there, and has now seen this input (too)
  FUZZ_KEPT_NOT_WRITTEN,  // the machine refused (said on stderr): nothing is written; call again
  FUZZ_KEPT_NO_INPUT,     // the input cannot be read (said on stderr): no file, a folder, too long
};

struct fuzz_finding {
  enum fuzz_kept kept;
  // Of KEPT_NEW and KEPT_BEFORE; else kind and key as far as they are known.
  enum fuzz_kind kind;
  // 10 to 14, 70 for a defect of ours; of FUZZ_KIND_HISTORY and FUZZ_KIND_NONE 13. 70 too for
  // NOT_WRITTEN, 66 for NO_INPUT.
  enum sim_status status;
  char key[SIM_KEY_LEN];    // SCENARIO/ORACLE/HASH; SCENARIO/engine-WHAT/HASH, WHAT is asan,
                            // ubsan, leak, out-of-memory, timeout, signal, exit,
                            // not-deterministic, other-build (an oracle that is silent on the
                            // plain build); SCENARIO/history/HASH; SCENARIO/not-reproduced/HASH
  char text[SIM_TEXT_LEN];  // one line: what was seen
  char *folder;             // owned; NULL unless NEW or BEFORE
  u64 count;                // distinct inputs that the folder has seen
};

// Handles one failing input. Calls on one findings folder wait for one another (a lock file), so
// they may come from several processes. Ends early, with NOT_WRITTEN, after interrupt_signal().
// It starts the calling program again, see fuzz_finding_child.
void fuzz_finding_keep(const struct fuzz_failure *failure, struct fuzz_finding *out);
void fuzz_finding_free(struct fuzz_finding *finding);

// For the beginning of main, before argp: whether this process is one that fuzz_finding_keep
// started (`PROGRAM replay ... --probe`); it has then done its work, and main ends with
// `*out_status`.
bool fuzz_finding_child(int argc, char **argv, int *out_status);

// The distinct inputs that a finding's folder has seen; 0 where it has no record of any.
u64 fuzz_finding_count(const char *folder);

// `tools/fuzz keep TARGET FILE...`; argv[0] is "fuzz". Returns the exit status: the smallest of
// the findings'.
int fuzz_keep(int argc, char **argv);

#endif  // SEEDBED_TOOLS_FUZZ_FINDING_H_
