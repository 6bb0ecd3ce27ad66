// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_abi.h.
#include "models/vdso/vdso_abi.h"

#include <stdio.h>

// Bits from..to of a mask of registers.
#define BITS(from, to) ((u32)((~0ull << (from)) & (~0ull >> (63 - (to)))))

// r1, r2, r13 to r31; CR2 to CR4; f14 to f31, which are the first halves of vs14 to vs31; v20 to
// v31. bl.
#define PPC                                                                                \
  .sp = "r1", .gpr = 'r', .fpr = 'f', .sp_at = 1, .arg = 3, .number = 0, .getrandom = 359, \
  .so = true, .kept = BITS(1, 2) | BITS(13, 31), .secret = BITS(0, 0) | BITS(4, 12),       \
  .cr_kept = 0x00fff000, .fpr_kept = BITS(14, 31), .vr_kept = BITS(20, 31), .fpr_half = 0, \
  .vr_at = 32, .vr_len = 64, .call_mask = 0xfc000003, .call_bits = 0x48000001

static const struct vdso_abi abis[GUEST_ARCHES] = {
    [GUEST_PPC32] = {PPC},
    [GUEST_PPC64] = {PPC},
    [GUEST_PPC64LE] = {PPC},
    // x18 to x29 and sp; d8 to d15. BL.
    [GUEST_ARM64] =
        {
            .sp = "sp",
            .gpr = 'x',
            .fpr = 'd',
            .sp_at = 31,
            .arg = 0,
            .number = 8,
            .getrandom = 278,
            .so = false,
            .kept = BITS(18, 29) | BITS(31, 31),
            .secret = BITS(1, 17) | BITS(30, 30),
            .fpr_kept = BITS(8, 15),
            .fpr_half = 1,
            .vr_at = 0,
            .vr_len = 32,
            .call_mask = 0xfc000000,
            .call_bits = 0x94000000,
        },
};

const struct vdso_abi *vdso_abi(enum guest_arch arch) { return &abis[arch]; }

u64 vdso_arg(struct guest *g, u32 index) {
  return guest_get(g, GUEST_R(abis[guest_arch(g)].arg + index));
}

u64 vdso_syscall_number(struct guest *g) {
  return guest_get(g, GUEST_R(abis[guest_arch(g)].number));
}

static s64 value_of(struct guest *g) {
  u64 value = vdso_arg(g, 0);

  return guest_word_size(guest_arch(g)) == 4 ? (s32)value : (s64)value;
}

bool vdso_result_failed(struct guest *g) {
  return abis[guest_arch(g)].so ? (guest_get(g, GUEST_CR) & GUEST_CR0_SO) != 0 : value_of(g) < 0;
}

s64 vdso_result(struct guest *g) {
  s64 value = value_of(g);

  return abis[guest_arch(g)].so && vdso_result_failed(g) ? -value : value;
}

// syscall64-abi.rst: r0, r3 to r12, CTR, XER and CR0 are volatile, all else is kept.
static void return_ppc(struct guest *g, s64 result) {
  u64 cr = guest_get(g, GUEST_CR) & 0x0fffffff;

  guest_set(g, GUEST_R(0), 0xbadc0de000000000ull | 0xdead0000);
  for (u32 n = 4; n <= 12; n++)
    guest_set(g, GUEST_R(n), 0xbadc0de000000000ull | 0xdead0000 | (n << 4));
  guest_set(g, GUEST_CTR, 0xbadc0de0deadc0deull);
  guest_set(g, GUEST_R(3), (u64)(result < 0 ? -result : result));
  guest_set(g, GUEST_CR, cr | (result < 0 ? 0x80000000u | GUEST_CR0_SO : 0x40000000u));
}

void vdso_syscall_return(struct guest *g, s64 result) {
  if (abis[guest_arch(g)].so)
    return_ppc(g, result);
  else
    guest_set(g, GUEST_R(0), (u64)result);
}

char *vdso_gpr_name(const struct vdso_abi *abi, u32 n, char out[8]) {
  if (n == abi->sp_at)
    snprintf(out, 8, "%s", abi->sp);
  else
    snprintf(out, 8, "%c%u", abi->gpr, n & 31);
  return out;
}
