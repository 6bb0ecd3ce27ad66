// SPDX-License-Identifier: GPL-2.0-only
//
// PowerPC: how its processors are opened, entered and read.
//
// Unicorn has numbers neither for XER's SO, OV and CA nor for vector registers, so the guest
// itself moves all registers, by two stubs on the engine's own page: r3 holds the address of
// the scratch memory and is saved, as the program counter is, by its number.
#include <string.h>

#include "models/guest/guest_impl.h"
#include "models/guest/ppc_words.h"

// The machine state register (Power ISA, Book III, 4.2.1): bits that make a user's
// processor. In problem state (PR) Unicorn's library behaves the same, and is not used.
#define MSR_SF (1ull << 63)  // 64 bits
#define MSR_VEC (1ull << 25)
#define MSR_VSX (1ull << 23)
#define MSR_FP (1ull << 13)
#define MSR_LE (1ull << 0)

// Where the stubs put things in scratch memory.
enum {
  SLOT_GPR = 0,  // 8 bytes each
  SLOT_CR = 256,
  SLOT_XER = 264,
  SLOT_LR = 272,
  SLOT_CTR = 280,
  SLOT_VRSAVE = 288,
  SLOT_VEC = 512,  // 16 bytes each
};
enum { BASE = 3, TEMP = 4 };

static bool is_64(const struct guest *g) { return g->ops->word_size == 8; }

struct code {
  struct guest *g;
  u8 *at;
};
static void word(struct code *code, u32 insn) {
  guest_store(code->g, code->at, 4, insn);
  code->at += 4;
}
static void move(struct code *code, bool store, u32 reg, u32 slot) {
  if (is_64(code->g))
    word(code, ppc_d(store ? PPC_STD : PPC_LD, reg, BASE, slot));
  else  // the lower half of a slot: all are big-endian
    word(code, ppc_d(store ? PPC_STW : PPC_LWZ, reg, BASE, slot + 4));
}
static void move_special(struct code *code, bool store, u32 spr, u32 slot) {
  if (store) word(code, ppc_spr(TEMP, spr, PPC_XO_MFSPR));
  move(code, store, TEMP, slot);
  if (!store) word(code, ppc_spr(TEMP, spr, PPC_XO_MTSPR));
}
static void move_vectors(struct code *code, bool store) {
  for (u32 n = 0; n < 64; n++) {
    u32 slot = SLOT_VEC + 16 * n;
    if (!is_64(code->g) && n < 32) {
      word(code, ppc_d(store ? PPC_STFD : PPC_LFD, n, BASE, slot));
      continue;
    }
    word(code, ppc_d(PPC_LI, TEMP, 0, slot));
    if (is_64(code->g))
      word(code, ppc_vsx(n, BASE, TEMP, store ? PPC_XO_STXVD2X : PPC_XO_LXVD2X));
    else
      word(code, ppc_x(n - 32, BASE, TEMP, store ? PPC_XO_STVX : PPC_XO_LVX));
  }
}
static void move_generals(struct code *code, bool store) {
  for (u32 n = 0; n < 32; n++)
    if (n != BASE) move(code, store, n, SLOT_GPR + 8 * n);
}
static void land(struct code *code) {
  u64 at = GUEST_OWN_BEGIN + (u64)(code->at - code->g->own);
  word(code, 18u << 26 | ((u32)(GUEST_LANDING - at) & 0x3fffffc));  // b GUEST_LANDING
}

