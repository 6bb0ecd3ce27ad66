// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_COMPILER_H_
#define TINY_LINUX_COMPILER_H_

#include <asm/rwonce.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#endif  // TINY_LINUX_COMPILER_H_
