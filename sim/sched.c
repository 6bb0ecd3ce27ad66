// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scheduling: who runs next, on which CPU. Sections:
//   - which CPUs may run, and the horizon
//   - going: switching to an actor
//   - leaving: the running context cannot go on
//   - the scheduling point, and the one at an access of hooked code
//   - sleep and wake-up
//   - giving up the CPU
//   - spinning
//   - preemption
#include "sim/sched.h"

#include <stdio.h>
#include <string.h>

#include "sim/choice_impl.h"
#include "sim/engine.h"
#include "sim/prim.h"
#include "sim/race.h"
#include "sim/runqueue.h"

// ---- Which CPUs may run, and the horizon ----

// A CPU that waits does nothing but take interrupts: it is idle, or it spins for a lock, be
// it in an interrupt that woke it.
static inline bool waits(const struct sim_cpu *cpu) {
  return cpu->spinning || (cpu->idle && !cpu->in_event && !cpu->rq_n);
}

// The clock at which a CPU would do something next; SIM_NEVER if it has nothing.
static inline u64 effective_clock(const struct sim_cpu *cpu) {
  if (sim_likely(cpu->online & !cpu->idle & !cpu->spinning)) return cpu->clock_ns;
  if (!cpu->online) return SIM_NEVER;
  if (!waits(cpu) || (cpu->irq_pending & cpu->attention)) return cpu->clock_ns;
  if (cpu->irqs_off) return SIM_NEVER;
  if (cpu->softirq_pending && !cpu->spinning && !sim_w->cfg.rt) return cpu->clock_ns;
  u64 at = cpu->next_event_ns;
  return at < cpu->clock_ns ? cpu->clock_ns : at;
}

// Recomputes what sim_sched_refresh promises; returns the lowest clock of the others that
// have something to do, or SIM_NEVER.
static u64 refresh(struct sim_world *w) {
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = st->cpu;
  u64 now = cpu->clock_ns, skew = w->cfg.skew_ns;
  u64 horizon = cpu->irqs_off ? SIM_NEVER : cpu->next_event_ns;
  if (w->deadline_ns < horizon) horizon = w->deadline_ns;
  st->num_others = 0;
  u64 lowest = SIM_NEVER;
  if (st->num_cpus == 2) {
    // The general case below, written out for the commonest machine.
    const struct sim_cpu *other = st->cpus[1 - cpu->id];
    lowest = effective_clock(other);
    if (lowest != SIM_NEVER) {
      if (lowest + skew + 1 < horizon) horizon = lowest + skew + 1;
      if (lowest <= now || lowest - now <= skew)
        st->others[st->num_others++] = other->id;
      else if (lowest - skew < horizon)
        horizon = lowest - skew;
    }
  } else if (st->num_cpus > 2) {
    u64 eff[SIM_CPUS_MAX];
    for (u32 i = 0; i < st->num_cpus; i++) {
      eff[i] = i == cpu->id ? SIM_NEVER : effective_clock(st->cpus[i]);
      if (eff[i] < lowest) lowest = eff[i];
    }
    if (lowest != SIM_NEVER) {
      u64 floor = now < lowest ? now : lowest;
      if (lowest + skew + 1 < horizon) horizon = lowest + skew + 1;
      for (u32 i = 0; i < st->num_cpus; i++) {
        if (eff[i] == SIM_NEVER) continue;
        if (eff[i] - floor <= skew)
          st->others[st->num_others++] = (u8)i;
        else if (now < lowest && eff[i] - skew < horizon)
          horizon = eff[i] - skew;
      }
    }
  }
  cpu->horizon_ns = horizon;
  return lowest;
}

void sim_sched_refresh(void) { (void)refresh(sim_w); }

// Whether a visit finds the CPU idle, with nothing due, so that a queued task starts.
static inline bool starts_task(const struct sim_cpu *cpu) {
  return cpu->idle && !cpu->in_event && cpu->rq_n && !cpu->irq_pending &&
         cpu->next_event_ns > cpu->clock_ns;
}

// A waiting CPU that is visited for an event has waited until it is due.
static inline void reach_event(struct sim_cpu *cpu) {
  if (waits(cpu)) cpu->clock_ns = effective_clock(cpu);
}

struct sim_cpu *sim_this_cpu;

// ---- Going: switching to an actor ----

// Switches from the stack of `from` (NULL: the host) to that of `task`; returns when
// somebody switches back. The one call of all switches: see sim/ctx_x86_64.S.
SIM_NOINLINE static void switch_to(struct sim_world *w, struct sim_task *from,
                                   struct sim_task *task) {
  if (task == from) return;
  w->slot_used[task->slot] = 1;
  sim_ctx_switch(w, from, task);
}

