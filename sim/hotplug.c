// SPDX-License-Identifier: GPL-2.0-or-later
//
// CPU hotplug (kernel/cpu.c): taking a CPU down and up, with the callbacks of those who
// keep something for each CPU.
//
// Up: callbacks on the control CPU, in order of registration; the CPU comes; callbacks on
// it, in order. Down is the reverse. A callback that fails on the way up, or before the
// CPU has gone, undoes what was done; after that nothing may fail (api-misuse).
//
// A CPU goes when its stopper task gets it, ahead of all that is queued there, where the
// current task can be preempted or sleeps. Then everything bound to it moves to the first
// CPU online: queued and sleeping tasks, timers, device interrupts and events, callbacks
// of RCU. Workers return to their CPU at their next item.
#include <stdio.h>
#include <string.h>

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/prim.h"
#include "sim/rt.h"
#include "sim/runqueue.h"

enum { STATES_MAX = 16 };

struct hotplug_state {
  const char *name;
  int (*up)(u32 cpu);
  int (*down)(u32 cpu);
  bool on_cpu;
};

struct sim_hotplug {
  struct sim_mutex lock;  // one CPU at a time (cpu_add_remove_lock)
  u32 num;
  struct hotplug_state state[STATES_MAX];
};

static struct sim_hotplug *hotplug(void) { return (struct sim_hotplug *)sim_w->st->hotplug; }

void sim_hotplug_setup(void) {
  sim_w->st->hotplug = sim_arena_alloc(&sim_w->arena, sizeof(struct sim_hotplug));
  SIM_ASSERT(sim_w->st->hotplug != NULL);
  memset(sim_w->st->hotplug, 0, sizeof(struct sim_hotplug));
  sim_mutex_init(&hotplug()->lock, "cpu_add_remove_lock");
}

int sim_cpuhp_setup_state(const char *name, int (*up)(u32 cpu), int (*down)(u32 cpu), bool on_cpu) {
  struct sim_hotplug *h = hotplug();
  if (h->num == STATES_MAX) return -SIM_EBUSY;
  h->state[h->num] = (struct hotplug_state){.name = name, .up = up, .down = down, .on_cpu = on_cpu};
  return (int)h->num++;
}

bool sim_cpu_online(u32 cpu) { return cpu < sim_w->st->num_cpus && sim_w->st->cpus[cpu]->online; }

u32 sim_num_online_cpus(void) {
  u32 n = 0;
  for (u32 i = 0; i < sim_w->st->num_cpus; i++) n += sim_w->st->cpus[i]->online;
  return n;
}

static struct sim_cpu *first_online(void) {
  for (u32 i = 0; i < sim_w->st->num_cpus; i++)
    if (sim_w->st->cpus[i]->online) return sim_w->st->cpus[i];
  SIM_ASSERT(!"a CPU is online");
  return NULL;
}

// ---- Callbacks ----

// Calls the callbacks of one side (`on_cpu` or not) from state `from` on, upwards or
// downwards. Returns 0, or what one that failed returned, with its state in `at`.
struct sweep {
  u32 cpu;
  bool up, on_cpu;
  int from, at, rc;
};

static void sweep_states(struct sweep *s) {
  const struct sim_hotplug *h = hotplug();
  int step = s->up ? 1 : -1;
  for (s->at = s->from; s->at >= 0 && s->at < (int)h->num; s->at += step) {
    const struct hotplug_state *state = &h->state[s->at];
    int (*fn)(u32 cpu) = s->up ? state->up : state->down;
    if (state->on_cpu != s->on_cpu || !fn) continue;
    s->rc = fn(s->cpu);
    if (s->rc) return;
  }
}

static void sweep_main(void *arg) { sweep_states(arg); }

// Runs a sweep on the CPU itself, by its hotplug thread.
static void run_sweep(struct sweep *s) {
  const struct sim_hotplug *h = hotplug();
  bool any = false;
  for (u32 i = 0; i < h->num; i++) any |= h->state[i].on_cpu == s->on_cpu;
  if (!any) return;
  if (!s->on_cpu) {
    sweep_states(s);
    return;
  }
  struct sim_task *task = sim_task_create("cpuhp", sweep_main, s, s->cpu, true, true);
  task->kthread = task->percpu_thread = true;
  sim_wake(task);
  sim_task_join(task);
}

