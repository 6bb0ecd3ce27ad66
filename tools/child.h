// SPDX-License-Identifier: GPL-2.0-or-later
//
// Running something that may crash or never end: in a forked child, or in a fresh process
// of this program. What it writes to its pipe or stdout is collected.
#ifndef SEEDBED_TOOLS_CHILD_H_
#define SEEDBED_TOOLS_CHILD_H_

#include <stdio.h>
#include <sys/types.h>

#include "tools/text.h"

enum child_end {
  CHILD_EXITED,    // code: its exit status
  CHILD_SIGNALED,  // code: the signal
  CHILD_HUNG,      // it was killed at a limit
  CHILD_FAILED,    // it could not be started; code: errno
};

struct child_result {
  enum child_end end;
  int code;
  struct text out;  // owned; what it wrote before its end, whatever that was
};
void child_result_free(struct child_result *result);

// When a child is killed. 0 is no limit.
struct child_limits {
  // Of its own CPU time: a stopped or busy machine, or a reader of its output who takes his
  // time, is no hang.
  u64 cpu_ms;
  u64 wall_ms;
  bool yields;  // also when interrupt_signal()
  // Not a limit: where it is killed from outside it is started once more.
  bool again;
};

// Forks; the child calls fn(arg, out) and exits with what that returns. `out` is flushed
// then; what must survive a crash has to be flushed before. The parent waits.
void child_fork(int (*fn)(void *arg, FILE *out), void *arg, const struct child_limits *limits,
                struct child_result *result);

// Starts this program anew with these arguments (NULL-terminated, the program's name
// first) and collects its stdout. stdin is empty; stderr is the caller's, or discarded
// if `quiet`. Where it is killed from outside it is started once more.
void child_exec_self(const char *const argv[], bool quiet, u64 cpu_ms, struct child_result *result);

// Starts another program: `path` with these arguments, the program's name first. Its stdout is
// collected, stdin is empty, stderr is the caller's. No limit.
void child_exec(const char *path, const char *const argv[], struct child_result *result);

// Whether a signal that ended a process is not one that the process's own code raises by
// a fault: the system (out of memory) or a person sent it.
bool signal_from_outside(int signal);

// Milliseconds of a clock that only goes forward.
u64 monotonic_ms(void);
// The CPU time that a process (not reaped) has used; 0 where the system does not say.
u64 process_cpu_ms(pid_t pid);

#endif  // SEEDBED_TOOLS_CHILD_H_
