// SPDX-License-Identifier: GPL-2.0-or-later
//
// The usual numbers.
#ifndef SEEDBED_SHIM_RANDOM_ASM_POLL_H_
#define SEEDBED_SHIM_RANDOM_ASM_POLL_H_

#include <asm-generic/poll.h>

#endif  // SEEDBED_SHIM_RANDOM_ASM_POLL_H_
