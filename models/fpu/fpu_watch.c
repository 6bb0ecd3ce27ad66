// SPDX-License-Identifier: GPL-2.0-or-later
//
// See fpu_watch.h.
#include "models/fpu/fpu_watch.h"

#include "models/fpu/fpu_oracles.h"
#include "sim/checker.h"
#include "sim/cpu.h"
#include "sim/world.h"

// MXCSR of a processor after reset (Intel SDM volume 1, 10.2.3), and bits of it that a
// program may change at will: flags, flush to zero, rounding.
enum { MXCSR_RESET = 0x1f80, MXCSR_FREE = 0xe03f };

static const char *context_name(void) {
  if (sim_in_hardirq()) return "hardirq";
  return sim_in_serving_softirq() ? "softirq" : "task";
}

static struct fpu_watch_cpu *this_cpu(struct fpu_watch *watch) {
  return &watch->cpus[sim_smp_processor_id()];
}

static struct fpu_watch_actor *this_actor(struct fpu_watch *watch) {
  const struct sim_task *task = sim_current();

  if (sim_in_hardirq()) return &this_cpu(watch)->hardirq;
  if (sim_in_serving_softirq()) return &this_cpu(watch)->softirq;
  for (u32 i = 0; i < watch->num_tasks; i++)
    if (watch->tasks[i].task == task) return &watch->tasks[i];
  SIM_ASSERT(watch->num_tasks < FPU_WATCH_TASKS_MAX);
  watch->tasks[watch->num_tasks].task = task;
  return &watch->tasks[watch->num_tasks++];
}

static bool same(const struct fpu_regs *a, const struct fpu_regs *b) {
  for (u32 i = 0; i < FPU_VECTORS; i++)
    if (a->vector[i] != b->vector[i]) return false;
  return a->mxcsr == b->mxcsr;
}

// ---- Sections ----

static void on_asked(void *arg, bool usable) {
  struct fpu_watch_actor *actor = this_actor(arg);

  actor->asked = true;
  actor->usable = usable;
}

static void on_entering(void *arg) {
  struct fpu_watch_actor *actor = this_actor(arg);

  actor->preempt_count = sim_preempt_count();
  actor->irqs_off = sim_irqs_disabled();
}

static void on_opened(void *arg) {
  struct fpu_watch *watch = arg;
  struct fpu_watch_cpu *cpu = this_cpu(watch);
  struct fpu_watch_actor *actor = this_actor(watch);

  if (actor->asked ? !actor->usable : !sim_in_task())
    sim_fail(&fpu_oracle_usable, context_name(), "CPU %u: a section in %s, %s",
             sim_smp_processor_id(), context_name(),
             actor->asked ? "though the FPU is not usable" : "and nobody asked");
  if (cpu->open)
    sim_fail(&fpu_oracle_one, context_name(), "CPU %u: a section is opened in %s within another",
             sim_smp_processor_id(), context_name());
  if (fpu_hardware(watch->model)->mxcsr != MXCSR_RESET)
    sim_fail(&fpu_oracle_mxcsr, "opened", "CPU %u: a section begins with MXCSR %#x",
             sim_smp_processor_id(), fpu_hardware(watch->model)->mxcsr);
  cpu->open = true;
  cpu->used = false;
  cpu->opened_ns = sim_clock_ns();
}

static void on_used(void *arg) {
  struct fpu_watch *watch = arg;
  struct fpu_watch_cpu *cpu = this_cpu(watch);

  cpu->used = true;
  cpu->wrote = *fpu_hardware(watch->model);
  if (!cpu->open)
    sim_fail(&fpu_oracle_section, "none", "CPU %u: registers are used without a section",
             sim_smp_processor_id());
  if (cpu->wrote.mxcsr != MXCSR_RESET)
    sim_fail(&fpu_oracle_mxcsr, "used", "CPU %u: a section computes with MXCSR %#x",
             sim_smp_processor_id(), cpu->wrote.mxcsr);
}

static void on_closing(void *arg) {
  struct fpu_watch *watch = arg;
  struct fpu_watch_cpu *cpu = this_cpu(watch);
  u64 ns = sim_clock_ns() - cpu->opened_ns;

  if (!cpu->open)
    sim_fail(&fpu_oracle_section, "moved", "CPU %u: a section ends that began elsewhere",
             sim_smp_processor_id());
  if (cpu->used && !same(&cpu->wrote, fpu_hardware(watch->model)))
    sim_fail(&fpu_oracle_section, "lost", "CPU %u: a section in %s has lost its registers",
             sim_smp_processor_id(), context_name());
  if (sim_irqs_disabled() && ns > watch->section_ns_max)
    sim_fail(&fpu_oracle_latency, context_name(),
             "CPU %u: a section in %s takes %llu ns with interrupts off", sim_smp_processor_id(),
             context_name(), (unsigned long long)ns);
  cpu->open = false;
}

static void on_left(void *arg) {
  struct fpu_watch_actor *actor = this_actor(arg);

  if (actor->preempt_count != sim_preempt_count() || actor->irqs_off != sim_irqs_disabled())
    sim_fail(&fpu_oracle_counts, context_name(),
             "a section in %s leaves preempt_count %#x (%#x before), interrupts %s", context_name(),
             sim_preempt_count(), actor->preempt_count, sim_irqs_disabled() ? "off" : "on");
}

static void on_done(void *arg) { this_actor(arg)->asked = false; }

void fpu_watch_init(struct fpu_watch *watch, struct fpu_model *model, u64 section_ns_max) {
  watch->model = model;
  watch->section_ns_max = section_ns_max;
  for (u32 user = 0; user < FPU_WATCH_USERS_MAX; user++)
    watch->user[user] = (struct fpu_regs){.mxcsr = MXCSR_RESET};
  model->hooks = (struct fpu_hooks){
      .arg = watch,
      .asked = on_asked,
      .entering = on_entering,
      .opened = on_opened,
      .used = on_used,
      .closing = on_closing,
      .left = on_left,
      .done = on_done,
  };
}

// ---- User mode ----

void fpu_watch_expect(struct fpu_watch *watch, u32 user, const struct fpu_regs *regs) {
  watch->user[user] = *regs;
}

void fpu_watch_user_mode(struct fpu_watch *watch, u32 user) {
  struct fpu_regs *regs = fpu_hardware(watch->model);

  if (!same(regs, &watch->user[user]))
    sim_fail(&fpu_oracle_user, "", "%s returns to user mode on CPU %u with registers not its own",
             sim_task_label(sim_current()), sim_smp_processor_id());
  if (sim_preempt_count())
    sim_fail(&fpu_oracle_counts, "user mode", "%s returns to user mode with preempt_count %#x",
             sim_task_label(sim_current()), sim_preempt_count());
  for (u32 i = 0; i < FPU_VECTORS; i++)
    regs->vector[i] = sim_mix64(0x05e4ull << 48 | ++watch->values);
  regs->mxcsr = MXCSR_RESET ^ ((u32)regs->vector[0] & MXCSR_FREE);
  watch->user[user] = *regs;
}
