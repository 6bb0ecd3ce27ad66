// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strings. memcpy and its like stay calls, whose accesses are points; what is copied out of a
// buffer is told to onlookers too.
#ifndef SEEDBED_SHIM_LINUX_STRING_H_
#define SEEDBED_SHIM_LINUX_STRING_H_

#include <linux/types.h>
#include <linux/seedbed.h>

void *memcpy(void *to, const void *from, unsigned long len);
void *memmove(void *to, const void *from, unsigned long len);
void *memset(void *to, int c, unsigned long len);
#define memcpy(to, from, len)                         \
  ({                                                  \
    const void *seedbed_from = (from);                \
    unsigned long seedbed_len = (len);                \
    seedbed_k_copies_from(seedbed_from, seedbed_len); \
    (memcpy)((to), seedbed_from, seedbed_len);        \
  })
#define memzero_explicit(p, len) ((void)memset((p), 0, (len)))
#define strlen(s) seedbed_k_strlen(s)
#define strcmp(a, b) seedbed_k_strcmp((a), (b))
#define strncmp(a, b, len) seedbed_k_strncmp((a), (b), (len))
#define strlcat(to, from, size) seedbed_k_strlcat((to), (from), (size))
#define strscpy(to, from, size) seedbed_k_strscpy((to), (from), (size))
#define sysfs_streq(a, b) (seedbed_k_sysfs_streq((a), (b)) != 0)

#endif  // SEEDBED_SHIM_LINUX_STRING_H_
