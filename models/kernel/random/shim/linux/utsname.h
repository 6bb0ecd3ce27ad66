// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine's name: always the same.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_UTSNAME_H_
#define SEEDBED_SHIM_RANDOM_LINUX_UTSNAME_H_

#include <uapi/linux/utsname.h>

struct new_utsname *init_utsname(void);  // models/kernel/inside/random.c

#endif  // SEEDBED_SHIM_RANDOM_LINUX_UTSNAME_H_
