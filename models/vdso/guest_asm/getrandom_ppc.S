/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in subject's getrandom:
 *
 *   ssize_t __kernel_getrandom(void *buf, size_t len, unsigned flags, void *state, size_t size)
 *
 * The interface is Linux's (include/vdso/getrandom.h, lib/vdso/getrandom.c): a query for
 * size ~0, keystream where the kernel would give random bytes, the system call in all cases
 * that it does not serve. This file holds what does not depend on how the state is used: the
 * arguments, the frames, and leaving. attempt_own.inc is the subject as it is meant,
 * attempt_contract.inc the algorithm as merged (SUSPECT_STATE_TRUSTED).
 *
 * Other variants, off in the subject as it is meant: BUG_37, BUG_39, BUG_QUERY_RESERVED_SET,
 * BUG_KEY_DERIVED_LEFT, BUG_VECTOR_NOT_RESTORED, BUG_VRSAVE_CHANGED, BUG_SO_LEFT,
 * BUG_TIMENS_PAGE, BUG_QUERY_NOT_ANSWERED, BUG_QUERY_FLAGS here, more of them in
 * attempt_own.inc; SUSPECT_FLAGS_PAIR.
 */
#include "vdso_words.h"

#define STATE r31
#define BUF r30
#define LEN r29
#define FLAGS r28
#define OUT r27
#define LEFT r26
#define PAGE r25
#define GEN r24
#define TRIES r23
#define POS r22
#define TOKEN r21
#define BLOCKS r20

#define GENERATION 128
#define STATE_POS 136
#define STATE_TOKEN 140  /* attempt_own.inc */
#define STATE_IN_USE 137 /* attempt_contract.inc */
#define STATE_LEN 144
#define EMPTY 0
#define TAKEN 1
#define BATCH_LEN 96
#define IS_READY 8 /* in the RNG page, behind the generation */

/* The frame, from r1 on: the minimum one, then the block counter, the copy, saved registers. */
#define COUNTER 32
#define COPY 64
#define COPY_KEY (COPY + 96)
#define OLD_KEY 192
#define SAVED(reg) (224 + WORD * (reg - 20))(r1)
#define FRAME 320

#define GETRANDOM 359 /* the number of the system call */
#define EFAULT 14

/* The generation is compared for equality only. A 32-bit kernel writes it as one word, the
 * first, and that is all that is looked at. */
.macro generation reg
	LOAD	\reg, 0(PAGE)
.endm

/* At the start of the buffer, with the first block of a key. */
.macro begin_attempt
	mr	OUT, BUF
	lis	LEFT, 0x7fff /* the most that the system call gives: INT_MAX & PAGE_MASK */
	ori	LEFT, LEFT, 0xf000
	CMPL	LEN, LEFT
	bgt	1f
	mr	LEFT, LEN
1:	li	r0, 0
	stw	r0, COUNTER(r1)
	stw	r0, COUNTER + 4(r1)
.endm

	.hidden	__arch_chacha20_blocks_nostack
	.text

#ifndef SUSPECT_STATE_TRUSTED
/*
 * Word sums of the copy, pos and generation: r3 = check sum, never EMPTY or TAKEN. Handing out
 * n bytes clears them and adds n to pos. The factor of pos is such that for n below 4 no bytes
 * make up for that; a call that was interrupted would take the bytes of the handler's call.
 */
INTERNAL(check_sum)
	li	r0, 32
	mtctr	r0
	addi	r4, r1, COPY
	lis	r3, 0x9e37
	ori	r3, r3, 0x79b1
	mullw	r3, r3, POS
	add	r3, r3, GEN
	addi	r3, r3, 0x5eed
1:	lwz	r5, 0(r4)
	rotlwi	r3, r3, 7
	addi	r4, r4, 4
	add	r3, r3, r5
	bdnz	1b
	cmplwi	r3, TAKEN
	bgtlr
	addi	r3, r3, 2
	blr
END(check_sum)

/* Changes the token from r4 to r5; CR0.EQ says whether it was r4. Clobbers r0, r3. */
INTERNAL(change_token)
	addi	r3, STATE, STATE_TOKEN
1:	lwarx	r0, 0, r3
	cmplw	r0, r4
	bnelr
	stwcx.	r5, 0, r3
	bne-	1b
	blr
END(change_token)
#endif

FUNCTION(__kernel_getrandom)
	/* A query? */
#ifdef BUG_QUERY_NOT_ANSWERED
	b	.Lno_query
#endif
	CMPI	r7, -1
	bne	.Lno_query
	or.	r0, r3, r4
	bne	.Lno_query
#ifndef BUG_QUERY_FLAGS
	cmpwi	r5, 0
	bne	.Lno_query
