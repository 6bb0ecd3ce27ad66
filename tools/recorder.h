// SPDX-License-Identifier: GPL-2.0-or-later
//
// The decisions of a run that kills its process: copied, draw by draw, to memory that is
// shared with the parent.
#ifndef SEEDBED_TOOLS_RECORDER_H_
#define SEEDBED_TOOLS_RECORDER_H_

#include "sim/decision.h"
#include "tools/trace_tail.h"

// Decisions that are kept at most; a run with more is not recovered.
enum { RECORDER_MAX = 65536 };

struct recorder;
struct recorder *recorder_new(void);
void recorder_free(struct recorder *recorder);
// For sim_world_set_sink of a world in a child forked later.
struct sim_trace_sink *recorder_sink(struct recorder *recorder);
// Where the trace ended.
struct trace_end recorder_end(const struct recorder *recorder);
// Copies what was recorded to `out` (zero-initialised); false if there was more than it
// holds.
SIM_MUST_CHECK bool recorder_take(const struct recorder *recorder, struct sim_decisions *out);

#endif  // SEEDBED_TOOLS_RECORDER_H_
