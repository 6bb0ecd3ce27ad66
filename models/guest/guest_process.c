// SPDX-License-Identifier: GPL-2.0-only
//
// What a process of arm64 may execute. Calls run at EL1, where the library executes more, so the
// system instructions are looked at by their words.
//
// Source: Arm ARM (DDI 0487), C5 "The A64 System Instruction Class" (encodings, and the pseudocode
// of each at EL0) and D24 (registers), with what Linux leaves a process of the controls:
// SCTLR_EL1 has UCI, UCT and DZE set and UMA and EnRCTX clear (arch/arm64/include/asm/sysreg.h,
// INIT_SCTLR_EL1_MMU_ON); PMUSERENR_EL0 and AMUSERENR_EL0 are 0 and MDSCR_EL1.TDCC is set
// (arch/arm64/mm/proc.S, __cpu_setup). Reads of ID registers trap, and are answered
// (Documentation/arch/arm64/cpu-feature-registers.rst).
//
// Left out: what the library's processor has not (SME, MTE, GCS) is undefined anyway; hints and
// barriers are everybody's.
#include "models/guest/guest_impl.h"

// op0, op1, CRn, CRm and op2, as they lie in an instruction.
#define SYS(op0, op1, crn, crm, op2) \
  ((u32)(op0) << 19 | (op1) << 16 | (crn) << 12 | (crm) << 8 | (op2) << 5)
#define SYS_MASK 0x001fffe0u
#define SYS_READ (1u << 21)

static const u32 may[] = {
    // SYS: DC ZVA, IC IVAU, DC CVAC, CVAU, CVAP, CVADP, CIVAC.
    SYS(1, 3, 7, 4, 1),
    SYS(1, 3, 7, 5, 1),
    SYS(1, 3, 7, 10, 1),
    SYS(1, 3, 7, 11, 1),
    SYS(1, 3, 7, 12, 1),
    SYS(1, 3, 7, 13, 1),
    SYS(1, 3, 7, 14, 1),
    // Registers: CTR_EL0, DCZID_EL0; RNDR, RNDRRS; NZCV, DIT, SSBS, FPCR, FPSR; TPIDR_EL0,
    // TPIDRRO_EL0; CNTFRQ_EL0, CNTVCT_EL0, CNTVCTSS_EL0.
    SYS(3, 3, 0, 0, 1),
    SYS(3, 3, 0, 0, 7),
    SYS(3, 3, 2, 4, 0),
    SYS(3, 3, 2, 4, 1),
    SYS(3, 3, 4, 2, 0),
    SYS(3, 3, 4, 2, 5),
    SYS(3, 3, 4, 2, 6),
    SYS(3, 3, 4, 4, 0),
    SYS(3, 3, 4, 4, 1),
    SYS(3, 3, 13, 0, 2),
    SYS(3, 3, 13, 0, 3),
    SYS(3, 3, 14, 0, 0),
    SYS(3, 3, 14, 0, 2),
    SYS(3, 3, 14, 0, 6),
};

// MSR (immediate), whose CRm is the value: CFINV, XAFLAG, AXFLAG; SSBS, DIT.
static const u32 may_immediate[] = {
    SYS(0, 0, 4, 0, 0), SYS(0, 0, 4, 0, 1), SYS(0, 0, 4, 0, 2),
    SYS(0, 3, 4, 0, 1), SYS(0, 3, 4, 0, 2),
};

static bool is_system(u32 insn) { return (insn & 0xffc00000) == 0xd5000000; }
static bool is_immediate(u32 insn) { return (insn & 0xfff8f000) == 0xd5004000; }

// Counters beside CNTVCT_EL0, and the timers, stop a call in guest_arm64.c whoever makes it.
static bool is_counter(u32 insn) {
  u32 at = insn & SYS_MASK & ~SYS(0, 0, 0, 15, 7);
  return at == SYS(3, 3, 14, 0, 0) && (insn & SYS_READ);
}

static bool is_emulated_id(u32 insn) {
  u32 crm = insn >> 8 & 15;
  return (insn & SYS_READ) && (insn & SYS_MASK & ~SYS(0, 0, 0, 15, 7)) == SYS(3, 0, 0, 0, 0) &&
         crm != 1 && crm < 8;
}

// HVC, SMC; ERET, ERETAA, ERETAB; DRPS.
static bool is_of_exceptions(u32 insn) {
  return (insn & 0xffe0001f) == 0xd4000002 || (insn & 0xffe0001f) == 0xd4000003 ||
         insn == 0xd69f03e0 || (insn & 0xfffffbff) == 0xd69f0bff || insn == 0xd6bf03e0;
}

static bool holds(const u32 *table, u32 num, u32 what) {
  for (u32 i = 0; i < num; i++)
    if (table[i] == what) return true;
  return false;
}

bool guest_process_may(u32 insn) {
  u32 op0 = insn >> 19 & 3;
  if (is_of_exceptions(insn)) return false;
  if (!is_system(insn)) return true;
  if (is_immediate(insn))
    return holds(may_immediate, SIM_ARRAY_SIZE(may_immediate),
                 insn & SYS_MASK & ~SYS(0, 0, 0, 15, 0));
  if (op0 == 0) return true;
  if (op0 == 1 && (insn & SYS_READ)) return false;
  return is_emulated_id(insn) || is_counter(insn) ||
         holds(may, SIM_ARRAY_SIZE(may), insn & SYS_MASK);
}

bool guest_process_watches(u32 insn) { return !guest_process_may(insn); }
