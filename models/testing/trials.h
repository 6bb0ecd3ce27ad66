// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scenarios that try the tools and not a subject.
#ifndef SEEDBED_MODELS_TESTING_TRIALS_H_
#define SEEDBED_MODELS_TESTING_TRIALS_H_

#include "sim/scenario.h"

// "canary": fails for about one seed in a hundred, and says so. A farm in which it stays
// silent finds nothing. With the bug `leak` it does not fail by what it draws, but runs depend on
// earlier ones of the process. With its other bugs it makes, in place of failing, an error that a
// sanitizer or an engine's limits are to find: what tools/fuzz-kinds-trial is for.
extern const struct sim_scenario scenario_canary;

// "not-deterministic": folds into the digest what a seed does not decide: a counter that
// the reset does not know (differs between two runs of a process), or with how=1 an
// address (differs between two processes where addresses are drawn).
extern const struct sim_scenario scenario_not_deterministic;

#endif  // SEEDBED_MODELS_TESTING_TRIALS_H_
