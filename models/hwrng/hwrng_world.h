// SPDX-License-Identifier: GPL-2.0-or-later
//
// The hwrng models of one world: what a scenario that uses them keeps at the beginning
// of its private state. Models find it by hwrng_world().
#ifndef SEEDBED_MODELS_HWRNG_HWRNG_WORLD_H_
#define SEEDBED_MODELS_HWRNG_HWRNG_WORLD_H_

#include "models/hwrng/crng_standin.h"
#include "models/hwrng/hw_device.h"
#include "models/hwrng/hw_words.h"
#include "models/hwrng/hwrng_core.h"
#include "sim/scenario.h"

struct kernel_hwrng_world;
struct watch;

// Where the fill thread's bytes go instead of the stand-in: arguments as those of
// add_hwgenerator_randomness. `add` NULL: nowhere else.
struct hwrng_sink {
  void (*add)(void *arg, const void *buf, size_t len, size_t entropy, bool sleep_after);
  void *arg;
};

struct hwrng_world {
  struct hwrng_core core;
  struct crng_standin crng;
  struct hw_words words;
  struct hw_hooks hooks;
  struct hwrng_sink sink;
  struct kernel_hwrng_world *kernel;  // core and drivers of a kernel tree; NULL: the modelled ones
  struct watch *watch;                // the onlooker behind the hooks, or NULL
};

// hwrng_world returns the models of the world that is running. The scenario's set-up has
// given its address to sim_set_private.
static inline struct hwrng_world *hwrng_world(void) { return (struct hwrng_world *)sim_private(); }

#endif  // SEEDBED_MODELS_HWRNG_HWRNG_WORLD_H_
