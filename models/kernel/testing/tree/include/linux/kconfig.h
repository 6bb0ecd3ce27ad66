// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_KCONFIG_H_
#define TINY_LINUX_KCONFIG_H_

#include <generated/autoconf.h>

#define IS_ENABLED(option) 0

#endif  // TINY_LINUX_KCONFIG_H_
