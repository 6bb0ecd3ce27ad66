// SPDX-License-Identifier: GPL-2.0-or-later
//
// See tree_crash.h. The signal's handler, on a stack of its own, changes where the process goes on
// to a function that fails the run, on the task's stack, as if the code had called it.

#include "tools/tree_crash.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

#include "models/kernel/kernel_object.h"
#include "models/kernel/kernel_where.h"
#include "sim/checker.h"
#include "sim/world.h"

enum { STACK_LEN = 64 << 10, WORDS_SEARCHED = 32 };

static const struct sim_oracle oracle = {"kernel-crash", SIM_CRASH,
                                         "a kernel tree's code touches only memory that is there",
                                         "a kernel oopses, or worse"};

// Of the crash that a handler has seen.
static struct {
  const char *function;
  int signal;
  bool is_called, is_null, failing;
} crash;

static void fail_here(void) {
  const char *name = sigabbrev_np(crash.signal);

  crash.failing = false;
  sim_fail(&oracle, crash.function, "SIG%s in %s%s%s", name ? name : "?",
           crash.is_called ? "what is called by " : "", crash.function,
           crash.is_null ? ", by a NULL pointer" : "");
}

#if defined(__x86_64__)
static u64 *pc_of(ucontext_t *context) { return (u64 *)&context->uc_mcontext.gregs[REG_RIP]; }
static u64 *sp_of(ucontext_t *context) { return (u64 *)&context->uc_mcontext.gregs[REG_RSP]; }
enum { RED_ZONE = 128, CALL_PUSHES = 8 };
#elif defined(__aarch64__)
static u64 *pc_of(ucontext_t *context) { return (u64 *)&context->uc_mcontext.pc; }
static u64 *sp_of(ucontext_t *context) { return (u64 *)&context->uc_mcontext.sp; }
enum { RED_ZONE = 0, CALL_PUSHES = 0 };
#endif

// The tree's function that called what crashed, memcpy say, or a primitive that was given a bad
// pointer: the first place of the tree's code that the stack has, near its end. What crashes deeper
// is ours.
static const char *caller_in(const struct kernel_object *object, ucontext_t *context) {
  const u64 *stack = (const u64 *)(uintptr_t)*sp_of(context);
  const char *function = NULL;

  for (u32 i = 0; i < WORDS_SEARCHED && !function; i++) function = kernel_where(object, stack[i]);
  return function;
}

static void on_signal(int number, siginfo_t *info, void *arg) {
  const struct kernel_object *object = kernel_subject();
  ucontext_t *context = arg;
  const char *function = NULL;

  // A second one while the first is told: the stack is gone, say.
  if (object && sim_w && info->si_code > 0 && !crash.failing) {
    function = kernel_where(object, *pc_of(context));
    crash.is_called = !function;
    if (!function) function = caller_in(object, context);
  }
  if (!function) {
    // The instruction comes again, and ends the process.
    signal(number, SIG_DFL);
    return;
  }
  crash.function = function;
  crash.signal = number;
  crash.is_null = number == SIGSEGV && (u64)(uintptr_t)info->si_addr < 4096;
  crash.failing = true;
  *sp_of(context) = ((*sp_of(context) - RED_ZONE) & ~15ull) - CALL_PUSHES;
  *pc_of(context) = (u64)(uintptr_t)fail_here;
}

void tree_crash_catch(void) {
#if !defined(__SANITIZE_ADDRESS__) && (defined(__x86_64__) || defined(__aarch64__))
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  static char stack[STACK_LEN];
  static bool caught;
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};

  if (caught || sigaltstack(&own, NULL)) return;
  caught = true;
  sigemptyset(&action.sa_mask);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(signals); i++) sigaction(signals[i], &action, NULL);
#endif
}
