// SPDX-License-Identifier: GPL-2.0-or-later
//
// Progress of a long job on stderr: one line that is redrawn on a terminal, a plain line
// now and then elsewhere, the longer the job lasts the more seldom.
#ifndef SEEDBED_TOOLS_PROGRESS_H_
#define SEEDBED_TOOLS_PROGRESS_H_

#include "sim/base.h"

struct progress {
  const char *label;  // what is at work; borrowed
  bool terminal;
  u64 runs_total;  // 0: unknown
  u64 time_ms;     // 0: no limit
  u64 redraw_ms;   // between two lines on a terminal; 0: each call
  u64 due_ms;      // when the next line is due
  bool drawn;      // a line stands on the terminal
};

// What a line tells.
struct progress_figures {
  u64 runs, rate;  // so far; a second
  u32 findings;
  const char *more;  // what stands behind, or NULL
};

// Starts for a job of `runs_total` runs and at most `time_ms` (0 where there is no such
// bound). `label` is borrowed.
void progress_begin(struct progress *p, const char *label, u64 runs_total, u64 time_ms);
void progress_show(struct progress *p, u64 runs, u64 elapsed_ms, u32 findings);
// The same with figures of the caller's, where progress_due says that a line is due. On a terminal
// it is cut to its width.
bool progress_due(const struct progress *p, u64 elapsed_ms);
void progress_tell(struct progress *p, u64 elapsed_ms, const struct progress_figures *figures);
// Takes the line away, so that something else can be printed.
void progress_clear(struct progress *p);
// The same for a child whose parent has drawn it.
void progress_clear_of_parent(void);

#endif  // SEEDBED_TOOLS_PROGRESS_H_
