// SPDX-License-Identifier: GPL-2.0-or-later
//
// Owner, sections, switches. See fpu.h.
#include "models/fpu/fpu.h"

#include "sim/cpu.h"
#include "sim/world.h"

static struct fpu_cpu *this_cpu(struct fpu_model *model) { return sim_raw_cpu_ptr(model->cpus); }

struct fpu_regs *fpu_hardware(struct fpu_model *model) {
  return &this_cpu(model)->regs;
}

void fpu_regs_init(struct fpu_regs *out_regs) {
  *out_regs = (struct fpu_regs){.mxcsr = FPU_MXCSR_DEFAULT};
}

// ---- Owner ----

static void save_fpregs_to_fpstate(struct fpu_model *model, struct fpu *fpu) {
  fpu->fpstate = this_cpu(model)->regs;
}

static void cpu_invalidate_fpregs_state(struct fpu_model *model) { this_cpu(model)->owner = NULL; }

// What is in the registers is this task's, and nothing newer is in memory.
static bool fpregs_state_valid(const struct fpu_cpu *cpu, const struct fpu *fpu, u32 number) {
  return cpu->owner == fpu && fpu->last_cpu == number;
}

void fpregs_mark_activate(struct fpu_model *model) {
  struct fpu_cpu *cpu = this_cpu(model);
  struct fpu *fpu = cpu->current;

  cpu->owner = fpu;
  fpu->last_cpu = sim_smp_processor_id();
  fpu->need_fpu_load = false;
}

void fpregs_restore_userregs(struct fpu_model *model) {
  struct fpu_cpu *cpu = this_cpu(model);

  if (!fpregs_state_valid(cpu, cpu->current, sim_smp_processor_id())) {
    sim_elapse(model->costs.restore_ns);
    cpu->regs = cpu->current->fpstate;
  }
  fpregs_mark_activate(model);
}

void switch_fpu_return(struct fpu_model *model) {
  if (this_cpu(model)->current->need_fpu_load) fpregs_restore_userregs(model);
}

// ---- Switches ----

// The registers stay as they are, and so does the owner: who comes back to this CPU before
// anybody used them need not load them.
static void switched_out(struct sim_preempt_notifier *notifier) {
  struct fpu *fpu = sim_container_of(notifier, struct fpu, notifier);
  struct fpu_cpu *cpu = this_cpu(fpu->model);

  if (!fpu->need_fpu_load) {
    if (fpu->model->design != FPU_6_1) fpu->need_fpu_load = true;
    save_fpregs_to_fpstate(fpu->model, fpu);
    fpu->last_cpu = sim_smp_processor_id();
  }
  cpu->current = NULL;
}

static void switched_in(struct sim_preempt_notifier *notifier) {
  struct fpu *fpu = sim_container_of(notifier, struct fpu, notifier);

  // 6.1 sets the flag only when the task comes back: nothing looks at it before.
  if (fpu->model->design == FPU_6_1) fpu->need_fpu_load = true;
  this_cpu(fpu->model)->current = fpu;
}

void fpu_attach(struct fpu_model *model, struct fpu *fpu, struct sim_task *task) {
  fpu_regs_init(&fpu->fpstate);
  fpu->need_fpu_load = true;
  fpu->last_cpu = UINT32_MAX;
  fpu->model = model;
  fpu->notifier = (struct sim_preempt_notifier){switched_in, switched_out};
  sim_preempt_notifier_register(task, &fpu->notifier);
}

// ---- Sections ----

bool irq_fpu_usable(struct fpu_model *model) {
  const struct fpu_cpu *cpu = this_cpu(model);
  bool usable;

  if (sim_in_nmi())
    usable = false;
  else if (cpu->in_kernel_fpu || (!cpu->initialised && model->design == FPU_7_2))
    usable = false;
  else if (!sim_in_hardirq() || model->quirks.bug_80)
    usable = true;
  else
    // In hardirq: not where it came into fpregs_lock, or into a softirq.
    usable = model->design != FPU_SOFTIRQ_ONLY && !sim_softirq_count();
  FPU_HOOK(model, asked, usable);
  return usable;
}

// Under PREEMPT_RT softirqs have threads, and local_bh_disable leaves a task preemptible: there
// preemption is turned off instead.
static bool is_rt(void) { return sim_world_config(sim_w)->rt; }

void fpregs_lock(struct fpu_model *model) {
  if (is_rt())
    sim_preempt_disable();
  else
    sim_local_bh_disable();
  if (model->design == FPU_SOFTIRQ_ONLY) this_cpu(model)->in_kernel_fpu = true;
}

void fpregs_unlock(struct fpu_model *model) {
  if (model->design == FPU_SOFTIRQ_ONLY) this_cpu(model)->in_kernel_fpu = false;
  if (is_rt())
    sim_preempt_enable();
  else
    sim_local_bh_enable();
}

// What keeps others from the CPU while a section is open.
enum section_guard { GUARD_PREEMPT, GUARD_BH, GUARD_IRQS_OFF };

static enum section_guard section_guard(const struct fpu_model *model) {
  if (model->design == FPU_6_1 || model->quirks.bug_81) return GUARD_PREEMPT;
  // Where interrupts are off softirqs are out, and must not be let in by the section's end.
  if (sim_irqs_disabled() && !model->quirks.bug_as_posted) return GUARD_IRQS_OFF;
  return is_rt() ? GUARD_PREEMPT : GUARD_BH;
}

void kernel_fpu_begin(struct fpu_model *model) {
  enum section_guard guard = section_guard(model);
  struct fpu_cpu *cpu;

  FPU_HOOK(model, entering);
  if (guard == GUARD_BH) sim_local_bh_disable();
  if (guard == GUARD_PREEMPT) sim_preempt_disable();
  cpu = this_cpu(model);
  cpu->in_kernel_fpu = !model->quirks.bug_81;
  if (cpu->current && !cpu->current->need_fpu_load) {
    cpu->current->need_fpu_load = true;
    sim_elapse(model->costs.save_ns);
    save_fpregs_to_fpstate(model, cpu->current);
  }
  cpu_invalidate_fpregs_state(model);
  sim_elapse(model->costs.begin_ns);
  cpu->regs.mxcsr = FPU_MXCSR_DEFAULT;
  FPU_HOOK(model, opened);
}

void kernel_fpu_end(struct fpu_model *model) {
  enum section_guard guard = section_guard(model);

  FPU_HOOK(model, closing);
  this_cpu(model)->in_kernel_fpu = false;
  if (guard == GUARD_BH) sim_local_bh_enable();
  if (guard == GUARD_PREEMPT) sim_preempt_enable();
  FPU_HOOK(model, left);
}

// ---- CPUs ----

void fpu_prepare_cpu(struct fpu_model *model, u32 cpu) {
  model->cpus[cpu].owner = NULL;
  fpu_regs_init(&model->cpus[cpu].regs);
}

void fpu_init_cpu(struct fpu_model *model, u32 cpu) { model->cpus[cpu].initialised = true; }

void fpu_disable_cpu(struct fpu_model *model, u32 cpu) { model->cpus[cpu].initialised = false; }

void fpu_setup(struct fpu_model *model) {
  model->cpus = sim_alloc_percpu(struct fpu_cpu, "fpu");
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++) {
    fpu_prepare_cpu(model, cpu);
    fpu_init_cpu(model, cpu);
  }
}
