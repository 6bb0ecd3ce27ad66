// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_sweep.h.
#include "models/vdso/vdso_sweep.h"

#include <stdio.h>
#include <string.h>

#include "models/vdso/vdso_scenarios.h"
#include "sim/checker.h"

// All that a run has changed, beside the kept memory of the guest.
struct saved {
  struct vdso_run run;
  u64 generation, delivered;
  u32 bumps;
  bool is_ready;
};

struct vdso_sweep {
  struct vdso_run *run;
  u64 boundaries[VDSO_SWEEP_SCRIPTS];
  struct saved saved;
};

static void save(struct vdso_sweep *sweep) {
  struct vdso_machine *m = sweep->run->m;

  guest_take(m->fast.g, m->boundary);
  sweep->saved.run = *sweep->run;
  sweep->saved.generation = m->generation;
  sweep->saved.delivered = m->delivered;
  sweep->saved.bumps = m->bumps;
  sweep->saved.is_ready = m->is_ready;
}

static void back(struct vdso_sweep *sweep) {
  struct vdso_machine *m = sweep->run->m;

  *sweep->run = sweep->saved.run;
  m->generation = sweep->saved.generation;
  m->delivered = sweep->saved.delivered;
  m->bumps = sweep->saved.bumps;
  m->is_ready = sweep->saved.is_ready;
  guest_restore(m->fast.g, m->boundary);
  vdso_publish(m, &m->fast);
}

struct vdso_sweep *vdso_sweep_new(void) {
  struct vdso_run *run = vdso_getrandom_run();
  struct vdso_sweep *sweep =
      guest_pages(run->m->fast.g, (sizeof(*sweep) + GUEST_PAGE - 1) / GUEST_PAGE * GUEST_PAGE);

  sweep->run = run;
  for (u32 script = 0; script < VDSO_SWEEP_SCRIPTS; script++) {
    vdso_run_alone(run);
    run->script = script;
    vdso_run_to_last(run);
    sweep->boundaries[script] = run->verdict.oracle ? 0 : vdso_quiet_insns(run);
    vdso_run_in_world(run);
  }
  return sweep;
}

u64 vdso_sweep_boundaries(const struct vdso_sweep *sweep) {
  u64 sum = 0;

  for (u32 script = 0; script < VDSO_SWEEP_SCRIPTS; script++) sum += sweep->boundaries[script];
  return sum;
}

static void make(struct vdso_sweep *sweep, struct vdso_case *done) {
  struct vdso_run *run = sweep->run;
  struct vdso_call *call = &run->now.call[0];

  back(sweep);
  if (done->num_events == 2) {
    call->event = done->event[1];
    call->event_at = done->boundary + done->distance;
  }
  vdso_run_event(run, done->event[0]);
  vdso_run_finish(run);
  done->outcome = run->outcome;
  done->digest = run->digest;
  done->verdict = &run->verdict;
}

void vdso_sweep_at(struct vdso_sweep *sweep, u64 index, u32 window, bool (*before)(void *arg),
                   bool (*visit)(void *arg, const struct vdso_case *done), void *arg) {
  struct vdso_run *run = sweep->run;
  struct vdso_case done = {.num_events = 1};

  while (index >= sweep->boundaries[done.script]) index -= sweep->boundaries[done.script++];
  done.boundary = index;
  vdso_run_alone(run);
  run->script = done.script;
  vdso_run_to_last(run);
  if (index && !vdso_run_to(run, index)) return;
  save(sweep);
  for (u32 first = 1; first <= VDSO_SWEPT_EVENTS; first++) {
    done.event[0] = first;
    // No second event, then each at each distance.
    for (u64 pair = 0; pair <= (u64)VDSO_SWEPT_EVENTS * (window + 1ull); pair++) {
      done.num_events = pair ? 2 : 1;
      done.event[1] = pair ? 1 + (pair - 1) % VDSO_SWEPT_EVENTS : VDSO_NONE;
      done.distance = pair ? (u32)((pair - 1) / VDSO_SWEPT_EVENTS) : 0;
      if (done.distance && index + done.distance >= sweep->boundaries[done.script]) break;
      if (!before(arg)) continue;
      make(sweep, &done);
      // Whoever is told may run the world.
      vdso_run_in_world(run);
      if (!visit(arg, &done)) return;
      vdso_run_alone(run);
    }
  }
  vdso_run_in_world(run);
}

static void add(struct sim_decisions *out, const char *site, u32 k, u32 value) {
  struct sim_decision *item = &out->item[out->count];

  if (!value) return;
  SIM_ASSERT(out->count < out->cap);
  memset(item, 0, sizeof(*item));
  snprintf(item->site, sizeof(item->site), "%s", site);
  snprintf(item->actor, sizeof(item->actor), "caller#0");
  item->k = k;
  item->value = value;
  out->count++;
}

void vdso_case_decisions(const struct vdso_case *done, struct sim_decisions *out) {
  // The first scale of distances reaches 4096, the fourth all.
  u32 far = done->boundary >= 4096 ? 3 : 0, far_second = done->distance >= 4096 ? 3 : 0;

  out->count = 0;
  add(out, "vdso-script", 0, done->script);
  add(out, "vdso-event", 0, done->event[0]);
  add(out, "vdso-scale", 0, far);
  add(out, "vdso-distance", 0, (u32)done->boundary);
  if (done->num_events < 2) return;
  add(out, "vdso-event", 1, done->event[1]);
  add(out, "vdso-scale", 1, far_second);
  add(out, "vdso-distance", 1, done->distance);
}

// Marks are counted over all processes of a campaign; these are never missed.
#define OUTCOME(name) \
  { "vdso-getrandom", VDSO_SWEPT_MARK name, UINT64_MAX, 0 }
static struct sim_mark outcomes[VDSO_OUTCOMES]
    __attribute__((section("sim_marks"), used, aligned(32))) = {
        [VDSO_SERVED] = OUTCOME("served"),   [VDSO_SERVED_ANEW] = OUTCOME("served-anew"),
        [VDSO_SYSCALL] = OUTCOME("syscall"), [VDSO_REFUSED] = OUTCOME("refused"),
        [VDSO_FAULTED] = OUTCOME("faulted"),
};

void vdso_sweep_count(enum vdso_outcome outcome) { outcomes[outcome].hits++; }