static void make_stubs(struct guest *g) {
  struct code code = {.g = g, .at = g->own};
  for (u32 i = 0; i < GUEST_PAGE / 4; i++) word(&code, PPC_TRAP);

  code.at = g->own + (GUEST_STUB_STORE - GUEST_OWN_BEGIN);
  move_generals(&code, true);
  word(&code, ppc_x(TEMP, 0, 0, PPC_XO_MFCR));
  move(&code, true, TEMP, SLOT_CR);
  move_special(&code, true, PPC_SPR_XER, SLOT_XER);
  move_special(&code, true, PPC_SPR_LR, SLOT_LR);
  move_special(&code, true, PPC_SPR_CTR, SLOT_CTR);
  move_special(&code, true, PPC_SPR_VRSAVE, SLOT_VRSAVE);
  move_vectors(&code, true);
  move(&code, false, TEMP, SLOT_GPR + 8 * TEMP);
  land(&code);

  code.at = g->own + (GUEST_STUB_LOAD - GUEST_OWN_BEGIN);
  move_vectors(&code, false);
  move_special(&code, false, PPC_SPR_XER, SLOT_XER);
  move_special(&code, false, PPC_SPR_LR, SLOT_LR);
  move_special(&code, false, PPC_SPR_CTR, SLOT_CTR);
  move_special(&code, false, PPC_SPR_VRSAVE, SLOT_VRSAVE);
  move(&code, false, TEMP, SLOT_CR);
  word(&code, ppc_x(TEMP, 0xff >> 4, (0xff & 15) << 1, PPC_XO_MTCRF));
  move_generals(&code, false);
  land(&code);
  SIM_ASSERT(code.at <= g->own + 2 * GUEST_PAGE);
}

// The processor model is the library's default: another one would be a 32-bit one. The
// virtual TLB maps addresses to themselves; without it the first fetch is an exception.
static void prepare(struct guest *g) {
  u64 msr = MSR_FP | MSR_VEC;
  if (is_64(g)) msr |= MSR_SF | MSR_VSX;
  if (!g->ops->big_endian) msr |= MSR_LE;
  GUEST_CHECK(uc_ctl_tlb_mode(g->uc, UC_TLB_VIRTUAL));
  guest_uc_write(g, UC_PPC_REG_MSR, msr);
  make_stubs(g);
}

static int number(enum guest_reg reg) {
  switch (reg) {
    case GUEST_PC:
      return UC_PPC_REG_PC;
    case GUEST_SP:
      return UC_PPC_REG_1;
    case GUEST_LR:
      return UC_PPC_REG_LR;
    case GUEST_CR:
      return UC_PPC_REG_CR;
    case GUEST_CTR:
      return UC_PPC_REG_CTR;
    case GUEST_MSR:
      return UC_PPC_REG_MSR;
    case GUEST_FPSCR:
      return UC_PPC_REG_FPSCR;
    default:
      if (reg >= GUEST_R0 && reg < GUEST_R0 + 32) return UC_PPC_REG_0 + (int)(reg - GUEST_R0);
      if (reg >= GUEST_F0 && reg < GUEST_F0 + 32) return UC_PPC_REG_FPR0 + (int)(reg - GUEST_F0);
      return 0;
  }
}

static void regs_get(struct guest *g, struct guest_regs *out) {
  u8 *scratch = g->own + (GUEST_SCRATCH - GUEST_OWN_BEGIN);
  out->pc = guest_uc_read(g, UC_PPC_REG_PC);
  u64 base = guest_uc_read(g, UC_PPC_REG_0 + BASE);
  guest_uc_write(g, UC_PPC_REG_0 + BASE, GUEST_SCRATCH);
  guest_run_stub(g, GUEST_STUB_STORE);
  guest_uc_write(g, UC_PPC_REG_0 + BASE, base);
  guest_uc_write(g, UC_PPC_REG_PC, out->pc);
  for (u32 n = 0; n < 32; n++) out->gpr[n] = guest_load(g, scratch + SLOT_GPR + 8 * n, 8);
  out->gpr[BASE] = base;
  out->cr = guest_load(g, scratch + SLOT_CR, 8);
  out->xer = guest_load(g, scratch + SLOT_XER, 8);
  out->lr = guest_load(g, scratch + SLOT_LR, 8);
  out->ctr = guest_load(g, scratch + SLOT_CTR, 8);
  out->vrsave = guest_load(g, scratch + SLOT_VRSAVE, 8);
  for (u32 n = 0; n < 64; n++) {
    out->vec[n][0] = guest_load(g, scratch + SLOT_VEC + 16 * n, 8);
    out->vec[n][1] = guest_load(g, scratch + SLOT_VEC + 16 * n + 8, 8);
  }
  out->msr = guest_uc_read(g, UC_PPC_REG_MSR);
  out->fpscr = (u32)guest_uc_read(g, UC_PPC_REG_FPSCR);
  out->fpcr = out->tpidr = 0;
}

