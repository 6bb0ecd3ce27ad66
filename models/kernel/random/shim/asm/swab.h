// SPDX-License-Identifier: GPL-2.0-or-later
//
// Nothing of the processor's own.
#ifndef SEEDBED_SHIM_RANDOM_ASM_SWAB_H_
#define SEEDBED_SHIM_RANDOM_ASM_SWAB_H_

#endif  // SEEDBED_SHIM_RANDOM_ASM_SWAB_H_
