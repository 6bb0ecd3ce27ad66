// SPDX-License-Identifier: GPL-2.0-or-later
//
// The usual ones, which later kernels have elsewhere.
#ifndef SEEDBED_SHIM_RANDOM_ASM_UNALIGNED_H_
#define SEEDBED_SHIM_RANDOM_ASM_UNALIGNED_H_

#if __has_include(<asm-generic/unaligned.h>)
#include <asm-generic/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

#endif  // SEEDBED_SHIM_RANDOM_ASM_UNALIGNED_H_
