/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the tests of models/guest run on PowerPC of 32 and 64 bits, in both orders of bytes.
 * Function n lies at 0x100 * n, in the order of enum function of testing/functions.h. r3.. are the
 * arguments and r3 is the result.
 */
#ifdef __powerpc64__
#define LX ld
#define STX std
#define STXU stdu
#define W 8
#else
#define LX lwz
#define STX stw
#define STXU stwu
#define W 4
#endif
#define FUNCTION(name, index) .org (index) * 0x100; name:

    .machine "any"
#ifdef __powerpc64__
    .abiversion 2
#endif
    .text
    .p2align 8
    .globl functions
functions:

/* r3 = r3 + 2 * r4 + r5 */
FUNCTION(add, 0)
    add 3, 3, 4
    add 3, 3, 4
    add 3, 3, 5
    blr

/* mix(word *r3, count r4, key r5): a frame, a saved register, a loop that loads and stores,
 * a condition field, a vector and a floating-point register. Returns the sum. */
FUNCTION(mix, 1)
    mflr 0
    STX 0, W(1)
    STXU 1, -128(1)
    STX 31, 96(1)
    mr 31, 5
    li 6, 0
    mtctr 4
    cmpwi 2, 4, 3
1:  lwz 7, 0(3)
    add 7, 7, 31
    rotlwi 31, 31, 5
    xor 31, 31, 7
    stw 7, 0(3)
    addi 3, 3, 4
    addc 6, 6, 7
    bdnz 1b
    vspltisw 3, 5
    vaddubm 4, 3, 3
    addi 8, 1, 64
    stvx 4, 0, 8
    lfd 5, 64(1)
    bgt 2, 2f
    addi 6, 6, 1
2:  mr 3, 6
    LX 31, 96(1)
    addi 1, 1, 128
    LX 0, W(1)
    mtlr 0
    blr

/* A system call, then + 1; the summary overflow bit of CR0 adds 256. */
FUNCTION(syscall, 2)
    li 0, 359
    sc
    bns 1f
    addi 3, 3, 256
1:  addi 3, 3, 1
    blr

FUNCTION(load, 3)
    LX 3, 0(3)
    blr
FUNCTION(store, 4)
    STX 4, 0(3)
    blr
FUNCTION(spin, 5)
    b spin
FUNCTION(undefined, 6)
    .long 0
    blr
FUNCTION(entropy, 7)
    .long 0x7c6005e6 | 1 << 16 /* darn r3, 1 */
    blr
FUNCTION(counter, 8)
    .long 0x7c6c42a6 /* mfspr r3, TBL */
    .long 0x7c8c42e6 /* mftb r4 */
    blr
FUNCTION(jump, 9)
    mtctr 3
    bctr

/* A leaf that keeps two words in the red zone (above sp where there is none). */
FUNCTION(leaf, 10)
#ifdef __powerpc64__
    std 3, -8(1)
    std 4, -288(1)
    li 3, 0
    li 4, 0
    nop
    nop
    ld 3, -8(1)
    ld 4, -288(1)
#else
    stwu 1, -32(1)
    stw 3, 8(1)
    stw 4, 12(1)
    li 3, 0
    li 4, 0
    lwz 3, 8(1)
    lwz 4, 12(1)
    addi 1, 1, 32
#endif
    add 3, 3, 4
    blr

/* A handler: overwrites what it may: all of its frame, and every register that a call need
 * not keep; and some that it must, since a signal frame holds them. */
FUNCTION(handler, 11)
    STXU 1, -256(1)
    li 5, 240
    li 6, -1
1:  addi 5, 5, -4
    add 7, 1, 5
    stw 6, 8(7)
    cmpwi 5, 0
    bne 1b
    li 3, -1
    li 4, -1
    li 0, -1
    li 14, -1
    li 31, -1
    mtctr 3
    mtcr 3
    mtxer 3
    mtlr 3
    vspltisw 0, -1
    vspltisw 20, -1
    vspltisw 4, -1
    mtfsf 0xff, 1
    lis 3, 0xf000
#ifdef __powerpc64__
    clrldi 3, 3, 32
#endif
    mtlr 3
    addi 1, 1, 256
    blr

/* Carry, and all condition bits. */
FUNCTION(carry, 12)
    li 3, -1
    addic 3, 3, 1
    li 4, -1
    mtcr 4
    blr

/* A store that lies on two pages is one instruction. */
FUNCTION(word, 13)
    stw 4, 0(3)
    lwz 3, 0(3)
    blr
FUNCTION(hvc, 14)
    blr
FUNCTION(smc, 15)
    blr

/* r4 times: one more in the word at r3, by a load and a store. */
FUNCTION(increment, 16)
    mtctr 4
1:  lwz 5, 0(3)
    addi 5, 5, 1
    stw 5, 0(3)
    bdnz 1b
    blr
    .org 0x2000
