// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reference counts of the world: each operation is a scheduling point and told to the detector.
#ifndef SEEDBED_SHIM_LINUX_KREF_H_
#define SEEDBED_SHIM_LINUX_KREF_H_

#include <linux/refcount.h>
#include <linux/seedbed.h>

struct kref {
  refcount_t refcount;
};

#define kref_init(k) seedbed_store("kref_init", (k)->refcount.refs, 1, 0)
#define kref_get(k) seedbed_k_kref_get(SIM_SITE("kref_get"), (k))
#define kref_get_unless_zero(k) \
  seedbed_k_kref_get_unless_zero(SIM_SITE("kref_get_unless_zero"), (k))
#define kref_put(k, release) \
  seedbed_k_kref_put(SIM_SITE("kref_put"), (k), (void (*)(void *))(release))
#define kref_read(k) seedbed_k_kref_read(SIM_SITE("kref_read"), (k))

#endif  // SEEDBED_SHIM_LINUX_KREF_H_
