// SPDX-License-Identifier: GPL-2.0-or-later
//
// A sweep as items for jobs.h; see swept.h.

#include "tools/swept.h"

#include <stdlib.h>
#include <string.h>

#include "models/vdso/vdso_scenarios.h"
#include "models/vdso/vdso_sweep.h"
#include "tools/child.h"

// A world of the spec with its sweep, in a child process; NULL if its set-up fails.
static struct sim_sweep *open_sweep(const struct run_spec *spec, u32 window) {
  const struct sim_sweep_config config = {.window = window};
  struct sim_world *world = sim_world_new();

  if (!world || sim_world_setup(world, spec->scenario, spec->params, NULL) != SIM_OK) return NULL;
  return sim_sweep_new(world, &config);
}

bool swept_guest(const struct run_spec *spec) { return spec->scenario == &scenario_vdso_getrandom; }

// ---- How large it is ----

static int measure_guest_main(void *arg, FILE *out) {
  const struct run_spec *spec = arg;
  struct sim_world *world = sim_world_new();
  struct swept_size size = {0};

  if (!world || sim_world_setup(world, spec->scenario, spec->params, NULL) != SIM_OK)
    return SIM_OURS;
  size.boundaries = size.events = vdso_sweep_boundaries(vdso_sweep_new());
  fwrite(&size, sizeof(size), 1, out);
  return 0;
}

static int measure_main(void *arg, FILE *out) {
  struct sim_sweep *sweep = open_sweep(arg, 0);
  struct swept_size size;

  if (!sweep) return SIM_OURS;
  size = (struct swept_size){sim_sweep_draws(sweep), sim_sweep_singles(sweep), false};
  fwrite(&size, sizeof(size), 1, out);
  return 0;
}

struct swept_size swept_measure(const struct run_spec *spec, u64 ms) {
  struct swept_size size = {0};
  struct child_limits limits = {.cpu_ms = ms, .yields = true, .again = true};
  struct child_result child;

  child_fork(swept_guest(spec) ? measure_guest_main : measure_main, (void *)(uintptr_t)spec,
             &limits, &child);
  size.killed = child.end == CHILD_SIGNALED && signal_from_outside(child.code);
  if (child.out.len == sizeof(size)) memcpy(&size, child.out.s, sizeof(size));
  child_result_free(&child);
  return size;
}

// ---- Items ----

struct item_run {
  struct jobs_worker *worker;
  const struct sim_world *world;
};

static bool run_begins(void *arg, const struct sim_sweep_run *run) {
  const struct item_run *item = arg;

  return jobs_run_begin(item->worker) == JOBS_RAN;
}

static bool run_ended(void *arg, const struct sim_sweep_run *run, const struct sim_result *result) {
  const struct item_run *item = arg;

  return jobs_run_end(item->worker, item->world, NULL, result) != JOBS_STOP;
}

struct guest_item {
  struct jobs_worker *worker;
  struct sim_world *world;
};

static bool case_begins(void *arg) {
  const struct guest_item *item = arg;

  return jobs_run_begin(item->worker) == JOBS_RAN;
}

// A case that an oracle objects to is made again in the world, by its decisions.
static bool case_ended(void *arg, const struct vdso_case *done) {
  const struct guest_item *item = arg;
  struct sim_result result = {.digest = done->digest};

  vdso_sweep_count(done->outcome);
  if (done->verdict->oracle) {
    struct sim_decision decision[8];
    struct sim_decisions list = {.item = decision, .cap = SIM_ARRAY_SIZE(decision)};
    struct sim_input input = {.backend = SIM_BACKEND_LIST, .list = &list};

    vdso_case_decisions(done, &list);
    sim_world_run(item->world, &input, &result);
  }
  return jobs_run_end(item->worker, item->world, NULL, &result) != JOBS_STOP;
}

void swept_item(struct swept *swept, const struct run_spec *spec, u32 window,
                struct jobs_worker *worker, struct sim_world *world, u64 item) {
  struct sim_sweep **sweep = &swept->host;
  const struct sim_sweep_config config = {.window = window};
  struct item_run item_run = {worker, world};

  if (!item) {
    struct sim_odometer odometer = {0};
    struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};
    struct sim_result result;

    jobs_run_one(worker, world, &input, NULL, &result);
    sim_odometer_free(&odometer);
    return;
  }
  if (swept_guest(spec)) {
    struct guest_item guest_item = {worker, world};

    if (!swept->guest) swept->guest = vdso_sweep_new();
    vdso_sweep_at(swept->guest, item - 1, window, case_begins, case_ended, &guest_item);
    return;
  }
  if (!*sweep) *sweep = sim_sweep_new(world, &config);
  sim_sweep_single(*sweep, item - 1, run_begins, run_ended, &item_run);
}

// ---- A run again ----

struct digits_run {
  const struct run_spec *spec;
  u32 window;
  u64 single, sub;
  FILE *out;
};

// Lets only the single event run, and writes down the events of the run that is wanted.
static bool look_for(void *arg, const struct sim_sweep_run *run) {
  const struct digits_run *digits = arg;

  if (run->index == digits->sub) fwrite(run, sizeof(*run), 1, digits->out);
  return run->index == 0 && digits->sub > 0;
}

static bool go_on(void *arg, const struct sim_sweep_run *run, const struct sim_result *result) {
  return true;
}

static int digits_main(void *arg, FILE *out) {
  struct digits_run *digits = arg;
  struct sim_sweep *sweep = open_sweep(digits->spec, digits->window);

  if (!sweep || digits->single >= sim_sweep_singles(sweep)) return SIM_OURS;
  digits->out = out;
  sim_sweep_single(sweep, digits->single, look_for, go_on, digits);
  return 0;
}

bool swept_digits(const struct run_spec *spec, u32 window, u64 item, u64 sub, u64 ms,
                  struct sim_odometer *out) {
  struct digits_run digits = {spec, window, item - 1, sub, NULL};
  struct sim_sweep_run run;
  struct child_limits limits = {.cpu_ms = ms, .yields = true, .again = true};
  struct child_result child;
  u32 i;

  *out = (struct sim_odometer){0};
  if (!item) return true;
  if (swept_guest(spec)) return false;
  child_fork(digits_main, &digits, &limits, &child);
  if (child.out.len != sizeof(run)) {
    child_result_free(&child);
    return false;
  }
  memcpy(&run, child.out.s, sizeof(run));
  child_result_free(&child);
  out->len = out->cap = run.event[run.num_events - 1].draw + 1;
  out->digit = xcalloc(out->cap, sizeof(*out->digit));
  // How many alternatives there are at each the odometer learns as it goes.
  out->top = xcalloc(out->cap, sizeof(*out->top));
  for (i = 0; i < run.num_events; i++) out->digit[run.event[i].draw] = (u16)run.event[i].value;
  return true;
}
