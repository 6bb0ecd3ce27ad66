// SPDX-License-Identifier: GPL-2.0-or-later
//
// CPUs: the interrupt flag, interrupts and their nesting, drawn interrupts, softirqs,
// hardware events, per-CPU time.
//
// An interrupt runs as a call on the stack of what it interrupts, as in the kernel: the
// idle task's, when the CPU is idle. On exit of the outermost one pending softirqs run
// with interrupts on; then a tick's wish to reschedule is granted if it may be.
#include "sim/cpu.h"

#include "sim/choice_impl.h"
#include "sim/engine.h"
#include "sim/rt.h"

// ---- The interrupt flag ----

static u32 nmi_lines(const struct sim_state *st) {
  u32 mask = 0;
  for (u32 i = 0; i < st->num_irqs; i++)
    if (st->irqs[i]->nmi) mask |= 1u << i;
  return mask;
}

static void irqs_off(struct sim_cpu *cpu) {
  cpu->irqs_off = true;
  cpu->irq_off_since_ns = cpu->clock_ns;
  cpu->attention = sim_w->st->num_irqs ? nmi_lines(sim_w->st) : 0;
}

static void irqs_on(struct sim_cpu *cpu) {
  cpu->irqs_off = false;
  cpu->attention = ~0u;
  if (cpu->next_event_ns < cpu->horizon_ns) cpu->horizon_ns = cpu->next_event_ns;
  if (cpu->cur->num_held) sim_lockdep_irqs_on();
}

unsigned long sim_local_irq_save_flags(void) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  unsigned long flags = !cpu->irqs_off;
  sim_hb_atomic_begins(cpu);
  if (flags) irqs_off(cpu);
  return flags;
}

void sim_local_irq_restore_at(struct sim_site *site, unsigned long flags) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  if (!flags) return;
  if (!cpu->irqs_off)
    sim_fail(&sim_oracle_context, "irq_restore", "interrupts are on already at irq_restore");
  sim_check_irq_off(cpu);
  irqs_on(cpu);
  sim_hb_atomic_ended(cpu);
  sim_point(site, NULL, 0);
}

void sim_local_irq_disable(void) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  sim_hb_atomic_begins(cpu);
  if (!cpu->irqs_off) irqs_off(cpu);
}

void sim_local_irq_enable_at(struct sim_site *site) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  if (sim_in_hardirq())
    sim_fail(&sim_oracle_context, "irq_enable", "interrupts are enabled inside a hardirq");
  if (cpu->irqs_off) {
    sim_check_irq_off(cpu);
    irqs_on(cpu);
    sim_hb_atomic_ended(cpu);
  }
  sim_point(site, NULL, 0);
}

bool sim_irqs_disabled(void) { return sim_w->st->cpu->irqs_off; }

// ---- Context ----

bool sim_in_hardirq(void) { return (sim_cur_task()->preempt_count & SIM_HARDIRQ_MASK) != 0; }
bool sim_in_nmi(void) { return (sim_cur_task()->preempt_count & SIM_NMI_MASK) != 0; }
bool sim_in_serving_softirq(void) {
  const struct sim_task *task = sim_cur_task();
  return (task->preempt_count & SIM_SOFTIRQ_ONE) != 0 || task->serving;
}
bool sim_in_interrupt(void) {
  const struct sim_task *task = sim_cur_task();
  u32 bits = SIM_SOFTIRQ_MASK | SIM_HARDIRQ_MASK | SIM_NMI_MASK;
  return (task->preempt_count & bits) != 0 || task->bh_off;
}
u32 sim_softirq_count(void) { return sim_cur_task()->preempt_count & SIM_SOFTIRQ_MASK; }
bool sim_in_task(void) {
  const struct sim_task *task = sim_cur_task();
  u32 bits = SIM_SOFTIRQ_ONE | SIM_HARDIRQ_MASK | SIM_NMI_MASK;
  return (task->preempt_count & bits) == 0 && !task->serving;
}
bool sim_in_atomic(void) { return sim_cur_task()->preempt_count != 0 || sim_irqs_disabled(); }

