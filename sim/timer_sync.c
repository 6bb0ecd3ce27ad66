// SPDX-License-Identifier: GPL-2.0-or-later
//
// Deleting a timer whose callback may be running (kernel/time/timer.c,
// timer_delete_sync): waits until it has returned.
#include "sim/lockdep.h"
#include "sim/rt.h"

static int try_to_delete(struct sim_timer *timer) {
  if (sim_timer_running(timer)) return -1;
  sim_hb_acquire(timer);  // behind its callback
  return sim_timer_detach(timer);
}

int sim_timer_delete_sync_try_at(struct sim_site *site, struct sim_timer *timer) {
  sim_point(site, timer, SIM_COST_LOCK);
  return try_to_delete(timer);
}

bool sim_timer_delete_sync_at(struct sim_site *site, struct sim_timer *timer) {
  if (sim_context_level(sim_cur_task()->preempt_count) >= 2)
    sim_fail(&sim_oracle_context, "timer_delete_sync", "timer_delete_sync in a hardirq");
  sim_point(site, timer, SIM_COST_LOCK);
  // Under rt=1 the callback's thread may have been preempted.
  if (sim_w->st->cpu->running_timer == timer && (!sim_rt() || sim_cur_task()->serving))
    sim_fail(&sim_oracle_context, "timer_delete_sync of itself",
             "timer_delete_sync waits for the callback that calls it");
  sim_lockdep_check_wait(timer->cls, site);
  for (;;) {
    int rc = try_to_delete(timer);
    if (rc >= 0) return rc;
    // The callback may need this CPU.
    if (sim_rt()) sim_yield_at(site);
    sim_cpu_relax_at(site);
    sim_alive(timer, "timer_delete_sync");
  }
}
