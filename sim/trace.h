// SPDX-License-Identifier: GPL-2.0-or-later
//
// The trace: every event of a run, folded into a digest always, and handed to a
// sink when one is set. The digest is the same at any log level.
#ifndef SEEDBED_SIM_TRACE_H_
#define SEEDBED_SIM_TRACE_H_

#include <stdio.h>

#include "sim/base.h"
#include "sim/site.h"

// X(enum, name): what happened. `a` and `b` are numbers whose meaning docs/TRACE.md
// gives for each kind; never addresses.
// clang-format does not come to rest on this table.
// clang-format off
#define SIM_EVENTS(X)                                                                           \
  X(STEP, "step")                                                                               \
  X(SWITCH, "switch")                                                                           \
  X(DRAW, "draw")                                                                               \
  X(TASK, "task")                                                                               \
  X(SLEEP, "sleep") X(WAKE, "wake") X(IRQ_ENTER, "irq") X(IRQ_EXIT, "irq-end")                  \
      X(SOFTIRQ, "softirq") X(TIMER, "timer") X(NOTE, "note") X(MODEL, "model") X(FAIL, "fail") \
          X(HEAL, "heal") X(CPU, "cpu")
// clang-format on

enum sim_event_kind {
#define X(id, name) SIM_EVENT_##id,
  SIM_EVENTS(X)
#undef X
      SIM_EVENT_COUNT
};
const char *sim_event_name(enum sim_event_kind kind);

struct sim_event {
  u64 step, clock_ns;
  u64 a, b;
  u64 digest;  // after folding this event
  enum sim_event_kind kind;
  u8 cpu;
  u16 actor;
  const char *actor_label;      // "reader#0", or "cpu1" on an idle CPU
  const char *context;          // "task", "softirq", "hardirq", "nmi", "idle"
  const struct sim_site *site;  // NULL where there is none
  const char *text;             // NOTE, FAIL and a MODEL that is named: one line; else NULL
};

struct sim_trace_sink {
  void (*event)(struct sim_trace_sink *sink, const struct sim_event *event);
};

// Writers. The text form is one line an event: step, time, CPU, context, actor,
// event, site, numbers. The Perfetto form is Chrome trace-event JSON: a track per
// CPU and per task. `out` is borrowed; finish writes what closes the file.
struct sim_trace_text {
  struct sim_trace_sink sink;
  FILE *out;
  u64 lines, lines_max;  // 0: no bound
};
void sim_trace_text_init(struct sim_trace_text *t, FILE *out, u64 lines_max);
struct sim_trace_perfetto;
struct sim_trace_perfetto *sim_trace_perfetto_new(FILE *out);
struct sim_trace_sink *sim_trace_perfetto_sink(struct sim_trace_perfetto *t);
void sim_trace_perfetto_finish(struct sim_trace_perfetto *t);  // frees `t`

// Writes one event as its text line (no newline), for transcripts and diffs.
void sim_trace_line(const struct sim_event *event, char *out, size_t len);

// For models: one event with two numbers, folded; a note with text that is folded
// by its format's hash and seen in traces. `fmt` must be a literal.
void sim_trace_model_at(struct sim_site *site, u64 a, u64 b);
#define sim_trace_model(name, a, b) sim_trace_model_at(SIM_SITE(name), (a), (b))
// The same, and traces show "WHO WHAT" beside the numbers: not folded.
void sim_trace_named_at(struct sim_site *site, u64 a, u64 b, const char *who, const char *what);
#define sim_trace_named(name, a, b, who, what) \
  sim_trace_named_at(SIM_SITE(name), (a), (b), (who), (what))
void sim_note(const char *fmt, ...) SIM_PRINTF(1, 2);

#endif  // SEEDBED_SIM_TRACE_H_