// ---- Softirqs ----

// As the kernel's MAX_SOFTIRQ_RESTART. What is pending after so many rounds waits for the
// next interrupt or bh enable, or until the CPU is idle (the kernel wakes ksoftirqd).
enum { SOFTIRQ_ROUNDS = 10 };

void sim_softirq_rounds(struct sim_cpu *cpu) {
  struct sim_state *st = sim_w->st;
  struct sim_task *task = cpu->cur;
  u16 call = task->hook_call;
  task->hook_call = 0;
  task->serving = true;
  for (u32 round = 0; cpu->softirq_pending && round < SOFTIRQ_ROUNDS; round++) {
    u32 pending = cpu->softirq_pending;
    cpu->softirq_pending = 0;
    for (u32 nr = 0; nr < SIM_NR_SOFTIRQS; nr++) {
      if (!(pending & (1u << nr)) || !st->softirq[nr]) continue;
      sim_emit(SIM_EVENT_SOFTIRQ, NULL, nr, round, NULL);
      sim_count_step(sim_w);
      u32 count = task->preempt_count, held = task->num_held;
      st->softirq[nr]();
      sim_lockdep_irq_exit(held);
      if (task->preempt_count != count || cpu->irqs_off)
        sim_fail(&sim_oracle_context, "softirq-exit",
                 "softirq %u returns with preempt_count %#x (%#x before), interrupts %s", nr,
                 task->preempt_count, count, cpu->irqs_off ? "off" : "on");
    }
  }
  task->serving = false;
  task->hook_call = call;
}

void sim_do_softirq(struct sim_cpu *cpu) {
  struct sim_task *task = cpu->cur;
  if (sim_rt()) {
    sim_rt_wake_ksoftirqd(cpu);
    return;
  }
  sim_hb_atomic_begins(cpu);
  task->preempt_count += SIM_SOFTIRQ_ONE;
  sim_softirq_rounds(cpu);
  task->preempt_count -= SIM_SOFTIRQ_ONE;
  sim_hb_atomic_ended(cpu);
}

static void check_softirq(enum sim_softirq nr) {
  if (sim_unlikely((u32)nr >= SIM_NR_SOFTIRQS))
    sim_fail(&sim_oracle_api, "softirq", "there is no softirq %u", (u32)nr);
}

void sim_open_softirq(enum sim_softirq nr, void (*action)(void)) {
  check_softirq(nr);
  sim_w->st->softirq[nr] = action;
}

void sim_raise_softirq(enum sim_softirq nr) {
  check_softirq(nr);
  struct sim_cpu *cpu = sim_w->st->cpu;
  cpu->softirq_pending |= 1u << nr;
  // Outside any interrupt the kernel wakes ksoftirqd; here it runs at once.
  if (sim_rt() || (!sim_in_interrupt() && !cpu->irqs_off)) sim_do_softirq(cpu);
}

void sim_local_bh_disable(void) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  if (sim_rt()) {
    sim_rt_bh_disable();
    return;
  }
  if (sim_in_hardirq())
    sim_fail(&sim_oracle_context, "bh_disable", "local_bh_disable in a hardirq");
  sim_hb_atomic_begins(cpu);
  if (cpu->cur->preempt_count == 0) cpu->cur->preempt_off_since_ns = cpu->clock_ns;
  cpu->cur->preempt_count += SIM_SOFTIRQ_DISABLE;
}

