// SPDX-License-Identifier: GPL-2.0-or-later
//
// BLAKE2s as a user of the FPU. What it computes is the same either way: here it takes time
// and registers. See fpu.h.
#include "models/fpu/fpu.h"

#include "sim/cpu.h"
#include "sim/world.h"

// A section hashes at most 4 KiB, so that nothing waits long for the CPU.
enum { SECTION_BLOCKS = 4096 / 64 };

static enum fpu_context context(void) {
  if (sim_in_hardirq()) return FPU_HARDIRQ;
  return sim_in_serving_softirq() ? FPU_SOFTIRQ : FPU_TASK;
}

static bool may_use_simd(struct fpu_model *model) {
  bool usable = irq_fpu_usable(model);

  return model->quirks.bug_82 ? !usable : usable;
}

void fpu_simd(struct fpu_model *model, u64 ns) {
  struct fpu_regs *regs = fpu_hardware(model);

  for (u32 i = 0; i < FPU_VECTORS; i++)
    regs->vector[i] = sim_mix64(0xb1a2e5ull << 40 | ++model->words);
  FPU_HOOK(model, used);
  sim_elapse(ns);
}

static void compress_in_sections(struct fpu_model *model, u32 blocks) {
  while (blocks) {
    u32 n = blocks < SECTION_BLOCKS ? blocks : SECTION_BLOCKS;

    kernel_fpu_begin(model);
    fpu_simd(model, n * model->costs.simd_ns);
    kernel_fpu_end(model);
    blocks -= n;
  }
}

void blake2s_compress(struct fpu_model *model, u32 blocks) {
  bool simd = may_use_simd(model);

  model->stats.calls[context()]++;
  model->stats.simd[context()] += simd;
  if (simd)
    compress_in_sections(model, blocks);
  else
    sim_elapse(blocks * model->costs.generic_ns);
  FPU_HOOK(model, done);
}
