// SPDX-License-Identifier: GPL-2.0-or-later
//
// See freezer.h.
#include "models/hwrng/freezer.h"

void freezer_init(struct freezer *freezer) {
  sim_mutex_init(&freezer->sleep_lock, "sleep_lock");
  sim_init_waitqueue_head(&freezer->thaw, "thaw");
}

void freezer_add(struct freezer *freezer, struct sim_task *task) {
  SIM_ASSERT(freezer->num_tasks < FREEZER_TASKS_MAX);
  freezer->tasks[freezer->num_tasks++] = task;
}

void freezer_leave(struct freezer *freezer) {
  for (u32 i = 0; i < freezer->num_tasks; i++)
    if (freezer->tasks[i] == sim_current()) freezer->tasks[i] = NULL;
}

void try_to_freeze(struct freezer *freezer) {
  if (!sim_read_once(freezer->freezing)) return;
  freezer->at_gate++;
  sim_wait_event(&freezer->thaw, !freezer->freezing);
  freezer->at_gate--;
}

static u32 others(const struct freezer *freezer) {
  u32 n = 0;

  for (u32 i = 0; i < freezer->num_tasks; i++)
    n += freezer->tasks[i] && freezer->tasks[i] != sim_current();
  return n;
}

bool freeze_processes(struct freezer *freezer, void (*signal)(struct sim_task *task)) {
  if (!sim_mutex_trylock(&freezer->sleep_lock)) return false;
  freezer->freezing = true;
  for (u32 i = 0; i < freezer->num_tasks; i++)
    if (freezer->tasks[i] && freezer->tasks[i] != sim_current()) signal(freezer->tasks[i]);
  while (freezer->at_gate < others(freezer)) sim_schedule_timeout_uninterruptible(1);
  return true;
}

void thaw_processes(struct freezer *freezer) {
  freezer->freezing = false;
  sim_wake_up_all(&freezer->thaw);
  sim_mutex_unlock(&freezer->sleep_lock);
}
