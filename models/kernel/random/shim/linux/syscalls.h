// SPDX-License-Identifier: GPL-2.0-or-later
//
// A system call is a function: seedbed_sys_NAME.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SYSCALLS_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SYSCALLS_H_

#include <linux/types.h>

#define SYSCALL_DEFINE3(name, t1, a1, t2, a2, t3, a3) \
  static long seedbed_sys_##name(t1 a1, t2 a2, t3 a3)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SYSCALLS_H_