static void set_busy(struct sim_state *st, struct sim_cpu *cpu) {
  cpu->idle = false;
  cpu->next_tick_ns = (sim_jiffy_of(st, cpu->clock_ns) + 1) * st->tick_ns;
  if (cpu->next_tick_ns < cpu->next_event_ns) cpu->next_event_ns = cpu->next_tick_ns;
}

// The current task leaves `cpu`.
static inline void sched_out(const struct sim_cpu *cpu) {
  struct sim_preempt_notifier *notifier = cpu->cur->notifier;
  if (sim_unlikely(notifier != NULL)) notifier->sched_out(notifier);
}

void sim_cpu_set_idle(struct sim_cpu *cpu) {
  sched_out(cpu);
  cpu->cur = &cpu->idle_task;
  cpu->idle = true;
  cpu->need_resched = false;
  cpu->next_tick_ns = SIM_NEVER;
  sim_cpu_recompute_events(cpu);
}

// Makes `task`, taken off the queue, current on `cpu`.
static inline void make_current(struct sim_world *w, struct sim_cpu *cpu, struct sim_task *task) {
  cpu->cur = task;
  cpu->need_resched = false;
  // This CPU may lag the one that made it runnable.
  if (sim_unlikely(cpu->clock_ns < task->runnable_ns)) cpu->clock_ns = task->runnable_ns;
  cpu->clock_ns += w->cfg.switch_cost_ns;
  task->never_ran = false;
  task->ran_since_ns = cpu->clock_ns;
  if (sim_unlikely(sim_race != NULL)) sim_race_switched_in(cpu, task);
  if (sim_unlikely(task->notifier != NULL)) task->notifier->sched_in(task->notifier);
}

// Goes on, from the stack of `from` (NULL: the host), with alternative `alt`.
static void go(struct sim_world *w, struct sim_task *from, const struct sim_alt *alt) {
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = st->cpus[alt->cpu];
  struct sim_task *task;
  sim_set_this_cpu(st, cpu);
  if (alt->actor < SIM_ACTOR_CPU0 && starts_task(cpu)) {
    task = st->tasks[alt->slot];
    sim_rq_take(st, cpu, alt->slot);
    set_busy(st, cpu);
    make_current(w, cpu, task);
  } else {
    task = cpu->cur;
    reach_event(cpu);
  }
  sim_show(w, SIM_EVENT_SWITCH, NULL, alt->actor, alt->cpu);
  switch_to(w, from, task);
}

// ---- Leaving: the running context cannot go on ----

static void add_cpu_alts(struct sim_state *st, const struct sim_cpu *cpu, struct sim_alt *alts,
                         u32 *n) {
  if (starts_task(cpu)) {
    for (u8 slot = cpu->rq_head; slot != SIM_NO_SLOT; slot = st->links[slot].next) {
      const struct sim_task *t = st->tasks[slot];
      alts[(*n)++] =
          (struct sim_alt){.actor = t->serial, .slot = t->slot, .cpu = cpu->id, .obj = t->obj};
      if (cpu->stopper) break;
    }
    return;
  }
  alts[(*n)++] = (struct sim_alt){.actor = (u16)(SIM_ACTOR_CPU0 + cpu->id),
                                  .slot = cpu->cur->slot,
                                  .cpu = cpu->id,
                                  .obj = cpu->cur->obj};
}

// All that could go on now, the calm one first: this CPU where it can and may, else the
// one with the lowest clock, ties by number. `self_ok`: the running context itself is
// among them.
static u32 gather(struct sim_world *w, struct sim_alt *alts, bool prefer_own) {
  struct sim_state *st = w->st;
  struct sim_cpu *own = st->cpu;
  u64 skew = w->cfg.skew_ns;
  u32 n = 0;
  if (st->num_cpus == 2) {
    // The general case below, written out for the commonest machine.
    struct sim_cpu *a = st->cpus[0], *b = st->cpus[1];
    u64 eff_a = effective_clock(a), eff_b = effective_clock(b);
    if (eff_a == SIM_NEVER && eff_b == SIM_NEVER) return 0;
    u64 apart = eff_a < eff_b ? eff_b - eff_a : eff_a - eff_b;
    bool b_first = eff_b < eff_a;
    if (prefer_own && apart <= skew && starts_task(own)) b_first = own == b;
    add_cpu_alts(st, b_first ? b : a, alts, &n);
    if (apart <= skew) add_cpu_alts(st, b_first ? a : b, alts, &n);
    return n;
  }
  u64 eff[SIM_CPUS_MAX];
  u64 lowest = SIM_NEVER;
  u32 first = 0;
  for (u32 i = 0; i < st->num_cpus; i++) {
    eff[i] = effective_clock(st->cpus[i]);
    if (eff[i] < lowest) {
      lowest = eff[i];
      first = i;
    }
  }
  if (lowest == SIM_NEVER) return 0;
  if (prefer_own && starts_task(own) && eff[own->id] - lowest <= skew) first = own->id;
  add_cpu_alts(st, st->cpus[first], alts, &n);
  for (u32 i = 0; i < st->num_cpus; i++)
    if (i != first && eff[i] != SIM_NEVER && eff[i] - lowest <= skew)
      add_cpu_alts(st, st->cpus[i], alts, &n);
  return n;
}