void sim_local_bh_enable_at(struct sim_site *site) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  struct sim_task *task = cpu->cur;
  if (sim_rt()) {
    sim_rt_bh_enable(site);
    sim_point(site, NULL, 0);
    return;
  }
  if ((task->preempt_count & SIM_SOFTIRQ_MASK) < SIM_SOFTIRQ_DISABLE)
    sim_fail(&sim_oracle_context, "bh_enable", "local_bh_enable without local_bh_disable");
  if (sim_in_hardirq() || cpu->irqs_off)
    sim_fail(&sim_oracle_context, "bh_enable-irq", "local_bh_enable with interrupts off");
  sim_check_preempt_off(cpu, SIM_SOFTIRQ_DISABLE);
  task->preempt_count -= SIM_SOFTIRQ_DISABLE;
  sim_hb_atomic_ended(cpu);
  if (task->num_held) sim_lockdep_irqs_on();
  if (cpu->softirq_pending && !sim_in_interrupt()) sim_do_softirq(cpu);
  sim_resched_if_needed();
  sim_point(site, NULL, 0);
}

// ---- Interrupts ----

void sim_irq_enter(struct sim_cpu *cpu, bool nmi) {
  struct sim_task *task = cpu->cur;
  sim_hb_atomic_begins(cpu);
  task->preempt_count += nmi ? SIM_NMI_ONE + SIM_HARDIRQ_ONE : SIM_HARDIRQ_ONE;
  cpu->clock_ns += sim_w->cfg.irq_cost_ns;
  cpu->saved_irqs_off = (u8)(cpu->saved_irqs_off << 1 | cpu->irqs_off);
  if (!cpu->irqs_off) irqs_off(cpu);
  if (nmi) cpu->attention = 0;  // no NMI lands in an NMI
}

void sim_irq_exit(struct sim_cpu *cpu, bool nmi) {
  struct sim_task *task = cpu->cur;
  task->preempt_count -= nmi ? SIM_NMI_ONE + SIM_HARDIRQ_ONE : SIM_HARDIRQ_ONE;
  bool was_off = cpu->saved_irqs_off & 1;
  cpu->saved_irqs_off >>= 1;
  if (was_off) {
    cpu->attention = nmi_lines(sim_w->st);
    return;
  }
  sim_check_irq_off(cpu);
  irqs_on(cpu);
  sim_hb_atomic_ended(cpu);
  if (cpu->softirq_pending && !nmi && (sim_rt() || !sim_in_interrupt())) sim_do_softirq(cpu);
}

static void run_line(struct sim_cpu *cpu, u32 line) {
  const struct sim_irq_line *irq = sim_w->st->irqs[line];
  struct sim_task *task = cpu->cur;
  u32 count = task->preempt_count, held = task->num_held;
  u16 call = task->hook_call;
  sim_count_step(sim_w);
  sim_irq_enter(cpu, irq->nmi);
  sim_hb_acquire(irq);  // whoever raised it
  task->hook_call = 0;
  sim_emit(SIM_EVENT_IRQ_ENTER, NULL, line, cpu->id, NULL);
  irq->handler(irq->arg);
  sim_lockdep_irq_exit(held);
  task->hook_call = call;
  sim_emit(SIM_EVENT_IRQ_EXIT, NULL, line, cpu->id, NULL);
  sim_irq_exit(cpu, irq->nmi);
  if (task->preempt_count != count)
    sim_fail(&sim_oracle_context, irq->name,
             "interrupt %s returns with preempt_count %#x (%#x before)", irq->name,
             task->preempt_count, count);
}

