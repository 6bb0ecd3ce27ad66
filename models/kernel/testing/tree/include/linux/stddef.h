// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_STDDEF_H_
#define TINY_LINUX_STDDEF_H_

#include <linux/types.h>

#endif  // TINY_LINUX_STDDEF_H_