// The running context, on the stack of `from` (NULL: the host), gives the host its CPU: draws who
// goes on. Returns when it is this context again (possibly at once).
static void leave(struct sim_world *w, struct sim_task *from, struct sim_site *site, u32 actor,
                  u32 k, bool prefer_own) {
  struct sim_alt *alts = w->alts;
  u32 n;
  if (sim_unlikely(sim_weak != NULL)) sim_weak_mb();
  while ((n = gather(w, alts, prefer_own)) == 0) sim_quiescent();
  u32 i = n > 1 ? sim_choose_actor(w, site, actor, k, alts, n) : 0;
  struct sim_alt alt = alts[i];
  go(w, from, &alt);
  if (sim_unlikely(sim_weak != NULL)) sim_weak_mb();  // a task that slept looks at memory anew
}

void sim_leave_for_good(struct sim_task *from, struct sim_site *site) {
  struct sim_world *w = sim_w;
  u32 k = sim_occurrence(w, from->slot, site);
  sim_cpu_set_idle(w->st->cpu);
  sim_ctx_leaving_for_good(w);
  leave(w, from, site, from->serial, k, true);
}

void sim_leave_from_host(void) {
  struct sim_world *w = sim_w;
  static struct sim_site site SIM_SITE_SECTION = {.prim = "start"};
  struct sim_cpu *cpu = w->st->cpus[0];
  sim_set_this_cpu(w->st, cpu);
  sim_check_deadline();  // phase one may have no length
  u32 k = sim_occurrence(w, SIM_TASKS_MAX, &site);
  leave(w, NULL, &site, SIM_ACTOR_CPU0, k, true);
}

// The idle task of a CPU: handles what is due, then leaves. Its coroutine is entered
// only for events.
void sim_idle_main(void *arg) {
  struct sim_cpu *cpu = arg;
  struct sim_world *w = sim_w;
  static struct sim_site site SIM_SITE_SECTION = {.prim = "idle"};
  sim_ctx_arrived(w);
  for (;;) {
    sim_sched_refresh();
    // Where nothing but devices and timers act, no scheduling point counts or looks.
    sim_count_step(w);
    sim_check_deadline();
    cpu->in_event = true;
    sim_cpu_events();
    if (cpu->softirq_pending && !w->cfg.rt) sim_do_softirq(cpu);
    cpu->in_event = false;
    if (cpu->wake_charge) {
      cpu->wake_charge = false;
      cpu->clock_ns += w->cfg.wake_latency_ns;
    }
    u32 k = sim_occurrence(w, SIM_TASKS_MAX + cpu->id, &site);
    leave(w, &cpu->idle_task, &site, SIM_ACTOR_CPU0 + cpu->id, k, true);
  }
}

// Must this CPU let another go first? Then it does, and is back when it may go on.
static void obey_skew(struct sim_world *w, struct sim_task *self, u32 slot, u32 actor) {
  struct sim_state *st = w->st;
  for (;;) {
    u64 lowest = refresh(w);
    if (lowest == SIM_NEVER || st->cpu->clock_ns <= lowest + w->cfg.skew_ns) return;
    static struct sim_site skew_site SIM_SITE_SECTION = {.prim = "skew"};
    u32 k = sim_occurrence(w, slot, &skew_site);
    leave(w, self, &skew_site, actor, k, false);
  }
}

// What a CPU does when its clock has reached its horizon or interrupts are pending.
SIM_NOINLINE static void attend(struct sim_world *w) {
  struct sim_cpu *cpu = w->st->cpu;
  struct sim_task *self = cpu->cur;
  sim_check_deadline();
  do {
    sim_cpu_events();
    sim_resched_if_needed();
    cpu = w->st->cpu;
    obey_skew(w, self, sim_actor_slot(cpu), sim_actor_of(cpu));
    cpu = w->st->cpu;
  } while ((cpu->irq_pending & cpu->attention) ||
           (!cpu->irqs_off && cpu->next_event_ns <= cpu->clock_ns));
}

