// SPDX-License-Identifier: GPL-2.0-or-later
//
// The trace as Chrome trace-event JSON, which Perfetto and chrome://tracing load. Process
// 1 holds a track for each CPU, process 2 one for each task. What runs is a slice ("X"):
// of a task on its CPU's track and of a CPU on the task's track, and interrupts within
// them. Everything else is an instant ("i") on the track of the actor it belongs to.
// Slices are written when they end: the format does not ask for an order.
//
// Sections: JSON; tracks; slices; events.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/trace.h"
#include "sim/world.h"

enum { PID_CPUS = 1, PID_TASKS = 2, NESTING_MAX = 8, NOBODY = 0xffff, LABEL_LEN = 32 };

struct interrupt {
  u64 line, start_ns;
};

struct cpu_track {
  u64 last_ns;   // clock of the last event
  u64 start_ns;  // of the slice that is open
  u16 running;   // the task of that slice, or NOBODY
  char label[LABEL_LEN];
  u32 nesting;  // interrupts that are open
  struct interrupt interrupt[NESTING_MAX];
};

struct sim_trace_perfetto {
  struct sim_trace_sink sink;
  FILE *out;
  bool begun;  // an event has been written
  bool cpu_named[SIM_CPUS_MAX];
  bool task_named[SIM_ACTOR_CPU0];
  struct cpu_track cpu[SIM_CPUS_MAX];
};

// ---- JSON ----

static void write_string(FILE *out, const char *s) {
  putc('"', out);
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20 || c >= 0x7f)
      fprintf(out, "\\u%04x", c);
    else
      putc(c, out);
  }
  putc('"', out);
}

// A JSON number holds 53 bits in every reader; what needs more is a string.
static void write_number(FILE *out, u64 v) {
  if (v >> 53)
    fprintf(out, "\"0x%" PRIx64 "\"", v);
  else
    fprintf(out, "%" PRIu64, v);
}

// Microseconds with three decimals, the format's unit.
static void write_us(FILE *out, const char *name, u64 ns) {
  fprintf(out, ",\"%s\":%" PRIu64 ".%03" PRIu64, name, ns / 1000, ns % 1000);
}

// Begins an event: everything up to its name.
static void begin(struct sim_trace_perfetto *t, const char *ph, u32 pid, u32 tid,
                  const char *name) {
  fprintf(t->out, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"name\":", t->begun ? "," : "", ph,
          pid, tid);
  write_string(t->out, name);
  t->begun = true;
}

static void end(struct sim_trace_perfetto *t) { fputs("}", t->out); }

static void write_metadata(struct sim_trace_perfetto *t, const char *what, u32 pid, u32 tid,
                           const char *name) {
  begin(t, "M", pid, tid, what);
  fputs(",\"args\":{\"name\":", t->out);
  write_string(t->out, name);
  fputs("}", t->out);
  end(t);
}

// ---- Tracks ----

static void name_cpu(struct sim_trace_perfetto *t, u32 cpu) {
  char name[16];
  if (t->cpu_named[cpu]) return;
  t->cpu_named[cpu] = true;
  snprintf(name, sizeof(name), "cpu%u", cpu);
  write_metadata(t, "thread_name", PID_CPUS, cpu, name);
}

static void name_task(struct sim_trace_perfetto *t, u32 actor, const char *label) {
  if (t->task_named[actor]) return;
  t->task_named[actor] = true;
  write_metadata(t, "thread_name", PID_TASKS, actor, label);
}

// ---- Slices ----

static void write_slice(struct sim_trace_perfetto *t, u32 pid, u32 tid, const char *name,
                        u64 start_ns, u64 end_ns) {
  begin(t, "X", pid, tid, name);
  write_us(t->out, "ts", start_ns);
  write_us(t->out, "dur", end_ns - start_ns);
  end(t);
}

static void close_slice(struct sim_trace_perfetto *t, u32 cpu, u64 ns) {
  struct cpu_track *c = &t->cpu[cpu];
  char name[16];
  if (c->running == NOBODY) return;
  snprintf(name, sizeof(name), "cpu%u", cpu);
  write_slice(t, PID_CPUS, cpu, c->label, c->start_ns, ns);
  write_slice(t, PID_TASKS, c->running, name, c->start_ns, ns);
  c->running = NOBODY;
}

