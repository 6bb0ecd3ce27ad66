/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ChaCha20 blocks for a vDSO: nothing secret goes to the stack.
 *
 *   void __arch_chacha20_blocks_nostack(u8 *dst, const u32 key[8], u32 counter[2], size_t n)
 *
 * Writes n > 0 blocks (64 bytes each) with nonce 0. Key and counter {low, high} are words in
 * the machine's order, the output is little-endian; the counter is counted up by n. `key` may
 * be the last 32 bytes of `dst`: it is read for a block before that block is written.
 *
 * The state lives in 16 registers. The key is read from memory twice a block, which leaves
 * registers enough that only ten non-volatile ones must be saved: in the red zone on 64 bit,
 * in a frame on 32 bit, whose ABI has no red zone.
 *
 * Variants (all off in the subject as it is meant): BUG_34, BUG_COUNTER_CARRY_LOST,
 * BUG_NONVOLATILE_NOT_RESTORED, BUG_KEY_SPILLED; KEY_BYTES takes the key as bytes instead of
 * words, which differs on big-endian machines.
 */
#include "vdso_words.h"

#define DST r3
#define KEY r4
#define COUNTER r5
#define BLOCKS r6
#define TEMP r0

#define X0 r7
#define X1 r8
#define X2 r9
#define X3 r10
#define X4 r11
#define X5 r12
#define X6 r14
#define X7 r15
#define X8 r16
#define X9 r17
#define X10 r18
#define X11 r19
#define X12 r20
#define X13 r21
#define X14 r22
#define X15 r23

#ifdef __powerpc64__
#define SAVED(reg) (8 * reg - 256)(r1) /* where the ABI's own routines would put it */
#define SPILL(i) (-200 + 4 * i)(r1)
#else
#define FRAME 64
#define SAVED(reg) (20 + 4 * (reg - 14))(r1)
#define SPILL(i) (4 + 4 * i)(r1)
#endif

/* "expand 32-byte k": each word's halves, as the state holds them. */
#ifdef BUG_34 /* the string copied as bytes on a big-endian machine */
#define CONST0 0x6578, 0x7061
#define CONST1 0x6e64, 0x2033
#define CONST2 0x322d, 0x6279
#define CONST3 0x7465, 0x206b
#else
#define CONST0 0x6170, 0x7865
#define CONST1 0x3320, 0x646e
#define CONST2 0x7962, 0x2d32
#define CONST3 0x6b20, 0x6574
#endif

.macro constant reg, high, low
	lis	\reg, \high
	ori	\reg, \reg, \low
.endm

/* A word of the key; \base + 4 * \index. \offset is a register to clobber. */
.macro key_word reg, index, offset
#if defined(KEY_BYTES) && defined(__BIG_ENDIAN__)
	addi	\offset, KEY, 4 * \index
	lwbrx	\reg, 0, \offset
#else
	lwz	\reg, 4 * \index(KEY)
#endif
.endm

.macro quarter a, b, c, d
	add	\a, \a, \b
	xor	\d, \d, \a
	rotlwi	\d, \d, 16
	add	\c, \c, \d
	xor	\b, \b, \c
	rotlwi	\b, \b, 12
	add	\a, \a, \b
	xor	\d, \d, \a
	rotlwi	\d, \d, 8
	add	\c, \c, \d
	xor	\b, \b, \c
	rotlwi	\b, \b, 7
.endm

.macro add_constant reg, high, low
	constant TEMP, \high, \low
	add	\reg, \reg, TEMP
.endm

/* Adds a key word. Where the word must be swapped, its address goes through the block counter's
 * register, which is kept in CTR meanwhile: CTR is free between the rounds of two blocks. */
.macro add_key reg, index
	key_word TEMP, \index, BLOCKS
	add	\reg, \reg, TEMP
.endm

.macro put reg
#ifdef __BIG_ENDIAN__
	stwbrx	\reg, 0, DST
#else
	stw	\reg, 0(DST)
#endif
	addi	DST, DST, 4
.endm

	.text

INTERNAL(__arch_chacha20_blocks_nostack)
#ifndef __powerpc64__
	stwu	r1, -FRAME(r1)
#endif
.irp n, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
	STORE	\n, SAVED(\n)
.endr

.Lblock:
	constant X0, CONST0
	constant X1, CONST1
	constant X2, CONST2
	constant X3, CONST3
	key_word X4, 0, X4
	key_word X5, 1, X5
	key_word X6, 2, X6
	key_word X7, 3, X7
	key_word X8, 4, X8
	key_word X9, 5, X9
	key_word X10, 6, X10
	key_word X11, 7, X11
	lwz	X12, 0(COUNTER)
	lwz	X13, 4(COUNTER)
	li	X14, 0
	li	X15, 0
#ifdef BUG_KEY_SPILLED
	stw	X4, SPILL(0)
	stw	X5, SPILL(1)
	stw	X6, SPILL(2)
	stw	X7, SPILL(3)
#endif

	li	TEMP, 10
	mtctr	TEMP
.Lrounds:
	quarter	X0, X4, X8, X12
	quarter	X1, X5, X9, X13
	quarter	X2, X6, X10, X14
	quarter	X3, X7, X11, X15
	quarter	X0, X5, X10, X15
	quarter	X1, X6, X11, X12
	quarter	X2, X7, X8, X13
	quarter	X3, X4, X9, X14
	bdnz	.Lrounds

	mtctr	BLOCKS
	add_constant X0, CONST0
	add_constant X1, CONST1
	add_constant X2, CONST2
	add_constant X3, CONST3
	add_key	X4, 0
	add_key	X5, 1
	add_key	X6, 2
	add_key	X7, 3
	add_key	X8, 4
	add_key	X9, 5
	add_key	X10, 6
	add_key	X11, 7
	mfctr	BLOCKS
	lwz	TEMP, 0(COUNTER)
	add	X12, X12, TEMP
	lwz	TEMP, 4(COUNTER)
	add	X13, X13, TEMP

	put	X0
	put	X1
	put	X2
	put	X3
	put	X4
	put	X5
	put	X6
	put	X7
	put	X8
	put	X9
	put	X10
	put	X11
	put	X12
	put	X13
	put	X14
	put	X15

	lwz	X0, 0(COUNTER)
	addi	X0, X0, 1
	stw	X0, 0(COUNTER)
#ifndef BUG_COUNTER_CARRY_LOST
	cmplwi	X0, 0
	bne	.Lcounted
	lwz	X1, 4(COUNTER)
	addi	X1, X1, 1
	stw	X1, 4(COUNTER)
.Lcounted:
#endif
	addi	BLOCKS, BLOCKS, -1
	CMPLI	BLOCKS, 0
	bne	.Lblock

.irp n, 14, 16, 17, 18, 19, 20, 21, 22, 23
	LOAD	\n, SAVED(\n)
.endr
#ifndef BUG_NONVOLATILE_NOT_RESTORED
	LOAD	15, SAVED(15)
#endif
.irp n, 0, 7, 8, 9, 10, 11, 12
	li	\n, 0
.endr
	mtctr	r0
#ifndef __powerpc64__
	addi	r1, r1, FRAME
#endif
	blr
END(__arch_chacha20_blocks_nostack)
