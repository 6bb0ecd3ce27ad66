/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the tests of models/guest run on arm64: see functions_ppc.S.
 */
#define FUNCTION(name, index) .org (index) * 0x100; name:

    .text
    .p2align 8
    .globl functions
functions:

FUNCTION(add, 0)
    add x0, x0, x1
    add x0, x0, x1
    add x0, x0, x2
    ret

FUNCTION(mix, 1)
    stp x29, x30, [sp, #-64]!
    mov x29, sp
    str x19, [sp, #16]
    mov w19, w2
    mov x6, #0
    mov x4, x1
1:  ldr w7, [x0]
    add w7, w7, w19
    ror w19, w19, #27
    eor w19, w19, w7
    str w7, [x0], #4
    add x6, x6, x7
    subs x4, x4, #1
    b.ne 1b
    movi v3.4s, #5
    add v4.16b, v3.16b, v3.16b
    str q4, [sp, #32]
    ldr d5, [sp, #32]
    cmp x1, #3
    b.gt 2f
    add x6, x6, #1
2:  mov x0, x6
    ldr x19, [sp, #16]
    ldp x29, x30, [sp], #64
    ret

FUNCTION(syscall, 2)
    mov x8, #278
    svc #0
    b.vc 1f
    add x0, x0, #256
1:  add x0, x0, #1
    ret

FUNCTION(load, 3)
    ldr x0, [x0]
    ret
FUNCTION(store, 4)
    str x1, [x0]
    ret
FUNCTION(spin, 5)
    b spin
FUNCTION(undefined, 6)
    .long 0
    ret
FUNCTION(entropy, 7)
    mrs x0, s3_3_c2_c4_0 /* RNDR */
    cset x1, eq
    mrs x2, s3_3_c2_c4_1 /* RNDRRS */
    ret
FUNCTION(counter, 8)
    mrs x0, cntvct_el0
    mrs x1, s3_0_c0_c6_0 /* ID_AA64ISAR0_EL1 */
    mrs x2, s3_0_c15_c7_5 /* of no architecture */
    ret
FUNCTION(jump, 9)
    br x0

FUNCTION(leaf, 10)
    sub sp, sp, #32
    stp x0, x1, [sp]
    mov x0, #0
    mov x1, #0
    nop
    nop
    ldp x0, x1, [sp]
    add sp, sp, #32
    add x0, x0, x1
    ret

FUNCTION(handler, 11)
    sub sp, sp, #256
    mov x5, #256
    mov x6, #-1
1:  sub x5, x5, #8
    str x6, [sp, x5]
    cbnz x5, 1b
    mov x0, #-1
    mov x1, #-1
    mov x19, #-1
    mov x7, x30
    mov x29, #-1
    movi v3.16b, #255
    movi v4.16b, #255
    movi v20.16b, #255
    cmn x0, #1
    add sp, sp, #256
    mov x30, #-1
    ret x7

FUNCTION(carry, 12)
    mov x0, #-1
    adds x0, x0, #1
    ret

FUNCTION(word, 13)
    str w1, [x0]
    ldr w0, [x0]
    ret
FUNCTION(hvc, 14)
    hvc #7
    add x0, x0, #1
    ret
FUNCTION(smc, 15)
    smc #0
    add x0, x0, #1
    ret

FUNCTION(increment, 16)
1:  ldr w5, [x0]
    add w5, w5, #1
    str w5, [x0]
    subs x1, x1, #1
    b.ne 1b
    ret
    .org 0x2000
