// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_UAPI_ASM_GENERIC_FCNTL_H_
#define TINY_UAPI_ASM_GENERIC_FCNTL_H_

#define O_RDONLY 0
#define O_RDWR 2
#define O_NONBLOCK 2048

#endif  // TINY_UAPI_ASM_GENERIC_FCNTL_H_
