// SPDX-License-Identifier: GPL-2.0-or-later
//
// Kernel threads (kernel/kthread.c): create, run, stop, park.
#include <stdio.h>
#include <string.h>

#include "sim/prim.h"

const char *sim_task_base(const struct sim_task *task, char out[SIM_TASK_BASE_LEN]) {
  snprintf(out, SIM_TASK_BASE_LEN, "%s", sim_task_label(task));
  char *number = strrchr(out, '#');
  if (number) *number = 0;
  return out;
}

const char *sim_task_place(const struct sim_task *task, char out[SIM_PLACE_LEN]) {
  if (task->site) return sim_site_label(task->site, out, SIM_PLACE_LEN);
  snprintf(out, SIM_PLACE_LEN, "?");
  return out;
}

// The first step of every kthread: one that was stopped before it ever ran does not run
// its function.
static void kthread_main(void *arg) {
  struct sim_task *self = sim_cur_task();
  self->result = -SIM_EINTR;
  if (self->should_stop) return;
  if (self->should_park) sim_kthread_parkme();
  self->result = self->kfn(arg);
}

struct sim_task *sim_kthread_create(int (*fn)(void *arg), void *arg, const char *name, u32 cpu) {
  struct sim_task *task = sim_task_create(name, kthread_main, arg, cpu, true, true);
  task->kthread = true;
  task->kfn = fn;
  return task;
}

struct sim_task *sim_kthread_run_at(struct sim_site *site, int (*fn)(void *arg), void *arg,
                                    const char *name, u32 cpu) {
  struct sim_task *task = sim_kthread_create(fn, arg, name, cpu);
  sim_wake_up_process_at(site, task);
  return task;
}

SIM_NORETURN SIM_COLD static void misused(const struct sim_task *task, const char *how) {
  char base[SIM_TASK_BASE_LEN], stable[2 * SIM_TASK_BASE_LEN + 24];
  snprintf(stable, sizeof(stable), "%s %s", sim_task_base(task, base), how);
  sim_fail(&sim_oracle_kthread, stable, "%s %s, by %s", sim_task_label(task), how,
           sim_task_label(sim_cur_task()));
}

static void check_alive(const struct sim_task *task, const char *gone) {
  if (!task->kthread) misused(task, "is no kthread");
  if (task == sim_cur_task()) misused(task, "is told so by itself");
  if (task->dead) misused(task, gone);
}

static void unpark(struct sim_task *task) {
  task->should_park = false;
  if (task->state == SIM_TASK_PARKED) sim_wake(task);
}

// The stop also counts as a signal, which ends interruptible sleeps (TIF_NOTIFY_SIGNAL,
// since 6.0: a7c01fa93aeb).
int sim_kthread_stop_at(struct sim_site *site, struct sim_task *task) {
  sim_may_sleep("kthread_stop");
  sim_point(site, NULL, SIM_COST_LOCK);
  if (task->stop_called) misused(task, "is stopped twice");
  check_alive(task, "is stopped after its end");
  task->stop_called = true;
  task->should_stop = true;
  task->signal = true;
  unpark(task);
  sim_wake(task);
  struct sim_task *self = sim_cur_task();
  while (!task->dead) {
    sim_task_list_add(&task->joiners, self);
    sim_block(site, SIM_TASK_UNINTERRUPTIBLE, "kthread_stop");
    sim_task_list_remove(&task->joiners, self);  // it may have been woken for no reason
  }
  sim_hb_acquire(&task->result);
  return task->result;
}

bool sim_kthread_should_stop_at(struct sim_site *site) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  return sim_cur_task()->should_stop;
}

// ---- Parking ----

void sim_kthread_park_at(struct sim_site *site, struct sim_task *task) {
  sim_may_sleep("kthread_park");
  sim_point(site, NULL, SIM_COST_LOCK);
  check_alive(task, "is parked after its end");
  if (task->should_park) misused(task, "is parked twice");
  task->should_park = true;
  task->parker = sim_cur_task();
  sim_wake(task);
  while (!task->parked && !task->dead && task->should_park)
    sim_block(site, SIM_TASK_UNINTERRUPTIBLE, "kthread_park");
  sim_hb_acquire(&task->result);
  task->parker = NULL;
}

void sim_kthread_unpark_at(struct sim_site *site, struct sim_task *task) {
  sim_point(site, NULL, SIM_COST_LOCK);
  unpark(task);
}

bool sim_kthread_should_park_at(struct sim_site *site) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  return sim_cur_task()->should_park;
}

void sim_kthread_parkme_at(struct sim_site *site) {
  struct sim_task *self = sim_cur_task();
  if (!self->kthread) misused(self, "is no kthread");
  sim_point(site, NULL, SIM_COST_ACCESS);
  while (self->should_park) {
    self->parked = true;
    sim_hb_release(&self->result);
    if (self->parker) sim_wake(self->parker);
    sim_block(site, SIM_TASK_PARKED, "kthread_unpark");
  }
  self->parked = false;
  self->state = SIM_TASK_RUNNING;
}
