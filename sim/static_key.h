// SPDX-License-Identifier: GPL-2.0-or-later
//
// Static keys (linux/jump_label.h), as flags. The test of a key is code, which the kernel
// patches on all CPUs at once: it is no access, no scheduling point, and in no data race. Not
// modelled: counted keys, and that patching takes locks and sleeps (sim_might_sleep is the
// caller's).
#ifndef SEEDBED_SIM_STATIC_KEY_H_
#define SEEDBED_SIM_STATIC_KEY_H_

#include "sim/base.h"
#include "sim/site.h"

bool sim_static_branch(const bool *key);
// A scheduling point, then the key is on.
void sim_static_branch_enable_at(struct sim_site *site, bool *key);
#define sim_static_branch_enable(key) \
  sim_static_branch_enable_at(SIM_SITE("static_branch_enable"), (key))

#endif  // SEEDBED_SIM_STATIC_KEY_H_