// All callbacks of one side; undoes those that ran if one fails. Returns what it returned.
static int call_states(u32 cpu, bool up, bool on_cpu) {
  int last = (int)hotplug()->num - 1;
  struct sweep s = {.cpu = cpu, .up = up, .on_cpu = on_cpu, .from = up ? 0 : last};
  run_sweep(&s);
  if (!s.rc) return 0;
  struct sweep undo = {.cpu = cpu, .up = !up, .on_cpu = on_cpu, .from = up ? s.at - 1 : s.at + 1};
  run_sweep(&undo);
  if (undo.rc)
    sim_report(&sim_oracle_api, hotplug()->state[undo.at].name,
               "hotplug state %s fails with %d while CPU %u is rolled back",
               hotplug()->state[undo.at].name, undo.rc, cpu);
  return s.rc;
}

// ---- Moving what is bound to a CPU ----

static void move_timers(struct sim_cpu *from, struct sim_cpu *to) {
  struct sim_timer *a = to->timers, *b = from->timers, **at = &to->timers;
  for (struct sim_timer *t = b; t; t = t->next) t->cpu = to->id;
  while (a && b) {
    bool b_first = b->bucket < a->bucket || (b->bucket == a->bucket && b->order < a->order);
    struct sim_timer **take = b_first ? &b : &a;
    *at = *take;
    at = &(*at)->next;
    *take = *at;
  }
  *at = a ? a : b;
  from->timers = NULL;
}

static void move_hrtimers(struct sim_cpu *from, struct sim_cpu *to) {
  struct sim_hrtimer *a = to->hrtimers, *b = from->hrtimers, **at = &to->hrtimers;
  for (struct sim_hrtimer *t = b; t; t = t->next) t->cpu = to->id;
  while (a && b) {
    bool b_first = b->hard_ns < a->hard_ns || (b->hard_ns == a->hard_ns && b->order < a->order);
    struct sim_hrtimer **take = b_first ? &b : &a;
    *at = *take;
    at = &(*at)->next;
    *take = *at;
  }
  *at = a ? a : b;
  from->hrtimers = NULL;
}

static void move_hw_events(struct sim_cpu *from, struct sim_cpu *to) {
  struct sim_hw_event *a = to->hw_events, *b = from->hw_events, **at = &to->hw_events;
  for (struct sim_hw_event *e = b; e; e = e->next) e->cpu = to->id;
  while (a && b) {
    bool b_first = b->at_ns < a->at_ns || (b->at_ns == a->at_ns && b->order < a->order);
    struct sim_hw_event **take = b_first ? &b : &a;
    *at = *take;
    at = &(*at)->next;
    *take = *at;
  }
  *at = a ? a : b;
  from->hw_events = NULL;
}

static void move_tasks(struct sim_cpu *from, struct sim_cpu *to) {
  struct sim_state *st = sim_w->st;
  for (u32 i = 0; i < SIM_TASKS_MAX; i++) {
    struct sim_task *task = st->tasks[i];
    if (task && !task->dead && task->cpu == from->id && task != from->cur && !task->stays)
      task->cpu = to->id;
  }
  while (from->rq_n) {
    u8 slot = from->rq_head;
    sim_rq_take(sim_w->st, from, slot);
    sim_rq_push(sim_w->st, to, slot);
  }
}

// ---- Down ----

// The stopper: the last task that runs on the CPU. Between two points nothing else runs,
// so all of this is one instant to the others, as under stop_machine.
static void stopper_main(void *arg) {
  struct sim_state *st = sim_w->st;
  struct sim_cpu *cpu = st->cpu;
  bool *gone = arg;
  // What was promised to this CPU is done before it goes: softirqs, and at the point
  // every interrupt, calls of other CPUs among them.
  cpu->stopper = false;
  sim_preempt_disable();
  if (!sim_rt()) {
    sim_local_bh_disable();
    sim_local_bh_enable();
  }
  sim_point(SIM_SITE("take_cpu_down"), NULL, SIM_COST_LOCK);
  // Who holds a lock that sleeps stays, and so does what softirqs have begun.
  *gone = !sim_rt() || !sim_rt_cpu_busy(cpu);
  if (!*gone) {
    sim_preempt_enable();
    return;
  }
  SIM_ASSERT(cpu->irq_pending == 0 && !cpu->running_timer);
  cpu->online = false;
  struct sim_cpu *to = first_online();
  // Not within an interrupt: to it, no time passes.
  if (to->clock_ns < cpu->clock_ns && to->idle && !to->in_event && !to->rq_n)
    to->clock_ns = cpu->clock_ns;
  move_tasks(cpu, to);
  move_timers(cpu, to);
  move_hrtimers(cpu, to);
  move_hw_events(cpu, to);
  sim_rcu_cpu_dead(cpu, to);
  to->softirq_pending |= cpu->softirq_pending;
  cpu->softirq_pending = 0;
  cpu->need_resched = false;
  cpu->cur->preempt_count--;  // no point: the task ends
  sim_emit(SIM_EVENT_CPU, NULL, cpu->id, 0, NULL);
  sim_cpu_recompute_events(to);
  sim_sched_refresh();
}

