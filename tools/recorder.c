// SPDX-License-Identifier: GPL-2.0-or-later
//
// The decisions of a run that kills its process; see recorder.h. A draw is recorded
// before its event is shown, so a sink sees the last one too.

#include "tools/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/choice.h"
#include "tools/text.h"

struct recorder {
  struct sim_trace_sink sink;
  struct trace_end end;
  u32 count;
  bool overflow;
  struct sim_decision item[RECORDER_MAX];
};

static void set_label(char *out, size_t len, const char *label) {
  SIM_ASSERT(strlen(label) < len);
  strcpy(out, label);
}

static void convert(const struct sim_draw *draw, struct sim_decision *out) {
  const struct sim_site *site = sim_site_at(draw->site);
  char label[2 * SIM_LABEL_LEN];

  *out = (struct sim_decision){.k = draw->k};
  set_label(out->site, sizeof(out->site), sim_site_label(site, label, sizeof(label)));
  set_label(out->actor, sizeof(out->actor), sim_world_actor_label(sim_w, draw->actor));
  if (site->kind == SIM_SITE_POINT)
    set_label(out->target, sizeof(out->target), sim_world_actor_label(sim_w, draw->value - 1u));
  else
    out->value = draw->value;
}

static void take_event(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct recorder *recorder = sim_container_of(sink, struct recorder, sink);
  const struct sim_draw *draw;
  u32 count;

  recorder->end.events++;
  recorder->end.step = event->step;
  recorder->end.clock_ns = event->clock_ns;
  recorder->end.digest = event->digest;
  draw = sim_world_draws(sim_w, &count);
  while (recorder->count < count && !recorder->overflow) {
    if (recorder->count == RECORDER_MAX) {
      recorder->overflow = true;
      break;
    }
    convert(&draw[recorder->count], &recorder->item[recorder->count]);
    recorder->count++;
  }
}

struct recorder *recorder_new(void) {
  struct recorder *recorder = mmap(NULL, sizeof(*recorder), PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (recorder == MAP_FAILED) {
    fputs("seedbed: out of memory\n", stderr);
    exit(SIM_OURS);
  }
  recorder->sink.event = take_event;
  return recorder;
}

void recorder_free(struct recorder *recorder) { munmap(recorder, sizeof(*recorder)); }

struct sim_trace_sink *recorder_sink(struct recorder *recorder) {
  return &recorder->sink;
}

struct trace_end recorder_end(const struct recorder *recorder) {
  return recorder->end;
}

bool recorder_take(const struct recorder *recorder, struct sim_decisions *out) {
  if (recorder->overflow) return false;
  out->count = out->cap = recorder->count;
  out->item = xcalloc(out->count, sizeof(*out->item));
  if (out->count) memcpy(out->item, recorder->item, out->count * sizeof(*out->item));
  // A run of more than 2^24 steps counts occurrences from 0 again.
  out->count = sim_decisions_repeated(out);
  return true;
}
