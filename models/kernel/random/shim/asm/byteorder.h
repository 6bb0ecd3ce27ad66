// SPDX-License-Identifier: GPL-2.0-or-later
//
// Little endian.
#ifndef SEEDBED_SHIM_RANDOM_ASM_BYTEORDER_H_
#define SEEDBED_SHIM_RANDOM_ASM_BYTEORDER_H_

#include <linux/byteorder/little_endian.h>

#endif  // SEEDBED_SHIM_RANDOM_ASM_BYTEORDER_H_
