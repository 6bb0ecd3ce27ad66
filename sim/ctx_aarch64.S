/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The coroutine switch for aarch64 (AAPCS64): x19 to x30 and d8 to d15 go on the
 * stack, the stack pointer into the context.
 */
#if defined(__aarch64__) && !defined(SIM_UCONTEXT)
    .text
    .globl sim_ctx_switch_raw
    .type sim_ctx_switch_raw, %function
    .p2align 4
sim_ctx_switch_raw:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    ldr x9, [x1]
    mov sp, x9
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    br x30
    .size sim_ctx_switch_raw, .-sim_ctx_switch_raw

    /* First entry: x19 holds the function, x20 its argument. */
    .globl sim_ctx_entry
    .type sim_ctx_entry, %function
sim_ctx_entry:
    mov x0, x20
    mov x29, #0
    mov x30, #0
    blr x19
    brk #0
    .size sim_ctx_entry, .-sim_ctx_entry
#endif
    .section .note.GNU-stack, "", %progbits
