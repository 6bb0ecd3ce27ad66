// SPDX-License-Identifier: GPL-2.0-or-later
//
// The onlooker: judges who has the FPU from outside, by the values in the processor's
// registers and by the contexts in which sections open and close. It shares no code with the
// model, and none of its flags.
//
// Nothing here draws, sleeps or is a scheduling point.
#ifndef SEEDBED_MODELS_FPU_FPU_WATCH_H_
#define SEEDBED_MODELS_FPU_FPU_WATCH_H_

#include "models/fpu/fpu.h"
#include "sim/base.h"
#include "sim/task.h"

enum { FPU_WATCH_USERS_MAX = 8, FPU_WATCH_TASKS_MAX = 32 };

// Who may open a section: a task, or a CPU's softirqs or hardirqs. These nest, tasks are
// preempted between the question and the section.
struct fpu_watch_actor {
  const struct sim_task *task;
  bool asked, usable;  // it has an answer, and which
  // When the section was entered.
  u32 preempt_count;
  bool irqs_off;
};

struct fpu_watch_cpu {
  struct fpu_watch_actor softirq, hardirq;
  bool open;
  bool used;  // the open section has written registers:
  struct fpu_regs wrote;
  u64 opened_ns;
};

struct fpu_watch {
  struct fpu_model *model;
  u64 section_ns_max;
  u64 values;                                 // that user tasks have written
  struct fpu_regs user[FPU_WATCH_USERS_MAX];  // what each task's registers must be
  struct fpu_watch_cpu cpus[SIM_CPUS_MAX];
  u32 num_tasks;
  struct fpu_watch_actor tasks[FPU_WATCH_TASKS_MAX];
};

// Prepares a zeroed onlooker and sets the hooks of `model`. In set-up.
void fpu_watch_init(struct fpu_watch *watch, struct fpu_model *model, u64 section_ns_max);

// User task number `user` (below FPU_WATCH_USERS_MAX) is about to run in user mode: its registers
// are compared. Then, instructions of user mode change them.
void fpu_watch_user_mode(struct fpu_watch *watch, u32 user);
// The task's registers are now these: of a signal handler's begin, or a signal's return.
void fpu_watch_expect(struct fpu_watch *watch, u32 user, const struct fpu_regs *regs);

#endif  // SEEDBED_MODELS_FPU_FPU_WATCH_H_
