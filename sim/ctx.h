// SPDX-License-Identifier: GPL-2.0-or-later
//
// Coroutine contexts: the switch between stacks. Hand-written for x86-64 and
// aarch64 (sim/ctx_x86_64.S, sim/ctx_aarch64.S); with SIM_UCONTEXT defined, glibc's
// swapcontext, the reference that must give the same digests.
#ifndef SEEDBED_SIM_CTX_H_
#define SEEDBED_SIM_CTX_H_

#include "sim/base.h"

#if !defined(SIM_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define SIM_UCONTEXT 1
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif

#ifdef SIM_UCONTEXT
#include <ucontext.h>
struct sim_ctx {
  ucontext_t uc;
};
#else
struct sim_ctx {
  void *sp;  // callee-saved registers lie above it
};
#endif

// Prepares `ctx` so that the first switch to it calls fn(arg) on the stack
// [base, base + size), 16-aligned; fn must not return. Writes only at the top of the
// stack and to `ctx`.
void sim_ctx_init(struct sim_ctx *ctx, void *base, size_t size, void (*fn)(void *arg), void *arg);

// The stack pointer of a context that is not running; NULL where it is not known.
static inline char *sim_ctx_sp(const struct sim_ctx *ctx) {
#ifdef SIM_UCONTEXT
  (void)ctx;
  return NULL;
#else
  return ctx->sp;
#endif
}

#ifdef SIM_UCONTEXT
static inline void sim_ctx_switch_raw(struct sim_ctx *from, struct sim_ctx *to) {
  swapcontext(&from->uc, &to->uc);
}
#else
// Saves the callee-saved registers on the current stack, its pointer in from->sp, and
// goes on at to->sp.
void sim_ctx_switch_raw(struct sim_ctx *from, struct sim_ctx *to);
#endif

#endif  // SEEDBED_SIM_CTX_H_
