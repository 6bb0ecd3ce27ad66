// SPDX-License-Identifier: GPL-2.0-or-later
//
// Progress of a long job on stderr: one line that is redrawn on a terminal, a plain line
// now and then elsewhere.
#ifndef SEEDBED_TOOLS_PROGRESS_H_
#define SEEDBED_TOOLS_PROGRESS_H_

#include "sim/base.h"

struct progress {
  const char *label;  // what is at work; borrowed
  bool terminal;
  u64 runs_total;  // 0: unknown
  u64 time_ms;     // 0: no limit
  u64 plain_ms;    // when the next plain line is due
  bool drawn;      // a line stands on the terminal
};

// Starts for a job of `runs_total` runs and at most `time_ms` (0 where there is no such
// bound). `label` is borrowed.
void progress_begin(struct progress *p, const char *label, u64 runs_total, u64 time_ms);
void progress_show(struct progress *p, u64 runs, u64 elapsed_ms, u32 findings);
// Takes the line away, so that something else can be printed.
void progress_clear(struct progress *p);

#endif  // SEEDBED_TOOLS_PROGRESS_H_
