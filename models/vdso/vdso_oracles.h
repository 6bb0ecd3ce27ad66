// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a vDSO's getrandom and its ChaCha20 block function are judged by.
#ifndef SEEDBED_MODELS_VDSO_VDSO_ORACLES_H_
#define SEEDBED_MODELS_VDSO_VDSO_ORACLES_H_

#include "sim/scenario.h"

// X(name, id, status, sentence, source)
// clang-format off
#define VDSO_ORACLES(X)                                                                          \
  X(image, "vdso-image", SIM_SAFETY,                                                             \
    "a vDSO has no undefined symbol and no relocation: nobody would resolve them",               \
    "arch/powerpc/kernel/vdso/Makefile, cmd_vdso_check; lib/vdso/Makefile.include")              \
  X(crash, "vdso-crash", SIM_CRASH,                                                              \
    "a call faults only on the memory that its caller handed over",                              \
    "getrandom(2), EFAULT; vDSO calls fault where a system call says EFAULT")                    \
  X(result, "vdso-result", SIM_SAFETY,                                                           \
    "result, error and CR0.SO are those of the system call; only a state that straddles a page " \
    "is -EFAULT instead, a bad buffer a fault, and a signal cuts only the system call short",    \
    "include/vdso/getrandom.h; lib/vdso/getrandom.c, __cvdso_getrandom_data; getrandom(2); "     \
    "arch/arm64/kernel/vdso/vgetrandom.c")                                                       \
  X(query, "vdso-query", SIM_SAFETY,                                                             \
    "a query is answered, with the state's size, and what to map it with; reserved words are 0", \
    "include/uapi/linux/random.h, struct vgetrandom_opaque_params")                              \
  X(keystream, "vdso-keystream", SIM_SAFETY,                                                     \
    "every byte is keystream of a key that the system call delivered, and none from elsewhere",  \
    "lib/vdso/getrandom.c, comment of __cvdso_getrandom_data")                                   \
  X(once, "vdso-keystream-once", SIM_SAFETY,                                                     \
    "each keystream byte is handed out at most once, in all processes together",                 \
    "lib/vdso/getrandom.c, comment of __cvdso_getrandom_data")                                   \
  X(fresh, "vdso-fresh", SIM_SAFETY,                                                             \
    "the key came to this process after the newest generation bump or fork before the call's "   \
    "last load of the generation, or before its last byte",                                      \
    "lib/vdso/getrandom.c, comments on the generation and on fork()")                            \
  X(erased, "vdso-erased", SIM_SAFETY,                                                           \
    "bytes that were handed out are gone from the state",                                        \
    "lib/vdso/getrandom.c, memcpy_and_zero_src: \"for forward secrecy\"")                        \
  X(residue, "vdso-residue", SIM_SAFETY,                                                         \
    "no key and no keystream that was not handed out stays on the stack or in a register",       \
    "arch/*/vdso/vgetrandom-chacha.S: \"not allowed to spill to the stack\"")                    \
  X(outside, "vdso-outside", SIM_SAFETY,                                                         \
    "nothing is written but buffer, state and the stack below the caller's frame",               \
    "the ELF ABIs; include/vdso/getrandom.h")                                                    \
  X(registers, "vdso-registers", SIM_SAFETY,                                                     \
    "r1, r2, r13 to r31, CR2 to CR4 and the non-volatile f and v registers are as before; on "   \
    "arm64 sp, x18 to x29, d8 to d15, FPCR and TPIDR_EL0",                                       \
    "64-bit ELF V2 ABI 2.2.2.1; System V ABI PowerPC supplement, table 3-1; AAPCS64 6.1.1, "     \
    "6.1.2; arch/arm64/kernel/vdso/Makefile, -ffixed-x18; TPIDR_EL0 is the C library's thread "  \
    "pointer")                                                                                   \
  X(retries, "vdso-retries", SIM_SAFETY,                                                         \
    "a call makes at most two attempts and then the system call, in bounded time",               \
    "lib/vdso/getrandom.c, have_retried")                                                        \
  X(needless, "vdso-needless-syscall", SIM_SAFETY,                                               \
    "a call that nothing disturbs, with a state that no call is using, is served without the "   \
    "caller's system call",                                                                      \
    "lib/vdso/getrandom.c: in_use is cleared on every way out")                                  \
  X(needless_key, "vdso-needless-key", SIM_SAFETY,                                               \
    "a call that nothing disturbs asks for no key where the state has one of this generation",   \
    "lib/vdso/getrandom.c of 6.12 and 7.2: a key is asked for where state->generation is not "   \
    "the page's")                                                                                \
  X(syscall, "vdso-syscall", SIM_SAFETY,                                                         \
    "the only system call is getrandom, for a key of 32 bytes, which goes to the state's key or "\
    "to a copy on the stack, or with the caller's arguments",                                    \
    "arch/*/include/asm/vdso/getrandom.h, getrandom_syscall")                                    \
  X(chacha, "vdso-chacha-output", SIM_SAFETY,                                                    \
    "the block function writes ChaCha20 with nonce 0, and the counter moves on by the blocks",   \
    "include/vdso/getrandom.h, __arch_chacha20_blocks_nostack; RFC 8439 2.3")                    \
  X(stack, "vdso-chacha-stack", SIM_SAFETY,                                                      \
    "the block function writes only saved registers and pointers to the stack, where the ABI "   \
    "lets it",                                                                                   \
    "include/vdso/getrandom.h: \"No stack usage\"; the ELF ABIs on red zone and frames")         \
  X(timing, "vdso-timing", SIM_SAFETY,                                                           \
    "addresses and branches do not depend on the key (compares two runs)",                       \
    "lib/vdso/getrandom.c; the block functions are constant-time by construction")               \
  X(varies, "vdso-varies", SIM_SAFETY,                                                           \
    "what varies with the key is output or state, no stack and no register (compares two runs)", \
    "arch/*/vdso/vgetrandom-chacha.S: registers are zeroed, nothing is spilled")
// clang-format on

#define X(name, id, status, sentence, source) extern const struct sim_oracle vdso_oracle_##name;
VDSO_ORACLES(X)
#undef X

extern const struct sim_oracle *const vdso_oracles[];  // all, NULL-terminated

// Reports what two runs with different keys had not in common, each place by a key of its own.
struct vdso_twice;
void vdso_report_twice(const struct vdso_twice *twice);

#endif  // SEEDBED_MODELS_VDSO_VDSO_ORACLES_H_
