// SPDX-License-Identifier: GPL-2.0-or-later
//
// A module: code under test that is loaded at run time, beside what is linked. It brings sites,
// access hooks, and statics that a run changes.
//
// Its statics become the beginning of the arena of the world that is set up on it: the module lies
// in memory with room for an arena behind them, and the arena is laid there. So hooks, detector,
// weak memory and reset know them as they know what a model allocates, without a look more.
//
// A module is a setting of the process, as the command's subject is. It carries one world at a
// time: one that is set up on it takes it from the world before, which must be set up anew
// before it runs again.
#ifndef SEEDBED_SIM_MODULE_H_
#define SEEDBED_SIM_MODULE_H_

#include "sim/base.h"
#include "sim/hook.h"
#include "sim/site.h"

struct sim_world;

struct sim_module {
  struct sim_site *site;  // in its memory; scheduling points only
  u32 num_sites;
  const struct sim_hook_table *hooks;  // of its code; NULL: none is hooked
  char *data;                          // writable statics, as the loader left them
  size_t data_len;                     // bytes; may be 0
  size_t room;                         // writable bytes from `data` on: SIM_ARENA_SIZE at least
  // Tells which of its statics lies `offset` bytes behind `data`, by a name that is the same
  // whatever compiled it: keys of data races are made of that. False: it has no name. May be NULL.
  bool (*variable)(const struct sim_module *module, size_t offset, char *out, size_t len);
  // Of the world's.
  char *pristine;           // the statics before the first set-up; owned by the process
  struct sim_world *world;  // that it carries
};

// From now on worlds are set up on `module` (which must live as long as the process); NULL: on
// none, as at the start. Its sites and hooks replace those of the module before.
void sim_module_use(struct sim_module *module);
struct sim_module *sim_module_used(void);

#endif  // SEEDBED_SIM_MODULE_H_
