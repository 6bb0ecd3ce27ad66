// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the parts of fuzz_finding.h share: fuzz_finding.c, which tries one after the other;
// fuzz_plain.c, the plain build; fuzz_past.c, the engine's build and its history; fuzz_folder.c,
// the folders.
#ifndef SEEDBED_TOOLS_FUZZ_FINDING_INTERNAL_H_
#define SEEDBED_TOOLS_FUZZ_FINDING_INTERNAL_H_

#include "sim/choice.h"
#include "tools/findings.h"
#include "tools/fuzz_engine.h"
#include "tools/fuzz_finding.h"

enum { FUZZ_HASH_LEN = 16 };

struct fuzz_work {
  const struct fuzz_failure *failure;
  struct fuzz_finding *out;
  struct run_spec named;  // the scenario and the bug
  struct run_spec spec;   // and the input's settings
  struct text bytes;
  char hash[2 * FUZZ_HASH_LEN + 1];
  struct sim_input run;
  struct fuzz_build build;
  u64 watchdog_ms, shrink_ms;
  char *binary;
  struct findings_temp temp;  // where the files lie that are run
  char *path;                 // of the input in there
  struct text tried;          // a line for each thing that was
  struct text log;            // of the binary, when it last failed
};

// ---- fuzz_folder.c ----

// A line of `tried`.
void fuzz_add_tried(struct fuzz_work *work, const char *what, const char *how);
// Sets what NOT_WRITTEN is, and says why (NULL: it was said).
void fuzz_refuse(struct fuzz_work *work, const char *why);
// A folder, which it takes over, holds the finding; `before`: from an earlier time. NULL: it could
// not be written, which was said.
void fuzz_settle(struct fuzz_work *work, char *folder, bool before);
void fuzz_make_key(struct fuzz_work *work, const char *oracle, const char *stable);

// What goes into a folder that keep.h does not fill.
struct fuzz_parts {
  struct fuzz_work *work;
  const struct fuzz_told *told;  // whose command repeats it; NULL: the plain build's
  bool is_history;
  const struct text *history, *history_full, *log, *tried;  // NULL: none
};
// Writes, or finds, the folder of the key below `out`, and settles.
void fuzz_keep_parts(struct fuzz_work *work, const char *out, struct fuzz_parts *parts);
// Adds a file to a temporary folder; false after a complaint.
SIM_MUST_CHECK bool fuzz_add_file(struct findings_temp *temp, const char *name, const void *bytes,
                                  size_t len);

// ---- What is tried ----

enum fuzz_stage {
  FUZZ_STAGE_DONE,  // work->out is filled
  FUZZ_STAGE_NEXT,
  FUZZ_STAGE_NONE,  // nothing that follows can tell it
};
enum fuzz_stage fuzz_try_plain(struct fuzz_work *work);
enum fuzz_stage fuzz_try_engine(struct fuzz_work *work);
// The record goes to `out_record`, where there is one.
enum fuzz_stage fuzz_try_history(struct fuzz_work *work, struct text *out_record);

#endif  // SEEDBED_TOOLS_FUZZ_FINDING_INTERNAL_H_
