/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The coroutine switch for x86-64 (System V ABI): callee-saved registers go on the
 * stack, the stack pointer into the context. It ends in ret: all switches are made by
 * one call (sim_ctx_switch's caller in sim/sched.c), so that the return predictor, which
 * still holds that call, is right; pop and jmp leaves its entry behind and makes the
 * caller's own ret miss (8 tasks: 20 % slower).
 * MXCSR and the x87 control word are the same for all coroutines and stay.
 */
#if defined(__x86_64__) && !defined(SIM_UCONTEXT)
    .text
    .globl sim_ctx_switch_raw
    .type sim_ctx_switch_raw, @function
    .p2align 4
sim_ctx_switch_raw:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq (%rsi), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size sim_ctx_switch_raw, .-sim_ctx_switch_raw

    /* First entry: r12 holds the function, r13 its argument. */
    .globl sim_ctx_entry
    .type sim_ctx_entry, @function
sim_ctx_entry:
    xorl %ebp, %ebp
    movq %r13, %rdi
    callq *%r12
    ud2
    .size sim_ctx_entry, .-sim_ctx_entry
#endif
    .section .note.GNU-stack, "", %progbits
