// SPDX-License-Identifier: GPL-2.0-only
//
// PowerPC instructions that the stubs are made of and that text is searched for (Power ISA
// 3.1B). A field's bits are counted from the least significant one.
#ifndef SEEDBED_MODELS_GUEST_PPC_WORDS_H_
#define SEEDBED_MODELS_GUEST_PPC_WORDS_H_

#include "sim/base.h"

// D, DS, X, XFX and XX1 forms: opcode, target or source, base, offset or index.
static inline u32 ppc_d(u32 op, u32 rt, u32 ra, u32 offset) {
  return op << 26 | rt << 21 | ra << 16 | (offset & 0xffff);
}
static inline u32 ppc_x(u32 rt, u32 ra, u32 rb, u32 xo) {
  return 31u << 26 | rt << 21 | ra << 16 | rb << 11 | xo << 1;
}
static inline u32 ppc_spr(u32 rt, u32 spr, u32 xo) { return ppc_x(rt, spr & 31, spr >> 5, xo); }
static inline u32 ppc_vsx(u32 xt, u32 ra, u32 rb, u32 xo) {
  return ppc_x(xt & 31, ra, rb, xo) | xt >> 5;
}

enum {
  PPC_LI = 14,  // addi with base 0
  PPC_LWZ = 32,
  PPC_STW = 36,
  PPC_LFD = 50,
  PPC_STFD = 54,
  PPC_LD = 58,
  PPC_STD = 62,

  PPC_XO_MFCR = 19,
  PPC_XO_LVX = 103,
  PPC_XO_MTCRF = 144,
  PPC_XO_MTMSR = 146,
  PPC_XO_MTMSRD = 178,
  PPC_XO_STVX = 231,
  PPC_XO_MFSPR = 339,
  PPC_XO_MFTB = 371,
  PPC_XO_MTSPR = 467,
  PPC_XO_DARN = 755,
  PPC_XO_LXVD2X = 844,
  PPC_XO_STXVD2X = 972,

  PPC_SPR_XER = 1,
  PPC_SPR_LR = 8,
  PPC_SPR_CTR = 9,
  PPC_SPR_VRSAVE = 256,
  PPC_SPR_TBL = 268,
  PPC_SPR_TBU = 269,
};

#define PPC_TRAP 0x7fe00008u
#define PPC_SC 0x44000002u
#define PPC_NOP 0x60000000u
#define PPC_BLR 0x4e800020u

static inline u32 ppc_opcode(u32 word) { return word >> 26; }
static inline u32 ppc_xo(u32 word) { return word >> 1 & 0x3ff; }
static inline u32 ppc_rt(u32 word) { return word >> 21 & 31; }
static inline u32 ppc_spr_of(u32 word) { return (word >> 16 & 31) | (word >> 11 & 31) << 5; }

#endif  // SEEDBED_MODELS_GUEST_PPC_WORDS_H_
