// SPDX-License-Identifier: GPL-2.0-or-later
//
// Signal frames: the registers go to user memory and come back. See fpu.h.
//
// Both are tried with page faults off, within fpregs_lock; one that faults is handled outside
// and tried again.
#include "models/fpu/fpu.h"

#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/timer.h"
#include "sim/world.h"

static bool page_fault(void) {
  return sim_choose(sim_w, SIM_SITE_DRAW("fpu-page-fault", SIM_SITE_FAULT, 1, 4), 2);
}

// The page comes from a disk.
static void fault_in(void) { sim_schedule_timeout_uninterruptible(1); }

void copy_fpstate_to_sigframe(struct fpu_model *model, struct fpu_regs *out_frame) {
  bool fault;

  do {
    fpregs_lock(model);
    switch_fpu_return(model);
    fault = page_fault();
    sim_elapse(model->costs.save_ns);
    *out_frame = *fpu_hardware(model);
    fpregs_unlock(model);
    if (fault) fault_in();
  } while (fault);
}

void restore_fpregs_from_user(struct fpu_model *model, const struct fpu_regs *frame) {
  bool fault;

  do {
    struct fpu_cpu *cpu;

    fpregs_lock(model);
    cpu = sim_this_cpu_ptr(model->cpus);
    fault = page_fault();
    sim_elapse(model->costs.restore_ns);
    if (fault) {
      // Some are loaded. If the registers are another task's, that one must not take them for
      // its own; if they are this task's, they are loaded again in any case.
      cpu->regs.vector[0] = frame->vector[0];
      if (cpu->current->need_fpu_load) cpu->owner = NULL;
    } else {
      cpu->regs = *frame;
      SIM_POINT("mark_activate", cpu);
      fpregs_mark_activate(model);
    }
    fpregs_unlock(model);
    if (fault) fault_in();
  } while (fault);
}

void fpu_clear_user_states(struct fpu_model *model) {
  fpregs_lock(model);
  sim_elapse(model->costs.restore_ns);
  fpu_regs_init(fpu_hardware(model));
  fpregs_mark_activate(model);
  fpregs_unlock(model);
}