// ---- The scheduling point ----

static inline u64 cost_of(const struct sim_world *w, u32 cost) {
  if (sim_likely(cost < SIM_COST_MARKED)) return cost;
  if (cost == SIM_COST_ACCESS || cost == SIM_COST_MARKED) return w->cfg.access_cost_ns;
  if (cost == SIM_COST_LOCK) return w->cfg.lock_cost_ns;
  return w->cfg.relax_cost_ns;
}

static inline bool attention(const struct sim_cpu *cpu) {
  return sim_unlikely(cpu->clock_ns >= cpu->horizon_ns) |
         sim_unlikely(cpu->irq_pending & cpu->attention);
}

// Switches from the current task, which stays runnable, to alternative `i` >= 1 of a
// point: first the tasks queued here, then the other CPUs.
static inline u16 alt_of(const struct sim_state *st, const struct sim_cpu *cpu, u32 own, u32 i,
                         struct sim_alt *alt) {
  if (i <= own) {
    const struct sim_task *t = st->tasks[cpu->rq[i - 1]];
    *alt = (struct sim_alt){.actor = t->serial, .slot = t->slot, .cpu = cpu->id, .obj = t->obj};
  } else {
    const struct sim_cpu *c = st->cpus[st->others[i - 1 - own]];
    u8 slot = c->cur->slot;
    if (starts_task(c)) slot = c->rq_head;
    *alt = (struct sim_alt){
        .actor = (u16)(SIM_ACTOR_CPU0 + c->id), .slot = slot, .cpu = c->id, .obj = c->cur->obj};
  }
  return alt->actor;
}

// Preempts the current task by the queued one at `i`.
static inline void preempt_by(struct sim_world *w, struct sim_state *st, struct sim_cpu *cpu,
                              struct sim_task *self, u32 i) {
  if (sim_unlikely(sim_weak != NULL)) sim_weak_mb();
  if (sim_unlikely(sim_race != NULL)) sim_race_switched_out(cpu, self);
  struct sim_task *task = st->tasks[sim_rq_exchange(st, cpu, i, self->slot)];
  sched_out(cpu);
  make_current(w, cpu, task);
  sim_show(w, SIM_EVENT_SWITCH, NULL, task->serial, cpu->id);
  switch_to(w, self, task);
}

// Goes to another CPU; the current task stays current here.
static inline void visit(struct sim_world *w, struct sim_task *self, u32 cpu_id) {
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = st->cpus[cpu_id];
  sim_set_this_cpu(st, cpu);
  struct sim_task *task = cpu->cur;
  if (starts_task(cpu)) {
    task = st->tasks[cpu->rq_head];
    sim_rq_take(st, cpu, task->slot);
    set_busy(st, cpu);
    make_current(w, cpu, task);
  } else {
    reach_event(cpu);
  }
  sim_show(w, SIM_EVENT_SWITCH, NULL, SIM_ACTOR_CPU0 + cpu_id, cpu_id);
  switch_to(w, self, task);
}

SIM_NOINLINE static u32 pick_among(struct sim_world *w, struct sim_site *site, u32 actor, u32 k,
                                   u32 own, u32 n) {
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = st->cpu;
  struct sim_alt *alts = w->alts;
  alts[0] = (struct sim_alt){
      .actor = (u16)actor, .slot = cpu->cur->slot, .cpu = cpu->id, .obj = cpu->cur->obj};
  for (u32 i = 1; i < n; i++) alt_of(st, cpu, own, i, &alts[i]);
  return sim_choose_actor(w, site, actor, k, alts, n);
}

// The random walk among `n` alternatives, answered here: it is the hot path. `i` >= 1.
static inline void walk_on(struct sim_world *w, struct sim_state *st, struct sim_cpu *cpu,
                           struct sim_task *self, struct sim_site *site, u32 actor, u32 k, u32 own,
                           u32 i, u32 n) {
  if (sim_likely(i <= own)) {
    u32 target = st->tasks[cpu->rq[i - 1]]->serial;
    sim_record(w, site, actor, k, 1u + target);
    sim_show(w, SIM_EVENT_DRAW, site, target, n);
    preempt_by(w, st, cpu, self, i - 1);
  } else {
    u32 target = (u32)SIM_ACTOR_CPU0 + st->others[i - 1 - own];
    sim_record(w, site, actor, k, 1u + target);
    sim_show(w, SIM_EVENT_DRAW, site, target, n);
    visit(w, self, st->others[i - 1 - own]);
  }
}

