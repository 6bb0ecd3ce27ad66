// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_BUILD_BUG_H_
#define TINY_LINUX_BUILD_BUG_H_

#define BUILD_BUG_ON(cond) _Static_assert(!(cond), #cond)

#endif  // TINY_LINUX_BUILD_BUG_H_
