// SPDX-License-Identifier: GPL-2.0-or-later
//
// UUIDs are read by sysctl alone, which nobody reads here.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_UUID_H_
#define SEEDBED_SHIM_RANDOM_LINUX_UUID_H_

#include <linux/seedbed_object.h>

#define UUID_SIZE 16
#define UUID_STRING_LEN 36
#define generate_random_uuid(uuid) \
  ((void)(uuid), (void)seedbed_k_unmodelled("generate_random_uuid"))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_UUID_H_
