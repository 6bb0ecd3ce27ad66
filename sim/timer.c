// SPDX-License-Identifier: GPL-2.0-or-later
//
// Timers: the wheel's rounding, its expiry in TIMER_SOFTIRQ, high-resolution timers, and
// the conversions of jiffies.
//
// The wheel is modelled by what it does, a list sorted by the jiffy at which its bucket
// runs; the arithmetic of levels is that of kernel/time/timer.c in 6.12 and 7.2: 64
// buckets a level, each level 8 times as coarse.
#include "sim/timer.h"

#include "sim/engine.h"
#include "sim/lockdep.h"
#include "sim/race.h"

enum { LEVEL_BUCKETS = 64, LEVEL_SHIFT = 3, LEVELS = 9 };

u64 sim_timer_wheel_bucket(u64 expires, u64 now) {
  if (expires <= now) return now + 1;  // at the next tick
  u64 delta = expires - now;
  for (u32 level = 0; level < LEVELS; level++) {
    u64 end = (u64)(LEVEL_BUCKETS - 1) << (level * LEVEL_SHIFT);
    if (delta >= end && level + 1 < LEVELS) continue;
    if (delta >= end) expires = now + end - (1ull << (level * LEVEL_SHIFT));
    u32 shift = level * LEVEL_SHIFT;
    return ((expires + (1ull << shift)) >> shift) << shift;
  }
  return expires;
}

void sim_timer_setup_named(struct sim_timer *timer, void (*fn)(struct sim_timer *timer),
                           const char *name) {
  *timer = (struct sim_timer){.fn = fn, .cls = sim_lock_class(name)};
}

static void unlink_timer(struct sim_timer *timer) {
  struct sim_cpu *cpu = sim_w->st->cpus[timer->cpu];
  struct sim_timer **at = &cpu->timers;
  while (*at != timer) at = &(*at)->next;
  *at = timer->next;
  timer->pending = false;
}

void sim_timer_arm(struct sim_timer *timer, u64 expires, u32 cpu_id) {
  struct sim_state *st = sim_w->st;
  struct sim_cpu *cpu = st->cpus[cpu_id];
  if (!timer->fn || timer->pending)
    sim_fail(&sim_oracle_api, "timer", "a timer is added before timer_setup, or twice");
  timer->expires = expires;
  timer->bucket = sim_timer_wheel_bucket(expires, sim_jiffy_of(st, st->cpu->clock_ns));
  timer->order = st->order++;
  timer->cpu = cpu->id;
  timer->pending = true;
  sim_hb_release(timer);
  struct sim_timer **at = &cpu->timers;
  while (*at && (*at)->bucket <= timer->bucket) at = &(*at)->next;
  timer->next = *at;
  *at = timer;
  sim_cpu_recompute_events(cpu);
}

bool sim_timer_detach(struct sim_timer *timer) {
  if (!timer->pending) return false;
  sim_hb_acquire(timer);
  struct sim_cpu *cpu = sim_w->st->cpus[timer->cpu];
  unlink_timer(timer);
  sim_cpu_recompute_events(cpu);
  return true;
}

bool sim_mod_timer_at(struct sim_site *site, struct sim_timer *timer, u64 expires) {
  sim_not_in_nmi("mod_timer");
  sim_point(site, timer, SIM_COST_LOCK);
  if (timer->pending && timer->expires == expires) return true;
  bool was = sim_timer_detach(timer);
  sim_timer_arm(timer, expires, sim_w->st->cpu->id);
  return was;
}

void sim_add_timer_on_at(struct sim_site *site, struct sim_timer *timer, u64 expires, u32 cpu) {
  sim_not_in_nmi("add_timer_on");
  struct sim_state *st = sim_w->st;
  sim_point(site, timer, SIM_COST_LOCK);
  if (cpu >= st->num_cpus)
    sim_fail(&sim_oracle_api, "add_timer_on", "add_timer_on: there is no CPU %u", cpu);
  sim_timer_arm(timer, expires, cpu);
}

bool sim_timer_pending(const struct sim_timer *timer) { return timer->pending; }

bool sim_timer_delete_at(struct sim_site *site, struct sim_timer *timer) {
  sim_not_in_nmi("timer_delete");
  sim_point(site, timer, SIM_COST_LOCK);
  return sim_timer_detach(timer);
}

