// SPDX-License-Identifier: GPL-2.0-or-later
//
// The example of docs/ARCHITECTURE.md: a complete scenario in one file, small enough to
// be read at once.
#ifndef SEEDBED_MODELS_TESTING_MAILBOX_H_
#define SEEDBED_MODELS_TESTING_MAILBOX_H_

#include "sim/scenario.h"

// "mailbox": a device that makes one word at a time, and readers that share it. Planted
// bug "unlocked": they share it without a lock.
extern const struct sim_scenario scenario_mailbox;

#endif  // SEEDBED_MODELS_TESTING_MAILBOX_H_