static void open_slice(struct sim_trace_perfetto *t, const struct sim_event *e) {
  struct cpu_track *c = &t->cpu[e->cpu];
  if (c->running == e->actor) return;
  close_slice(t, e->cpu, e->clock_ns);
  name_task(t, e->actor, e->actor_label);
  c->running = e->actor;
  c->start_ns = e->clock_ns;
  snprintf(c->label, sizeof(c->label), "%s", e->actor_label);
}

static void close_interrupt(struct sim_trace_perfetto *t, u32 cpu, u64 ns) {
  struct cpu_track *c = &t->cpu[cpu];
  char name[24];
  if (c->nesting == 0) return;
  const struct interrupt *irq = &c->interrupt[--c->nesting];
  if (irq->line < SIM_IRQS_MAX)
    snprintf(name, sizeof(name), "irq %u", (u32)irq->line);
  else
    snprintf(name, sizeof(name), "timer irq");
  write_slice(t, PID_CPUS, cpu, name, irq->start_ns, ns);
}

// ---- Events ----

static void write_instant(struct sim_trace_perfetto *t, const struct sim_event *e) {
  bool by_task = e->actor < SIM_ACTOR_CPU0;
  char site[128];
  if (by_task) name_task(t, e->actor, e->actor_label);
  begin(t, "i", by_task ? PID_TASKS : PID_CPUS, by_task ? e->actor : e->cpu,
        sim_event_name(e->kind));
  write_us(t->out, "ts", e->clock_ns);
  fprintf(t->out, ",\"s\":\"%s\",\"args\":{\"step\":%" PRIu64 ",\"cpu\":%u,\"context\":",
          e->kind == SIM_EVENT_FAIL || e->kind == SIM_EVENT_HEAL ? "g" : "t", e->step, e->cpu);
  write_string(t->out, e->context);
  if (e->site) {
    fputs(",\"site\":", t->out);
    write_string(t->out, sim_site_label(e->site, site, sizeof(site)));
  }
  fputs(",\"a\":", t->out);
  write_number(t->out, e->a);
  fputs(",\"b\":", t->out);
  write_number(t->out, e->b);
  if (e->text) {
    fputs(",\"text\":", t->out);
    write_string(t->out, e->text);
  }
  fputs("}", t->out);
  end(t);
}

static void take_event(struct sim_trace_sink *sink, const struct sim_event *e) {
  struct sim_trace_perfetto *t = sim_container_of(sink, struct sim_trace_perfetto, sink);
  struct cpu_track *c = &t->cpu[e->cpu];
  name_cpu(t, e->cpu);
  if (e->clock_ns > c->last_ns) c->last_ns = e->clock_ns;
  if (e->actor < SIM_ACTOR_CPU0) open_slice(t, e);
  switch (e->kind) {
    case SIM_EVENT_IRQ_ENTER:
      if (c->nesting < NESTING_MAX)
        c->interrupt[c->nesting++] = (struct interrupt){e->a, e->clock_ns};
      break;
    case SIM_EVENT_IRQ_EXIT:
      close_interrupt(t, e->cpu, e->clock_ns);
      break;
    case SIM_EVENT_SWITCH:
      break;  // seen by the slices
    default:
      write_instant(t, e);
  }
  bool gone = e->kind == SIM_EVENT_SLEEP || (e->kind == SIM_EVENT_TASK && e->b == 0);
  if (gone && e->actor < SIM_ACTOR_CPU0) close_slice(t, e->cpu, e->clock_ns);
}

struct sim_trace_perfetto *sim_trace_perfetto_new(FILE *out) {
  struct sim_trace_perfetto *t = calloc(1, sizeof(*t));
  SIM_ASSERT(t);
  t->sink.event = take_event;
  t->out = out;
  for (u32 i = 0; i < SIM_CPUS_MAX; i++) t->cpu[i].running = NOBODY;
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
  write_metadata(t, "process_name", PID_CPUS, 0, "CPUs");
  write_metadata(t, "process_name", PID_TASKS, 0, "tasks");
  return t;
}

struct sim_trace_sink *sim_trace_perfetto_sink(struct sim_trace_perfetto *t) {
  return &t->sink;
}

void sim_trace_perfetto_finish(struct sim_trace_perfetto *t) {
  for (u32 i = 0; i < SIM_CPUS_MAX; i++) {
    while (t->cpu[i].nesting) close_interrupt(t, i, t->cpu[i].last_ns);
    close_slice(t, i, t->cpu[i].last_ns);
  }
  fputs("\n]}\n", t->out);
  free(t);
}
