// SPDX-License-Identifier: GPL-2.0-or-later
//
// Copies to the reader's memory.
#ifndef SEEDBED_SHIM_LINUX_UACCESS_H_
#define SEEDBED_SHIM_LINUX_UACCESS_H_

#include <linux/seedbed.h>

#define copy_to_user(to, from, len) seedbed_k_copy_to_user((void *)(to), (from), (len))

#endif  // SEEDBED_SHIM_LINUX_UACCESS_H_