// A number for what a step touches: its place in the arena, so that it says which steps
// touch the same object, and no address. 0 elsewhere: where on a stack an object lies is
// the compiler's choice.
static inline u32 object_number(const struct sim_world *w, const void *obj) {
  uintptr_t at = (uintptr_t)obj - (uintptr_t)w->arena.base;
  return at < SIM_ARENA_SIZE ? (u32)at : 0;
}

// The step is about to touch `obj`: is it still there?
SIM_COLD static void step_on_freed(struct sim_site *site, const void *obj) {
  char label[96];
  sim_check_alive(obj, sim_site_label(site, label, sizeof(label)));
}

void sim_point(struct sim_site *site, const void *obj, u32 cost) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = sim_this_cpu;
  struct sim_task *self = cpu->cur;
  u32 slot = self->slot, actor = self->serial;
  if (sim_unlikely(self->preempt_count & SIM_INTERRUPT_BITS)) {
    slot = SIM_TASKS_MAX + cpu->id;
    actor = SIM_ACTOR_CPU0 + cpu->id;
  }
  cpu->clock_ns += cost_of(w, cost);
  u32 number = object_number(w, obj);
  self->obj = number;
  self->site = site;
  if (sim_unlikely(++st->steps >= w->step_limit)) sim_step_limit_reached();
  if (attention(cpu)) {
    attend(w);
    cpu = sim_this_cpu;
    self->obj = number;  // an interrupt left its own
    self->site = site;
  }

  u32 drawn = st->drawn_mask[cpu->id];
  if (drawn != 0 && !cpu->irqs_off && !w->calm_irqs) {
    if (sim_draw_irqs(drawn)) {
      attend(w);  // it took time, and may have raised a line or the wish to reschedule
      cpu = sim_this_cpu;
      self->obj = number;
      self->site = site;
    }
  }

  // Only now: set-up may end while this point stands in attend, and the run counts anew.
  u32 k = sim_occurrence(w, slot, site);
  u32 own = self->preempt_count == 0 && !cpu->irqs_off && w->cfg.preempt ? cpu->rq_n : 0;
  u32 n = 1 + own + st->num_others;
  if (n > 1 && !w->calm_points) {
    u32 i;
    if (sim_likely(w->walks)) {
      st->draws++;
      i = sim_stream_below(w->walk_stream, n);
      if (i != 0) walk_on(w, st, cpu, self, site, actor, k, own, i, n);
    } else {
      i = pick_among(w, site, actor, k, own, n);
      if (i > own)
        visit(w, self, st->others[i - 1 - own]);
      else if (i != 0)
        preempt_by(w, st, cpu, self, i - 1);
    }
    if (i != 0) {
      // Back. What came up for this CPU meanwhile happens before the step.
      cpu = sim_this_cpu;
      if (st->num_cpus > 1) sim_sched_refresh();
      if (attention(cpu)) {
        attend(w);
        cpu = sim_this_cpu;
      }
    }
  }
  // As late as that: what the step does is ordered behind all that others did meanwhile.
  if (sim_unlikely(sim_weak != NULL)) {
    if (cost == SIM_COST_MARKED)
      sim_weak_at_access();
    else
      sim_weak_mb();
  }
  sim_fold(st, site->hash ^ ((u64)actor << 1), cpu->clock_ns ^ ((u64)cpu->id << 60));
  if (sim_unlikely(w->observed)) sim_emit_step(site, k);
  if (sim_unlikely(number < SIM_ARENA_SIZE &&
                   w->arena.shadow[number / SIM_GRAIN] >= SIM_GRAIN_FREED))
    step_on_freed(site, obj);
}

// ---- The point at an access of hooked code (sim/hook.h) ----

