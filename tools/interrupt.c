// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ctrl-C and its relatives; see interrupt.h.

#include "tools/interrupt.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t noted;

static void note(int signal) { noted = signal; }

void interrupt_catch(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND};

  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

int interrupt_signal(void) { return noted; }

void interrupt_leave_to_parent(int parent_pid) {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent_pid) _exit(1);  // it went before we asked
}
