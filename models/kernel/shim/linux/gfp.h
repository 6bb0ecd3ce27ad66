// SPDX-License-Identifier: GPL-2.0-or-later
//
// Allocation flags: only whether the caller may sleep, and zeroing, are told apart.
#ifndef SEEDBED_SHIM_LINUX_GFP_H_
#define SEEDBED_SHIM_LINUX_GFP_H_

typedef unsigned int gfp_t;

#define __GFP_DIRECT_RECLAIM 1u
#define __GFP_ZERO 2u
#define GFP_KERNEL __GFP_DIRECT_RECLAIM
#define GFP_ATOMIC 0u
#define GFP_NOWAIT 0u

#endif  // SEEDBED_SHIM_LINUX_GFP_H_
