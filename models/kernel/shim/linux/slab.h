// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory of the world. It never runs out; what is not freed is a leak.
#ifndef SEEDBED_SHIM_LINUX_SLAB_H_
#define SEEDBED_SHIM_LINUX_SLAB_H_

#include <linux/gfp.h>
#include <linux/seedbed.h>

#define kmalloc(size, gfp) seedbed_k_kmalloc((size), (gfp), __func__)
#define kzalloc(size, gfp) seedbed_k_kmalloc((size), (gfp) | __GFP_ZERO, __func__)
#define kcalloc(n, size, gfp) seedbed_k_kmalloc((n) * (size), (gfp) | __GFP_ZERO, __func__)
#define kmalloc_array(n, size, gfp) seedbed_k_kmalloc((n) * (size), (gfp), __func__)
// Since Linux 6.19: an object of the type, for the usual use.
#define kmalloc_obj(type) ((__typeof__(type) *)kmalloc(sizeof(type), GFP_KERNEL))
#define kzalloc_obj(type) ((__typeof__(type) *)kzalloc(sizeof(type), GFP_KERNEL))
#define kfree(p) seedbed_k_kfree(p)
#define kfree_sensitive(p) seedbed_k_kfree(p)

#endif  // SEEDBED_SHIM_LINUX_SLAB_H_
