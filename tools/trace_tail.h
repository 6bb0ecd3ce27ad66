// SPDX-License-Identifier: GPL-2.0-or-later
//
// The last lines of a run's trace, kept in memory that a process shares with its
// children: they are there also when the run killed its process.
#ifndef SEEDBED_TOOLS_TRACE_TAIL_H_
#define SEEDBED_TOOLS_TRACE_TAIL_H_

#include "sim/trace.h"
#include "sim/world.h"
#include "tools/text.h"

// What a finding's trace.txt holds at most.
enum { TRACE_TAIL_LINES = 10000 };

struct trace_tail;
// Keeps the last `lines` lines. Never NULL.
struct trace_tail *trace_tail_new(u32 lines);
void trace_tail_free(struct trace_tail *tail);
// For sim_world_set_sink, in this process or in a child forked later.
struct sim_trace_sink *trace_tail_sink(struct trace_tail *tail);

// Where the trace ended. All 0 if there was no event.
struct trace_end {
  u64 events, step, clock_ns, digest;
};
struct trace_end trace_tail_end(const struct trace_tail *tail);
// Adds the last `lines` lines, each with `indent` before it; where lines were dropped a
// line "... N events before these" comes first.
void trace_tail_add(const struct trace_tail *tail, u32 lines, const char *indent,
                    struct text *text);

#endif  // SEEDBED_TOOLS_TRACE_TAIL_H_
