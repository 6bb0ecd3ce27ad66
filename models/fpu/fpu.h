// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who owns the x86 FPU's registers: user tasks, whose registers are loaded when they return
// to user mode, and sections of the kernel, which save them first.
//
//   here                          arch/x86 of Linux 6.1 and 7.2
//   struct fpu_regs               what XSAVE saves: a few words stand for the vector registers
//   struct fpu                    struct fpu and TIF_NEED_FPU_LOAD of a user task
//   fpu_cpu.owner                 fpu_fpregs_owner_ctx
//   fpu_cpu.in_kernel_fpu         in_kernel_fpu (6.1), !kernel_fpu_allowed (7.2), fpu_in_use (2022)
//   fpu.c                         kernel/fpu/core.c and context.h, include/asm/fpu/{api,sched}.h
//   fpu_signal.c                  kernel/fpu/signal.c
//   fpu_blake2s.c                 lib/crypto/x86/blake2s.h (6.1: arch/x86/crypto/blake2s-glue.c)
//
// Functions have the kernel's names. Three designs:
//
//   6.1           a section disables preemption; whoever interrupts it sees its flag
//   7.2           a section disables softirqs, where interrupts are on; false as well on a CPU
//                 whose FPU is not initialised yet
//   softirq-only  as 7.2, never in hardirq, and fpregs_lock raises the flag too: the combo patch
//                 of 5 May 2022 in "x86/fpu: Make FPU protection more robust"
//
// A context switch is instantaneous here (its registers are saved within switch_cost_ns);
// XSAVE, XRSTOR and a compression take their time at a scheduling point.
//
// Left out: x87, dynamic features, supervisor states, ptrace, fork, KVM, PREEMPT_RT.
#ifndef SEEDBED_MODELS_FPU_FPU_H_
#define SEEDBED_MODELS_FPU_FPU_H_

#include "sim/base.h"
#include "sim/task.h"

enum fpu_design { FPU_6_1, FPU_7_2, FPU_SOFTIRQ_ONLY, FPU_DESIGNS };

enum { FPU_VECTORS = 4 };
// Of a processor after reset, and in every section: all exceptions masked, round to nearest.
#define FPU_MXCSR_DEFAULT 0x1f80u

struct fpu_regs {
  u64 vector[FPU_VECTORS];
  u32 mxcsr;
};

// What each costs, in nanoseconds. Where the numbers come from: docs/FPU.md.
struct fpu_costs {
  u64 generic_ns;  // BLAKE2s, a block, without vector registers
  u64 simd_ns;     // and with them
  u64 begin_ns;    // kernel_fpu_begin and _end without a save
  u64 save_ns;     // XSAVE
  u64 restore_ns;  // XRSTOR
};

// Planted defects; all false: as the design says.
struct fpu_quirks {
  bool bug_80;         // irq_fpu_usable looks at open sections only
  bool bug_81;         // nobody sees an open section
  bool bug_82;         // BLAKE2s takes the answer of irq_fpu_usable for its opposite
  bool bug_as_posted;  // softirq-only: softirqs go off and on with interrupts off, too
};

struct fpu_model;

// Of a user task. A kthread has none.
struct fpu {
  struct fpu_regs fpstate;
  bool need_fpu_load;  // TIF_NEED_FPU_LOAD: the registers are in fpstate
  u32 last_cpu;        // where they were loaded last
  struct fpu_model *model;
  struct sim_preempt_notifier notifier;
};

struct fpu_cpu {
  struct fpu_regs regs;  // the processor's
  struct fpu *owner;     // whose they are; NULL: nobody's
  struct fpu *current;   // of the current task; NULL: a kthread or idle
  bool in_kernel_fpu;
  bool initialised;
};

enum fpu_context { FPU_TASK, FPU_SOFTIRQ, FPU_HARDIRQ, FPU_CONTEXTS };

// Calls of blake2s_compress: may they use SIMD?
struct fpu_stats {
  u64 calls[FPU_CONTEXTS], simd[FPU_CONTEXTS];
};

