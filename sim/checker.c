// SPDX-License-Identifier: GPL-2.0-or-later
//
// The oracles of the world itself, and those of them that look at time: interrupts or
// preemption off for too long, soft lockup, hung task. Lock order and context are in
// sim/lockdep.c, RCU stalls in sim/rcu.c, the others where the primitive is.
#include "sim/checker.h"

#include <stdio.h>

#include "sim/engine.h"
#include "sim/prim.h"

#define X(name, id_, status_, sentence_, source_) \
  const struct sim_oracle sim_oracle_##name = {   \
      .id = (id_), .status = (status_), .sentence = (sentence_), .source = (source_)};
SIM_CHECKERS(X)
#undef X

static const struct sim_oracle *const checkers[] = {
#define X(name, id, status, sentence, source) &sim_oracle_##name,
    SIM_CHECKERS(X)
#undef X
};

u32 sim_checkers_count(void) { return SIM_ARRAY_SIZE(checkers); }
const struct sim_oracle *sim_checker_at(u32 index) { return checkers[index]; }

static unsigned long long us(u64 ns) { return (unsigned long long)(ns / SIM_NSEC_PER_USEC); }

// A task and where it was seen last, as the stable context of a report: "reader
// f:mutex_lock".
enum { PLACE_LEN = SIM_TASK_BASE_LEN + SIM_PLACE_LEN };
static const char *place_of(const struct sim_task *task, char *out) {
  char base[SIM_TASK_BASE_LEN], place[SIM_PLACE_LEN];
  snprintf(out, PLACE_LEN, "%s %s", sim_task_base(task, base), sim_task_place(task, place));
  return out;
}

void sim_irq_off_too_long(struct sim_cpu *cpu) {
  char place[PLACE_LEN];
  sim_report(&sim_oracle_irq_off, place_of(cpu->cur, place),
             "interrupts were off for %llu us on CPU %u (bound: %llu us) when last seen in %s",
             us(cpu->clock_ns - cpu->irq_off_since_ns), cpu->id, us(sim_w->cfg.irq_off_max_ns),
             place);
}

void sim_preempt_off_too_long(struct sim_cpu *cpu) {
  char place[PLACE_LEN];
  sim_report(&sim_oracle_preempt_off, place_of(cpu->cur, place),
             "preemption was off for %llu us on CPU %u (bound: %llu us) when last seen in %s",
             us(cpu->clock_ns - cpu->cur->preempt_off_since_ns), cpu->id,
             us(sim_w->cfg.preempt_off_max_ns), place);
}

void sim_used_in_nmi(const char *what) {
  char stable[64];
  snprintf(stable, sizeof(stable), "%s in NMI", what);
  sim_fail(&sim_oracle_context, stable, "%s in an NMI on CPU %u", what, sim_w->st->cpu->id);
}

// ---- Tasks that never give up their CPU, and tasks that never get it back ----

// The watchdog's thread wants the CPU at all times: it gets it where the current task can
// be preempted, or schedules.
static void check_soft_lockup(struct sim_cpu *cpu) {
  struct sim_task *task = cpu->cur;
  if (cpu->idle) return;
  bool preemptible = (task->preempt_count & ~(u32)(SIM_HARDIRQ_MASK | SIM_NMI_MASK)) == 0;
  if (sim_w->cfg.preempt && preemptible) {
    task->ran_since_ns = cpu->clock_ns;
    return;
  }
  if (sim_likely(cpu->clock_ns - task->ran_since_ns <= sim_w->cfg.soft_lockup_ns)) return;
  char base[SIM_TASK_BASE_LEN], place[PLACE_LEN];
  sim_report(&sim_oracle_soft_lockup, sim_task_base(task, base),
             "%s has not scheduled on CPU %u for %llu us; last seen in %s", sim_task_label(task),
             cpu->id, us(cpu->clock_ns - task->ran_since_ns), place_of(task, place));
}

SIM_COLD static void report_hung(const struct sim_task *task, u64 now) {
  char base[SIM_TASK_BASE_LEN], stable[PLACE_LEN];
  const char *what = task->wait_on ? task->wait_on : "?";
  snprintf(stable, sizeof(stable), "%s %s", sim_task_base(task, base), what);
  sim_report(&sim_oracle_hung_task, stable, "%s has waited for %s for %llu us",
             sim_task_label(task), what, us(now - task->slept_since_ns));
}

// A thread that was created and never woken waits for nothing yet.
static bool hung(const struct sim_task *task, u64 now) {
  return task->sleeping && !task->never_ran && task->state == SIM_TASK_UNINTERRUPTIBLE &&
         now > task->slept_since_ns && now - task->slept_since_ns > sim_w->cfg.hung_task_ns;
}

void sim_check_woken(const struct sim_task *task) {
  u64 now = sim_w->st->cpu->clock_ns;
  if (sim_unlikely(hung(task, now))) report_hung(task, now);
}

void sim_tick_checks(struct sim_cpu *cpu) {
  check_soft_lockup(cpu);
  // Once a second for each busy CPU, as often as khungtaskd would need to look.
  if (sim_jiffy_of(sim_w->st, cpu->clock_ns) % sim_w->cfg.hz != 0) return;
  const struct sim_state *st = sim_w->st;
  for (u32 i = 0; i < SIM_TASKS_MAX; i++) {
    const struct sim_task *task = st->tasks[i];
    if (task && !task->dead && hung(task, cpu->clock_ns)) report_hung(task, cpu->clock_ns);
  }
}

// ---- Freeing what is in use ----

SIM_NORETURN SIM_COLD static void freed_active(const char *what) {
  char place[SIM_PLACE_LEN], stable[64];
  snprintf(stable, sizeof(stable), "active %s", what);
  sim_fail(&sim_oracle_use_after_free, stable,
           "memory with %s in it is freed by %s, last seen at %s", what,
           sim_task_label(sim_cur_task()), sim_task_place(sim_cur_task(), place));
}

void sim_check_free(const void *ptr, size_t size) {
  const struct sim_state *st = sim_w->st;
  const char *from = ptr;
#define IN_IT(p) ((size_t)((const char *)(p)-from) < size)
  for (u32 i = 0; i < st->num_cpus; i++) {
    const struct sim_cpu *cpu = st->cpus[i];
    for (const struct sim_timer *t = cpu->timers; t; t = t->next)
      if (IN_IT(t)) freed_active("an armed timer");
    for (const struct sim_hrtimer *t = cpu->hrtimers; t; t = t->next)
      if (IN_IT(t)) freed_active("an armed hrtimer");
    for (const struct sim_hw_event *e = cpu->hw_events; e; e = e->next)
      if (IN_IT(e)) freed_active("an armed hardware event");
  }
  const struct sim_task *self = st->cpu->cur;
  for (u32 i = 0; i < self->num_held; i++)
    if (IN_IT(self->held[i].lock)) freed_active("a lock that it holds");
#undef IN_IT
  if (sim_work_queued_in(from, size)) freed_active("queued work");
  if (sim_rcu_queued_in(from, size)) freed_active("a queued RCU callback");
}
