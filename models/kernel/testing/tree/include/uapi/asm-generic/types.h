// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_UAPI_ASM_GENERIC_TYPES_H_
#define TINY_UAPI_ASM_GENERIC_TYPES_H_

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;

#endif  // TINY_UAPI_ASM_GENERIC_TYPES_H_