void sim_access_point(struct sim_site *site, const void *obj, u32 k) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = sim_this_cpu;
  struct sim_task *self = cpu->cur;
  if (w->calm_points) return;
  u32 own = self->preempt_count == 0 && !cpu->irqs_off && w->cfg.preempt ? cpu->rq_n : 0;
  u32 n = 1 + own + st->num_others;
  u32 lines = cpu->irqs_off || w->calm_irqs ? 0 : st->drawn_mask[cpu->id];
  if (n == 1 && lines == 0) return;
  u32 actor = sim_actor_of(cpu);
  // Where the outcome is calm nothing has happened, and no trace of it stays.
  u32 was_obj = self->obj;
  struct sim_site *was_site = self->site;
  self->obj = object_number(w, obj);
  self->site = site;
  struct sim_alt *alts = w->alts;
  alts[0] =
      (struct sim_alt){.actor = (u16)actor, .slot = self->slot, .cpu = cpu->id, .obj = self->obj};
  for (u32 i = 1; i < n; i++) alt_of(st, cpu, own, i, &alts[i]);
  u32 i = sim_choose_access(w, site, actor, k, alts, n, lines);
  if (i == 0) {
    self->obj = was_obj;
    self->site = was_site;
    return;
  }
  sim_count_step(w);
  if (i >= n) {
    for (i -= n; i; i--) lines &= lines - 1;
    sim_run_line((u32)__builtin_ctz(lines));
    attend(w);
  } else if (i > own) {
    visit(w, self, st->others[i - 1 - own]);
  } else {
    preempt_by(w, st, cpu, self, i - 1);
  }
  cpu = sim_this_cpu;
  if (st->num_cpus > 1) sim_sched_refresh();
  if (attention(cpu)) {
    attend(w);
    cpu = sim_this_cpu;
  }
  self->site = site;
  sim_fold(st, site->hash ^ ((u64)actor << 1), cpu->clock_ns ^ ((u64)cpu->id << 60));
  if (sim_unlikely(w->observed)) sim_emit_step(site, k);
}

void sim_elapse_at(struct sim_site *site, u64 ns) {
  struct sim_world *w = sim_w;
  sim_point(site, NULL, 0);
  struct sim_cpu *cpu = w->st->cpu;
  while (ns) {
    u64 slice = ns;
    u64 room = cpu->horizon_ns - cpu->clock_ns;
    if (cpu->horizon_ns <= cpu->clock_ns) room = 0;
    if (slice > room) slice = room ? room : 1;
    cpu->clock_ns += slice;
    ns -= slice;
    if (attention(cpu)) {
      attend(w);
      cpu = w->st->cpu;
    }
  }
}

// ---- Sleep and wake-up ----

static void block(struct sim_site *site, enum sim_task_state state, const char *what) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = st->cpu;
  struct sim_task *self = cpu->cur;
  if (sim_unlikely(sim_race != NULL)) sim_race_switched_out(cpu, self);
  u32 k = sim_occurrence(w, self->slot, site);
  self->state = state;
  self->sleeping = true;
  self->wait_on = what;
  self->slept_since_ns = cpu->clock_ns;
  sim_emit(SIM_EVENT_SLEEP, site, state, self->serial, NULL);
  sim_cpu_set_idle(cpu);
  leave(w, self, site, self->serial, k, true);
  self->wait_on = NULL;
  sim_hb_acquire(self);  // whoever woke it
  sim_sched_refresh();
  if (attention(st->cpu)) attend(w);
}

void sim_block(struct sim_site *site, enum sim_task_state state, const char *what) {
  struct sim_task *self = sim_cur_task();
  sim_might_sleep(what);
  if (self->signal && state == SIM_TASK_INTERRUPTIBLE)
    self->state = SIM_TASK_RUNNING;
  else
    block(site, state, what);
}

void sim_block_in_lock(struct sim_site *site, const char *what) {
  block(site, SIM_TASK_UNINTERRUPTIBLE, what);
}

// Puts a task that is runnable as from `at_ns` into its CPU's queue.
static void enqueue(struct sim_world *w, struct sim_task *task, u64 at_ns) {
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = st->cpus[task->cpu];
  struct sim_cpu *here = st->cpu;
  task->runnable_ns = at_ns;
  if (cpu->idle && cpu->rq_n == 0 && !st->in_setup) {
    if (cpu->in_event) {
      cpu->wake_charge = true;  // after the interrupt
    } else {
      if (cpu->clock_ns < at_ns) cpu->clock_ns = at_ns;
      cpu->clock_ns += w->cfg.wake_latency_ns;
    }
  }
  sim_rq_push(st, cpu, task->slot);
  sim_emit(SIM_EVENT_WAKE, NULL, task->serial, cpu->id, NULL);
  if (cpu != here) sim_sched_refresh();
}

bool sim_wake(struct sim_task *task) {
  struct sim_world *w = sim_w;
  if (task->dead) return false;
  if (sim_unlikely(task->rt_waits)) {
    bool about_to = task->rt_state != SIM_TASK_RUNNING;
    task->rt_state = SIM_TASK_RUNNING;
    if (about_to) sim_hb_release(task);
    return about_to;
  }
  if (!task->sleeping) {
    bool about_to = task->state != SIM_TASK_RUNNING;
    task->state = SIM_TASK_RUNNING;
    if (about_to) sim_hb_release(task);
    return about_to;
  }
  sim_hb_release(task);
  if (task->state == SIM_TASK_UNINTERRUPTIBLE && !task->daemon) sim_check_woken(task);
  task->sleeping = false;
  task->state = SIM_TASK_RUNNING;
  enqueue(w, task, w->st->cpu->clock_ns);
  return true;
}

