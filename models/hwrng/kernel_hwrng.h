// SPDX-License-Identifier: GPL-2.0-or-later
//
// The hwrng core of a kernel tree in a hwrng world: its registrations as the onlooker sees them,
// its files and attributes, and what the board gives the tree's drivers.
//
// A registration has two sides. The core has a struct hwrng of the tree, whose callbacks are
// functions of this file; hooks and modelled drivers have a struct hwrng of the models. Each side's
// callbacks lead to the other's: core -> onlooker -> driver, whoever wrote the driver.
#ifndef SEEDBED_MODELS_HWRNG_KERNEL_HWRNG_H_
#define SEEDBED_MODELS_HWRNG_KERNEL_HWRNG_H_

#include "models/hwrng/hwrng.h"
#include "models/hwrng/hwrng_core.h"
#include "models/kernel/kernel_machine.h"
#include "sim/base.h"

// A registration, for ever: a callback may come too late.
struct kernel_rng {
  struct kernel_rng *next;  // the one before
  void *krng;               // the tree's struct hwrng
  struct hwrng *rng;        // the models': a modelled driver's, or `own`
  struct hwrng own;
  struct kernel_pdev *pdev;    // of the tree's driver,
  struct kernel_hwrng driver;  // and what the tree's driver gave, if it is one's
  char name[32];               // a copy, since the driver's goes with it
};

// Of a world.
struct kernel_hwrng_world {
  struct kernel_rng *rngs;  // the last one first
};

// In set-up, on the subject that is set: starts the tree's core, and keeps the world at
// hwrng_world()->kernel.
void kernel_hwrng_start(u32 fill_cpu, bool no_fill);

int kernel_hwrng_open(struct hwrng_file *filp, bool nonblock, bool write);
void kernel_hwrng_close(struct hwrng_file *filp);
s64 kernel_hwrng_read(struct hwrng_file *filp, u8 *buf, size_t size);
// Writes to rng_current the name of the last registration of the device `name`, or `name`.
int kernel_hwrng_choose(const char *name);
// Its text, without the newline, and cut.
void kernel_hwrng_show(const char *attr, char *out, size_t len);
int kernel_hwrng_store(const char *attr, const char *text);

// A modelled driver registers at the tree's core: a struct hwrng of the tree is made for it.
SIM_MUST_CHECK int kernel_hwrng_register(struct hwrng *rng);
void kernel_hwrng_unregister(struct hwrng *rng);

#endif  // SEEDBED_MODELS_HWRNG_KERNEL_HWRNG_H_
