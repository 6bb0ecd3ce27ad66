// SPDX-License-Identifier: GPL-2.0-or-later
//
// The usual ones.
#ifndef SEEDBED_SHIM_RANDOM_ASM_UNALIGNED_H_
#define SEEDBED_SHIM_RANDOM_ASM_UNALIGNED_H_

#include <asm-generic/unaligned.h>

#endif  // SEEDBED_SHIM_RANDOM_ASM_UNALIGNED_H_
