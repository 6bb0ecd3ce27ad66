// SPDX-License-Identifier: GPL-2.0-or-later
//
// Statics that the world initialises: they carry a mark, and are found by it before the run,
// wherever in the object's statics or in a CPU's copy they lie.
// models/kernel/kernel_random_statics.c.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SEEDBED_OBJECT_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SEEDBED_OBJECT_H_

#include <linux/seedbed.h>

#include "models/kernel/kernel_random_calls.h"

struct seedbed_object {
  unsigned long mark;  // KERNEL_MARK and the kind
  const char *name;
  void (*fn)(void *object);
};
#define SEEDBED_OBJECT(kind, name_, fn_) \
  { KERNEL_MARK + KERNEL_STATIC_##kind, (name_), (void (*)(void *))(fn_) }

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SEEDBED_OBJECT_H_
