// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keeping a finding: reproduce it twice in fresh processes, write its folder, shrink its
// decisions, write the folder again with the shrunk ones. What does not reproduce goes to
// not-deterministic/ below the same folder, with the first event that differs.
#ifndef SEEDBED_TOOLS_KEEP_H_
#define SEEDBED_TOOLS_KEEP_H_

#include "sim/trace.h"
#include "tools/findings.h"
#include "tools/jobs.h"

enum kept {
  KEPT_NOT_ASKED = 0,      // known, or nobody called keep_finding
  KEPT_NEW,                // written to `folder`
  KEPT_BEFORE,             // `folder` was there: the same key and subject
  KEPT_NOT_DETERMINISTIC,  // written to `folder`; the finding's status is 13
  KEPT_NOT_WRITTEN,        // the machine refused; said on stderr
};

// Runs that shrinking may take, and processes where a run kills its process.
enum { KEEP_SHRINK_RUNS_MAX = 20000, KEEP_SHRINK_CHILDREN_MAX = 300 };

struct keep {
  const struct run_spec *spec;
  const char *out;  // the findings folder
  u64 watchdog_ms;
  // What is left for shrinking, of the wall clock; it gets less. NULL: no bound.
  u64 *shrink_left_ms;
  // The input of a finding without a seed that killed its process, or that has no decisions; NULL:
  // calm.
  const struct sim_input *run;
  // What the fuzzer gave, for input.bytes, and the first line of `seen`; NULL: there is none. A
  // finding without decisions is replayed by these bytes; that they reproduce, the caller saw.
  const struct text *bytes;
  const char *seen;
  // Whose settings are in the folder's name; NULL: those of `spec`.
  const struct run_spec *named;
};

// Fills the finding's `kept` and `folder`, and where the run killed its process what is
// known of the run's end. Decisions are only shrunk as long as nobody interrupts, and as
// time is left for it; what is shrunk by then counts.
void keep_finding(const struct keep *keep, struct jobs_finding *finding);

// The folder name for a key: its slashes as dots, then what sets this run apart from one
// with all defaults (".bug55", ".set-1a2b3c4d"). The caller frees it.
char *keep_folder_name(const struct run_spec *spec, const char *key);

// The folder below `out` of that name, or of one of its numbers, that holds this key under this
// subject: by its decisions, or where it has none by its files `key` and `subject`. NULL: there is
// none. The caller frees it.
char *keep_find_folder(const char *out, const char *name, const char *key, const char *sha256);
// Has `fill` fill a folder whose path will be `folder`, and gives it its name, or the first of its
// numbers that is free. Returns its path, or NULL after a complaint. Where somebody else has
// written the same finding meanwhile, that folder's path and `out_before`. The caller frees it.
typedef bool keep_fill(struct findings_temp *temp, const char *folder, void *arg);
char *keep_write_folder(const char *out, const char *name, const char *key, const char *sha256,
                        keep_fill *fill, void *arg, bool *out_before);

// Shrinks `file` (a list, its key) under the spec, in a child process, since a run may
// crash there; the list and the digest are replaced if it got smaller. `cpu_ms` and
// `wall_ms` (0: no bound) are how long it may take. Returns the number of runs, 0 if the
// list does not fail with its key. `out_stopped` tells whether a limit, of time or of runs,
// ended it.
u64 keep_shrink(const struct run_spec *spec, struct sim_decision_file *file, u64 cpu_ms,
                u64 wall_ms, bool *out_stopped);

// One run in a child process, with its trace shown to `sink` there (may be NULL; to be of
// use it lies in shared memory). The run's decisions go to `out_list` unless that is NULL.
// Returns how the child ended; `result` is filled for JOBS_ALIVE, `out_code` else. `ms` is of
// CPU time. Killed from outside, it is run once more unless there is a sink.
enum jobs_death keep_run(const struct run_spec *spec, const struct sim_input *run, u64 ms,
                         struct sim_trace_sink *sink, struct sim_decisions *out_list,
                         struct sim_result *result, int *out_code);

#endif  // SEEDBED_TOOLS_KEEP_H_
