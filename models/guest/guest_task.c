// SPDX-License-Identifier: GPL-2.0-only
//
// A guest call as a task of the world.
#include "models/guest/guest_task.h"

#include "sim/choice.h"
#include "sim/cover.h"
#include "sim/world.h"

enum { PS_PER_NS = 1000 };

enum guest_stop_kind guest_task_run(struct guest *g, const struct guest_pace *pace,
                                    struct guest_stop *out_stop) {
  u64 charged = guest_insns(g);  // instructions that have been paid for
  for (;;) {
    u32 event = sim_choose(sim_w, pace->event_site, 2 + pace->num_events);
    u64 stop_at = GUEST_NO_LIMIT;
    if (event)
      stop_at = guest_insns(g) + sim_choose(sim_w, pace->distance_site, pace->distance_max);
    if (pace->leg) pace->leg(pace->arg);
    enum guest_stop_kind kind = guest_run(g, stop_at, out_stop);
    // Ends of instructions on a grid of picoseconds, so that no leg rounds.
    u64 before_ns = charged * pace->insn_ps / PS_PER_NS;
    charged = guest_insns(g);
    sim_elapse_at(pace->elapse_site, charged * pace->insn_ps / PS_PER_NS - before_ns);
    if (kind != GUEST_BOUNDARY) return kind;
    sim_cover_state(6, (u64)event << 32 | (u32)guest_get(g, GUEST_PC));
    if (event >= 2) pace->event(pace->arg, event - 2);
  }
}
