/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ChaCha20 blocks for a vDSO of arm64: chacha_ppc.S tells the interface.
 *
 * A row of the state lies in a vector register, the four columns of a round side by side. All that
 * is used may be clobbered by a call, and is zeroed: nothing is saved, so nothing goes to the
 * stack.
 *
 * Variants: BUG_34, BUG_COUNTER_CARRY_LOST, BUG_NONVOLATILE_NOT_RESTORED, BUG_KEY_SPILLED,
 * BUG_VECTOR_NOT_ZEROED, BUG_D8_USED.
 */
#include "vdso_words.h"

#define DST x0
#define KEY x1
#define COUNTER x2
#define BLOCKS x3
#define COUNT x4
#ifdef BUG_NONVOLATILE_NOT_RESTORED
#define ROUNDS w29
#else
#define ROUNDS w5
#endif
#ifdef BUG_D8_USED
#define TEMP v8
#else
#define TEMP v17
#endif

.macro quarters
	add	v0.4s, v0.4s, v1.4s
	eor	v3.16b, v3.16b, v0.16b
	rev32	v3.8h, v3.8h
	add	v2.4s, v2.4s, v3.4s
	eor	TEMP.16b, v1.16b, v2.16b
	ushr	v1.4s, TEMP.4s, #20
	sli	v1.4s, TEMP.4s, #12
	add	v0.4s, v0.4s, v1.4s
	eor	v3.16b, v3.16b, v0.16b
	tbl	v3.16b, {v3.16b}, v16.16b
	add	v2.4s, v2.4s, v3.4s
	eor	TEMP.16b, v1.16b, v2.16b
	ushr	v1.4s, TEMP.4s, #25
	sli	v1.4s, TEMP.4s, #7
.endm

/* Words of the last three rows move \a, 2 and \b columns to the left. */
.macro turn a, b
	ext	v1.16b, v1.16b, v1.16b, #4 * \a
	ext	v2.16b, v2.16b, v2.16b, #8
	ext	v3.16b, v3.16b, v3.16b, #4 * \b
.endm

	.text
	.balign 16
constants: /* "expand 32-byte k" */
#ifdef BUG_34 /* the string copied as bytes on a big-endian machine */
	.word	0x65787061, 0x6e642033, 0x322d6279, 0x7465206b
#else
	.word	0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
#endif
rotate_8: /* bytes of four words, each rotated left by 8 */
	.byte	3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14

INTERNAL(__arch_chacha20_blocks_nostack)
	ldr	q4, constants
	ldr	q16, rotate_8
	ldp	q5, q6, [KEY]
	ldr	COUNT, [COUNTER]
#ifdef BUG_KEY_SPILLED
	stur	q5, [sp, #-16]
#endif

.Lblock:
	fmov	d7, COUNT
	mov	v0.16b, v4.16b
	mov	v1.16b, v5.16b
	mov	v2.16b, v6.16b
	mov	v3.16b, v7.16b
	mov	ROUNDS, #10
.Lrounds:
	quarters
	turn	1, 3
	quarters
	turn	3, 1
	sub	ROUNDS, ROUNDS, #1
	cbnz	ROUNDS, .Lrounds

	add	v0.4s, v0.4s, v4.4s
	add	v1.4s, v1.4s, v5.4s
	add	v2.4s, v2.4s, v6.4s
	add	v3.4s, v3.4s, v7.4s
	stp	q0, q1, [DST]
	stp	q2, q3, [DST, #32]
	add	DST, DST, #64
#ifdef BUG_COUNTER_CARRY_LOST
	add	w6, w4, #1
	bfi	COUNT, x6, #0, #32
#else
	add	COUNT, COUNT, #1
#endif
	sub	BLOCKS, BLOCKS, #1
	cbnz	BLOCKS, .Lblock

	str	COUNT, [COUNTER]
#ifdef BUG_VECTOR_NOT_ZEROED
	mov	v17.16b, v5.16b
#else
	movi	v17.16b, #0
#endif
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 16
	movi	v\n\().16b, #0
.endr
	ret
END(__arch_chacha20_blocks_nostack)
