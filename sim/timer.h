// SPDX-License-Identifier: GPL-2.0-or-later
//
// Timers: the kernel's timer wheel in jiffies, and high-resolution timers.
//
// The wheel rounds as kernel/time/timer.c (7.2) does: a timer whose distance is
// below 63 jiffies fires one jiffy after `expires`; each further level is 8 times
// as coarse and rounds up to its granularity. Callbacks run in TIMER_SOFTIRQ of the
// CPU that the timer was added on. Timers of one expiry run in the order of adding.
// Memory with a timer, hrtimer or hardware event in it that is pending may not be freed
// (use-after-free).
#ifndef SEEDBED_SIM_TIMER_H_
#define SEEDBED_SIM_TIMER_H_

#include "sim/base.h"
#include "sim/site.h"
#include "sim/world.h"

struct sim_timer {
  u64 expires;  // jiffies, as asked for
  u64 bucket;   // jiffy at which the wheel runs it
  u64 order;
  void (*fn)(struct sim_timer *timer);
  struct sim_timer *next;
  u8 cpu;
  bool pending;
  u16 cls;  // lock class of its function; 0: none
};

// The jiffy at which a timer for `expires`, added when the wheel stands at `now`,
// runs. Pure.
u64 sim_timer_wheel_bucket(u64 expires, u64 now);

// `fn` by its name: its class in the order of locks (see sim_init_work).
void sim_timer_setup_named(struct sim_timer *timer, void (*fn)(struct sim_timer *timer),
                           const char *name);
#define sim_timer_setup(timer, fn) sim_timer_setup_named((timer), (fn), "timer:" #fn)
// mod_timer: (re)arms for `expires` (jiffies) on this CPU; returns whether it was
// pending. add_timer_on: as the kernel's, on `cpu`; must not be pending.
bool sim_mod_timer_at(struct sim_site *site, struct sim_timer *timer, u64 expires);
#define sim_mod_timer(t, e) sim_mod_timer_at(SIM_SITE("mod_timer"), (t), (e))
void sim_add_timer_on_at(struct sim_site *site, struct sim_timer *timer, u64 expires, u32 cpu);
#define sim_add_timer_on(t, e, c) sim_add_timer_on_at(SIM_SITE("add_timer_on"), (t), (e), (c))
bool sim_timer_pending(const struct sim_timer *timer);
// timer_delete: returns whether it was pending. timer_delete_sync also waits until a
// running callback has returned (a finding if called from that callback, or in
// hardirq). timer_delete_sync_try: -1 if the callback is running.
bool sim_timer_delete_at(struct sim_site *site, struct sim_timer *timer);
#define sim_timer_delete(t) sim_timer_delete_at(SIM_SITE("timer_delete"), (t))
bool sim_timer_delete_sync_at(struct sim_site *site, struct sim_timer *timer);
#define sim_timer_delete_sync(t) sim_timer_delete_sync_at(SIM_SITE("timer_delete_sync"), (t))
int sim_timer_delete_sync_try_at(struct sim_site *site, struct sim_timer *timer);
#define sim_timer_delete_sync_try(t) \
  sim_timer_delete_sync_try_at(SIM_SITE("timer_delete_sync_try"), (t))

// hrtimers: fire in hardirq context at hard_ns, or at an earlier hrtimer interrupt (one of
// these, the tick, the wheel) of that CPU that comes at soft_ns or later; but not while one
// with an earlier hard_ns waits for its soft_ns (kernel/time/hrtimer.c). Those of one
// hard_ns in the order of their start.
struct sim_hrtimer {
  u64 soft_ns, hard_ns;
  u64 order;
  void (*fn)(struct sim_hrtimer *timer);
  struct sim_hrtimer *next;
  u8 cpu;
  bool pending;
};
void sim_hrtimer_setup(struct sim_hrtimer *timer, void (*fn)(struct sim_hrtimer *timer));
// Times are absolute, on this CPU's clock; soft_ns <= hard_ns.
void sim_hrtimer_start(struct sim_hrtimer *timer, u64 soft_ns, u64 hard_ns);
bool sim_hrtimer_cancel(struct sim_hrtimer *timer);

// Jiffies and time, at the world's hz. msecs_to_jiffies rounds up.
u64 sim_msecs_to_jiffies(u64 ms);
u64 sim_usecs_to_jiffies(u64 us);
u64 sim_jiffies_to_nsecs(u64 jiffies);
u32 sim_hz(void);

#endif  // SEEDBED_SIM_TIMER_H_
