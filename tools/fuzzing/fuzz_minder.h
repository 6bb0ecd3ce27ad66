// SPDX-License-Identifier: GPL-2.0-or-later
//
// Running an engine so that it cannot outlive the campaign. Between the two stands a minder, a
// forked child: it ends the engine, and all that the engine started, at the deadline, when it is
// asked to, and when the campaign dies in any way. It is gone only when they are.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_MINDER_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_MINDER_H_

#include <sys/types.h>

#include "tools/text.h"

// Environment variables that a program is given beside the caller's: "NAME=VALUE"; those whose
// NAME is set already stay as they are, unless they begin with '!', which is taken off.
struct fuzz_program {
  const char *const *argv;  // NULL-terminated; argv[0] is looked for in PATH
  const char *const *env;   // NULL-terminated
  const char *output;       // file for stdout and stderr
  u64 ms;                   // then it is asked to end, by SIGTERM
};

enum {
  FUZZ_MINDER_GRACE_MS = 5000,  // from SIGTERM to SIGKILL
  FUZZ_MINDER_FAILED = 127,     // exit status: the program could not be started
};

// Starts it; the minder's process id, or -1 with errno set. `out_fd` reads end of file when the
// minder has ended, whose exit status is the program's, or 128 and the signal.
pid_t fuzz_minder_start(const struct fuzz_program *program, int *out_fd);
// Asks the minder to have the program ended.
void fuzz_minder_end(pid_t pid);
// Waits for the minder; its exit status.
int fuzz_minder_wait(pid_t pid);
// All three: runs the program to its end, or until interrupt_signal(). -1: it could not be started.
int fuzz_minder_run(const struct fuzz_program *program);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_MINDER_H_
