// SPDX-License-Identifier: GPL-2.0-or-later
//
// What differs between architectures in how a vDSO is called, what its call must leave as it
// was, and how it makes a system call.
//
//   PowerPC  64-bit ELF V2 ABI 2.2.2.1; System V ABI PowerPC supplement, table 3-1;
//            Documentation/arch/powerpc/syscall64-abi.rst of the kernel
//   arm64    "Procedure Call Standard for the Arm 64-bit Architecture" (AAPCS64) 6.1.1, 6.1.2;
//            svc: number in x8, result in x0, all else is kept (arch/arm64/kernel/entry.S saves and
//            restores it); x18 is the platform's register, which the kernel's vDSO is built not to
//            use (-ffixed-x18, arch/arm64/kernel/vdso/Makefile)
#ifndef SEEDBED_MODELS_VDSO_VDSO_ABI_H_
#define SEEDBED_MODELS_VDSO_VDSO_ABI_H_

#include "models/guest/guest.h"

struct vdso_abi {
  const char *sp;  // what its documents call the stack pointer: "r1", "sp"
  char gpr, fpr;   // letters of general and of floating-point registers
  u32 sp_at;       // the stack pointer's index in guest_get_generals
  u32 arg;         // number of the register of the first argument, and of the result
  u32 number;      // of the register that holds a system call's number
  u64 getrandom;   // which that is; arch/*/tools/syscall.tbl, and asm-generic/unistd.h
  bool so;         // CR0.SO says that the result is an error; else a negative result does
  u32 kept;        // bit n: general register n of guest_get_generals is as before
  u32 secret;      // bit n: register n, result apart, may change, and is searched for keys
  u32 cr_kept;     // bits of GUEST_CR
  u32 fpr_kept;    // bit n: the 8 bytes of floating-point register n
  u32 vr_kept;     // bit n: all of vector register n
  u32 fpr_half;    // which half of guest_regs.vec[n] is floating-point register n
  u32 vr_at;       // vec[vr_at + n] is vector register n
  u32 vr_len;      // vec[0 .. vr_len - 1] are registers, all of which may hold something
  u32 call_mask;   // an instruction that calls: (word & call_mask) == call_bits
  u32 call_bits;
};

const struct vdso_abi *vdso_abi(enum guest_arch arch);

// Argument `index` of a system call or of a function that has just been entered.
u64 vdso_arg(struct guest *g, u32 index);
u64 vdso_syscall_number(struct guest *g);
// What a call that has returned says: bytes, or a negated error. PowerPC: by CR0.SO, the result
// is positive then.
s64 vdso_result(struct guest *g);
// Whether it says that by the way its architecture has: a negative value without CR0.SO is no
// error to a PowerPC caller.
bool vdso_result_failed(struct guest *g);
// Puts the result of a system call into the registers and spoils those that it may spoil.
void vdso_syscall_return(struct guest *g, s64 result);
// "r14"; "x19", "sp": the name of general register `n` of guest_get_generals. `out` has
// 8 bytes. Returns it.
char *vdso_gpr_name(const struct vdso_abi *abi, u32 n, char out[8]);

#endif  // SEEDBED_MODELS_VDSO_VDSO_ABI_H_
