// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work items of the world. `seedbed` is first: the world hands its address to the function.
#ifndef SEEDBED_SHIM_LINUX_WORKQUEUE_TYPES_H_
#define SEEDBED_SHIM_LINUX_WORKQUEUE_TYPES_H_

#include <linux/seedbed.h>

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);
struct work_struct {
  unsigned long seedbed[KERNEL_WORK_WORDS];
};

#endif  // SEEDBED_SHIM_LINUX_WORKQUEUE_TYPES_H_
