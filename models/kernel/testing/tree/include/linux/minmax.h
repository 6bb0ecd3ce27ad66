// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_MINMAX_H_
#define TINY_LINUX_MINMAX_H_

#define min(a, b) ((a) < (b) ? (a) : (b))

#endif  // TINY_LINUX_MINMAX_H_
