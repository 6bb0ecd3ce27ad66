// SPDX-License-Identifier: GPL-2.0-or-later
//
// See module.h. What it does to a world is in world.c, sim_world_setup.
#include "sim/module.h"

#include <stdlib.h>
#include <string.h>

#include "sim/arena.h"

// A setting of the process, not state of a run.
static struct sim_module *used;

void sim_module_use(struct sim_module *module) {
  if (module == used) return;
  if (module && !module->pristine) {
    SIM_ASSERT(module->room >= SIM_ARENA_SIZE && module->data_len <= module->room);
    SIM_ASSERT((uintptr_t)module->data % SIM_GRAIN == 0);
    module->pristine = malloc(module->data_len + 1);
    SIM_ASSERT(module->pristine);
    memcpy(module->pristine, module->data, module->data_len);
  }
  sim_sites_init();
  sim_sites_add(module ? module->site : NULL, module ? module->num_sites : 0);
  sim_hooks_use(module ? module->hooks : NULL);
  used = module;
}

struct sim_module *sim_module_used(void) {
  return used;
}
