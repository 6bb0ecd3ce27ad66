// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_ERR_H_
#define TINY_LINUX_ERR_H_

#include <linux/errno.h>
#include <linux/types.h>

#define IS_ERR(p) ((unsigned long)(p) >= (unsigned long)-4095)
#define PTR_ERR(p) ((long)(p))

#endif  // TINY_LINUX_ERR_H_
