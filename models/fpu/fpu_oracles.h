// SPDX-License-Identifier: GPL-2.0-or-later
//
// The oracles of the FPU: what each asks and on whose word. fpu_watch.h judges them.
#ifndef SEEDBED_MODELS_FPU_FPU_ORACLES_H_
#define SEEDBED_MODELS_FPU_FPU_ORACLES_H_

#include "sim/scenario.h"

// X(name, id, status, sentence, source)
#define FPU_ORACLES(X)                                                                             \
  X(user, "fpu-user-registers", SIM_SAFETY,                                                        \
    "a task finds its own registers, MXCSR too, at every return to user mode and of a signal",     \
    "commit 59f5ede3bc0f: a hardirq's section had overwritten registers under fpregs_lock")        \
  X(one, "fpu-one-section", SIM_SAFETY, "a CPU has at most one open section",                      \
    "kernel_fpu_begin of 6.1 and 7.2 warns of a second; commit 14e153ef75ee")                      \
  X(usable, "fpu-usable", SIM_SAFETY,                                                              \
    "a section is opened only where irq_fpu_usable has said so, which tasks need not ask unless "  \
    "it said no",                                                                                  \
    "arch/x86/include/asm/fpu/api.h; commit 13b79b971564: a caller had taken it for its opposite") \
  X(mxcsr, "fpu-mxcsr", SIM_SAFETY, "MXCSR has its default while a section runs",                  \
    "kernel_fpu_begin of 6.1 and 7.2: ldmxcsr")                                                    \
  X(section, "fpu-section-registers", SIM_SAFETY,                                                  \
    "what a section puts into registers is there until its end, on the same CPU",                  \
    "Documentation/core-api/floating-point.rst; kernel_fpu_begin keeps preemption off")            \
  X(counts, "fpu-counts", SIM_SAFETY,                                                              \
    "a section leaves the preemption count, softirqs included, and interrupts as they were, and "  \
    "a task returns to user mode with none of them off",                                           \
    "kernel_fpu_end of 6.1 and 7.2 undoes what kernel_fpu_begin did")                              \
  X(latency, "fpu-irq-off-bound", SIM_SAFETY,                                                      \
    "with interrupts off, a section ends within a bound",                                          \
    "arch/x86 BLAKE2s hashes at most 4 KiB in a section; the bound is a parameter (section_ns)")

#define X(name, id, status, sentence, source) extern const struct sim_oracle fpu_oracle_##name;
FPU_ORACLES(X)
#undef X

// All of them, NULL-terminated.
extern const struct sim_oracle *const fpu_oracles[];

#endif  // SEEDBED_MODELS_FPU_FPU_ORACLES_H_