// ---- Giving up the CPU ----

void sim_set_current_state_at(struct sim_site *site, enum sim_task_state state) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  sim_cur_task()->state = (u8)state;
  sim_hb_fence(true, true);  // smp_store_mb
}

// The current task goes to the end of its CPU's queue; the queue's head goes on, or what
// the draw says.
static void requeue(struct sim_site *site) {
  struct sim_world *w = sim_w;
  struct sim_cpu *cpu = w->st->cpu;
  struct sim_task *self = cpu->cur;
  cpu->need_resched = false;
  if (cpu->rq_n == 0) {
    self->ran_since_ns = cpu->clock_ns;
    return;
  }
  struct sim_state *st = w->st;
  struct sim_alt *alts = w->alts;
  u32 n = 0;
  u32 k = sim_occurrence(w, self->slot, site);
  for (u8 slot = cpu->rq_head; slot != SIM_NO_SLOT; slot = st->links[slot].next) {
    const struct sim_task *t = st->tasks[slot];
    alts[n++] = (struct sim_alt){.actor = t->serial, .slot = slot, .cpu = cpu->id, .obj = t->obj};
    if (cpu->stopper) break;
  }
  u32 i = n > 1 ? sim_choose_actor(w, site, self->serial, k, alts, n) : 0;
  preempt_by(w, st, cpu, self, st->links[alts[i].slot].pos);
  sim_sched_refresh();
}

void sim_schedule_at(struct sim_site *site) {
  struct sim_task *self = sim_cur_task();
  sim_point(site, NULL, SIM_COST_ACCESS);
  if (self->state == SIM_TASK_RUNNING) {
    sim_hb_acquire(self);  // a wake-up may have come before the sleep
    sim_might_sleep("schedule");
    requeue(site);
    return;
  }
  self->waits++;
  sim_block(site, (enum sim_task_state)self->state, "schedule");
}

bool sim_wake_up_process_at(struct sim_site *site, struct sim_task *task) {
  sim_not_in_nmi("wake_up_process");
  sim_point(site, task, SIM_COST_LOCK);
  if (task->state == SIM_TASK_PARKED) return false;  // that is kthread_unpark's
  return sim_wake(task);
}

bool sim_need_resched(void) { return sim_w->st->cpu->need_resched; }

bool sim_cond_resched_at(struct sim_site *site) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  sim_might_sleep("cond_resched");
  const struct sim_cpu *cpu = sim_w->st->cpu;
  if (!cpu->need_resched) {
    // A moment at which the watchdog's thread would have had the CPU, had it wanted it.
    cpu->cur->ran_since_ns = cpu->clock_ns;
    return false;
  }
  requeue(site);
  return true;
}

void sim_yield_at(struct sim_site *site) {
  struct sim_world *w = sim_w;
  sim_point(site, NULL, SIM_COST_ACCESS);
  sim_might_sleep("yield");
  if (w->seeded) sim_strategy_yielded(w->strategies, sim_cur_task()->slot);
  requeue(site);
}

void sim_cpu_relax_at(struct sim_site *site) {
  struct sim_world *w = sim_w;
  sim_point(site, NULL, SIM_COST_RELAX);
  struct sim_cpu *cpu = w->st->cpu;
  if (w->seeded) sim_strategy_yielded(w->strategies, cpu->cur->slot);
  if (w->st->num_others == 0) return;
  u32 k = sim_occurrence(w, sim_actor_slot(cpu), site);
  leave(w, cpu->cur, site, sim_actor_of(cpu), k, false);
  sim_sched_refresh();
  if (attention(w->st->cpu)) attend(w);
}

// The caller itself goes to the CPU that it now belongs to.
static void migrate_self(struct sim_site *site) {
  struct sim_world *w = sim_w;
  struct sim_task *self = sim_cur_task();
  u32 k = sim_occurrence(w, self->slot, site);
  sim_cpu_set_idle(w->st->cpu);
  enqueue(w, self, w->st->cpu->clock_ns);
  leave(w, self, site, self->serial, k, true);
  sim_sched_refresh();
  if (attention(w->st->cpu)) attend(w);
}

