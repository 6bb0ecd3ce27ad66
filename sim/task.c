// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tasks: their creation, end and labels, waiting for one, lists of them.
#include "sim/task.h"

#include <string.h>

#include "sim/engine.h"
#include "sim/prim.h"

// ---- Creation ----

static void task_main(void *arg) {
  struct sim_task *task = arg;
  sim_ctx_arrived(sim_w);
  sim_sched_refresh();
  task->fn(task->arg);
  sim_task_exit();
}

// The label of actor `serial`: its name, without what decision files cannot hold, and how
// many of that name were before it.
static const char *make_label(struct sim_world *w, u32 serial, const char *name) {
  char *label = w->labels[serial].text;
  char digits[10];
  u32 same = 0, num_digits = 0;
  size_t len = 0;
  if (!*name) name = "_";
  for (; len < 15 && name[len]; len++)
    label[len] = name[len] <= ' ' || name[len] > '~' || name[len] == '#' ? '_' : name[len];
  for (u32 i = 0; i < serial; i++)
    if (memcmp(w->labels[i].text, label, len) == 0 && w->labels[i].text[len] == '#') same++;
  // By hand: a run makes a dozen, and printf takes as long as all else in a creation.
  do {
    digits[num_digits++] = (char)('0' + same % 10);
    same /= 10;
  } while (same);
  label[len++] = '#';
  while (num_digits) label[len++] = digits[--num_digits];
  label[len] = 0;
  return label;
}

struct sim_task *sim_task_create(const char *name, void (*fn)(void *arg), void *arg, u32 cpu,
                                 bool daemon, bool asleep) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  u32 slot = 0;
  while (slot < SIM_TASKS_MAX && st->tasks[slot] && !st->tasks[slot]->dead) slot++;
  if (slot == SIM_TASKS_MAX || st->next_serial >= SIM_ACTOR_CPU0)
    sim_fail(&sim_oracle_api, "tasks", "more than %d tasks at once or %d in a run", SIM_TASKS_MAX,
             SIM_ACTOR_CPU0);
  if (cpu >= st->num_cpus)
    sim_fail(&sim_oracle_api, "cpu", "task %s wants CPU %u of %u", name, cpu, st->num_cpus);
  if (!st->cpus[cpu]->online) cpu = 0;  // as hotplug moves them
  struct sim_task *before = st->tasks[slot];
  sim_arena_align(&w->arena, 64);
  struct sim_task *task = sim_arena_alloc(&w->arena, sizeof(*task));
  if (!task) sim_arena_exhausted();
  memset(task, 0, sizeof(*task));
  if (before) task->stack_low = before->stack_low;
  if (before) memset(w->count + (size_t)slot * w->count_stride, 0, w->num_sites * sizeof(u64));
  st->tasks[slot] = task;
  task->slot = (u8)slot;
  task->cpu = (u8)cpu;
  task->link = SIM_NO_SLOT;
  task->serial = st->next_serial++;
  task->fn = fn;
  task->arg = arg;
  task->daemon = daemon;
  task->never_ran = true;
  sim_task_list_init(&task->joiners);
  task->label_hash = sim_hash_str(make_label(w, task->serial, name));
  sim_stack_init(task, task_main, task);
  st->num_tasks++;
  if (!daemon) st->live++;
  if (sim_unlikely(sim_race != NULL)) sim_race_task_new(task);
  sim_emit(SIM_EVENT_TASK, NULL, task->serial, task->label_hash, NULL);
  task->sleeping = true;
  task->state = SIM_TASK_UNINTERRUPTIBLE;
  task->slept_since_ns = st->cpu ? st->cpu->clock_ns : 0;
  if (!asleep) sim_wake(task);
  return task;
}

struct sim_task *sim_task_new(const char *name, void (*fn)(void *arg), void *arg, u32 cpu) {
  bool in_setup = sim_w->st->in_setup;
  struct sim_task *task = sim_task_create(name, fn, arg, cpu, false, in_setup);
  task->starts_with_run = in_setup;
  return task;
}

void sim_tasks_start(void) {
  struct sim_state *st = sim_w->st;
  for (u32 serial = 0; serial < st->next_serial; serial++)
    for (u32 i = 0; i < SIM_TASKS_MAX; i++) {
      struct sim_task *task = st->tasks[i];
      if (!task || task->serial != serial || !task->starts_with_run) continue;
      task->starts_with_run = false;
      if (task->never_ran && task->sleeping) sim_wake(task);
    }
}

// ---- End ----

// The last task that a run waits for is no more.
SIM_NORETURN static void run_ends(struct sim_world *w) {
  w->st->ending = true;
  w->ended_whole = true;
  sim_to_host();
}