// An onlooker. All are set, or `arg` is NULL and none is called. No primitive, no draw.
struct fpu_hooks {
  void *arg;
  void (*asked)(void *arg, bool usable);  // irq_fpu_usable has answered
  void (*entering)(void *arg);            // kernel_fpu_begin is called
  void (*opened)(void *arg);              // it has done its work
  void (*used)(void *arg);                // the section has written its registers
  void (*closing)(void *arg);             // kernel_fpu_end is called
  void (*left)(void *arg);                // it has returned
  void (*done)(void *arg);                // who asked needs the answer no more
};

struct fpu_model {
  enum fpu_design design;
  struct fpu_costs costs;
  struct fpu_quirks quirks;
  struct fpu_hooks hooks;
  struct fpu_cpu *cpus;  // per CPU
  u64 words;             // that sections have put into registers
  struct fpu_stats stats;
};

// fpu_setup prepares a zeroed model whose design, costs, quirks and hooks are set. In set-up.
void fpu_setup(struct fpu_model *model);
// Makes `task`, which has not run yet, a user task with registers as after exec. `fpu` is
// zeroed and lives as long as the world. At most once a task.
void fpu_attach(struct fpu_model *model, struct fpu *fpu, struct sim_task *task);
// The registers of a processor after reset.
void fpu_regs_init(struct fpu_regs *out_regs);

// ---- fpu.c ----

// May the kernel use the FPU here and now? Any context; false in NMI.
bool irq_fpu_usable(struct fpu_model *model);
// Opens and closes a section. Any context in which irq_fpu_usable says yes. No sleep between.
void kernel_fpu_begin(struct fpu_model *model);
void kernel_fpu_end(struct fpu_model *model);
// Keeps the current task's registers where they are. Task context; no sleep between.
void fpregs_lock(struct fpu_model *model);
void fpregs_unlock(struct fpu_model *model);
// Loads the current user task's registers unless they are there. Within fpregs_lock, or with
// interrupts off.
void fpregs_restore_userregs(struct fpu_model *model);
// The registers have been loaded with the current task's: they are valid. Within fpregs_lock.
void fpregs_mark_activate(struct fpu_model *model);
// On the way to user mode: loads what must be loaded. Interrupts off; a user task.
void switch_fpu_return(struct fpu_model *model);

// Hotplug, as native_kick_ap, fpu__init_cpu and cpu_disable_common: before `cpu` runs its
// registers are blank and nobody's; on it, in 7.2, sections are allowed, and no longer.
void fpu_prepare_cpu(struct fpu_model *model, u32 cpu);
void fpu_init_cpu(struct fpu_model *model, u32 cpu);
void fpu_disable_cpu(struct fpu_model *model, u32 cpu);

// The registers that the running CPU has, to look at and for instructions of user mode.
struct fpu_regs *fpu_hardware(struct fpu_model *model);

// ---- fpu_signal.c: user tasks ----

// Writes the registers to a signal frame. A page fault is drawn and handled; sleeps.
void copy_fpstate_to_sigframe(struct fpu_model *model, struct fpu_regs *out_frame);
// sigreturn: loads them from there. A page fault is drawn and handled; sleeps.
void restore_fpregs_from_user(struct fpu_model *model, const struct fpu_regs *frame);
// A signal handler begins with the registers of a new process.
void fpu_clear_user_states(struct fpu_model *model);

// ---- fpu_blake2s.c ----

// Hashes so many blocks (1 or more), with SIMD in sections of at most 4 KiB where that may be
// used. Any context.
void blake2s_compress(struct fpu_model *model, u32 blocks);
// Uses vector registers for `ns`, within a section.
void fpu_simd(struct fpu_model *model, u64 ns);

#define FPU_HOOK(model, name, ...)                                                  \
  do {                                                                              \
    if ((model)->hooks.arg) (model)->hooks.name((model)->hooks.arg, ##__VA_ARGS__); \
  } while (0)

#endif  // SEEDBED_MODELS_FPU_FPU_H_
