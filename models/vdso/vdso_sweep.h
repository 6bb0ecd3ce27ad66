// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sweep of vdso-getrandom: each instruction boundary of four calls (first call, batch hit,
// refill, whole blocks), times each event, times each ordered pair of events whose second comes
// at the same boundary or at most `window` later. A case goes on from a snapshot at its first
// boundary.
//
// Events 1 to VDSO_SWEPT_EVENTS of enum vdso_event. After a signal's handler has returned the
// call stands where it stood, so the second event of a pair "at one boundary" comes then.
#ifndef SEEDBED_MODELS_VDSO_VDSO_SWEEP_H_
#define SEEDBED_MODELS_VDSO_VDSO_SWEEP_H_

#include "models/vdso/vdso_run.h"
#include "sim/decision.h"

enum { VDSO_SWEEP_SCRIPTS = VDSO_SCRIPT_DRAWN };

struct vdso_case {
  enum vdso_script script;
  u64 boundary;  // of the first event
  enum vdso_event event[2];
  u32 distance;    // of the second, from the first
  u32 num_events;  // 1 or 2
  enum vdso_outcome outcome;
  u64 digest;
  const struct vdso_verdict *verdict;  // ->oracle NULL: clean
};

struct vdso_sweep;
// Of the world whose set-up was made last, which must be vdso-getrandom's. Finds how many
// boundaries each call has. The machine owns it.
struct vdso_sweep *vdso_sweep_new(void);
u64 vdso_sweep_boundaries(const struct vdso_sweep *sweep);  // of all four calls
// All cases whose first event is at boundary number `index` (0 .. boundaries-1). `before` is
// asked before each, and leaves it out by false; `visit` is called after each; false ends it.
void vdso_sweep_at(struct vdso_sweep *sweep, u64 index, u32 window, bool (*before)(void *arg),
                   bool (*visit)(void *arg, const struct vdso_case *done), void *arg);

// The decisions with which vdso-getrandom makes the same run. The caller frees the list.
void vdso_case_decisions(const struct vdso_case *done, struct sim_decisions *out);

// Counts of outcomes, by mark: "swept: served".
void vdso_sweep_count(enum vdso_outcome outcome);
#define VDSO_SWEPT_MARK "swept: "

#endif  // SEEDBED_MODELS_VDSO_VDSO_SWEEP_H_
