/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in subject's getrandom for arm64: getrandom_ppc.S tells the interface, and what lies
 * where. An error is a negative result.
 *
 * It begins with the branch of a processor without FPSIMD, which serves nothing; a kernel patches
 * it by .altinstructions (models/vdso/vdso_alternatives.h).
 *
 * PAGE_LEN and TWO_PAGES are for tests of what is found without symbols: another page's length, and
 * the data pages as Linux 6.12 lays them out, the RNG's data within the first.
 *
 * Variants, off in the subject as it is meant: BUG_37, BUG_39, BUG_QUERY_RESERVED_SET,
 * BUG_KEY_DERIVED_LEFT, BUG_VECTOR_NOT_RESTORED, BUG_NONVOLATILE_NOT_RESTORED, BUG_TIMENS_PAGE,
 * BUG_X18_CHANGED, BUG_FPCR_CHANGED, BUG_SP_NOT_RESTORED, BUG_ERRNO_POSITIVE,
 * BUG_STRADDLE_UNCHECKED, BUG_KEY_IN_VECTOR, BUG_KEY_IN_HIGH_HALF, BUG_QUERY_NOT_ANSWERED,
 * BUG_QUERY_FLAGS, BUG_TPIDR_CHANGED, BUG_IRQS_MASKED here, more of them in
 * attempt_own_arm64.inc; SUSPECT_FLAGS_PAIR.
 */
#include "vdso_words.h"

#define STATE x19
#define BUF x20
#define LEN x21
#define FLAGS w22
#define OUT x23
#define LEFT x24
#define PAGE x25
#define GEN x26
#define GENW w26
#define TRIES w27
#define POS w28
#define POSX x28
#define TOKEN w15 /* kept by check_sum and change_token; gone when blocks are made */

#define GENERATION 128
#define STATE_POS 136
#define STATE_TOKEN 140  /* attempt_own_arm64.inc */
#define STATE_IN_USE 137 /* attempt_contract_arm64.inc */
#define STATE_LEN 144
#define EMPTY 0
#define TAKEN 1
#define BATCH_LEN 96
#define IS_READY 8 /* behind the generation */

#ifndef PAGE_LEN
#define PAGE_LEN 4096
#endif

/* The frame, from sp on: saved registers, the block counter, the copy. */
#define COUNTER 96
#define COPY 112
#define COPY_KEY (COPY + 96)
#define OLD_KEY 240
#define FRAME 272

#define GETRANDOM 278 /* the number of the system call */
#define EFAULT 14
#define ENOSYS 38
#define HAS_FPSIMD 26 /* of the capabilities; any number */

.macro generation reg
	ldar	\reg, [PAGE]
.endm

