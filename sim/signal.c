// SPDX-License-Identifier: GPL-2.0-or-later
//
// Signals, as far as they end sleeps: pending or not.
#include "sim/prim.h"

void sim_send_signal_at(struct sim_site *site, struct sim_task *task) {
  sim_not_in_nmi("send_signal");
  sim_point(site, NULL, SIM_COST_LOCK);
  if (task->kthread || task->dead) return;
  task->signal = true;
  if (task->state == SIM_TASK_INTERRUPTIBLE) sim_wake(task);
}

bool sim_signal_pending_at(struct sim_site *site) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  return sim_cur_task()->signal;
}

void sim_clear_signals(void) {
  struct sim_task *self = sim_cur_task();
  if (!self->kthread) self->signal = false;
}

bool sim_task_signalled(const struct sim_task *task) { return task->signal; }
