// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_CONTAINER_OF_H_
#define TINY_LINUX_CONTAINER_OF_H_

#define container_of(p, type, member) ((type *)((char *)(p) - __builtin_offsetof(type, member)))

#endif  // TINY_LINUX_CONTAINER_OF_H_
