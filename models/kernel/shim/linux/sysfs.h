// SPDX-License-Identifier: GPL-2.0-or-later
//
// Attributes in sysfs: reached by their names.
#ifndef SEEDBED_SHIM_LINUX_SYSFS_H_
#define SEEDBED_SHIM_LINUX_SYSFS_H_

#include <linux/seedbed.h>
#include <linux/string.h>
#include <linux/types.h>

#define PAGE_SIZE 4096ul

struct kobject;
struct attribute {
  const char *name;
  umode_t mode;
};
struct attribute_group {
  const char *name;
  struct attribute **attrs;
};
#define sysfs_emit(buf, ...) seedbed_k_sysfs_emit_at((buf), 0, __VA_ARGS__)
#define sysfs_emit_at(buf, at, ...) seedbed_k_sysfs_emit_at((buf), (at), __VA_ARGS__)
#define __ATTRIBUTE_GROUPS(name_)                           \
  static const struct attribute_group *name_##_groups[] = { \
      &name_##_group,                                       \
      NULL,                                                 \
  }
#define ATTRIBUTE_GROUPS(name_)                         \
  static const struct attribute_group name_##_group = { \
      .attrs = name_##_attrs,                           \
  };                                                    \
  __ATTRIBUTE_GROUPS(name_)

#endif  // SEEDBED_SHIM_LINUX_SYSFS_H_
