// SPDX-License-Identifier: GPL-2.0-only
//
// The stack that Unicorn runs on: one for the process, since no two calls into Unicorn
// overlap: hooks stop a run, and what the world does, it does between runs. Tasks of the world
// have small stacks, and what lies on them must not depend on the host; here neither matters.
#include "models/guest/guest_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/ctx.h"

#ifdef SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

// Translation of a block recurses; 300 KiB have been seen. Only what is used is backed.
enum { STACK_LEN = 4 << 20, GUARD_LEN = 64 << 10 };

static struct {
  char *base;  // NULL: not yet made
  struct sim_ctx caller, own;
  void (*fn)(void *arg);
  void *arg;
  bool inside;
#ifdef SIM_ASAN
  const void *caller_base;
  size_t caller_len;
#endif
} stack;

// Does what it is asked, for ever.
static void stack_main(void *unused) {
#ifdef SIM_ASAN
  void *fake = NULL;
#endif
  for (;;) {
#ifdef SIM_ASAN
    __sanitizer_finish_switch_fiber(fake, &stack.caller_base, &stack.caller_len);
#endif
    stack.fn(stack.arg);
#ifdef SIM_ASAN
    __sanitizer_start_switch_fiber(&fake, stack.caller_base, stack.caller_len);
#endif
    sim_ctx_switch_raw(&stack.own, &stack.caller);
  }
}

static void make(void) {
  char *base = mmap(NULL, STACK_LEN, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  SIM_ASSERT(base != MAP_FAILED);
  SIM_ASSERT(mprotect(base, GUARD_LEN, PROT_NONE) == 0);
  stack.base = base + GUARD_LEN;
  sim_ctx_init(&stack.own, stack.base, STACK_LEN - GUARD_LEN, stack_main, NULL);
}

SIM_NOINLINE void guest_on_stack(void (*fn)(void *arg), void *arg) {
  if (stack.inside) {
    fn(arg);
    return;
  }
  if (!stack.base) make();
  stack.fn = fn;
  stack.arg = arg;
  stack.inside = true;
#ifdef SIM_ASAN
  void *fake = NULL;
  // Engines live as long as the process, in memory that LeakSanitizer does not look at, and
  // closing one leaves some of the library's own behind.
  __lsan_disable();
  __sanitizer_start_switch_fiber(&fake, stack.base, STACK_LEN - GUARD_LEN);
#endif
  sim_ctx_switch_raw(&stack.caller, &stack.own);
#ifdef SIM_ASAN
  __sanitizer_finish_switch_fiber(fake, NULL, NULL);
  __lsan_enable();
#endif
  stack.inside = false;
}

void guest_check(uc_err err, const char *what) {
  if (sim_likely(err == UC_ERR_OK)) return;
  fprintf(stderr, "seedbed: Unicorn: %s: %s\n", what, uc_strerror(err));
  sim_assert_failed(what, __FILE__, __LINE__);
}
