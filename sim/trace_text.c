// SPDX-License-Identifier: GPL-2.0-or-later
//
// The trace as text: one line an event, in columns that docs/TRACE.md explains.
#include <inttypes.h>
#include <string.h>

#include "sim/choice.h"
#include "sim/choice_impl.h"
#include "sim/task.h"
#include "sim/trace.h"
#include "sim/world.h"

// ---- What the two numbers of an event mean ----

enum meaning { NUMBER, HASH, ACTOR, STATE };

static enum meaning meaning_of_a(const struct sim_event *e) {
  switch (e->kind) {
    case SIM_EVENT_SWITCH:
    case SIM_EVENT_TASK:
    case SIM_EVENT_WAKE:
      return ACTOR;
    case SIM_EVENT_DRAW:
      return e->site && e->site->kind == SIM_SITE_POINT ? ACTOR : NUMBER;
    case SIM_EVENT_SLEEP:
      return STATE;
    case SIM_EVENT_NOTE:
    case SIM_EVENT_FAIL:
      return HASH;
    default:
      return NUMBER;
  }
}

static enum meaning meaning_of_b(const struct sim_event *e) {
  switch (e->kind) {
    case SIM_EVENT_SLEEP:
      return ACTOR;
    case SIM_EVENT_TASK:
      return e->b ? HASH : NUMBER;
    default:
      return NUMBER;
  }
}

static const char *state_name(u64 state) {
  switch (state) {
    case SIM_TASK_RUNNING:
      return "running";
    case SIM_TASK_INTERRUPTIBLE:
      return "interruptible";
    case SIM_TASK_UNINTERRUPTIBLE:
      return "uninterruptible";
    case SIM_TASK_IDLE:
      return "idle";
    case SIM_TASK_PARKED:
      return "parked";
    case SIM_TASK_DEAD:
      return "dead";
    default:
      return "?";
  }
}

static void write_number(char *out, size_t len, enum meaning meaning, u64 v) {
  const char *label = "";
  if (meaning == ACTOR && sim_w && v < SIM_ACTORS_MAX) label = sim_world_actor_label(sim_w, (u32)v);
  if (meaning == STATE)
    snprintf(out, len, "%s", state_name(v));
  else if (*label)
    snprintf(out, len, "%s", label);
  else if (meaning == ACTOR && v >= SIM_DRAW_LINE)
    snprintf(out, len, "line:%u", (u32)(v - SIM_DRAW_LINE));
  else if (meaning == HASH)
    snprintf(out, len, "0x%016" PRIx64, v);
  else
    snprintf(out, len, "%" PRIu64, v);
}

// ---- Lines ----

void sim_trace_line(const struct sim_event *e, char *out, size_t len) {
  char site[128] = "-", a[40], b[40];
  u64 seconds = e->clock_ns / SIM_NSEC_PER_SEC, ns = e->clock_ns % SIM_NSEC_PER_SEC;
  if (e->site) sim_site_label(e->site, site, sizeof(site));
  write_number(a, sizeof(a), meaning_of_a(e), e->a);
  write_number(b, sizeof(b), meaning_of_b(e), e->b);
  snprintf(out, len, "%8" PRIu64 " %5" PRIu64 ".%09" PRIu64 " %u %-7s %-16s %-8s %-32s %s %s%s%s",
           e->step, seconds, ns, e->cpu, e->context, e->actor_label, sim_event_name(e->kind), site,
           a, b, e->text ? " " : "", e->text ? e->text : "");
}

static void write_line(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct sim_trace_text *t = sim_container_of(sink, struct sim_trace_text, sink);
  if (t->lines_max && t->lines >= t->lines_max) return;
  char line[1024];
  sim_trace_line(event, line, sizeof(line));
  // A line is a line, whatever a note holds.
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < 0x20) *c = ' ';
  fprintf(t->out, "%s\n", line);
  t->lines++;
}

void sim_trace_text_init(struct sim_trace_text *t, FILE *out, u64 lines_max) {
  memset(t, 0, sizeof(*t));
  t->sink.event = write_line;
  t->out = out;
  t->lines_max = lines_max;
}
