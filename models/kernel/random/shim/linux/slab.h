// SPDX-License-Identifier: GPL-2.0-or-later
//
// As the objects' other files have it, and what is allocated by its type.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SLAB_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SLAB_H_

#include_next <linux/slab.h>

#ifndef kzalloc_obj
#define kzalloc_obj(type, ...) ((type *)kzalloc(sizeof(type), GFP_KERNEL))
#endif

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SLAB_H_
