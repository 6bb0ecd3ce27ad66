// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work and delayed work, run by worker tasks (daemons) in process context.
#ifndef SEEDBED_SIM_WORK_H_
#define SEEDBED_SIM_WORK_H_

#include "sim/base.h"
#include "sim/site.h"
#include "sim/timer.h"

struct sim_work {
  void (*fn)(struct sim_work *work);
  struct sim_work *next;
  struct sim_workqueue *wq;  // where it is queued; NULL if it is not
  u16 disabled;              // cancels that wait for it
  u16 cls;                   // lock class of its function
  bool pending;              // queued, or its timer is armed
};
struct sim_delayed_work {
  struct sim_work work;
  struct sim_timer timer;
  struct sim_workqueue *wq;
};
// A queue with `workers` worker tasks, bound to one CPU (cpu >= 0) or unbound
// (cpu = -1: workers are spread over the CPUs). One item never runs twice at once;
// it may be queued again while it runs. In set-up.
struct sim_workqueue *sim_alloc_workqueue(const char *name, int cpu, u32 workers);

// `fn` by its name: that is the item's class in the order of locks, as waiting for the end
// of a function that takes a lock orders it.
void sim_init_work_named(struct sim_work *work, void (*fn)(struct sim_work *work),
                         const char *name);
#define sim_init_work(work, fn) sim_init_work_named((work), (fn), "work:" #fn)
void sim_init_delayed_work_named(struct sim_delayed_work *dw, void (*fn)(struct sim_work *work),
                                 const char *name);
#define sim_init_delayed_work(dw, fn) sim_init_delayed_work_named((dw), (fn), "work:" #fn)
// Returns false, and does nothing, if it was pending or is being cancelled. Any context.
bool sim_queue_work_at(struct sim_site *site, struct sim_workqueue *wq, struct sim_work *work);
#define sim_queue_work(wq, w) sim_queue_work_at(SIM_SITE("queue_work"), (wq), (w))
bool sim_queue_delayed_work_at(struct sim_site *site, struct sim_workqueue *wq,
                               struct sim_delayed_work *dw, u64 delay_jiffies);
#define sim_queue_delayed_work(wq, dw, d) \
  sim_queue_delayed_work_at(SIM_SITE("queue_delayed_work"), (wq), (dw), (d))
// mod_delayed_work: (re)arms; returns whether it was pending.
bool sim_mod_delayed_work_at(struct sim_site *site, struct sim_workqueue *wq,
                             struct sim_delayed_work *dw, u64 delay_jiffies);
#define sim_mod_delayed_work(wq, dw, d) \
  sim_mod_delayed_work_at(SIM_SITE("mod_delayed_work"), (wq), (dw), (d))
// cancel takes it off, waits until it does not run (meanwhile it cannot be queued), and
// returns whether it was pending. flush waits for the end of the run that it is queued
// for, or else of the one that goes on; an armed timer does not count. Task context; from
// the work's own function: api-misuse.
bool sim_cancel_work_sync_at(struct sim_site *site, struct sim_work *work);
#define sim_cancel_work_sync(w) sim_cancel_work_sync_at(SIM_SITE("cancel_work_sync"), (w))
bool sim_cancel_delayed_work_sync_at(struct sim_site *site, struct sim_delayed_work *dw);
#define sim_cancel_delayed_work_sync(dw) \
  sim_cancel_delayed_work_sync_at(SIM_SITE("cancel_delayed_work_sync"), (dw))
void sim_flush_work_at(struct sim_site *site, struct sim_work *work);
#define sim_flush_work(w) sim_flush_work_at(SIM_SITE("flush_work"), (w))

#endif  // SEEDBED_SIM_WORK_H_
