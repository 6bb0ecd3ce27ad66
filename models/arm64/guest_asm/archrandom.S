/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an arm64 kernel asks for random words, in EL1: our own code, with the steps and in the order
 * of arch/arm64/include/asm/archrandom.h. Functions follow AAPCS64 and use no stack.
 *
 * It is assembled once for each design, for whether preemption is counted, for what has been
 * patched, and for each planted bug: arm64_text.h. These are the symbols DESIGN, COUNTED, PATCHED
 * and BUG.
 *
 * x28 holds the address of the kernel's data, as a register that the machine sets: in a kernel
 * these are symbols.
 */
#include "arm64_data.h"

#define ID_AA64ISAR0_EL1 S3_0_C0_C6_0
#define RNDR S3_3_C2_C4_0
#define RNDRRS S3_3_C2_C4_1
#define RNDR_SHIFT 60
#define DAIF_I 7

/* w9 = whether the RNDR field of x9 is not 0. */
.macro has_field
	lsr	x9, x9, #RNDR_SHIFT
	cmp	w9, #0
	cset	w9, ne
.endm

/* __cpu_has_rng(): w9 = 0 or 1; uses x10. What a kernel patches is a branch: to `no`, or none. */
.macro cpu_has_rng
.if (DESIGN == ARM64_LOCAL_CAP || DESIGN == ARM64_SANITISED) && PATCHED == ARM64_UNPATCHED
.if COUNTED && BUG != ARM64_BUG_QUERY_PREEMPTIBLE
	mrs	x9, sp_el0
	ldr	w9, [x9, #ARM64_TASK_PREEMPT_COUNT]
	cbnz	w9, 1f
	mrs	x9, daif
	tbz	w9, #DAIF_I, 2f
.endif
1:
.if DESIGN == ARM64_LOCAL_CAP
	mrs	x9, ID_AA64ISAR0_EL1
.else
	ldr	x9, [x28, #ARM64_DATA_SANITISED]
.endif
	has_field
	b	3f
2:
.endif
.if PATCHED == ARM64_FINAL_RNG
	nop
.else
	b	4f
.endif
	mov	w9, #1
	b	3f
4:
	mov	w9, #0
3:
.endm

/* __early_cpu_has_rndr() */
.macro early_cpu_has_rndr
	mrs	x9, ID_AA64ISAR0_EL1
	has_field
.endm

/* One word of `register` to [x0], or 0 words. */
.macro one_word register
5:
	mrs	x10, \register
	cset	w11, ne
.if BUG == ARM64_BUG_WHILE_NOT_OK
	cbz	w11, 5b
.endif
.if BUG == ARM64_BUG_FAILED_VALUE
	mov	w11, #1
.endif
	cbz	w11, 0b
	str	x10, [x0]
	mov	x0, #1
	ret
.endm

/* x0 to x3 by the conduit whose number is in w9. */
.macro invoke
	cmp	w9, #ARM64_CONDUIT_HVC
	b.eq	6f
	cmp	w9, #ARM64_CONDUIT_SMC
	b.eq	7f
	mov	x0, #-1
	b	8f
6:
	hvc	#0
	b	8f
7:
	smc	#0
8:
.endm

/* arm_smccc_1_1_invoke: by PSCI's conduit, and by none where SMCCC is older than 1.1. */
.macro invoke_1_1
	ldr	w9, [x28, #ARM64_DATA_VERSION]
	mov	w10, #(ARM64_SMCCC_VERSION_1_1 & 0xffff)
	movk	w10, #(ARM64_SMCCC_VERSION_1_1 >> 16), lsl #16
	cmp	w9, w10
	ldr	w9, [x28, #ARM64_DATA_PSCI]
	csel	w9, w9, wzr, hs
	invoke
.endm

/* The words of the firmware's TRNG, 3 at most, to [x0]; goes on where it gives none. */
.macro firmware_words
	ldr	w9, [x28, #ARM64_DATA_TRNG]
	cbz	w9, 9f
	mov	x12, x0
	cmp	x1, #3
	mov	x13, #3
	csel	x1, x13, x1, hi
	mov	x13, x1
.if BUG == ARM64_BUG_TRNG_NUMBER
	mov	x1, #192
.else
	lsl	x1, x1, #6
.endif
	mov	w0, #(ARM64_TRNG_RND64 & 0xffff)
	movk	w0, #(ARM64_TRNG_RND64 >> 16), lsl #16
.if BUG == ARM64_BUG_TRNG_RETRY
10:
	mov	x14, x0
	mov	x15, x1
	invoke_1_1
	cmn	w0, #3
	b.ne	11f
	mov	x0, x14
	mov	x1, x15
	b	10b
11:
.else
	invoke_1_1
.endif
.if BUG != ARM64_BUG_TRNG_FAILED_VALUE
	tbnz	w0, #31, 12f
.endif
.if BUG == ARM64_BUG_TRNG_ORDER
	mov	x14, x1
	mov	x1, x3
	mov	x3, x14
.endif
	mov	x14, x12
	cmp	x13, #2
	b.lo	13f
	b.eq	14f
	str	x1, [x14], #8
14:
	str	x2, [x14], #8
13:
	str	x3, [x14]
	mov	x0, x13
	ret
12:
	mov	x0, x12
9:
.endm

.macro read_into_each
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	mrs	x\n, ID_AA64ISAR0_EL1
	.endr
.endm


/* One variant, and its line of the table: what it is, where it begins, and its functions. */
.macro text design, counted, patched, bug
	.set	DESIGN, \design
	.set	COUNTED, \counted
	.set	PATCHED, \patched
	.set	BUG, \bug
	.text	0
	.word	\design, \counted, \patched, \bug
	.word	begin\@ - table, end\@ - begin\@
	.word	arch_get_random_longs\@ - begin\@, arch_get_random_seed_longs\@ - begin\@
	.word	arch_get_random_longs_early\@ - begin\@
	.word	arch_get_random_seed_longs_early\@ - begin\@
	.word	smccc_init\@ - begin\@, store_cpu\@ - begin\@, read_all\@ - begin\@
	.word	early_has\@ - begin\@
	.text	1
begin\@:
0:
	mov	x0, #0
	ret

arch_get_random_longs\@:
	cbz	x1, 0b
	cpu_has_rng
	cbz	w9, 0b
	one_word RNDR

arch_get_random_seed_longs\@:
	cbz	x1, 0b
	firmware_words
	cpu_has_rng
	cbz	w9, 0b
	one_word RNDRRS

arch_get_random_longs_early\@:
	cbz	x1, 0b
	early_cpu_has_rndr
	cbz	w9, 0b
	one_word RNDR

/* Of 6.1: without RNDRRS. */
arch_get_random_seed_longs_early\@:
	cbz	x1, 0b
	firmware_words
	early_cpu_has_rndr
	cbz	w9, 0b
	one_word RNDR

/* The version, if PSCI has such a call; from 1.1 on its conduit may be used for others. */
smccc_init\@:
	mov	w0, #(ARM64_PSCI_FEATURES & 0xffff)
	movk	w0, #(ARM64_PSCI_FEATURES >> 16), lsl #16
	mov	w1, #0
	movk	w1, #(ARM64_SMCCC_VERSION >> 16), lsl #16
	ldr	w9, [x28, #ARM64_DATA_PSCI]
	invoke
	cmn	w0, #1
	b.eq	15f
	mov	w0, #0
	movk	w0, #(ARM64_SMCCC_VERSION >> 16), lsl #16
	ldr	w9, [x28, #ARM64_DATA_PSCI]
	invoke
	mov	w9, #(ARM64_SMCCC_VERSION_1_1 & 0xffff)
	movk	w9, #(ARM64_SMCCC_VERSION_1_1 >> 16), lsl #16
	cmp	w0, w9
	b.lt	15f
	str	w0, [x28, #ARM64_DATA_VERSION]
	mov	w0, #(ARM64_TRNG_VERSION & 0xffff)
	movk	w0, #(ARM64_TRNG_VERSION >> 16), lsl #16
	invoke_1_1
.if BUG != ARM64_BUG_TRNG_OLD
	tbnz	w0, #31, 15f
	mov	x9, #ARM64_TRNG_VERSION_MIN
	cmp	x0, x9
	b.lo	15f
.endif
	mov	w9, #1
	str	w9, [x28, #ARM64_DATA_TRNG]
15:
	ret

/*
 * The ID registers of this CPU; what is kept of ID_AA64ISAR0_EL1 is the first CPU's, and where a
 * later one has less in the RNDR field, that.
 */
store_cpu\@:
	mrs	x10, S3_0_C0_C5_0	/* ID_AA64DFR0_EL1 */
	mrs	x10, S3_0_C0_C5_1	/* ID_AA64DFR1_EL1 */
	mrs	x9, ID_AA64ISAR0_EL1
	mrs	x10, S3_0_C0_C6_1	/* ID_AA64ISAR1_EL1 */
	mrs	x10, S3_0_C0_C6_2	/* ID_AA64ISAR2_EL1 */
	mrs	x10, S3_0_C0_C6_3	/* ID_AA64ISAR3_EL1 */
	mrs	x10, S3_0_C0_C7_0	/* ID_AA64MMFR0_EL1 */
	mrs	x10, S3_0_C0_C7_1	/* ID_AA64MMFR1_EL1 */
	mrs	x10, S3_0_C0_C7_2	/* ID_AA64MMFR2_EL1 */
	mrs	x10, S3_0_C0_C7_3	/* ID_AA64MMFR3_EL1 */
	mrs	x10, S3_0_C0_C7_4	/* ID_AA64MMFR4_EL1 */
	mrs	x10, S3_0_C0_C4_0	/* ID_AA64PFR0_EL1 */
	mrs	x10, S3_0_C0_C4_1	/* ID_AA64PFR1_EL1 */
	mrs	x10, S3_0_C0_C4_2	/* ID_AA64PFR2_EL1 */
	mrs	x10, S3_0_C0_C4_4	/* ID_AA64ZFR0_EL1 */
	mrs	x10, S3_0_C0_C4_5	/* ID_AA64SMFR0_EL1 */
	mrs	x10, S3_0_C0_C4_7	/* ID_AA64FPFR0_EL1 */
	cbnz	x0, 16f
.if BUG == ARM64_BUG_CAP_LATCHED
	ret
.endif
	ldr	x10, [x28, #ARM64_DATA_SANITISED]
	lsr	x11, x10, #RNDR_SHIFT
	lsr	x12, x9, #RNDR_SHIFT
	cmp	x12, x11
	csel	x11, x12, x11, lo
	bfi	x10, x11, #RNDR_SHIFT, #4
	mov	x9, x10
16:
	str	x9, [x28, #ARM64_DATA_SANITISED]
	ret

/* kaslr's: of kernel trees alone (arm64_tree.h). */
early_has\@:
	early_cpu_has_rndr
	mov	w0, w9
	ret

/* What a hypervisor emulates: a trapped read by its target's number, of which 31 is none. */
read_all\@:
	fmov	d0, x30
	mrs	xzr, ID_AA64ISAR0_EL1
	read_into_each
	fmov	x30, d0
	ret
end\@:
.endm

	.text	0
table:
	.irp	bug, 0,1,2,3,4,5,6,7,8,9
	.irp	design, ARM64_EARLY_VARIANTS, ARM64_LOCAL_CAP, ARM64_SANITISED, ARM64_ALTERNATIVE
	.irp	patched, ARM64_UNPATCHED, ARM64_FINAL, ARM64_FINAL_RNG
	text	\design, 0, \patched, \bug
	text	\design, 1, \patched, \bug
	.endr
	.endr
	.endr
	.text	0
	.word	-1
