// SPDX-License-Identifier: GPL-2.0-only
//
// arm64: how its processor is opened, entered and read, and who answers what it reads of
// system registers.
#include <string.h>

#include "models/guest/guest_impl.h"

// Debugging breakpoint: what the landing page holds beside its address.
#define ARM64_BRK 0xd4200000u

static int general(u32 n) {
  if (n < 29) return UC_ARM64_REG_X0 + (int)n;
  return n == 29 ? UC_ARM64_REG_X29 : UC_ARM64_REG_X30;
}

// The default model has neither RNDR nor LSE. EL1h, MMU off, is how it is reset; floating
// point and vectors are let through (CPACR_EL1.FPEN).
static void prepare(struct guest *g) {
  GUEST_CHECK(uc_ctl_set_cpu_model(g->uc, UC_CPU_ARM64_MAX));
  guest_uc_write(g, UC_ARM64_REG_CPACR_EL1, 3u << 20);
  for (u32 at = 0; at < 2 * GUEST_PAGE; at += 4) guest_store(g, g->own + at, 4, ARM64_BRK);
}

static int number(enum guest_reg reg) {
  switch (reg) {
    case GUEST_PC:
      return UC_ARM64_REG_PC;
    case GUEST_SP:
      return UC_ARM64_REG_SP;
    case GUEST_LR:
      return UC_ARM64_REG_X30;
    case GUEST_CR:
      return UC_ARM64_REG_NZCV;
    case GUEST_FPSCR:
      return UC_ARM64_REG_FPSR;
    case GUEST_FPCR:
      return UC_ARM64_REG_FPCR;
    case GUEST_TPIDR:
      return UC_ARM64_REG_TPIDR_EL0;
    default:
      if (reg >= GUEST_R0 && reg < GUEST_R0 + 31) return general(reg - GUEST_R0);
      if (reg >= GUEST_F0 && reg < GUEST_F0 + 32) return UC_ARM64_REG_D0 + (int)(reg - GUEST_F0);
      return 0;
  }
}

// Unicorn gives a vector least significant half first.
static void regs_get(struct guest *g, struct guest_regs *out) {
  memset(out, 0, sizeof(*out));
  out->pc = guest_uc_read(g, UC_ARM64_REG_PC);
  out->cr = guest_uc_read(g, UC_ARM64_REG_NZCV);
  out->fpscr = guest_uc_read(g, UC_ARM64_REG_FPSR);
  out->fpcr = guest_uc_read(g, UC_ARM64_REG_FPCR);
  out->tpidr = guest_uc_read(g, UC_ARM64_REG_TPIDR_EL0);
  for (u32 n = 0; n < 31; n++) out->gpr[n] = guest_uc_read(g, general(n));
  out->gpr[31] = guest_uc_read(g, UC_ARM64_REG_SP);
  out->lr = out->gpr[30];
  for (u32 n = 0; n < 32; n++) {
    u64 halves[2] = {0, 0};
    GUEST_CHECK(uc_reg_read(g->uc, UC_ARM64_REG_Q0 + (int)n, halves));
    out->vec[n][0] = halves[1];
    out->vec[n][1] = halves[0];
  }
}

static void regs_set(struct guest *g, const struct guest_regs *regs) {
  guest_uc_write(g, UC_ARM64_REG_NZCV, regs->cr);
  guest_uc_write(g, UC_ARM64_REG_FPSR, regs->fpscr);
  guest_uc_write(g, UC_ARM64_REG_FPCR, regs->fpcr);
  guest_uc_write(g, UC_ARM64_REG_TPIDR_EL0, regs->tpidr);
  for (u32 n = 0; n < 31; n++) guest_uc_write(g, general(n), regs->gpr[n]);
  guest_uc_write(g, UC_ARM64_REG_SP, regs->gpr[31]);
  for (u32 n = 0; n < 32; n++) {
    u64 halves[2] = {regs->vec[n][1], regs->vec[n][0]};
    GUEST_CHECK(uc_reg_write(g->uc, UC_ARM64_REG_Q0 + (int)n, halves));
  }
  guest_uc_write(g, UC_ARM64_REG_PC, regs->pc);
}

static void enter(struct guest *g, const struct guest_call *call, u64 code, u64 toc, u64 sp) {
  guest_uc_write(g, UC_ARM64_REG_PC, code);
  guest_uc_write(g, UC_ARM64_REG_SP, sp);
  guest_uc_write(g, UC_ARM64_REG_X30, GUEST_LANDING);
  for (u32 i = 0; i < call->num_args; i++) guest_uc_write(g, general(i), call->args[i]);
}

// Numbers of Unicorn (QEMU's EXCP_*). A hypervisor call has none of its own: at EL1 with no
// EL2 it is undefined, and the program counter stays on it.
enum { EXCEPTION_UNDEFINED = 1, EXCEPTION_SVC = 2, EXCEPTION_SMC = 13 };

