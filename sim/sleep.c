// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sleeping for a time (kernel/time/sleep_timeout.c; kernel/time/timer.c before 6.13):
// schedule_timeout and msleep by the timer wheel, usleep_range by an hrtimer.
#include "sim/prim.h"

// A timer on the sleeper's stack that wakes it.
struct timeout {
  struct sim_timer timer;
  struct sim_task *task;
};

static void timeout_fired(struct sim_timer *timer) {
  sim_wake(sim_container_of(timer, struct timeout, timer)->task);
}

static void sleep_in_state(struct sim_site *site, const char *what) {
  struct sim_task *self = sim_cur_task();
  if (self->state != SIM_TASK_RUNNING) {
    self->waits++;
    sim_block(site, (enum sim_task_state)self->state, what);
  } else {
    sim_hb_acquire(self);  // the wake-up came before the sleep
  }
}

s64 sim_sleep_timeout(struct sim_site *site, const char *what, s64 timeout) {
  if (timeout == SIM_MAX_SCHEDULE_TIMEOUT) {
    sleep_in_state(site, what);
    return timeout;
  }
  if (timeout < 0) {
    sim_cur_task()->state = SIM_TASK_RUNNING;
    return 0;
  }
  struct timeout t = {.timer = {.fn = timeout_fired}, .task = sim_cur_task()};
  u64 expires = sim_jiffies() + (u64)timeout;
  sim_timer_arm(&t.timer, expires, sim_w->st->cpu->id);
  sleep_in_state(site, what);
  sim_timer_detach(&t.timer);  // or its callback, which does nothing but wake, is over
  s64 left = (s64)(expires - sim_jiffies());
  return left < 0 ? 0 : left;
}

s64 sim_schedule_timeout_at(struct sim_site *site, s64 timeout) {
  if (sim_cur_task()->state == SIM_TASK_RUNNING) {
    // As schedule() in the running state: others may go on, the time does not matter.
    sim_schedule_at(site);
    return timeout < 0 ? 0 : timeout;
  }
  sim_point(site, NULL, SIM_COST_ACCESS);
  return sim_sleep_timeout(site, "schedule_timeout", timeout);
}

static s64 schedule_timeout_in(struct sim_site *site, enum sim_task_state state, s64 timeout,
                               const char *what) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  sim_cur_task()->state = (u8)state;
  return sim_sleep_timeout(site, what, timeout);
}

s64 sim_schedule_timeout_interruptible_at(struct sim_site *site, s64 timeout) {
  return schedule_timeout_in(site, SIM_TASK_INTERRUPTIBLE, timeout, "schedule_timeout");
}

s64 sim_schedule_timeout_uninterruptible_at(struct sim_site *site, s64 timeout) {
  return schedule_timeout_in(site, SIM_TASK_UNINTERRUPTIBLE, timeout, "schedule_timeout");
}

void sim_msleep_at(struct sim_site *site, u32 ms) {
  s64 left = (s64)sim_msecs_to_jiffies(ms);
  while (left) left = schedule_timeout_in(site, SIM_TASK_UNINTERRUPTIBLE, left, "msleep");
}

// An hrtimer on the sleeper's stack.
struct hr_timeout {
  struct sim_hrtimer timer;
  struct sim_task *task;
  bool fired;
};

static void hr_timeout_fired(struct sim_hrtimer *timer) {
  struct hr_timeout *t = sim_container_of(timer, struct hr_timeout, timer);
  t->fired = true;
  sim_wake(t->task);
}

void sim_usleep_range_at(struct sim_site *site, u64 min_us, u64 max_us) {
  if (min_us > max_us)
    sim_fail(&sim_oracle_api, "usleep_range", "usleep_range from %llu to %llu us",
             (unsigned long long)min_us, (unsigned long long)max_us);
  sim_point(site, NULL, SIM_COST_ACCESS);
  struct hr_timeout t = {.task = sim_cur_task()};
  sim_hrtimer_setup(&t.timer, hr_timeout_fired);
  u64 now = sim_clock_ns();
  sim_hrtimer_start(&t.timer, now + min_us * SIM_NSEC_PER_USEC, now + max_us * SIM_NSEC_PER_USEC);
  t.task->waits++;
  while (!t.fired) sim_block(site, SIM_TASK_UNINTERRUPTIBLE, "usleep_range");
}

u32 sim_task_waits(const struct sim_task *task) { return task->waits; }
