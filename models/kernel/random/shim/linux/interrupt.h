// SPDX-License-Identifier: GPL-2.0-or-later
//
// Contexts.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_INTERRUPT_H_
#define SEEDBED_SHIM_RANDOM_LINUX_INTERRUPT_H_

#include <linux/preempt.h>

#endif  // SEEDBED_SHIM_RANDOM_LINUX_INTERRUPT_H_
