// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shrinking a decision list. Sections: trying a list; kinds of change; the loop; one event
// instead of all; sim_shrink.
#include "sim/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sweep.h"

// Single events are tried only where they are about as many as the runs before.
enum { SINGLE_RUNS_MAX = 5000, SINGLE_VALUES_MAX = 16 };

struct shrink {
  struct sim_world *w;
  struct sim_decisions *list;  // the best so far
  struct sim_decisions trial;
  const char *key;
  u64 runs, runs_max;
  void (*changed)(void *arg, u32 count);
  void *arg;
  struct sim_result result;
};

// ---- Trying a list ----

static bool exhausted(const struct shrink *s) { return s->runs_max && s->runs >= s->runs_max; }

static bool has_key(const struct sim_result *result, const char *key) {
  for (u32 i = 0; i < result->num_failures; i++)
    if (strcmp(result->failures[i].key, key) == 0) return true;
  return false;
}

static bool fails(struct shrink *s, const struct sim_decisions *list) {
  struct sim_input input = {.backend = SIM_BACKEND_LIST, .list = list};
  s->runs++;
  sim_world_run(s->w, &input, &s->result);
  return has_key(&s->result, s->key);
}

// The run that just failed may have left out decisions of the list: what it recorded
// leads to the same run.
static void adopt_record(struct shrink *s) {
  if (!s->result.draws_overflow) sim_decisions_from_world(s->list, s->w);
  if (s->changed) s->changed(s->arg, s->list->count);
}

static bool try_trial(struct shrink *s) {
  if (exhausted(s) || !fails(s, &s->trial)) return false;
  struct sim_decisions old = *s->list;
  *s->list = s->trial;
  s->trial = old;
  adopt_record(s);
  return true;
}

static void reserve_trial(struct shrink *s) {
  if (s->trial.cap >= s->list->count) return;
  free(s->trial.item);
  s->trial.cap = s->list->count;
  s->trial.item = malloc(s->trial.cap * sizeof(s->trial.item[0]));
  SIM_ASSERT(s->trial.item);
}

// trial = list without [from, to).
static void trial_without(struct shrink *s, u32 from, u32 to) {
  reserve_trial(s);
  if (from) memcpy(s->trial.item, s->list->item, from * sizeof(s->trial.item[0]));
  u32 rest = s->list->count - to;
  if (rest) memcpy(s->trial.item + from, s->list->item + to, rest * sizeof(s->trial.item[0]));
  s->trial.count = from + rest;
}

// ---- Kinds of change ----
// Each makes a trial of a change to list[from, to) and returns whether there is one to try.

static bool zero_chunk(struct shrink *s, u32 from, u32 to, u32 how) {
  trial_without(s, from, to);
  return true;
}

// Without the chunk, later decisions of the same actor move up: those of the same site (how
// = 0), or of any (how = 1), as where a round of a loop with all its draws goes.
static bool delete_chunk(struct shrink *s, u32 from, u32 to, u32 how) {
  bool moved = false;
  trial_without(s, from, to);
  for (u32 i = from; i < s->trial.count; i++) {
    struct sim_decision *d = &s->trial.item[i];
    u32 up = 0;
    for (u32 j = from; j < to; j++) {
      const struct sim_decision *gone = &s->list->item[j];
      bool same_site = strcmp(gone->site, d->site) == 0;
      up += gone->k < d->k && strcmp(gone->actor, d->actor) == 0 && (how || same_site);
    }
    if (up > d->k) up = d->k;
    d->k -= up;
    moved = moved || up;
  }
  return moved;  // else it is the trial of zero_chunk()
}
enum { DELETE_HOW_MAX = 1, DELETE_SIZE_MAX = 8 };

// Lowers each value v of the chunk to 1 (how = 0), or by v / 2^how where that is 1 or more:
// with how = 1, 2, ... 15 in turn, a bisection.
static bool lower_chunk(struct shrink *s, u32 from, u32 to, u32 how) {
  bool any = false;
  trial_without(s, 0, 0);
  for (u32 i = from; i < to; i++) {
    struct sim_decision *d = &s->trial.item[i];
    if (d->target[0] || d->value <= 1) continue;
    u32 value = how ? d->value - (d->value >> how) : 1;
    any = any || value != d->value;
    d->value = value;
  }
  return any;
}
enum { LOWER_HOW_MAX = 15 };  // values are below 2^16

// ---- The loop ----

typedef bool (*change_fn)(struct shrink *s, u32 from, u32 to, u32 how);

// Applies `change` to chunks from `size` down to single decisions, from the end of the
// list to its beginning: what is late is more often there by chance. Returns whether any
// trial failed as wanted.
static bool pass(struct shrink *s, change_fn change, u32 how, u32 size) {
  bool any = false;
  for (; size >= 1; size /= 2) {
    for (u32 to = s->list->count; to > 0 && !exhausted(s);) {
      u32 from = to > size ? to - size : 0;
      u32 before = s->list->count;
      bool success = change(s, from, to, how) && try_trial(s);
      any = any || success;
      // A chunk that was lowered may be lowered again.
      if (!success || s->list->count < before) to = from;
      if (to > s->list->count) to = s->list->count;
    }
  }
  return any;
}

// ---- One event instead of all ----

struct single {
  struct shrink *shrink;
  bool found;
};

static bool visit_single(void *arg, const struct sim_sweep_run *run,
                         const struct sim_result *result) {
  struct single *single = arg;
  struct shrink *s = single->shrink;
  s->runs++;
  single->found = has_key(result, s->key);
  if (single->found) sim_decisions_from_world(s->list, s->w);
  return !single->found && !exhausted(s);
}

// No decision can be left out of a list that is the only way to its own last decision, and
// yet another decision may do alone: looks at all there are.
static void try_single_events(struct shrink *s) {
  const struct sim_sweep_config config = {.values_max = SINGLE_VALUES_MAX};
  struct single single = {.shrink = s};
  if (s->list->count < 2 || exhausted(s)) return;
  struct sim_sweep *sweep = sim_sweep_new(s->w, &config);
  s->runs++;
  if (!exhausted(s) && sim_sweep_total(sweep) <= SINGLE_RUNS_MAX)
    sim_sweep_run(sweep, 1, UINT64_MAX, visit_single, &single);
  sim_sweep_free(sweep);
  if (single.found && s->changed) s->changed(s->arg, s->list->count);
}

u64 sim_shrink(struct sim_world *w, struct sim_decisions *list, const char *key, u64 runs_max,
               void (*changed)(void *arg, u32 count), void *arg) {
  struct shrink s = {
      .w = w, .list = list, .key = key, .runs_max = runs_max, .changed = changed, .arg = arg};
  if (!fails(&s, list)) return 0;
  adopt_record(&s);
  bool again = true;
  while (again && list->count && !exhausted(&s)) {
    again = pass(&s, zero_chunk, 0, list->count);
    u32 size = list->count < DELETE_SIZE_MAX ? list->count : DELETE_SIZE_MAX;
    for (u32 how = 0; how <= DELETE_HOW_MAX; how++) again |= pass(&s, delete_chunk, how, size);
    for (u32 how = 0; how <= LOWER_HOW_MAX; how++) again |= pass(&s, lower_chunk, how, list->count);
  }
  try_single_events(&s);
  sim_decisions_free(&s.trial);
  return s.runs;
}
