/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of arch/arm64/include/asm/sysreg.h, which wants a file that a kernel's build makes:
 * how a register is named and read, and the registers that random words need.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_ASM_SYSREG_H_
#define SEEDBED_MODELS_ARM64_SHIM_ASM_SYSREG_H_

#include <linux/bits.h>
#include <linux/stringify.h>
#include <linux/types.h>

/* As they stand in the instruction. */
#define sys_reg(op0, op1, crn, crm, op2) \
  (((op0) << 19) | ((op1) << 16) | ((crn) << 12) | ((crm) << 8) | ((op2) << 5))

#define SYS_ID_AA64ISAR0_EL1 sys_reg(3, 0, 0, 6, 0)
#define SYS_RNDR_EL0 sys_reg(3, 3, 2, 4, 0)
#define SYS_RNDRRS_EL0 sys_reg(3, 3, 2, 4, 1)

#define ID_AA64ISAR0_EL1_RNDR_SHIFT 60
#define ID_AA64ISAR0_EL1_RNDR_WIDTH 4
#define ID_AA64ISAR0_EL1_RNDR_MASK GENMASK(63, 60)
#define ID_AA64ISAR0_EL1_RNDR_NI 0
#define ID_AA64ISAR0_EL1_RNDR_IMP 1

#define PSR_I_BIT 0x80

/* MRS of a register by its number: of its target the assembler knows the name alone. */
#define __mrs_s(v, r)                                                                            \
  ".irp seedbed_n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28," \
  "29,30\n"                                                                                      \
  "\t.equ .Lseedbed_x\\seedbed_n, \\seedbed_n\n"                                                 \
  "\t.endr\n"                                                                                    \
  "\t.equ .Lseedbed_xzr, 31\n"                                                                   \
  "\t.inst 0xd5200000 | (" __stringify(r) ") | (.Lseedbed_" v ")\n"

#define read_sysreg_s(r)                                  \
  ({                                                      \
    u64 seedbed_value;                                    \
    asm volatile(__mrs_s("%0", r) : "=r"(seedbed_value)); \
    seedbed_value;                                        \
  })
#define read_sysreg(r)                                             \
  ({                                                               \
    u64 seedbed_value;                                             \
    asm volatile("mrs %0, " __stringify(r) : "=r"(seedbed_value)); \
    seedbed_value;                                                 \
  })
#define read_cpuid(r) read_sysreg_s(SYS_##r)

#endif /* SEEDBED_MODELS_ARM64_SHIM_ASM_SYSREG_H_ */
