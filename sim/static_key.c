// SPDX-License-Identifier: GPL-2.0-or-later
//
// Static keys: see sim/static_key.h.
#include "sim/static_key.h"

#include "sim/world.h"

bool sim_static_branch(const bool *key) { return *key; }

void sim_static_branch_enable_at(struct sim_site *site, bool *key) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  *key = true;
}