static void exception(struct guest *g, u32 number_) {
  const u8 *at = guest_host(g, g->last_pc, 4);
  u32 insn = at ? (u32)guest_load(g, at, 4) : 0;
  if (number_ == EXCEPTION_SVC) {
    guest_stop_with(g, GUEST_SYSCALL);
  } else if (number_ == EXCEPTION_SMC) {
    guest_stop_with(g, GUEST_SMC);
  } else if (number_ == EXCEPTION_UNDEFINED && (insn & 0xffe0001f) == 0xd4000002) {
    guest_stop_with(g, GUEST_HVC);
    guest_uc_write(g, UC_ARM64_REG_PC, g->last_pc + 4);
  } else {
    guest_stop_fault(g, GUEST_FAULT_INSN);
    return;
  }
  g->stop.imm = insn >> 5 & 0xffff;
}

// ---- System registers ----

static bool is_at(const struct guest_sysreg *r, u8 op1, u8 crn, u8 crm, u8 op2_min, u8 op2_max) {
  return r->op0 == 3 && r->op1 == op1 && r->crn == crn && r->crm == crm && r->op2 >= op2_min &&
         r->op2 <= op2_max;
}

// What the library would take from the host: RNDR and RNDRRS; the counters and the timers that
// are derived from them; the performance monitors' cycle counter.
static bool is_of_host(const struct guest_sysreg *r) {
  return is_at(r, 3, 2, 4, 0, 1) || is_at(r, 3, 14, 0, 1, 6) || is_at(r, 3, 14, 2, 0, 2) ||
         is_at(r, 3, 14, 3, 0, 2) || is_at(r, 7, 14, 2, 0, 2) || is_at(r, 3, 9, 13, 0, 2);
}

// MRS and MSR (register): where op0 begins, and whether it is a read.
static bool is_mrs(u32 insn) { return (insn & 0xfff00000) == 0xd5300000; }
static bool is_msr(u32 insn) { return (insn & 0xfff00000) == 0xd5100000; }

static struct guest_sysreg named(u32 insn) {
  return (struct guest_sysreg){
      .op0 = 2 + (insn >> 19 & 1),
      .op1 = insn >> 16 & 7,
      .crn = insn >> 12 & 15,
      .crm = insn >> 8 & 15,
      .op2 = insn >> 5 & 7,
      .rt = insn & 31,
  };
}

static bool watches(u32 insn) {
  return is_mrs(insn) || is_msr(insn) || guest_process_watches(insn);
}

// NZCV, DAIF, FPCR, FPSR, TPIDR_EL0.
static bool may_be_written(const struct guest_sysreg *r) {
  return is_at(r, 3, 4, 2, 0, 1) || is_at(r, 3, 4, 4, 0, 1) || is_at(r, 3, 13, 0, 2, 2);
}

// The library has a hook for MRS. It is not used: what follows it is counted twice for a
// register that the library knows, and not for one that it does not know.
static void watched(struct guest *g, u64 addr, u32 insn) {
  struct guest_sysreg r = named(insn);
  u64 value = 0;
  u32 nzcv = GUEST_NZCV_KEEP;
  if (g->is_process && !guest_process_may(insn)) {
    guest_stop_fault(g, GUEST_FAULT_FORBIDDEN);
    return;
  }
  if (!is_mrs(insn) && !is_msr(insn)) return;
  if (is_msr(insn)) {
    if (!may_be_written(&r)) guest_stop_fault(g, GUEST_FAULT_FORBIDDEN);
    return;
  }
  enum guest_sysreg_answer answer = is_of_host(&r) ? GUEST_SYSREG_STOP : GUEST_SYSREG_CPU;
  if (g->sysreg) answer = g->sysreg(g->sysreg_arg, &r, &value, &nzcv);
  if (answer == GUEST_SYSREG_CPU) {
    SIM_ASSERT(!is_of_host(&r));
    return;
  }
  if (answer == GUEST_SYSREG_VALUE) {
    if (r.rt < 31) guest_uc_write(g, general(r.rt), value);
    if (nzcv != GUEST_NZCV_KEEP) guest_uc_write(g, UC_ARM64_REG_NZCV, nzcv);
  } else {
    guest_stop_with(g, GUEST_TRAPPED);
    g->stop.sysreg = r;
  }
  guest_uc_write(g, UC_ARM64_REG_PC, addr + 4);
}

void guest_set_sysreg(struct guest *g, guest_sysreg_fn *fn, void *arg) {
  SIM_ASSERT(g->arch == GUEST_ARM64);
  g->sysreg = fn;
  g->sysreg_arg = arg;
}

void guest_set_process(struct guest *g) {
  SIM_ASSERT(g->arch == GUEST_ARM64);
  g->is_process = true;
}

const struct guest_ops guest_ops_arm64 = {
    .name = "arm64",
    .word_size = 8,
    .red_zone = 0,
    .caller_frame = 0,
    .big_endian = false,
    .arch = UC_ARCH_ARM64,
    .mode = UC_MODE_ARM,
    .cs_arch = CS_ARCH_ARM64,
    .cs_mode = CS_MODE_ARM,
    .pc = UC_ARM64_REG_PC,
    .sp = UC_ARM64_REG_SP,
    .prepare = prepare,
    .number = number,
    .regs_get = regs_get,
    .regs_set = regs_set,
    .enter = enter,
    .exception = exception,
    .watches = watches,
    .watched = watched,
};
