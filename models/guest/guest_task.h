// SPDX-License-Identifier: GPL-2.0-only
//
// A guest call as a task of the world. It draws an event (0: none) and then its distance in
// instructions; until that boundary, or the next stop, the guest runs undisturbed. Time is
// charged by the count, and each leg ends in a scheduling point, so that another task, with
// an engine of its own, may go on at any instruction boundary.
#ifndef SEEDBED_MODELS_GUEST_GUEST_TASK_H_
#define SEEDBED_MODELS_GUEST_GUEST_TASK_H_

#include "models/guest/guest.h"
#include "sim/site.h"

// How a call proceeds. Event 1 is a scheduling point and nothing else; events 2 to
// 1 + num_events are handed to `event` with 0 to num_events - 1, behind the scheduling point, and
// may do whatever a task may: change memory, begin and run a nested call (guest_task_run again).
struct guest_pace {
  struct sim_site *event_site;     // SIM_SITE_DRAW of kind SIM_SITE_FAULT, with its rate
  struct sim_site *distance_site;  // SIM_SITE_DRAW of kind SIM_SITE_WORK
  struct sim_site *elapse_site;    // SIM_SITE: where time passes
  u32 distance_max;  // instructions, at most SIM_CHOICE_MAX; an event comes after 0 to
                     // distance_max - 1 more
  u32 insn_ps;       // cost of an instruction, virtual picoseconds
  u32 num_events;
  void (*event)(void *arg, u32 event);
  void (*leg)(void *arg);  // called before each leg, where the task may have been moved; or NULL
  void *arg;
};

// guest_task_run runs the open call of `g`, in a task, to its next stop that is not a boundary,
// tells it and returns its kind. What runs at a boundary may find the memory of `g` changed by
// other tasks, and its registers not.
// Determinism: one draw of an event for each leg, one of a distance for each event.
enum guest_stop_kind guest_task_run(struct guest *g, const struct guest_pace *pace,
                                    struct guest_stop *out_stop);

#endif  // SEEDBED_MODELS_GUEST_GUEST_TASK_H_