static bool try_to_stop_cpu(struct sim_cpu *cpu) {
  bool gone = false;
  struct sim_task *task = sim_task_create("stopper", stopper_main, &gone, cpu->id, true, true);
  task->kthread = task->percpu_thread = true;
  sim_wake(task);
  // Ahead of all others.
  SIM_ASSERT(cpu->rq_tail == task->slot);
  sim_rq_to_front(sim_w->st, cpu, task->slot);
  cpu->stopper = true;
  if (!cpu->idle) cpu->need_resched = true;
  sim_task_join(task);
  return gone;
}

static void stop_cpu(struct sim_cpu *cpu) {
  while (!try_to_stop_cpu(cpu)) sim_schedule_timeout_uninterruptible(1);
}

int sim_cpu_down(u32 cpu_id) {
  struct sim_state *st = sim_w->st;
  struct sim_hotplug *h = hotplug();
  sim_may_sleep("cpu_down");
  sim_mutex_lock(&h->lock);
  int rc = 0;
  bool was_up = sim_cpu_online(cpu_id);
  if (cpu_id >= st->num_cpus)
    rc = -SIM_EINVAL;
  else if (cpu_id == 0)
    rc = -SIM_EBUSY;
  else if (was_up)
    rc = call_states(cpu_id, false, true);
  if (was_up && !rc) {
    stop_cpu(st->cpus[cpu_id]);
    struct sweep s = {.cpu = cpu_id, .up = false, .on_cpu = false, .from = (int)h->num - 1};
    for (; s.from >= 0; s.from = s.at - 1) {
      s.rc = 0;
      run_sweep(&s);
      if (!s.rc) break;
      sim_report(&sim_oracle_api, h->state[s.at].name,
                 "hotplug state %s fails with %d after CPU %u has gone", h->state[s.at].name, s.rc,
                 cpu_id);
    }
  }
  sim_mutex_unlock(&h->lock);
  return rc;
}

// ---- Up ----

static void start_cpu(struct sim_cpu *cpu) {
  const struct sim_state *st = sim_w->st;
  if (cpu->clock_ns < st->cpu->clock_ns) cpu->clock_ns = st->cpu->clock_ns;
  cpu->online = true;
  // What it does from now on is behind what was done before it came.
  if (sim_unlikely(sim_race != NULL)) sim_race_cpu_release(cpu, st->cpu->cur);
  sim_emit(SIM_EVENT_CPU, NULL, cpu->id, 1, NULL);
  sim_cpu_recompute_events(cpu);
  sim_sched_refresh();
}

int sim_cpu_up(u32 cpu_id) {
  struct sim_state *st = sim_w->st;
  struct sim_hotplug *h = hotplug();
  sim_may_sleep("cpu_up");
  sim_mutex_lock(&h->lock);
  int rc = 0;
  bool was_up = sim_cpu_online(cpu_id);
  if (cpu_id >= st->num_cpus)
    rc = -SIM_EINVAL;
  else if (!was_up)
    rc = call_states(cpu_id, true, false);
  if (!was_up && !rc) {
    start_cpu(st->cpus[cpu_id]);
    rc = call_states(cpu_id, true, true);
    if (rc) {
      stop_cpu(st->cpus[cpu_id]);
      (void)call_states(cpu_id, false, false);
    }
  }
  sim_mutex_unlock(&h->lock);
  return rc;
}
