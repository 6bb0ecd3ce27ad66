// SPDX-License-Identifier: GPL-2.0-or-later
//
// Divergence of two runs. The first run's events are kept whole, not only their digests:
// a scenario that is not deterministic will not show the first run's event a second time.
#include "sim/divergence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace.h"

// An event without its strings.
struct kept {
  u64 step, clock_ns, a, b, digest;
  const struct sim_site *site;
  const char *context;  // a literal
  u16 actor;
  u8 kind, cpu;
};

struct label {
  char text[32];
};

struct finder {
  struct sim_trace_sink sink;
  struct sim_divergence *out;
  struct kept *kept;
  u64 num_kept, cap, max;
  u64 seen;             // events of the second run so far
  struct label *label;  // of the first run's actors; [SIM_ACTORS_MAX]
  bool second;
};

static struct kept keep(const struct sim_event *e) {
  return (struct kept){.step = e->step,
                       .clock_ns = e->clock_ns,
                       .a = e->a,
                       .b = e->b,
                       .digest = e->digest,
                       .site = e->site,
                       .context = e->context,
                       .actor = e->actor,
                       .kind = (u8)e->kind,
                       .cpu = e->cpu};
}

// Labels are not compared: an actor's number and its creation are.
static bool same(const struct kept *a, const struct kept *b) {
  return a->step == b->step && a->clock_ns == b->clock_ns && a->a == b->a && a->b == b->b &&
         a->digest == b->digest && a->site == b->site && a->actor == b->actor &&
         a->kind == b->kind && a->cpu == b->cpu && strcmp(a->context, b->context) == 0;
}

static void write_kept(const struct finder *f, u64 index, char *out, size_t len) {
  const struct kept *k = &f->kept[index];
  struct sim_event e = {.step = k->step,
                        .clock_ns = k->clock_ns,
                        .a = k->a,
                        .b = k->b,
                        .digest = k->digest,
                        .kind = k->kind,
                        .cpu = k->cpu,
                        .actor = k->actor,
                        .actor_label = f->label[k->actor].text,
                        .context = k->context,
                        .site = k->site};
  sim_trace_line(&e, out, len);
}

static void first_run(struct finder *f, const struct sim_event *e) {
  if (f->num_kept == f->max) return;
  if (f->num_kept == f->cap) {
    f->cap = f->cap ? 2 * f->cap : 4096;
    f->kept = realloc(f->kept, f->cap * sizeof(f->kept[0]));
    SIM_ASSERT(f->kept);
  }
  f->kept[f->num_kept++] = keep(e);
  if (!f->label[e->actor].text[0])
    snprintf(f->label[e->actor].text, sizeof(f->label[0].text), "%s", e->actor_label);
}

// The event of that number is the first that differs.
static void found(struct finder *f, u64 index) {
  struct sim_divergence *d = f->out;
  d->found = true;
  d->event = index;
  if (index > 0) write_kept(f, index - 1, d->before, sizeof(d->before));
  if (index < f->num_kept) {
    write_kept(f, index, d->line[0], sizeof(d->line[0]));
    d->step = f->kept[index].step;
  }
}

static void second_run(struct finder *f, const struct sim_event *e) {
  u64 index = f->seen++;
  if (f->out->found) return;
  struct kept k = keep(e);
  bool first_ended = index >= f->num_kept;
  if (first_ended && f->num_kept == f->max) return;  // not known
  if (!first_ended && same(&f->kept[index], &k)) return;
  found(f, index);
  sim_trace_line(e, f->out->line[1], sizeof(f->out->line[1]));
  if (first_ended) f->out->step = e->step;
}

static void take_event(struct sim_trace_sink *sink, const struct sim_event *e) {
  struct finder *f = sim_container_of(sink, struct finder, sink);
  if (f->second)
    second_run(f, e);
  else
    first_run(f, e);
}

bool sim_divergence_find(struct sim_world *w, const struct sim_divergence_run *a,
                         const struct sim_divergence_run *b, u64 events_max,
                         struct sim_divergence *out) {
  struct finder f = {.sink = {take_event}, .out = out};
  struct sim_result result[2];
  f.max = events_max ? events_max : SIM_DIVERGENCE_EVENTS_MAX;
  f.label = calloc(SIM_ACTORS_MAX, sizeof(f.label[0]));
  SIM_ASSERT(f.label);
  memset(out, 0, sizeof(*out));
  sim_world_set_sink(w, &f.sink);
  sim_world_set_fill(w, a->fill);
  sim_world_run(w, &a->input, &result[0]);
  f.second = true;
  sim_world_set_fill(w, b->fill);
  sim_world_run(w, &b->input, &result[1]);
  if (!out->found && f.seen < f.num_kept) found(&f, f.seen);
  sim_world_set_sink(w, NULL);
  sim_world_set_fill(w, a->fill);
  for (u32 i = 0; i < 2; i++) {
    out->digest[i] = result[i].digest;
    out->draws[i] = result[i].draws;
  }
  out->differs = result[0].digest != result[1].digest || result[0].draws != result[1].draws ||
                 result[0].status != result[1].status;
  // Numbers that are shown and not folded may differ between runs of one digest.
  if (!out->differs) out->found = false;
  free(f.kept);
  free(f.label);
  return out->differs;
}

void sim_divergence_print(const struct sim_divergence *d, FILE *out) {
  if (!d->differs) {
    fprintf(out, "the two runs are the same\n");
    return;
  }
  for (u32 i = 0; i < 2; i++)
    fprintf(out, "run %u: digest 0x%016" PRIx64 ", %" PRIu64 " draws\n", i + 1, d->digest[i],
            d->draws[i]);
  if (!d->found) {
    fprintf(out, "no event that was kept differs\n");
    return;
  }
  fprintf(out, "event %" PRIu64 " is the first that differs, at step %" PRIu64 "\n", d->event,
          d->step);
  fprintf(out, "both:  %s\n", *d->before ? d->before : "(begin)");
  for (u32 i = 0; i < 2; i++)
    fprintf(out, "run %u: %s\n", i + 1, *d->line[i] ? d->line[i] : "(has ended)");
}
