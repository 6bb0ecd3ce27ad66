// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an interrupt has interrupted.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_PTRACE_H_
#define SEEDBED_SHIM_RANDOM_LINUX_PTRACE_H_

#include <asm/irq_regs.h>

#endif  // SEEDBED_SHIM_RANDOM_LINUX_PTRACE_H_
