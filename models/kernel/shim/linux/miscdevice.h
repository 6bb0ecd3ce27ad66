// SPDX-License-Identifier: GPL-2.0-or-later
//
// Misc devices: the one that is registered is what readers open.
#ifndef SEEDBED_SHIM_LINUX_MISCDEVICE_H_
#define SEEDBED_SHIM_LINUX_MISCDEVICE_H_

#include <linux/device.h>
#include <linux/fs.h>

#define HWRNG_MINOR 183
struct miscdevice {
  int minor;
  const char *name;
  const struct file_operations *fops;
  struct device *parent;
  struct device *this_device;
  const struct attribute_group **groups;
  const char *nodename;
  umode_t mode;
};
// models/kernel/inside/inside.c
int misc_register(struct miscdevice *misc);
void misc_deregister(struct miscdevice *misc);

#endif  // SEEDBED_SHIM_LINUX_MISCDEVICE_H_
