// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wait queues (kernel/sched/wait.c). Waiters that are not exclusive are put at the head
// and exclusive ones at the tail, so that a wake-up reaches all of the former, newest
// first, before the oldest of the latter. Who was woken is off the queue.
#include "sim/wait.h"

#include "sim/prim.h"

void sim_init_waitqueue_head(struct sim_wait_queue_head *wq, const char *name) {
  *wq = (struct sim_wait_queue_head){.name = name};
}

void sim_wait_entry_add(struct sim_wait_queue_head *wq, struct sim_wait_entry *entry) {
  struct sim_wait_entry **at = &wq->first;
  while (entry->exclusive && *at) at = &(*at)->next;
  entry->next = *at;
  *at = entry;
  entry->queued = true;
}

void sim_wait_entry_remove(struct sim_wait_queue_head *wq, struct sim_wait_entry *entry) {
  for (struct sim_wait_entry **at = &wq->first; *at; at = &(*at)->next) {
    if (*at != entry) continue;
    *at = entry->next;
    entry->next = NULL;
    entry->queued = false;
    return;
  }
  SIM_ASSERT(!"a queued waiter is on its queue");
}

void sim_prepare_to_wait_at(struct sim_site *site, struct sim_wait_queue_head *wq,
                            struct sim_wait_entry *entry, enum sim_task_state state,
                            bool exclusive) {
  sim_point(site, wq, SIM_COST_LOCK);
  sim_hb_locked(wq);
  struct sim_task *self = sim_cur_task();
  if (!entry->queued) {
    entry->task = self;
    entry->exclusive = exclusive;
    sim_wait_entry_add(wq, entry);
  }
  self->state = (u8)state;
  sim_hb_fence(true, true);  // smp_store_mb
}

void sim_finish_wait_at(struct sim_site *site, struct sim_wait_queue_head *wq,
                        struct sim_wait_entry *entry) {
  sim_cur_task()->state = SIM_TASK_RUNNING;
  if (!entry->queued) return;
  sim_point(site, wq, SIM_COST_LOCK);
  sim_hb_locked(wq);
  if (entry->queued) sim_wait_entry_remove(wq, entry);
}

// try_to_wake_up in TASK_NORMAL: a task that sleeps, or is about to.
static bool wakes(const struct sim_task *task) {
  u8 state = task->rt_waits ? task->rt_state : task->state;
  return state == SIM_TASK_INTERRUPTIBLE || state == SIM_TASK_UNINTERRUPTIBLE ||
         state == SIM_TASK_IDLE;
}

u32 sim_wake_up_at(struct sim_site *site, struct sim_wait_queue_head *wq, bool all) {
  sim_not_in_nmi("wake_up");
  sim_point(site, wq, SIM_COST_LOCK);
  sim_hb_locked(wq);
  u32 woken = 0;
  struct sim_wait_entry *next;
  for (struct sim_wait_entry *e = wq->first; e; e = next) {
    next = e->next;
    if (e->task->dead)
      sim_fail(&sim_oracle_api, wq->name, "%s still waits on %s though it has ended",
               sim_task_label(e->task), wq->name);
    if (!wakes(e->task)) continue;
    sim_wait_entry_remove(wq, e);
    sim_wake(e->task);
    woken++;
    if (e->exclusive && !all) break;
  }
  return woken;
}

bool sim_waitqueue_active(const struct sim_wait_queue_head *wq) { return wq->first != NULL; }

// ---- wait_event ----

s64 sim_wait_sleep_(struct sim_site *site, struct sim_wait_queue_head *wq,
                    struct sim_wait_entry *entry, enum sim_task_state state, s64 timeout) {
  struct sim_task *self = sim_cur_task();
  (void)entry;
  if (state == SIM_TASK_INTERRUPTIBLE && self->signal) return -SIM_ERESTARTSYS;
  self->in_wait_event = timeout == SIM_MAX_SCHEDULE_TIMEOUT;
  timeout = sim_sleep_timeout(site, wq->name, timeout);
  self->in_wait_event = false;
  return timeout;
}

void sim_wait_begin_(void) { sim_may_sleep("wait_event"); }

void sim_wait_recheck_(const struct sim_wait_queue_head *wq, bool cond) {
  struct sim_task *self = sim_cur_task();
  if (sim_likely(!self->force_recheck)) return;
  self->force_recheck = false;
  if (cond)
    sim_fail(&sim_oracle_lost_wakeup, wq->name,
             "%s slept on %s since %llu ns though its condition held, and nobody was left to "
             "wake it",
             sim_task_label(self), wq->name, (unsigned long long)self->slept_since_ns);
}

bool sim_quiescent_recheck(void) {
  struct sim_state *st = sim_w->st;
  if (st->rechecked) return false;
  st->rechecked = true;
  bool any = false;
  for (u32 i = 0; i < SIM_TASKS_MAX; i++) {
    struct sim_task *task = st->tasks[i];
    if (!task || task->dead || !task->sleeping || !task->in_wait_event) continue;
    task->force_recheck = true;
    sim_wake(task);
    any = true;
  }
  return any;
}
