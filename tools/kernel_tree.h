// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files of a kernel tree as the subject: tools/kernel compiles them, if that is not done yet, and
// what it made is loaded.
#ifndef SEEDBED_TOOLS_KERNEL_TREE_H_
#define SEEDBED_TOOLS_KERNEL_TREE_H_

#include "models/kernel/kernel_object.h"
#include "sim/world.h"

struct kernel_tree {
  struct kernel_object *object;
  char sha256[65];   // of the tree's files that were compiled or read
  char version[32];  // as its Makefile has it; "" if it has none
};

// Loads the tree at `dir`, or what SEEDBED_ROOT's tools/kernel makes of it. Returns 0, or the
// status that tools/kernel ends with (SIM_MALFORMED, SIM_MISSING_FILE, SIM_MISSING_PACKAGE), or
// SIM_OURS, with a reason in `err`.
SIM_MUST_CHECK enum sim_status kernel_tree_load(const char *dir, struct kernel_tree *out, char *err,
                                                size_t len);

#endif  // SEEDBED_TOOLS_KERNEL_TREE_H_
