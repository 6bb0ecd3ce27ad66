// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_UAPI_ASM_GENERIC_ERRNO_H_
#define TINY_UAPI_ASM_GENERIC_ERRNO_H_

#define ENOENT 2
#define ENOMEM 12
#define EIO 5
#define ENOSPC 28
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define EINVAL 22
#define ERANGE 34
#define ERESTARTSYS 512

#endif  // TINY_UAPI_ASM_GENERIC_ERRNO_H_
