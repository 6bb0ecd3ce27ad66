// SPDX-License-Identifier: GPL-2.0-or-later
//
// Per-CPU data, and the check that a task stays on its CPU while it uses this CPU's
// (lib/smp_processor_id.c).
#include "sim/prim.h"

void *sim_alloc_percpu_size(size_t size, const char *name) {
  return sim_alloc_static(size * sim_w->st->num_cpus, name);
}

void sim_check_percpu(void) {
  const struct sim_state *st = sim_w->st;
  const struct sim_task *self = st->cpu->cur;
  if (sim_likely(self->preempt_count != 0 || st->cpu->irqs_off)) return;
  if (self->percpu_thread || self->pinned || st->in_setup) return;
  char place[SIM_PLACE_LEN];
  sim_fail(&sim_oracle_context, "this_cpu_ptr",
           "%s uses this CPU's data while it may be moved to another; last seen at %s",
           sim_task_label(self), sim_task_place(self, place));
}