// The interrupt of the CPU's own timer hardware: hardware events, hrtimers, tick.
static void run_events(struct sim_cpu *cpu) {
  struct sim_task *task = cpu->cur;
  u32 held = task->num_held;
  u16 call = task->hook_call;
  sim_count_step(sim_w);  // a machine too slow for its own ticks uses up its budget
  sim_irq_enter(cpu, false);
  task->hook_call = 0;
  sim_emit(SIM_EVENT_IRQ_ENTER, NULL, SIM_IRQS_MAX, cpu->id, NULL);
  while (cpu->hw_events && cpu->hw_events->at_ns <= cpu->clock_ns) {
    struct sim_hw_event *event = cpu->hw_events;
    cpu->hw_events = event->next;
    event->armed = false;
    sim_count_step(sim_w);
    sim_hb_acquire(event);
    event->fn(event->arg);
  }
  bool tick = cpu->next_tick_ns <= cpu->clock_ns;
  // The tick is an hrtimer too, and so is what wakes an idle CPU for its wheel.
  if (tick || sim_timers_next_ns(cpu) <= cpu->clock_ns || sim_hrtimer_due(cpu))
    sim_hrtimers_run(cpu);
  if (tick) sim_tick_cpu(cpu);
  sim_timers_due(cpu);
  sim_cpu_recompute_events(cpu);
  sim_lockdep_irq_exit(held);
  sim_emit(SIM_EVENT_IRQ_EXIT, NULL, SIM_IRQS_MAX, cpu->id, NULL);
  task->hook_call = call;
  sim_irq_exit(cpu, false);
}

void sim_run_line(u32 line) { run_line(sim_w->st->cpu, line); }

void sim_cpu_events(void) {
  for (;;) {
    struct sim_cpu *cpu = sim_w->st->cpu;
    u32 lines = cpu->irq_pending & cpu->attention;
    if (lines) {
      u32 line = (u32)__builtin_ctz(lines);
      cpu->irq_pending &= ~(1u << line);
      run_line(cpu, line);
    } else if (!cpu->irqs_off && cpu->next_event_ns <= cpu->clock_ns) {
      run_events(cpu);
    } else {
      return;
    }
  }
}

void sim_tick_cpu(struct sim_cpu *cpu) {
  struct sim_state *st = sim_w->st;
  cpu->next_tick_ns = (sim_jiffy_of(st, cpu->clock_ns) + 1) * st->tick_ns;
  if (cpu->rq_n && !cpu->idle) cpu->need_resched = true;
  sim_tick_checks(cpu);
}

u32 sim_irq_register(const char *name, void (*handler)(void *arg), void *arg, u32 cpu, bool nmi) {
  struct sim_state *st = sim_w->st;
  if (!st->in_setup || st->num_irqs == SIM_IRQS_MAX || cpu >= st->num_cpus)
    sim_fail(&sim_oracle_api, "irq_register", "line %s: not in set-up, no line, or no CPU %u", name,
             cpu);
  struct sim_irq_line *irq = sim_alloc_static(sizeof(*irq), name);
  st->irqs[st->num_irqs] = irq;
  *irq = (struct sim_irq_line){
      .name = name, .handler = handler, .arg = arg, .cpu = (u8)cpu, .nmi = nmi};
  return st->num_irqs++;
}

void sim_irq_raise(u32 irq) {
  struct sim_state *st = sim_w->st;
  if (irq >= st->num_irqs) sim_fail(&sim_oracle_api, "irq_raise", "there is no line %u", irq);
  if (sim_weak) sim_weak_mb();
  sim_hb_release(st->irqs[irq]);
  struct sim_cpu *cpu = st->cpus[st->irqs[irq]->cpu];
  if (!cpu->online) cpu = st->cpus[0];
  cpu->irq_pending |= 1u << irq;
  if (cpu == st->cpu) return;
  // It cannot land before it was raised: an idle CPU's clock may lie behind.
  if (cpu->idle && !cpu->in_event && !cpu->rq_n && cpu->clock_ns < st->cpu->clock_ns)
    cpu->clock_ns = st->cpu->clock_ns;
  sim_sched_refresh();
}

void sim_irq_drawn_at(struct sim_site *site, const char *name, void (*handler)(void *arg),
                      void *arg, u32 cpu_mask, u16 num, u16 den) {
  struct sim_state *st = sim_w->st;
  u32 line = sim_irq_register(name, handler, arg, 0, false);
  struct sim_irq_line *irq = st->irqs[line];
  irq->drawn = true;
  irq->cpu_mask = cpu_mask;
  irq->rate_num = num;
  irq->rate_den = den;
  irq->site = site;
  for (u32 i = 0; i < st->num_cpus; i++)
    if (cpu_mask & (1u << i)) st->drawn_mask[i] |= 1u << line;
}

