// SPDX-License-Identifier: GPL-2.0-or-later
//
// The usual types.
#ifndef SEEDBED_SHIM_ASM_POSIX_TYPES_H_
#define SEEDBED_SHIM_ASM_POSIX_TYPES_H_

#include <uapi/asm-generic/posix_types.h>

#endif  // SEEDBED_SHIM_ASM_POSIX_TYPES_H_
