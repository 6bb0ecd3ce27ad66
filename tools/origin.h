// SPDX-License-Identifier: GPL-2.0-or-later
//
// The planted bug that something was found with: an input says nothing of it, but the folder that
// it lies in may.
#ifndef SEEDBED_TOOLS_ORIGIN_H_
#define SEEDBED_TOOLS_ORIGIN_H_

#include "sim/scenario.h"

// Of a finding, by its decisions or its command. NULL: it was found without one. The caller frees.
char *origin_of_finding(const char *folder);
// Of an input of the scenario, by the finding's folder that it lies in, or by its name in a folder
// `regress` of the corpora, BUG-HASH. NULL: nothing is known of one. The caller frees.
char *origin_of_input(const struct sim_scenario *scenario, const char *path);

#endif  // SEEDBED_TOOLS_ORIGIN_H_
