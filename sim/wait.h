// SPDX-License-Identifier: GPL-2.0-or-later
//
// Waiting for a condition: wait queues and completions.
#ifndef SEEDBED_SIM_WAIT_H_
#define SEEDBED_SIM_WAIT_H_

#include "sim/base.h"
#include "sim/lock.h"
#include "sim/site.h"
#include "sim/task.h"

// A wait queue. wake_up wakes all waiters that are not exclusive, newest first, then the
// oldest exclusive one (wake_up_all: each exclusive one, oldest first); a waiter that runs
// already is passed over. prepare_to_wait queues `entry` (zero-initialised, of the
// caller's stack) unless it is queued, and sets the state; finish_wait takes it off.
struct sim_wait_queue_head {
  const char *name;
  struct sim_wait_entry *first;
};
struct sim_wait_entry {
  struct sim_task *task;
  struct sim_wait_entry *next;
  bool exclusive, queued;
};
void sim_init_waitqueue_head(struct sim_wait_queue_head *wq, const char *name);
void sim_prepare_to_wait_at(struct sim_site *site, struct sim_wait_queue_head *wq,
                            struct sim_wait_entry *entry, enum sim_task_state state,
                            bool exclusive);
void sim_finish_wait_at(struct sim_site *site, struct sim_wait_queue_head *wq,
                        struct sim_wait_entry *entry);
// Returns the number of tasks woken, which are off the queue then. Any context.
u32 sim_wake_up_at(struct sim_site *site, struct sim_wait_queue_head *wq, bool all);
#define sim_wake_up(wq) sim_wake_up_at(SIM_SITE("wake_up"), (wq), false)
#define sim_wake_up_all(wq) sim_wake_up_at(SIM_SITE("wake_up_all"), (wq), true)
bool sim_waitqueue_active(const struct sim_wait_queue_head *wq);

// The loop of wait_event*: `cond` is evaluated once before anything is queued, then after
// each prepare_to_wait. The value is 0,
// -SIM_ERESTARTSYS (interruptible and a signal is pending), or for the timeout form
// the jiffies left (at least 1 if cond holds), 0 on timeout. A task that sleeps
// here for ever though `cond` holds is reported as lost-wakeup.
s64 sim_wait_sleep_(struct sim_site *site, struct sim_wait_queue_head *wq,
                    struct sim_wait_entry *entry, enum sim_task_state state, s64 timeout);
void sim_wait_recheck_(const struct sim_wait_queue_head *wq, bool cond);
void sim_wait_begin_(void);
#define sim_wait_event_full_(wq, cond, state, timeout_)                                           \
  ({                                                                                              \
    struct sim_wait_entry sim_entry_ = {0};                                                       \
    s64 sim_left_ = (timeout_);                                                                   \
    sim_wait_begin_();                                                                            \
    for (bool sim_first_ = true;; sim_first_ = false) {                                           \
      if (!sim_first_)                                                                            \
        sim_prepare_to_wait_at(SIM_SITE("prepare_to_wait"), (wq), &sim_entry_, (state), false);   \
      bool sim_cond_ = (cond);                                                                    \
      sim_wait_recheck_((wq), sim_cond_);                                                         \
      if (sim_cond_) {                                                                            \
        if (sim_left_ == 0) sim_left_ = 1;                                                        \
        break;                                                                                    \
      }                                                                                           \
      if (sim_left_ == 0) break;                                                                  \
      if (sim_first_) continue;                                                                   \
      sim_left_ = sim_wait_sleep_(SIM_SITE("wait_event"), (wq), &sim_entry_, (state), sim_left_); \
      if (sim_left_ < 0) break;                                                                   \
    }                                                                                             \
    if (sim_entry_.task) sim_finish_wait_at(SIM_SITE("finish_wait"), (wq), &sim_entry_);          \
    sim_left_;                                                                                    \
  })
#define sim_wait_event(wq, cond) \
  ((void)sim_wait_event_full_(wq, cond, SIM_TASK_UNINTERRUPTIBLE, SIM_MAX_SCHEDULE_TIMEOUT))
#define sim_wait_event_interruptible(wq, cond)                                            \
  ({                                                                                      \
    s64 sim_rc_ =                                                                         \
        sim_wait_event_full_(wq, cond, SIM_TASK_INTERRUPTIBLE, SIM_MAX_SCHEDULE_TIMEOUT); \
    sim_rc_ < 0 ? (int)sim_rc_ : 0;                                                       \
  })
#define sim_wait_event_interruptible_timeout(wq, cond, timeout) \
  sim_wait_event_full_(wq, cond, SIM_TASK_INTERRUPTIBLE, (timeout))
#define sim_wait_event_timeout(wq, cond, timeout) \
  sim_wait_event_full_(wq, cond, SIM_TASK_UNINTERRUPTIBLE, (timeout))

// Completions. complete_all leaves it done for ever (until reinit).
struct sim_completion {
  const char *name;
  u32 done;  // UINT32_MAX: for ever
  struct sim_wait_queue_head wait;
};
void sim_init_completion(struct sim_completion *x, const char *name);
void sim_reinit_completion(struct sim_completion *x);
void sim_complete_at(struct sim_site *site, struct sim_completion *x, bool all);
#define sim_complete(x) sim_complete_at(SIM_SITE("complete"), (x), false)
#define sim_complete_all(x) sim_complete_at(SIM_SITE("complete_all"), (x), true)
bool sim_completion_done(const struct sim_completion *x);
// Jiffies left (>= 1) when completed, 0 on timeout, -SIM_ERESTARTSYS when
// interrupted. The interruptible form checks `done` first, then signals, then sleeps,
// as kernel/sched/completion.c does. Each complete() lets one waiter through, the oldest
// first. reinit forgets what was completed.
s64 sim_wait_for_completion_at(struct sim_site *site, struct sim_completion *x,
                               enum sim_task_state state, s64 timeout);
#define sim_wait_for_completion(x)                                        \
  ((void)sim_wait_for_completion_at(SIM_SITE("wait_for_completion"), (x), \
                                    SIM_TASK_UNINTERRUPTIBLE, SIM_MAX_SCHEDULE_TIMEOUT))
#define sim_wait_for_completion_timeout(x, t)                              \
  sim_wait_for_completion_at(SIM_SITE("wait_for_completion_timeout"), (x), \
                             SIM_TASK_UNINTERRUPTIBLE, (t))
#define sim_wait_for_completion_interruptible(x)                                     \
  ((int)sim_wait_for_completion_interruptible_rc_(                                   \
      sim_wait_for_completion_at(SIM_SITE("wait_for_completion_interruptible"), (x), \
                                 SIM_TASK_INTERRUPTIBLE, SIM_MAX_SCHEDULE_TIMEOUT)))
#define sim_wait_for_completion_interruptible_timeout(x, t)                              \
  sim_wait_for_completion_at(SIM_SITE("wait_for_completion_interruptible_timeout"), (x), \
                             SIM_TASK_INTERRUPTIBLE, (t))
static inline s64 sim_wait_for_completion_interruptible_rc_(s64 rc) { return rc < 0 ? rc : 0; }

#endif  // SEEDBED_SIM_WAIT_H_