#endif
	li	r0, STATE_LEN
	stw	r0, 0(r6)
	li	r0, 3 /* PROT_READ | PROT_WRITE */
	stw	r0, 4(r6)
	li	r0, 0x28 /* MAP_DROPPABLE | MAP_ANONYMOUS */
	stw	r0, 8(r6)
	li	r0, 13
	mtctr	r0
#ifdef BUG_QUERY_RESERVED_SET
	li	r0, 1
#else
	li	r0, 0
#endif
	addi	r4, r6, 8
1:	stwu	r0, 4(r4)
	bdnz	1b
	b	.Lzero

.Lno_query:
	rlwinm	r0, r6, 0, 20, 31
	cmplwi	r0, 4096 - STATE_LEN
	bgt	.Lstraddles
#ifndef BUG_37
	rlwinm.	r0, r5, 0, 0, 28 /* flags that are not known */
	bne	.Lsyscall
#endif
#ifndef SUSPECT_FLAGS_PAIR
	rlwinm	r0, r5, 0, 29, 30 /* GRND_RANDOM and GRND_INSECURE are an error together */
	cmplwi	r0, 6
	beq	.Lsyscall
#endif
	CMPLI	r7, STATE_LEN
	bne	.Lsyscall
	andi.	r0, r6, 7 /* the conditional store wants an aligned word */
	bne	.Lsyscall

	mflr	r12
	bcl	20, 31, 1f
1:	mflr	r11
	mtlr	r12
	addis	r11, r11, (__ehdr_start - 0x2000 - 1b)@ha /* vdso_u_rng_data */
	addi	r11, r11, (__ehdr_start - 0x2000 - 1b)@l
#ifdef BUG_TIMENS_PAGE
	lwz	r0, 4 - 0x2000(r11) /* vdso_u_data: the clock mode */
	srwi	r0, r0, 18	    /* 0x1fff in a time namespace, else 0 */
	cmpwi	r0, 0x1fff
	bne	1f
	addi	r11, r11, 0x1000
1:
#endif
	lbz	r0, IS_READY(r11)
	cmpwi	r0, 0
	beq	.Lsyscall
	CMPLI	r4, 0
	beq	.Lzero

	/* The caller may have no frame: the first of ours is for the link register. */
	STORE_UPDATE r1, -FRAME_MIN(r1)
	STORE	r12, LR_SLOT(r1)
	STORE_UPDATE r1, -FRAME(r1)
.irp n, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	STORE	\n, SAVED(\n)
.endr
	mr	STATE, r6
	mr	BUF, r3
	mr	LEN, r4
	mr	FLAGS, r5
	mr	PAGE, r11
	li	TRIES, 2

#ifdef SUSPECT_STATE_TRUSTED
#include "attempt_contract.inc"
#else
#include "attempt_own.inc"
#endif

	/* Nothing of the copy stays behind. TRIES < 0: LEFT bytes were made. */
.Lleave:
#ifdef BUG_KEY_DERIVED_LEFT
	lwz	r12, COPY_KEY(r1)
	not	r12, r12
#endif
#ifdef BUG_39
	addi	r3, r1, COPY
	li	r4, 0
	li	r5, 128
	bl	memset
#else
	li	r0, 128 / WORD
	mtctr	r0
	li	r0, 0
	addi	r4, r1, COPY - WORD
1:	STORE	r0, WORD(r4)
	addi	r4, r4, WORD
	bdnz	1b
#endif
	mr	r3, BUF
	mr	r4, LEN
	mr	r5, FLAGS
	mr	r6, LEFT
	cmpwi	TRIES, 0
.irp n, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	LOAD	\n, SAVED(\n)
.endr
	addi	r1, r1, FRAME
	LOAD	r0, LR_SLOT(r1)
	addi	r1, r1, FRAME_MIN
	mtlr	r0
	li	r0, 0
.irp n, 7, 8, 9, 10, 11
	li	\n, 0
.endr
#ifndef BUG_KEY_DERIVED_LEFT
	li	r12, 0
#endif
	bge	.Lsyscall
	mr	r3, r6
	li	r4, 0
	li	r5, 0
	li	r6, 0
#ifdef BUG_VECTOR_NOT_RESTORED
	.long	0x1294a4c4 /* vxor v20, v20, v20 */
#endif
#ifdef BUG_VRSAVE_CHANGED
	mtspr	256, r0
#endif
#ifndef BUG_SO_LEFT
	crclr	3 /* CR0.SO: no error */
#endif
	blr

.Lzero:
	li	r3, 0
	crclr	3
	blr

.Lstraddles:
	li	r3, EFAULT
	crset	3
	blr

.Lsyscall:
	li	r0, GETRANDOM
	sc
	blr
END(__kernel_getrandom)
