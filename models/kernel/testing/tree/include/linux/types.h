// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_TYPES_H_
#define TINY_LINUX_TYPES_H_

#include <asm/types.h>

typedef _Bool bool;
typedef unsigned long size_t;
typedef long ssize_t;
typedef long long loff_t;
typedef unsigned short umode_t;
typedef unsigned int fmode_t;
#define true 1
#define false 0
#ifndef NULL
#define NULL ((void *)0)
#endif

#endif  // TINY_LINUX_TYPES_H_
