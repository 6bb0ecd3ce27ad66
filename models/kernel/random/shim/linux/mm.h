// SPDX-License-Identifier: GPL-2.0-or-later
//
// The size of a page.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_MM_H_
#define SEEDBED_SHIM_RANDOM_LINUX_MM_H_

#include <linux/types.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE (1ul << PAGE_SHIFT)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_MM_H_
