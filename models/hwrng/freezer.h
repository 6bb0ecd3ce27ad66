// SPDX-License-Identifier: GPL-2.0-or-later
//
// What system sleep does to user tasks, as kernel/power/process.c does it: each is sent
// a fake signal and must come to the gate, where it stays until everything is thawed.
// Kernel threads go on.
#ifndef SEEDBED_MODELS_HWRNG_FREEZER_H_
#define SEEDBED_MODELS_HWRNG_FREEZER_H_

#include "sim/base.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/wait.h"

enum { FREEZER_TASKS_MAX = 16 };

struct freezer {
  struct sim_task *tasks[FREEZER_TASKS_MAX];  // user tasks; NULL: has ended
  u32 num_tasks;
  u32 at_gate;
  bool freezing;
  struct sim_mutex sleep_lock;  // one system sleep at a time
  struct sim_wait_queue_head thaw;
};

void freezer_init(struct freezer *freezer);
// A user task is added when it is created, calls try_to_freeze between system calls and
// ends with freezer_leave.
void freezer_add(struct freezer *freezer, struct sim_task *task);
void freezer_leave(struct freezer *freezer);
// try_to_freeze waits while everything is frozen.
void try_to_freeze(struct freezer *freezer);

// freeze_processes returns when all added tasks but the caller are at the gate; false,
// without freezing anything, if another sleep is under way. `signal` is called for each
// task that is to come. thaw_processes lets them go.
SIM_MUST_CHECK bool freeze_processes(struct freezer *freezer,
                                     void (*signal)(struct sim_task *task));
void thaw_processes(struct freezer *freezer);

#endif  // SEEDBED_MODELS_HWRNG_FREEZER_H_
