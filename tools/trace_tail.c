// SPDX-License-Identifier: GPL-2.0-or-later
//
// The last lines of a run's trace; see trace_tail.h.

#include "tools/trace_tail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE_LEN = 256 };

struct trace_tail {
  struct sim_trace_sink sink;
  u32 lines;
  struct trace_end end;
  char line[][LINE_LEN];  // event number e in line e % lines
};

static void take_event(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct trace_tail *tail = sim_container_of(sink, struct trace_tail, sink);

  sim_trace_line(event, tail->line[tail->end.events % tail->lines], LINE_LEN);
  tail->end.events++;
  tail->end.step = event->step;
  tail->end.clock_ns = event->clock_ns;
  tail->end.digest = event->digest;
}

static size_t size_of(u32 lines) { return sizeof(struct trace_tail) + (size_t)lines * LINE_LEN; }

struct trace_tail *trace_tail_new(u32 lines) {
  struct trace_tail *tail =
      mmap(NULL, size_of(lines), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (tail == MAP_FAILED) {
    fputs("seedbed: out of memory\n", stderr);
    exit(SIM_OURS);
  }
  tail->sink.event = take_event;
  tail->lines = lines;
  return tail;
}

void trace_tail_free(struct trace_tail *tail) { munmap(tail, size_of(tail->lines)); }

struct sim_trace_sink *trace_tail_sink(struct trace_tail *tail) {
  return &tail->sink;
}

struct trace_end trace_tail_end(const struct trace_tail *tail) {
  return tail->end;
}

void trace_tail_add(const struct trace_tail *tail, u32 lines, const char *indent,
                    struct text *text) {
  u64 first, i;

  if (lines > tail->lines) lines = tail->lines;
  first = tail->end.events > lines ? tail->end.events - lines : 0;
  if (first) text_addf(text, "%s... %" PRIu64 " events before these\n", indent, first);
  for (i = first; i < tail->end.events; i++)
    text_addf(text, "%s%.*s\n", indent, LINE_LEN - 1, tail->line[i % tail->lines]);
}
