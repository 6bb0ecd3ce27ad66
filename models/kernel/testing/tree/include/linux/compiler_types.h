// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_COMPILER_TYPES_H_
#define TINY_LINUX_COMPILER_TYPES_H_

#define __user
#define __iomem
#define __rcu
#define __maybe_unused __attribute__((unused))

#endif  // TINY_LINUX_COMPILER_TYPES_H_
