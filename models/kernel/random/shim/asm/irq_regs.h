// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an interrupt has interrupted: always the same place, so that no address of the host gets
// into a pool.
#ifndef SEEDBED_SHIM_RANDOM_ASM_IRQ_REGS_H_
#define SEEDBED_SHIM_RANDOM_ASM_IRQ_REGS_H_

struct pt_regs {
  unsigned long pc;
};
#define get_irq_regs() (&(struct pt_regs){0x1000})
#define instruction_pointer(regs) ((regs)->pc)

#endif  // SEEDBED_SHIM_RANDOM_ASM_IRQ_REGS_H_