void sim_task_set_daemon(struct sim_task *task) {
  struct sim_state *st = sim_w->st;
  if (task->daemon || task->dead) return;
  task->daemon = true;
  if (--st->live == 0 && !st->in_setup) run_ends(sim_w);
}

void sim_task_exit(void) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  struct sim_cpu *cpu = st->cpu;
  struct sim_task *self = cpu->cur;
  static struct sim_site site SIM_SITE_SECTION = {.prim = "exit"};
  if (self->preempt_count != 0 || cpu->irqs_off)
    sim_fail(&sim_oracle_context, "exit", "%s ends with preempt_count %#x, interrupts %s",
             sim_task_label(self), self->preempt_count, cpu->irqs_off ? "off" : "on");
  sim_lockdep_task_exit(self);
  if (self->rcu_nesting)
    sim_fail(&sim_oracle_context, "exit-rcu", "%s ends inside rcu_read_lock", sim_task_label(self));
  self->dead = true;
  self->state = SIM_TASK_DEAD;
  st->num_tasks--;
  sim_hb_release(&self->result);
  if (sim_unlikely(sim_race != NULL)) sim_race_switched_out(cpu, self);
  struct sim_task *joiner;
  while ((joiner = sim_task_list_pop(&self->joiners))) sim_wake(joiner);
  sim_emit(SIM_EVENT_TASK, NULL, self->serial, 0, NULL);
  if (st->in_setup && self->serial == 0) {
    sim_cpu_set_idle(cpu);
    sim_to_host();
  }
  if (!self->daemon && --st->live == 0) run_ends(w);
  sim_leave_for_good(self, &site);
  SIM_ASSERT(!"a task that ended runs again");
}

struct sim_task *sim_current(void) {
  return sim_cur_task();
}

const char *sim_task_label(const struct sim_task *task) {
  if (task->slot >= SIM_TASKS_MAX)
    return sim_w->labels[SIM_ACTOR_CPU0 + task->slot - SIM_TASKS_MAX].text;
  return sim_w->labels[task->serial].text;
}

enum sim_task_state sim_task_state(const struct sim_task *task) {
  return (enum sim_task_state)task->state;
}

u32 sim_task_cpu(const struct sim_task *task) { return task->cpu; }

void sim_preempt_notifier_register(struct sim_task *task, struct sim_preempt_notifier *notifier) {
  if (task->notifier)
    sim_fail(&sim_oracle_api, "preempt_notifier", "%s has a preemption notifier already",
             sim_task_label(task));
  task->notifier = notifier;
}

void sim_task_join(struct sim_task *task) {
  struct sim_task *self = sim_cur_task();
  sim_point(SIM_SITE("join"), NULL, SIM_COST_ACCESS);
  while (!task->dead) {
    sim_task_list_add(&task->joiners, self);
    sim_block(SIM_SITE("join_sleep"), SIM_TASK_IDLE, "task_join");
    sim_task_list_remove(&task->joiners, self);  // it may have been woken for no reason
  }
  sim_hb_acquire(&task->result);
}

// ---- Task lists ----

void sim_task_list_init(struct sim_task_list *list) { list->head = list->tail = SIM_NO_SLOT; }

bool sim_task_list_empty(const struct sim_task_list *list) { return list->head == SIM_NO_SLOT; }

void sim_task_list_add(struct sim_task_list *list, struct sim_task *task) {
  struct sim_state *st = sim_w->st;
  task->link = SIM_NO_SLOT;
  if (list->head == SIM_NO_SLOT)
    list->head = task->slot;
  else
    st->tasks[list->tail]->link = task->slot;
  list->tail = task->slot;
}

struct sim_task *sim_task_list_pop(struct sim_task_list *list) {
  if (list->head == SIM_NO_SLOT) return NULL;
  struct sim_task *task = sim_w->st->tasks[list->head];
  list->head = task->link;
  if (list->head == SIM_NO_SLOT) list->tail = SIM_NO_SLOT;
  task->link = SIM_NO_SLOT;
  return task;
}

bool sim_task_list_remove(struct sim_task_list *list, struct sim_task *task) {
  struct sim_state *st = sim_w->st;
  struct sim_task *before = NULL;
  for (u8 slot = list->head; slot != SIM_NO_SLOT; slot = st->tasks[slot]->link) {
    struct sim_task *t = st->tasks[slot];
    if (t == task) {
      if (before)
        before->link = t->link;
      else
        list->head = t->link;
      if (list->tail == slot) list->tail = before ? before->slot : SIM_NO_SLOT;
      t->link = SIM_NO_SLOT;
      return true;
    }
    before = t;
  }
  return false;
}
