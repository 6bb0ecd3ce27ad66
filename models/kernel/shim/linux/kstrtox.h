// SPDX-License-Identifier: GPL-2.0-or-later
//
// Numbers from text: the kernel's rules of kstrtoull, with the range of the type.
#ifndef SEEDBED_SHIM_LINUX_KSTRTOX_H_
#define SEEDBED_SHIM_LINUX_KSTRTOX_H_

#include <linux/types.h>
#include <linux/errno.h>
#include <linux/seedbed.h>

#define SEEDBED_KSTRTO(name, type)                                      \
  static inline int name(const char *s, unsigned int base, type *out) { \
    unsigned long long value;                                           \
    int err = seedbed_k_kstrtoull(s, base, &value);                     \
                                                                        \
    if (err) return err;                                                \
    if (value != (type)value) return -ERANGE;                           \
    *out = (type)value;                                                 \
    return 0;                                                           \
  }
SEEDBED_KSTRTO(kstrtou8, u8)
SEEDBED_KSTRTO(kstrtou16, u16)
SEEDBED_KSTRTO(kstrtouint, unsigned int)
SEEDBED_KSTRTO(kstrtoul, unsigned long)

#endif  // SEEDBED_SHIM_LINUX_KSTRTOX_H_
