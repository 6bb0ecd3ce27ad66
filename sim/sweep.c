// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sweep: events are digits of the odometer back-end that are written by hand; what it
// notes of the number of alternatives at each draw is the plan. Sections: running with
// events; the plan; ranges.
#include "sim/sweep.h"

#include <stdlib.h>
#include <string.h>

struct sim_sweep {
  struct sim_world *w;
  struct sim_sweep_config config;
  struct sim_odometer odometer;
  struct sim_result result;
  u16 *calm_top;  // highest value at each boundary of the calm run
  u32 draws;      // boundaries of the calm run
  u64 singles;
  u64 *pairs_before;  // pairs of the single events before this one; [singles + 1],
                      // or NULL without a window or before they were counted
  bool diverged;
};

// ---- Running with events ----

static void reserve(struct sim_odometer *o, u32 len) {
  if (o->cap >= len) return;
  o->cap = 2 * len;
  o->digit = realloc(o->digit, o->cap * sizeof(o->digit[0]));
  o->top = realloc(o->top, o->cap * sizeof(o->top[0]));
  SIM_ASSERT(o->digit && o->top);
}

static void run(struct sim_sweep *s, u32 len, u32 depth_max) {
  struct sim_odometer *o = &s->odometer;
  struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = o};
  o->len = len;
  o->depth_max = depth_max;
  sim_world_run(s->w, &input, &s->result);
  // A run that does not come to its event is another one too.
  if (o->diverged || o->pos < len) s->diverged = true;
  o->diverged = false;
}

// Runs with one event; then the odometer's tops are those of the `window` draws after it.
static void run_single(struct sim_sweep *s, struct sim_sweep_event e, u32 window) {
  struct sim_odometer *o = &s->odometer;
  u32 len = e.draw + 1;
  reserve(o, len + window);
  memset(o->digit, 0, len * sizeof(o->digit[0]));
  memcpy(o->top, s->calm_top, len * sizeof(o->top[0]));
  o->digit[e.draw] = (u16)e.value;
  run(s, len, len + window);
}

// Runs with a second event, after run_single and before another of it.
static void run_second(struct sim_sweep *s, struct sim_sweep_event first,
                       struct sim_sweep_event e) {
  struct sim_odometer *o = &s->odometer;
  u32 from = first.draw + 1;
  memset(o->digit + from, 0, (e.draw - first.draw) * sizeof(o->digit[0]));
  o->digit[e.draw] = (u16)e.value;
  run(s, e.draw + 1, e.draw + 1);
}

// ---- The plan ----

static u32 values_at(const struct sim_sweep *s, u16 top) {
  u32 max = s->config.values_max;
  return max && top > max ? max : top;
}

static u64 pairs_of(struct sim_sweep *s, struct sim_sweep_event first) {
  u64 pairs = 0;
  run_single(s, first, s->config.window);
  for (u32 i = first.draw + 1; i < s->odometer.len; i++) pairs += values_at(s, s->odometer.top[i]);
  return pairs;
}

struct sim_sweep *sim_sweep_new(struct sim_world *w, const struct sim_sweep_config *config) {
  struct sim_sweep *s = calloc(1, sizeof(*s));
  SIM_ASSERT(s);
  s->w = w;
  s->config = *config;
  run(s, 0, 0);
  s->draws = s->odometer.len;
  s->calm_top = malloc((s->draws + 1) * sizeof(s->calm_top[0]));
  SIM_ASSERT(s->calm_top);
  if (s->draws) memcpy(s->calm_top, s->odometer.top, s->draws * sizeof(s->calm_top[0]));
  if (config->draws_max && s->draws > config->draws_max) s->draws = config->draws_max;
  for (u32 i = 0; i < s->draws; i++) s->singles += values_at(s, s->calm_top[i]);
  return s;
}

static void count_pairs(struct sim_sweep *s) {
  if (!s->config.window || s->pairs_before) return;
  s->pairs_before = calloc(s->singles + 1, sizeof(s->pairs_before[0]));
  SIM_ASSERT(s->pairs_before);
  u64 single = 0;
  for (u32 i = 0; i < s->draws; i++) {
    for (u32 v = 1; v <= values_at(s, s->calm_top[i]); v++, single++)
      s->pairs_before[single + 1] =
          s->pairs_before[single] + pairs_of(s, (struct sim_sweep_event){i, v});
  }
}

void sim_sweep_free(struct sim_sweep *s) {
  if (!s) return;
  sim_odometer_free(&s->odometer);
  free(s->calm_top);
  free(s->pairs_before);
  free(s);
}

