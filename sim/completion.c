// SPDX-License-Identifier: GPL-2.0-or-later
//
// Completions (kernel/sched/completion.c): a count and a FIFO of waiters. `done` is
// looked at before the signal, and the signal before each sleep.
#include "sim/prim.h"
#include "sim/wait.h"

void sim_init_completion(struct sim_completion *x, const char *name) {
  *x = (struct sim_completion){.name = name};
  sim_init_waitqueue_head(&x->wait, name);
}

void sim_reinit_completion(struct sim_completion *x) { x->done = 0; }

void sim_complete_at(struct sim_site *site, struct sim_completion *x, bool all) {
  sim_not_in_nmi("complete");
  sim_point(site, x, SIM_COST_LOCK);
  sim_hb_locked(x);
  if (all)
    x->done = UINT32_MAX;
  else if (x->done != UINT32_MAX)
    x->done++;
  struct sim_wait_entry *e;
  while ((e = x->wait.first)) {
    sim_wait_entry_remove(&x->wait, e);
    sim_wake(e->task);
    if (!all) break;
  }
}

bool sim_completion_done(const struct sim_completion *x) {
  if (x->done == 0) return false;
  sim_hb_acquire(x);  // the kernel takes the lock then
  return true;
}

// Sleeps until done, a signal or the timeout; what is left of it.
SIM_NOINLINE static s64 completion_wait(struct sim_site *site, struct sim_completion *x,
                                        enum sim_task_state state, s64 timeout) {
  struct sim_task *self = sim_cur_task();
  struct sim_wait_entry entry = {.task = self, .exclusive = true};
  do {
    if (state == SIM_TASK_INTERRUPTIBLE && self->signal) {
      timeout = -SIM_ERESTARTSYS;
      break;
    }
    if (!entry.queued) sim_wait_entry_add(&x->wait, &entry);
    self->state = (u8)state;
    timeout = sim_sleep_timeout(site, x->name, timeout);
    sim_alive(x, "wait_for_completion");
  } while (!x->done && timeout);
  if (entry.queued) sim_wait_entry_remove(&x->wait, &entry);
  return timeout;
}

s64 sim_wait_for_completion_at(struct sim_site *site, struct sim_completion *x,
                               enum sim_task_state state, s64 timeout) {
  sim_may_sleep("wait_for_completion");
  sim_point(site, x, SIM_COST_LOCK);
  if (!x->done) {
    timeout = completion_wait(site, x, state, timeout);
    if (!x->done) {
      sim_hb_locked(x);
      return timeout;
    }
  }
  sim_hb_locked(x);
  if (x->done != UINT32_MAX) x->done--;
  return timeout ? timeout : 1;
}
