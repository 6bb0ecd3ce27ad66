// SPDX-License-Identifier: GPL-2.0-or-later
//
// Making a coroutine's first frame.
#include "sim/ctx.h"

#include <string.h>

#ifdef SIM_UCONTEXT

static void entry(u32 fn_lo, u32 fn_hi, u32 arg_lo, u32 arg_hi) {
  u64 fn_bits = (u64)fn_hi << 32 | fn_lo;
  u64 arg_bits = (u64)arg_hi << 32 | arg_lo;
  void (*fn)(void *) = (void (*)(void *))(uintptr_t)fn_bits;
  fn((void *)(uintptr_t)arg_bits);
}

void sim_ctx_init(struct sim_ctx *ctx, void *base, size_t size, void (*fn)(void *arg), void *arg) {
  u64 f = (u64)(uintptr_t)fn, a = (u64)(uintptr_t)arg;
  getcontext(&ctx->uc);
  ctx->uc.uc_stack.ss_sp = base;
  ctx->uc.uc_stack.ss_size = size;
  ctx->uc.uc_link = NULL;
  makecontext(&ctx->uc, (void (*)(void))entry, 4, (u32)f, (u32)(f >> 32), (u32)a, (u32)(a >> 32));
}

#else

void sim_ctx_entry(void);

void sim_ctx_init(struct sim_ctx *ctx, void *base, size_t size, void (*fn)(void *arg), void *arg) {
  u64 *top = (u64 *)(void *)((char *)base + size);
#if defined(__x86_64__)
  // As sim_ctx_switch_raw pops them: r15 r14 r13 r12 rbx rbp, then the address. The
  // ABI wants the stack 16-aligned at a call, which sim_ctx_entry makes next.
  // Two words stay above, so that it is.
  u64 frame[9] = {
      0, 0, (u64)(uintptr_t)arg, (u64)(uintptr_t)fn, 0, 0, (u64)(uintptr_t)sim_ctx_entry, 0, 0};
  top -= 9;
  memcpy(top, frame, sizeof(frame));
  ctx->sp = top;
#else
  u64 frame[20] = {0};
  frame[0] = (u64)(uintptr_t)fn;
  frame[1] = (u64)(uintptr_t)arg;
  frame[11] = (u64)(uintptr_t)sim_ctx_entry;
  top -= 20;
  memcpy(top, frame, sizeof(frame));
  ctx->sp = top;
#endif
}

#endif
