// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ctrl-C and its relatives: the first asks a long job to end in order, the second ends the
// process at once.
#ifndef SEEDBED_TOOLS_INTERRUPT_H_
#define SEEDBED_TOOLS_INTERRUPT_H_

#include "sim/base.h"

// From here on SIGINT, SIGTERM and SIGHUP are noted; a second one of the same kind has its
// default action.
void interrupt_catch(void);
// The signal that was noted, or 0.
int interrupt_signal(void);
// For a child that its parent ends: ignores SIGINT (a terminal sends it to all) and dies
// with its parent.
void interrupt_leave_to_parent(int parent_pid);

#endif  // SEEDBED_TOOLS_INTERRUPT_H_