static void regs_set(struct guest *g, const struct guest_regs *regs) {
  u8 *scratch = g->own + (GUEST_SCRATCH - GUEST_OWN_BEGIN);
  for (u32 n = 0; n < 32; n++) guest_store(g, scratch + SLOT_GPR + 8 * n, 8, regs->gpr[n]);
  guest_store(g, scratch + SLOT_CR, 8, (u32)regs->cr);
  guest_store(g, scratch + SLOT_XER, 8, regs->xer);
  guest_store(g, scratch + SLOT_LR, 8, regs->lr);
  guest_store(g, scratch + SLOT_CTR, 8, regs->ctr);
  guest_store(g, scratch + SLOT_VRSAVE, 8, regs->vrsave);
  for (u32 n = 0; n < 64; n++) {
    guest_store(g, scratch + SLOT_VEC + 16 * n, 8, regs->vec[n][0]);
    guest_store(g, scratch + SLOT_VEC + 16 * n + 8, 8, regs->vec[n][1]);
  }
  guest_uc_write(g, UC_PPC_REG_0 + BASE, GUEST_SCRATCH);
  guest_run_stub(g, GUEST_STUB_LOAD);
  guest_uc_write(g, UC_PPC_REG_0 + BASE, regs->gpr[BASE]);
  guest_uc_write(g, UC_PPC_REG_FPSCR, regs->fpscr);
  guest_uc_write(g, UC_PPC_REG_PC, regs->pc);
  // What is left of them must not be what a guest that strays into our pages finds.
  memset(scratch, 0, GUEST_PAGE);
}

static void enter(struct guest *g, const struct guest_call *call, u64 code, u64 toc, u64 sp) {
  u32 size = g->ops->word_size;
  u8 *chain = guest_host(g, sp, size);
  SIM_ASSERT(chain);
  guest_store(g, chain, size, 0);
  guest_uc_write(g, UC_PPC_REG_PC, code);
  guest_uc_write(g, UC_PPC_REG_1, sp);
  guest_uc_write(g, UC_PPC_REG_LR, GUEST_LANDING);
  if (size == 8) guest_uc_write(g, UC_PPC_REG_12, code);
  if (call->descriptor) guest_uc_write(g, UC_PPC_REG_2, toc);
  for (u32 i = 0; i < call->num_args; i++) guest_uc_write(g, UC_PPC_REG_3 + (int)i, call->args[i]);
}

// Numbers of Unicorn (QEMU's POWERPC_EXCP_*).
enum { EXCEPTION_SYSCALL = 8 };

static void exception(struct guest *g, u32 number_) {
  if (number_ != EXCEPTION_SYSCALL) {
    guest_stop_fault(g, GUEST_FAULT_INSN);
    return;
  }
  u8 *insn = guest_host(g, g->last_pc, 4);
  guest_stop_with(g, GUEST_SYSCALL);
  g->stop.imm = insn ? (u32)guest_load(g, insn, 4) >> 5 & 0x7f : 0;  // LEV
}

// Privileged instructions of opcode 31 beside those that ppc_words.h names (Power ISA, Book III,
// appendix of privileged instructions): the library lets a user's processor execute them.
static bool is_privileged(u32 xo) {
  static const u16 privileged[] = {
      83,                            // mfmsr
      210, 242, 595, 659,            // mtsr, mtsrin, mfsr, mfsrin
      274, 306, 370, 566,            // tlbiel, tlbie, tlbia, tlbsync
      402, 434, 498, 851, 915, 979,  // slbmte, slbie, slbia, slbmfev, slbmfee, slbfee.
      470,                           // dcbi
  };
  for (u32 i = 0; i < SIM_ARRAY_SIZE(privileged); i++)
    if (privileged[i] == xo) return true;
  return false;
}

