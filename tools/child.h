// SPDX-License-Identifier: GPL-2.0-or-later
//
// Running something that may crash or never end: in a forked child, or in a fresh process
// of this program. What it writes to its pipe or stdout is collected.
#ifndef SEEDBED_TOOLS_CHILD_H_
#define SEEDBED_TOOLS_CHILD_H_

#include <stdio.h>

#include "tools/text.h"

enum child_end {
  CHILD_EXITED,    // code: its exit status
  CHILD_SIGNALED,  // code: the signal
  CHILD_HUNG,      // it was killed after the time it had, or when we were interrupted
  CHILD_FAILED,    // it could not be started; code: errno
};

struct child_result {
  enum child_end end;
  int code;
  struct text out;  // owned; what it wrote before its end, whatever that was
};
void child_result_free(struct child_result *result);

// Forks; the child calls fn(arg, out) and exits with what that returns. `out` is flushed
// then; what must survive a crash has to be flushed before. The parent waits, `ms`
// milliseconds at most; where `yields`, also no longer than until interrupt_signal().
void child_fork(int (*fn)(void *arg, FILE *out), void *arg, u64 ms, bool yields,
                struct child_result *result);

// Starts this program anew with these arguments (NULL-terminated, the program's name
// first) and collects its stdout. stdin is empty; stderr is the caller's, or discarded
// if `quiet`.
void child_exec_self(const char *const argv[], bool quiet, u64 ms, struct child_result *result);

// Milliseconds of a clock that only goes forward.
u64 monotonic_ms(void);

#endif  // SEEDBED_TOOLS_CHILD_H_
