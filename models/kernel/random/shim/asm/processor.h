// SPDX-License-Identifier: GPL-2.0-or-later
//
// Nothing of it is needed.
#ifndef SEEDBED_SHIM_RANDOM_ASM_PROCESSOR_H_
#define SEEDBED_SHIM_RANDOM_ASM_PROCESSOR_H_

#endif  // SEEDBED_SHIM_RANDOM_ASM_PROCESSOR_H_
