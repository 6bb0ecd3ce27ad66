// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sweep; see swept.h.

#include "tools/swept.h"

#include <stdlib.h>
#include <string.h>

#include "tools/child.h"

// ---- Runs in a child ----

// Makes room for `len` digits.
static void reserve(struct sim_odometer *odometer, u32 len) {
  if (odometer->cap >= len) return;
  odometer->cap = len < 256 ? 256 : len;
  odometer->digit = xrealloc(odometer->digit, odometer->cap * sizeof(*odometer->digit));
  odometer->top = xrealloc(odometer->top, odometer->cap * sizeof(*odometer->top));
}

struct tops_run {
  const struct run_spec *spec;
  struct sim_odometer *odometer;
};

struct tops_head {
  struct sim_result result;
  bool setup_failed;
  u32 len;
};

static int tops_main(void *arg, FILE *out) {
  const struct tops_run *run = arg;
  struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = run->odometer};
  struct sim_world *world = sim_world_new();
  struct tops_head head = {0};

  if (!world) return SIM_OURS;
  if (sim_world_setup(world, run->spec->scenario, run->spec->params, &head.result) != SIM_OK) {
    head.setup_failed = true;
  } else {
    sim_world_run(world, &input, &head.result);
    head.len = run->odometer->len;
  }
  fwrite(&head, sizeof(head), 1, out);
  fwrite(run->odometer->top, sizeof(*run->odometer->top), head.len, out);
  return 0;
}

// Runs the odometer in a child and takes over the radices of the whole run.
static enum jobs_death tops(const struct run_spec *spec, struct sim_odometer *odometer, u64 ms,
                            struct sim_result *result, bool *out_setup_failed, int *out_code) {
  struct tops_run run = {spec, odometer};
  struct child_result child;
  enum jobs_death death;
  struct tops_head head;
  u32 len = odometer->len;

  child_fork(tops_main, &run, ms, true, &child);
  death = jobs_death_of_child(&child, out_code);
  if (death == JOBS_EXIT && !*out_code && child.out.len >= sizeof(head)) {
    death = JOBS_ALIVE;
    memcpy(&head, child.out.s, sizeof(head));
    SIM_ASSERT(child.out.len == sizeof(head) + head.len * sizeof(*odometer->top));
    *result = head.result;
    *out_setup_failed = head.setup_failed;
    reserve(odometer, head.len);
    memcpy(odometer->top, child.out.s + sizeof(head), head.len * sizeof(*odometer->top));
    if (head.len > len)
      memset(odometer->digit + len, 0, (head.len - len) * sizeof(*odometer->digit));
    odometer->len = head.len;
  }
  child_result_free(&child);
  return death;
}

// ---- The calm run ----

enum jobs_death sweep_plan_make(const struct run_spec *spec, u32 window, u64 ms,
                                struct sweep_plan *out, struct sim_result *result,
                                bool *out_setup_failed, int *out_code) {
  struct sim_odometer odometer = {0};
  enum jobs_death death;
  u32 i;

  *out = (struct sweep_plan){.window = window};
  *out_code = 0;
  *out_setup_failed = false;
  death = tops(spec, &odometer, ms, result, out_setup_failed, out_code);
  if (death == JOBS_ALIVE) {
    out->boundaries = odometer.len;
    out->top = xcalloc(odometer.len, sizeof(*out->top));
    if (odometer.len) memcpy(out->top, odometer.top, odometer.len * sizeof(*out->top));
    for (i = 0; i < out->boundaries; i++) out->events += out->top[i];
  }
  sim_odometer_free(&odometer);
  return death;
}

void sweep_plan_free(struct sweep_plan *plan) {
  free(plan->top);
  *plan = (struct sweep_plan){0};
}

// ---- Items ----

// The digits of event number `event` alone; returns its boundary.
static u32 single(const struct sweep_plan *plan, u64 event, struct sim_odometer *out) {
  u32 at = 0;

  for (; event >= plan->top[at]; at++) event -= plan->top[at];
  reserve(out, at + 1);
  memset(out->digit, 0, at * sizeof(*out->digit));
  memcpy(out->top, plan->top, (at + 1) * sizeof(*out->top));
  out->digit[at] = (u16)(event + 1);
  out->len = at + 1;
  return at;
}

static u32 window_end(const struct sweep_plan *plan, const struct sim_odometer *first, u32 at) {
  return first->len - at - 1 > plan->window ? at + 1 + plan->window : first->len;
}

// The digits of `first` up to boundary `second`, which has `value`.
static void pair(const struct sim_odometer *first, u32 second, u32 value,
                 struct sim_odometer *out) {
  reserve(out, second + 1);
  memcpy(out->digit, first->digit, second * sizeof(*out->digit));
  memcpy(out->top, first->top, (second + 1) * sizeof(*out->top));
  out->digit[second] = (u16)value;
  out->len = second + 1;
}

// Runs all pairs that begin with the event that `first` describes: its digits up to
// boundary `at`, its radices of the whole run.
static void pairs(const struct sweep_plan *plan, struct jobs_worker *worker,
                  struct sim_world *world, const struct sim_odometer *first, u32 at) {
  struct sim_odometer odometer = {0};
  struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};
  u32 end = window_end(plan, first, at), second, value;
  struct sim_result result;

  for (second = at + 1; second < end; second++) {
    for (value = 1; value <= first->top[second]; value++) {
      pair(first, second, value, &odometer);
      if (jobs_run_one(worker, world, &input, NULL, &result) == JOBS_STOP) goto out;
    }
  }
out:
  sim_odometer_free(&odometer);
}

void sweep_item(const struct sweep_plan *plan, struct jobs_worker *worker, struct sim_world *world,
                u64 item) {
  struct sim_odometer odometer = {0};
  struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};
  struct sim_result result;
  u32 at;

  if (!item) {
    jobs_run_one(worker, world, &input, NULL, &result);
  } else {
    at = single(plan, item - 1, &odometer);
    if (jobs_run_one(worker, world, &input, NULL, &result) == JOBS_RAN)
      pairs(plan, worker, world, &odometer, at);
  }
  sim_odometer_free(&odometer);
}

bool sweep_digits(const struct sweep_plan *plan, const struct run_spec *spec, u64 item, u64 sub,
                  u64 ms, struct sim_odometer *out) {
  struct sim_odometer first = {0};
  struct sim_result result;
  bool setup_failed, found = false;
  u32 at, second, value;
  int code;

  *out = (struct sim_odometer){0};
  if (!item) return true;
  at = single(plan, item - 1, sub ? &first : out);
  if (!sub) return true;
  if (tops(spec, &first, ms, &result, &setup_failed, &code) == JOBS_ALIVE) {
    for (second = at + 1; second < window_end(plan, &first, at) && !found; second++) {
      for (value = 1; value <= first.top[second] && !found; value++) {
        found = !--sub;
        if (found) pair(&first, second, value, out);
      }
    }
  }
  sim_odometer_free(&first);
  return found;
}
