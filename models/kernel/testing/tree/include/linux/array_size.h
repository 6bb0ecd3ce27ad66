// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_ARRAY_SIZE_H_
#define TINY_LINUX_ARRAY_SIZE_H_

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif  // TINY_LINUX_ARRAY_SIZE_H_