int sim_migrate_task_to_at(struct sim_site *site, struct sim_task *task, u32 cpu) {
  struct sim_state *st = sim_w->st;
  sim_point(site, task, SIM_COST_LOCK);
  if (!sim_cpu_online(cpu) || task->dead || task->percpu_thread) return -SIM_EINVAL;
  struct sim_cpu *from = st->cpus[task->cpu];
  if (from->id == cpu) return 0;
  // Under PREEMPT_RT who holds a spinlock_t or local_lock has migration disabled, and so has who
  // waits for a lock of its CPU.
  if (task->pinned) return -SIM_EAGAIN;
  if (task == sim_cur_task()) {
    sim_might_sleep("migrate_task_to");
    task->cpu = (u8)cpu;
    migrate_self(site);
    return 0;
  }
  if (from->cur == task) return -SIM_EAGAIN;
  task->cpu = (u8)cpu;
  if (task->sleeping) return 0;
  sim_rq_take(st, from, task->slot);
  // It does not go back in time: where it was, it may be later than here.
  enqueue(sim_w, task, from->clock_ns > st->cpu->clock_ns ? from->clock_ns : st->cpu->clock_ns);
  sim_sched_refresh();
  return 0;
}

void sim_might_sleep(const char *what) {
  const struct sim_cpu *cpu = sim_w->st->cpu;
  const struct sim_task *self = cpu->cur;
  if (sim_likely(self->preempt_count == 0 && !cpu->irqs_off && self->rcu_nesting == 0)) return;
  sim_fail(&sim_oracle_atomic_sleep, what, "%s in %s: preempt_count %#x, interrupts %s%s", what,
           sim_task_label(self), self->preempt_count, cpu->irqs_off ? "off" : "on",
           self->rcu_nesting ? ", in an RCU reader" : "");
}

// ---- Spinning ----

void sim_spin_until_released(struct sim_site *site, const void *word, const char *what) {
  struct sim_world *w = sim_w;
  struct sim_cpu *cpu = w->st->cpu;
  struct sim_task *self = cpu->cur;
  cpu->spin_on = word;
  cpu->spin_order = w->st->order++;
  self->wait_on = what;
  do {
    cpu->spinning = true;
    u32 k = sim_occurrence(w, sim_actor_slot(cpu), site);
    leave(w, self, site, sim_actor_of(cpu), k, false);
    sim_sched_refresh();
    // Interrupts land while it spins. One that spins in turn leaves no spin_on behind.
    cpu->spinning = false;
    if (attention(cpu)) attend(w);
  } while (cpu->spin_on == word);
  self->wait_on = NULL;
  cpu->spin_on = NULL;
}

u8 sim_spin_released(const void *word) {
  struct sim_state *st = sim_w->st;
  struct sim_cpu *first = NULL;
  for (u32 i = 0; i < st->num_cpus; i++) {
    struct sim_cpu *cpu = st->cpus[i];
    if (cpu->spin_on == word && (!first || cpu->spin_order < first->spin_order)) first = cpu;
  }
  if (!first) return 0;
  first->spinning = false;
  first->spin_on = NULL;
  if (first->clock_ns < st->cpu->clock_ns) first->clock_ns = st->cpu->clock_ns;
  sim_sched_refresh();
  return (u8)(1 + first->id);
}

void sim_clock_at_least(u64 ns) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  if (cpu->clock_ns < ns) cpu->clock_ns = ns;
}

// ---- Preemption ----

void sim_preempt_disable(void) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  sim_hb_atomic_begins(cpu);
  if (cpu->cur->preempt_count++ == 0) cpu->cur->preempt_off_since_ns = cpu->clock_ns;
}

void sim_preempt_enable_at(struct sim_site *site) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  if ((cpu->cur->preempt_count & SIM_PREEMPT_MASK) == 0)
    sim_fail(&sim_oracle_context, "preempt_enable", "preempt_enable without preempt_disable");
  sim_check_preempt_off(cpu, SIM_PREEMPT_ONE);
  cpu->cur->preempt_count--;
  sim_hb_atomic_ended(cpu);
  sim_resched_if_needed();
  sim_point(site, NULL, 0);
}

bool sim_preemptible(void) {
  const struct sim_cpu *cpu = sim_w->st->cpu;
  return cpu->cur->preempt_count == 0 && !cpu->irqs_off;
}

u32 sim_preempt_count(void) { return sim_cur_task()->preempt_count; }

void sim_resched_if_needed(void) {
  struct sim_world *w = sim_w;
  struct sim_cpu *cpu = w->st->cpu;
  if (!cpu->need_resched || !w->cfg.preempt || cpu->idle || cpu->irqs_off ||
      cpu->cur->preempt_count != 0)
    return;
  static struct sim_site site SIM_SITE_SECTION = {.prim = "preempt_schedule"};
  requeue(&site);
}
