// SPDX-License-Identifier: GPL-2.0-or-later
//
// A kernel object: what `tools/kernel build` makes of a tree, loaded. Files of the kernel, as they
// are, compiled with access hooks, and seedbed's part beside them (kernel_inside.h).
//
// Objects stay loaded until the process ends. One is the subject at a time, or none: a setting of
// the process, as the parameters are; no run changes it.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_OBJECT_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_OBJECT_H_

#include "models/kernel/kernel_inside.h"
#include "sim/base.h"
#include "sim/module.h"

struct kernel_symbol;
struct kernel_object {
  struct kernel_inside inside;
  struct sim_module module;
  // What it calls and nobody has bound: a run that comes there ends with status 70.
  const char **unbound;
  u32 num_unbound;
  struct kernel_symbol *symbols;  // kernel_where.h; in no order
  u32 num_symbols;
  void *handle;  // of the dynamic linker
  struct kernel_object *before;
};

// Loads the shared object at `path` and binds what it calls. NULL with a reason in `err` if it
// cannot be loaded or was made for another seedbed. A file that is loaded already is the same
// object.
SIM_MUST_CHECK struct kernel_object *kernel_object_load(const char *path, char *err, size_t len);

// From now on worlds are set up on `object`; NULL: on the built-in models, as at the start.
void kernel_subject_set(struct kernel_object *object);
// The object, or NULL. For set-up and runs.
extern struct kernel_object *kernel_subject_now;  // set by kernel_subject_set alone
static inline struct kernel_object *kernel_subject(void) { return kernel_subject_now; }

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_OBJECT_H_
