// SPDX-License-Identifier: GPL-2.0-or-later
//
// Per-CPU variables: these sources have none.
#ifndef SEEDBED_SHIM_ASM_PERCPU_TYPES_H_
#define SEEDBED_SHIM_ASM_PERCPU_TYPES_H_

#define __percpu_qual

#endif  // SEEDBED_SHIM_ASM_PERCPU_TYPES_H_
