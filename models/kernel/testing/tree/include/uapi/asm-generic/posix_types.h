// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_UAPI_ASM_GENERIC_POSIX_TYPES_H_
#define TINY_UAPI_ASM_GENERIC_POSIX_TYPES_H_

typedef long __kernel_long_t;

#endif  // TINY_UAPI_ASM_GENERIC_POSIX_TYPES_H_