void sim_timers_due(struct sim_cpu *cpu) {
  if (cpu->timers && cpu->timers->bucket <= sim_jiffy_of(sim_w->st, cpu->clock_ns))
    cpu->softirq_pending |= 1u << SIM_TIMER_SOFTIRQ;
}

void sim_timer_softirq(void) {
  for (;;) {
    struct sim_cpu *cpu = sim_w->st->cpu;
    struct sim_timer *timer = cpu->timers;
    if (!timer || timer->bucket > sim_jiffy_of(sim_w->st, cpu->clock_ns)) break;
    cpu->timers = timer->next;
    timer->pending = false;
    cpu->running_timer = timer;
    sim_emit(SIM_EVENT_TIMER, NULL, timer->expires, timer->bucket, NULL);
    sim_count_step(sim_w);
    sim_hb_acquire(timer);
    sim_cpu_recompute_events(cpu);
    if (timer->cls) {
      struct sim_site *site = SIM_SITE("timer");
      sim_lockdep_check(cpu, timer->cls, site, false);
      sim_lockdep_acquired(cpu, timer->cls, site);
      timer->fn(timer);
      sim_lockdep_released(cpu, site, "timer");
    } else {
      timer->fn(timer);
    }
    sim_hb_release(timer);  // its name: the timer itself may be gone
    cpu->running_timer = NULL;
  }
  sim_cpu_recompute_events(sim_w->st->cpu);
}

// ---- hrtimers ----

void sim_hrtimer_setup(struct sim_hrtimer *timer, void (*fn)(struct sim_hrtimer *timer)) {
  *timer = (struct sim_hrtimer){.fn = fn};
}

void sim_hrtimer_start(struct sim_hrtimer *timer, u64 soft_ns, u64 hard_ns) {
  struct sim_state *st = sim_w->st;
  sim_check_alive(timer, "hrtimer_start");
  if (!timer->fn || soft_ns > hard_ns)
    sim_fail(&sim_oracle_api, "hrtimer", "hrtimer_start without set-up, or soft after hard");
  if (timer->pending) sim_hrtimer_cancel(timer);
  struct sim_cpu *cpu = st->cpu;
  timer->soft_ns = soft_ns;
  timer->hard_ns = hard_ns;
  timer->order = st->order++;
  timer->cpu = cpu->id;
  timer->pending = true;
  sim_hb_release(timer);
  struct sim_hrtimer **at = &cpu->hrtimers;
  while (*at && (*at)->hard_ns <= hard_ns) at = &(*at)->next;
  timer->next = *at;
  *at = timer;
  sim_cpu_recompute_events(cpu);
}

bool sim_hrtimer_cancel(struct sim_hrtimer *timer) {
  sim_check_alive(timer, "hrtimer_cancel");
  sim_hb_acquire(timer);
  if (!timer->pending) return false;
  struct sim_cpu *cpu = sim_w->st->cpus[timer->cpu];
  struct sim_hrtimer **at = &cpu->hrtimers;
  while (*at != timer) at = &(*at)->next;
  *at = timer->next;
  timer->pending = false;
  sim_cpu_recompute_events(cpu);
  return true;
}

// In the order of their hard times, up to the first whose soft time has not come: those
// behind it wait too, as its interrupt will come before theirs.
void sim_hrtimers_run(struct sim_cpu *cpu) {
  u64 now = cpu->clock_ns;
  struct sim_hrtimer *timer;
  while ((timer = cpu->hrtimers) && timer->soft_ns <= now) {
    cpu->hrtimers = timer->next;
    timer->pending = false;
    sim_emit(SIM_EVENT_TIMER, NULL, timer->soft_ns, timer->hard_ns, NULL);
    sim_count_step(sim_w);
    sim_hb_acquire(timer);
    timer->fn(timer);
    sim_hb_release(timer);
  }
}

// ---- Jiffies ----

u32 sim_hz(void) { return sim_w->cfg.hz; }

u64 sim_msecs_to_jiffies(u64 ms) {
  u64 per_jiffy = 1000 / sim_w->cfg.hz;
  return (ms + per_jiffy - 1) / per_jiffy;
}

u64 sim_usecs_to_jiffies(u64 us) {
  u64 per_jiffy = 1000000 / sim_w->cfg.hz;
  return (us + per_jiffy - 1) / per_jiffy;
}

u64 sim_jiffies_to_nsecs(u64 jiffies) { return jiffies * sim_w->st->tick_ns; }