bool sim_draw_irqs(u32 lines) {
  struct sim_world *w = sim_w;
  bool landed = false;
  for (; lines; lines &= lines - 1) {
    u32 line = (u32)__builtin_ctz(lines);
    const struct sim_irq_line *irq = w->st->irqs[line];
    if (!sim_choose_rate(w, irq->site, irq->rate_num, irq->rate_den)) continue;
    run_line(w->st->cpu, line);
    landed = true;
  }
  return landed;
}

// ---- Hardware events ----

void sim_hw_event_arm(struct sim_hw_event *event, u64 at_ns, void (*fn)(void *arg), void *arg,
                      u32 cpu_id) {
  struct sim_state *st = sim_w->st;
  sim_check_alive(event, "hw_event_arm");
  if (sim_weak) sim_weak_mb();  // as writel: the device sees what was stored before
  sim_hb_release(event);
  if (cpu_id >= st->num_cpus)
    sim_fail(&sim_oracle_api, "hw_event", "hw_event_arm: there is no CPU %u", cpu_id);
  if (event->armed) sim_fail(&sim_oracle_api, "hw_event", "a hardware event is armed twice");
  struct sim_cpu *cpu = st->cpus[cpu_id];
  if (!cpu->online) cpu = st->cpus[0];
  // Another CPU's clock may lie behind: what is armed for a time that is over comes now.
  if (cpu != st->cpu && at_ns < st->cpu->clock_ns) at_ns = st->cpu->clock_ns;
  *event = (struct sim_hw_event){
      .at_ns = at_ns, .order = st->order++, .fn = fn, .arg = arg, .cpu = cpu->id, .armed = true};
  struct sim_hw_event **at = &cpu->hw_events;
  while (*at && (*at)->at_ns <= at_ns) at = &(*at)->next;
  event->next = *at;
  *at = event;
  sim_cpu_recompute_events(cpu);
}

void sim_hw_event_disarm(struct sim_hw_event *event) {
  sim_check_alive(event, "hw_event_disarm");
  if (!event->armed) return;
  struct sim_cpu *cpu = sim_w->st->cpus[event->cpu];
  struct sim_hw_event **at = &cpu->hw_events;
  while (*at != event) at = &(*at)->next;
  *at = event->next;
  event->armed = false;
  sim_cpu_recompute_events(cpu);
}

void sim_cpu_recompute_events(struct sim_cpu *cpu) {
  struct sim_state *st = sim_w->st;
  u64 next = cpu->next_tick_ns;
  if (cpu->hw_events && cpu->hw_events->at_ns < next) next = cpu->hw_events->at_ns;
  if (cpu->hrtimers && cpu->hrtimers->hard_ns < next) next = cpu->hrtimers->hard_ns;
  u64 wheel = sim_timers_next_ns(cpu);
  if (wheel < next) next = wheel;
  if (next > SIM_NEVER / 2) next = SIM_NEVER;  // so that sums of times do not wrap around
  cpu->next_event_ns = next;
  if (!st->cpu) return;
  if (cpu != st->cpu)
    sim_sched_refresh();
  else if (!cpu->irqs_off && next < cpu->horizon_ns)
    cpu->horizon_ns = next;
}

// ---- Time and place of the running actor ----

u64 sim_clock_ns(void) { return sim_w->st->cpu->clock_ns; }
u64 sim_jiffies(void) { return sim_jiffy_of(sim_w->st, sim_this_cpu->clock_ns); }
u64 sim_cycles(void) { return sim_w->st->cpu->clock_ns; }
u32 sim_smp_processor_id(void) { return sim_w->st->cpu->id; }
u32 sim_nr_cpus(void) { return sim_w->st->num_cpus; }
