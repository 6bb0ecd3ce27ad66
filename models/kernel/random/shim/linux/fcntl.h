// SPDX-License-Identifier: GPL-2.0-or-later
//
// Flags of open.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_FCNTL_H_
#define SEEDBED_SHIM_RANDOM_LINUX_FCNTL_H_

#include <uapi/linux/fcntl.h>

#endif  // SEEDBED_SHIM_RANDOM_LINUX_FCNTL_H_
