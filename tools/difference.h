// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where two runs that should be equal part: the first event that differs, named.
#ifndef SEEDBED_TOOLS_DIFFERENCE_H_
#define SEEDBED_TOOLS_DIFFERENCE_H_

#include "sim/trace.h"
#include "tools/run.h"

// Events that a log holds at most; what comes later is not compared by text.
enum { EVENT_LOG_MAX = 1000000 };

// A sink that keeps every event as a line: its digest in hexadecimal, a space, its text.
struct event_log {
  struct sim_trace_sink sink;
  struct text lines;
  u64 events;
};
// Zero-initialise, then this; free `lines` at the end.
void event_log_init(struct event_log *log);

// Compares two logs. Returns false if they are equal; else adds to `out` which event is
// the first that differs, what it is in each, and the events before it.
bool event_log_difference(const char *a, const char *a_name, const char *b, const char *b_name,
                          struct text *out);

// Runs the same input four ways: first in a process, again in it with other bytes in
// unused memory, again after another run, and in a fresh process. Adds the first
// difference to `out`. `ms` bounds each process's CPU time.
struct difference_input {
  const struct run_spec *spec;
  const struct sim_input *run;
  // Arguments of `seedbed replay` that run the same in a fresh process.
  char *const *args;
  u32 num_args;
};
enum difference {
  DIFFERENCE_NONE,
  DIFFERENCE_FOUND,   // `out` tells
  DIFFERENCE_DIED,    // a run killed its process
  DIFFERENCE_FAILED,  // no process could be started, or it was killed from outside
};
enum difference difference_find(const struct difference_input *input, u64 ms, struct text *out);

// The other side, `seedbed replay ... --log`: one run, its log on `out`. Returns the exit
// status.
int difference_log_main(const struct difference_input *input, FILE *out);

#endif  // SEEDBED_TOOLS_DIFFERENCE_H_