/* At the start of the buffer, with the first block of a key. */
.macro begin_attempt
	mov	OUT, BUF
	mov	LEFT, #0x7ffff000 /* the most that the system call gives: INT_MAX & PAGE_MASK */
	cmp	LEN, LEFT
	csel	LEFT, LEN, LEFT, ls
	str	xzr, [sp, #COUNTER]
.endm

	.hidden	__arch_chacha20_blocks_nostack
	.text

#ifndef SUSPECT_STATE_TRUSTED
/* As in getrandom_ppc.S: w0 = check sum. Clobbers x1 to x3. */
INTERNAL(check_sum)
	mov	w1, #0x79b1
	movk	w1, #0x9e37, lsl #16
	mov	w0, #0x5eed
	madd	w0, w1, POS, w0
	add	w0, w0, GENW
	add	x1, sp, #COPY
	mov	w2, #32
1:	ldr	w3, [x1], #4
	ror	w0, w0, #25
	add	w0, w0, w3
	subs	w2, w2, #1
	b.ne	1b
	cmp	w0, #TAKEN
	b.hi	2f
	add	w0, w0, #2
2:	ret
END(check_sum)

/* Changes the token from w1 to w2; Z says whether it was w1. Clobbers x0, x3, x4. */
INTERNAL(change_token)
	add	x0, STATE, #STATE_TOKEN
1:	ldaxr	w3, [x0]
	cmp	w3, w1
	b.ne	2f
	stlxr	w4, w2, [x0]
	cbnz	w4, 1b
	ret
2:	clrex
	ret
END(change_token)
#endif

FUNCTION(__kernel_getrandom)
.Lswitch:
	b	.Lno_fpsimd
	.pushsection .altinstructions, "a"
	.word	.Lswitch - .
	.word	.Lnop - .
	.hword	HAS_FPSIMD
	.byte	4, 4
	.popsection

	/* A query? */
#ifdef BUG_QUERY_NOT_ANSWERED
	b	.Lno_query
#endif
	cmn	x4, #1
	b.ne	.Lno_query
	orr	x9, x0, x1
	cbnz	x9, .Lno_query
#ifndef BUG_QUERY_FLAGS
	cbnz	w2, .Lno_query
#endif
	mov	w9, #STATE_LEN
	mov	w10, #3 /* PROT_READ | PROT_WRITE */
	stp	w9, w10, [x3]
	mov	w9, #0x28 /* MAP_DROPPABLE | MAP_ANONYMOUS */
	str	w9, [x3, #8]
#ifdef BUG_QUERY_RESERVED_SET
	mov	w9, #1
#else
	mov	w9, #0
#endif
	mov	x10, #12
1:	str	w9, [x3, x10]
	add	x10, x10, #4
	cmp	x10, #64
	b.ne	1b
	b	.Lzero

.Lno_query:
#ifndef BUG_STRADDLE_UNCHECKED
	and	x9, x3, #PAGE_LEN - 1
	mov	x10, #PAGE_LEN - STATE_LEN
	cmp	x9, x10
	b.hi	.Lstraddles
#endif
#ifndef BUG_37
	tst	w2, #0xfffffff8 /* flags that are not known */
	b.ne	.Lsyscall
#endif
#ifndef SUSPECT_FLAGS_PAIR
	and	w9, w2, #6 /* GRND_RANDOM and GRND_INSECURE are an error together */
	cmp	w9, #6
	b.eq	.Lsyscall
#endif
	cmp	x4, #STATE_LEN
	b.ne	.Lsyscall
	tst	x3, #7 /* the conditional store wants an aligned word */
	b.ne	.Lsyscall

	adr	x11, __ehdr_start - 2 * PAGE_LEN /* vdso_u_rng_data */
#if defined(BUG_TIMENS_PAGE) || defined(TWO_PAGES)
#ifdef TWO_PAGES
	mov	x9, x11
#else
	sub	x9, x11, #0x2000 /* vdso_u_data */
#endif
	ldr	w9, [x9, #4] /* the clock mode */
	mov	w10, #0x7fffffff /* in a time namespace */
	cmp	w9, w10
	b.ne	1f
	add	x11, x11, #0x1000
1:
#endif
#ifdef TWO_PAGES
	add	x11, x11, #480
#endif
	ldrb	w9, [x11, #IS_READY]
	cbz	w9, .Lsyscall
	cbz	x1, .Lzero

	stp	x29, x30, [sp, #-FRAME]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	mov	STATE, x3
	mov	BUF, x0
	mov	LEN, x1
	mov	FLAGS, w2
	mov	PAGE, x11
	mov	TRIES, #2

#ifdef SUSPECT_STATE_TRUSTED
#include "attempt_contract_arm64.inc"
#else
#include "attempt_own_arm64.inc"
#endif

	/* Nothing of the copy stays behind. TRIES < 0: LEFT bytes were made. */
.Lleave:
#ifdef BUG_KEY_IN_VECTOR
	ldr	q20, [sp, #COPY_KEY]
#endif
#ifdef BUG_KEY_IN_HIGH_HALF
	ldr	w9, [sp, #COPY_KEY]
	mov	v8.s[2], w9
#endif
#ifdef BUG_KEY_DERIVED_LEFT
	ldr	w12, [sp, #COPY_KEY]
	mvn	w12, w12
#endif
#ifdef BUG_39
	add	x0, sp, #COPY
	mov	w1, #0
	mov	x2, #128
	bl	memset
#else
.irp n, 0, 16, 32, 48, 64, 80, 96, 112
	stp	xzr, xzr, [sp, #COPY + \n]
.endr
#endif
	mov	x0, BUF
	mov	x1, LEN
	mov	w2, FLAGS
	mov	x3, LEFT
	cmp	TRIES, #0
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
#ifdef BUG_NONVOLATILE_NOT_RESTORED /* and the block function uses it */
	ldp	xzr, x30, [sp], #FRAME
#else
	ldp	x29, x30, [sp], #FRAME
#endif
#ifndef BUG_ATTEMPT_LEFT
	mov	x13, #0
#endif
.irp n, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17
	mov	x\n, #0
.endr
#ifndef BUG_KEY_DERIVED_LEFT
	mov	x12, #0
#endif
	b.ge	.Lsyscall
	mov	x0, x3
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
#ifdef BUG_VECTOR_NOT_RESTORED
	movi	v8.16b, #0
#endif
#ifdef BUG_X18_CHANGED
	mov	x18, #0
#endif
#ifdef BUG_FPCR_CHANGED
	msr	fpcr, xzr
#endif
#ifdef BUG_TPIDR_CHANGED
	msr	tpidr_el0, xzr
#endif
#ifdef BUG_IRQS_MASKED
	msr	daifset, #2
#endif
#ifdef BUG_SP_NOT_RESTORED
	sub	sp, sp, #16
#endif
	ret

.Lzero:
	mov	x0, #0
	ret

#ifndef BUG_STRADDLE_UNCHECKED
.Lstraddles:
#ifdef BUG_ERRNO_POSITIVE
	mov	x0, #EFAULT
#else
	mov	x0, #-EFAULT
#endif
	ret
#endif

.Lno_fpsimd:
	cmn	x4, #1
	b.ne	.Lsyscall
	orr	x9, x0, x1
	cbnz	x9, .Lsyscall
	cbnz	w2, .Lsyscall
	mov	x0, #-ENOSYS
	ret

.Lsyscall:
	mov	x8, #GETRANDOM
	svc	#0
	ret
END(__kernel_getrandom)

.Lnop:
	nop