static bool watches(u32 insn) {
  u32 xo = ppc_xo(insn), spr = ppc_spr_of(insn);
  // rfi, rfid, hrfid and their kind: they load the machine state. stop, doze, nap, sleep, rvwinkle.
  if (ppc_opcode(insn) == 19)
    return xo == 18 || xo == 50 || xo == 51 || xo == 82 || xo == 274 || xo == 370 || xo == 402 ||
           xo == 434 || xo == 466 || xo == 498;
  if (ppc_opcode(insn) != 31) return false;
  if (is_privileged(xo)) return true;
  if (xo == PPC_XO_DARN || xo == PPC_XO_MFTB || xo == PPC_XO_MTMSR || xo == PPC_XO_MTMSRD)
    return true;
  if (xo != PPC_XO_MFSPR && xo != PPC_XO_MTSPR) return false;
  return spr != PPC_SPR_XER && spr != PPC_SPR_LR && spr != PPC_SPR_CTR && spr != PPC_SPR_VRSAVE;
}

static void watched(struct guest *g, u64 addr, u32 insn) {
  u32 xo = ppc_xo(insn), spr = ppc_spr_of(insn);
  bool reads_base = ppc_opcode(insn) == 31 && (xo == PPC_XO_MFTB || xo == PPC_XO_MFSPR) &&
                    (spr == PPC_SPR_TBL || spr == PPC_SPR_TBU);
  if (!reads_base || !g->counts.timebase_on) {
    guest_stop_fault(g, GUEST_FAULT_FORBIDDEN);
    return;
  }
  u64 value = g->counts.timebase;
  g->counts.timebase += g->counts.timebase_step;
  if (spr == PPC_SPR_TBU) value >>= 32;
  guest_uc_write(g, UC_PPC_REG_0 + (int)ppc_rt(insn), is_64(g) ? value : (u32)value);
  guest_uc_write(g, UC_PPC_REG_PC, addr + 4);
}

#define PPC_OPS                                                                         \
  .arch = UC_ARCH_PPC, .cs_arch = CS_ARCH_PPC, .pc = UC_PPC_REG_PC, .sp = UC_PPC_REG_1, \
  .prepare = prepare, .number = number, .regs_get = regs_get, .regs_set = regs_set,     \
  .enter = enter, .exception = exception, .watches = watches, .watched = watched

const struct guest_ops guest_ops_ppc32 = {
    .name = "ppc32",
    .word_size = 4,
    .red_zone = 0,
    .caller_frame = 16,
    .big_endian = true,
    .mode = UC_MODE_PPC32 | UC_MODE_BIG_ENDIAN,
    .cs_mode = CS_MODE_32 | CS_MODE_BIG_ENDIAN,
    PPC_OPS,
};
const struct guest_ops guest_ops_ppc64 = {
    .name = "ppc64",
    .word_size = 8,
    .red_zone = 288,
    .caller_frame = 112,
    .big_endian = true,
    .mode = UC_MODE_PPC64 | UC_MODE_BIG_ENDIAN,
    .cs_mode = CS_MODE_64 | CS_MODE_BIG_ENDIAN,
    PPC_OPS,
};
// Unicorn opens no little-endian mode; the machine state register makes it one.
const struct guest_ops guest_ops_ppc64le = {
    .name = "ppc64le",
    .word_size = 8,
    .red_zone = 288,
    .caller_frame = 32,
    .big_endian = false,
    .mode = UC_MODE_PPC64 | UC_MODE_BIG_ENDIAN,
    .cs_mode = CS_MODE_64 | CS_MODE_LITTLE_ENDIAN,
    PPC_OPS,
};