u64 sim_sweep_total(struct sim_sweep *s) {
  count_pairs(s);
  return 1 + s->singles + (s->pairs_before ? s->pairs_before[s->singles] : 0);
}
u64 sim_sweep_singles(const struct sim_sweep *s) { return s->singles; }
u32 sim_sweep_draws(const struct sim_sweep *s) { return s->draws; }
bool sim_sweep_diverged(const struct sim_sweep *s) { return s->diverged; }

// ---- Ranges ----

struct range {
  struct sim_sweep *s;
  u64 at, end;
  bool stopped;
  bool (*visit)(void *arg, const struct sim_sweep_run *run, const struct sim_result *result);
  void *arg;
  u64 visited;
};

static void visit(struct range *r, struct sim_sweep_run *this_run) {
  this_run->index = r->at++;
  r->visited++;
  if (!r->visit(r->arg, this_run, &r->s->result) || r->at == r->end) r->stopped = true;
}

// The single event of that number.
static struct sim_sweep_event single_at(const struct sim_sweep *s, u64 number) {
  u32 draw = 0;
  for (;; draw++) {
    u32 values = values_at(s, s->calm_top[draw]);
    if (number < values) return (struct sim_sweep_event){draw, (u32)number + 1};
    number -= values;
  }
}

static void visit_singles(struct range *r) {
  struct sim_sweep *s = r->s;
  struct sim_sweep_event e = single_at(s, r->at - 1);
  for (; e.draw < s->draws; e.draw++, e.value = 1) {
    for (; e.value <= values_at(s, s->calm_top[e.draw]); e.value++) {
      struct sim_sweep_run this_run = {.num_events = 1, .event = {e}};
      run_single(s, e, 0);
      visit(r, &this_run);
      if (r->stopped) return;
    }
  }
}

// Visits the pairs with the first event `e`, but for the first `skip` of them.
static void visit_pairs(struct range *r, struct sim_sweep_event e, u64 skip) {
  struct sim_sweep *s = r->s;
  run_single(s, e, s->config.window);
  u32 len = s->odometer.len;
  for (u32 i = e.draw + 1; i < len; i++) {
    u32 values = values_at(s, s->odometer.top[i]);
    for (u32 v = 1; v <= values; v++) {
      if (skip) {
        skip--;
        continue;
      }
      struct sim_sweep_run this_run = {.num_events = 2, .event = {e, {i, v}}};
      run_second(s, e, this_run.event[1]);
      visit(r, &this_run);
      if (r->stopped) return;
    }
  }
}

u64 sim_sweep_run(struct sim_sweep *s, u64 first, u64 end,
                  bool (*visit_fn)(void *arg, const struct sim_sweep_run *run,
                                   const struct sim_result *result),
                  void *arg) {
  struct range r = {.s = s, .at = first, .end = end, .visit = visit_fn, .arg = arg};
  if (end > sim_sweep_total(s)) r.end = sim_sweep_total(s);
  if (r.at >= r.end) return 0;
  if (r.at == 0) {
    struct sim_sweep_run calm = {0};
    run(s, 0, 0);
    visit(&r, &calm);
  }
  if (!r.stopped && r.at <= s->singles) visit_singles(&r);
  while (!r.stopped) {
    // The last single event that begins at or before this pair and has pairs.
    u64 pair = r.at - 1 - s->singles;
    u64 low = 0, high = s->singles;
    while (high - low > 1) {
      u64 middle = low + (high - low) / 2;
      if (s->pairs_before[middle] <= pair)
        low = middle;
      else
        high = middle;
    }
    visit_pairs(&r, single_at(s, low), pair - s->pairs_before[low]);
  }
  return r.visited;
}

bool sim_sweep_single(struct sim_sweep *s, u64 single,
                      bool (*before)(void *arg, const struct sim_sweep_run *run),
                      bool (*visit_fn)(void *arg, const struct sim_sweep_run *run,
                                       const struct sim_result *result),
                      void *arg) {
  SIM_ASSERT(single < s->singles);
  struct sim_sweep_event e = single_at(s, single);
  struct sim_sweep_run this_run = {.num_events = 1, .event = {e}};
  if (before && !before(arg, &this_run)) return true;
  run_single(s, e, s->config.window);
  u32 len = s->config.window ? s->odometer.len : 0;
  if (!visit_fn(arg, &this_run, &s->result)) return false;
  this_run.num_events = 2;
  for (u32 i = e.draw + 1; i < len; i++) {
    u32 values = values_at(s, s->odometer.top[i]);
    for (u32 v = 1; v <= values; v++) {
      this_run.index++;
      this_run.event[1] = (struct sim_sweep_event){i, v};
      if (before && !before(arg, &this_run)) continue;
      run_second(s, e, this_run.event[1]);
      if (!visit_fn(arg, &this_run, &s->result)) return false;
    }
  }
  return true;
}
