// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_ERRNO_H_
#define TINY_LINUX_ERRNO_H_

#include <asm/errno.h>

#endif  // TINY_LINUX_ERRNO_H_
