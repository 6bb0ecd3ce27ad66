// SPDX-License-Identifier: GPL-2.0-or-later
//
// The type alone: these sources count by kref.
#ifndef SEEDBED_SHIM_LINUX_REFCOUNT_H_
#define SEEDBED_SHIM_LINUX_REFCOUNT_H_

#include <linux/types.h>

typedef struct refcount_struct {
  int refs;
} refcount_t;

#endif  // SEEDBED_SHIM_LINUX_REFCOUNT_H_
