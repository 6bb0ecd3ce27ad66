// SPDX-License-Identifier: GPL-2.0-or-later
//
// The usual numbers.
#ifndef SEEDBED_SHIM_ASM_ERRNO_H_
#define SEEDBED_SHIM_ASM_ERRNO_H_

#include <uapi/asm-generic/errno.h>

#endif  // SEEDBED_SHIM_ASM_ERRNO_H_
