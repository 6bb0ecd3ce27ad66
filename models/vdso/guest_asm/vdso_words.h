/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What differs between the 32-bit and the 64-bit PowerPC ABIs, as assembler names, so that one
 * text serves ppc32, ppc64 and ppc64le; and how functions are written, which arm64 shares.
 */
#ifndef SEEDBED_MODELS_VDSO_GUEST_ASM_VDSO_WORDS_H_
#define SEEDBED_MODELS_VDSO_GUEST_ASM_VDSO_WORDS_H_

/* This is assembler. */
/* clang-format off */

#ifndef __aarch64__
/* The 32-bit assembler wants the sign. */
#define r0 %r0
#define r1 %r1
#define r2 %r2
#define r3 %r3
#define r4 %r4
#define r5 %r5
#define r6 %r6
#define r7 %r7
#define r8 %r8
#define r9 %r9
#define r10 %r10
#define r11 %r11
#define r12 %r12
#define r13 %r13
#define r14 %r14
#define r15 %r15
#define r16 %r16
#define r17 %r17
#define r18 %r18
#define r19 %r19
#define r20 %r20
#define r21 %r21
#define r22 %r22
#define r23 %r23
#define r24 %r24
#define r25 %r25
#define r26 %r26
#define r27 %r27
#define r28 %r28
#define r29 %r29
#define r30 %r30
#define r31 %r31

#ifdef __powerpc64__
#define LOAD ld /* a register's width */
#define STORE std
#define STORE_UPDATE stdu
#define CMPL cmpld
#define CMPLI cmpldi
#define CMPI cmpdi
#define SHIFT_RIGHT srdi
#define WORD 8
#define FRAME_MIN 32 /* of the 64-bit ELF V2 ABI */
#define LR_SLOT 16   /* in the caller's frame */
#else
#define LOAD lwz
#define STORE stw
#define STORE_UPDATE stwu
#define CMPL cmplw
#define CMPLI cmplwi
#define CMPI cmpwi
#define SHIFT_RIGHT srwi
#define WORD 4
#define FRAME_MIN 16 /* of the 32-bit System V ABI */
#define LR_SLOT 4
#endif
#endif /* __aarch64__ */

#define FUNCTION(name) \
  .globl name;         \
  .type name, @function; \
  .balign 16;          \
  name:
/* One that other files of the image may call, and nobody else. */
#define INTERNAL(name) \
  .hidden name;         \
  FUNCTION(name)
#define END(name) .size name, . - name

#endif /* SEEDBED_MODELS_VDSO_GUEST_ASM_VDSO_WORDS_H_ */
