// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a failed SIM_ASSERT does.
#include "sim/base.h"

#include <stdio.h>
#include <unistd.h>

void sim_assert_failed(const char *cond, const char *file, int line) {
  fflush(NULL);
  fprintf(stderr, "%s:%d: assertion failed: %s (a defect of seedbed)\n", file, line, cond);
  // The failure may be on a task's stack: nothing registered with atexit may run there.
  _exit(70);
}
