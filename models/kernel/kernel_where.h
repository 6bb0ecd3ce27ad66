// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which function or variable of a kernel object holds an address: by the object's symbol table,
// statics among them. Read when the object is loaded, so that asking touches no host memory but
// that table.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_WHERE_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_WHERE_H_

#include "models/kernel/kernel_object.h"

// Reads the symbols of the object at `path`, whose function `known` is loaded at `at`. An object
// without it has none.
void kernel_where_read(struct kernel_object *object, const char *path, const char *known, u64 at);

// The function that holds `pc`, without what a compiler appends to a name (".isra.0",
// ".constprop.1"); NULL where it is none of the object's. May be called at any time.
const char *kernel_where(const struct kernel_object *object, u64 pc);

// The same for the statics behind `module->data`, for sim_module's `variable`: "name", or of a
// large one "name+0x10", in words of 8 bytes.
bool kernel_where_variable(const struct sim_module *module, size_t offset, char *out, size_t len);

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_WHERE_H_
