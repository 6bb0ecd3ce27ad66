// SPDX-License-Identifier: GPL-2.0-or-later
//
// Copies to and from the memory of a process, which is the caller's here.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_UACCESS_H_
#define SEEDBED_SHIM_RANDOM_LINUX_UACCESS_H_

#include <linux/seedbed_object.h>

#define copy_to_user(to, from, len) seedbed_k_copy_to_user((void *)(to), (from), (len))
#define copy_from_user(to, from, len) seedbed_k_copy_from_user((to), (const void *)(from), (len))
#define put_user(x, p) (seedbed_k_might_sleep("put_user"), *(p) = (x), 0)
#define get_user(x, p) (seedbed_k_might_sleep("get_user"), (x) = *(p), 0)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_UACCESS_H_
