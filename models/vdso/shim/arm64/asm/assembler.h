/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of arch/arm64/include/asm/assembler.h, which wants files that a kernel's build makes:
 * what vgetrandom-chacha.S uses of it.
 */
#ifndef SEEDBED_MODELS_VDSO_SHIM_ARM64_ASM_ASSEMBLER_H_
#define SEEDBED_MODELS_VDSO_SHIM_ARM64_ASM_ASSEMBLER_H_

/* This is assembler. */
/* clang-format off */

#ifdef __ASSEMBLER__
/* A 64-bit constant, in as many instructions as it may need. */
	.macro mov_q, reg, value
	movz \reg, #(\value) & 0xffff
	movk \reg, #((\value) >> 16) & 0xffff, lsl #16
	movk \reg, #((\value) >> 32) & 0xffff, lsl #32
	movk \reg, #((\value) >> 48) & 0xffff, lsl #48
	.endm

/* A note of the object file, for the linker; no image keeps it. */
	.macro emit_aarch64_feature_1_and
	.endm
#endif

#endif /* SEEDBED_MODELS_VDSO_SHIM_ARM64_ASM_ASSEMBLER_H_ */
