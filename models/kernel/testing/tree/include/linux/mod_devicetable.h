// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_MOD_DEVICETABLE_H_
#define TINY_LINUX_MOD_DEVICETABLE_H_

struct of_device_id {
  char name[32];
  char type[32];
  char compatible[128];
  const void *data;
};
struct platform_device_id {
  char name[20];
  unsigned long driver_data;
};

struct virtio_device_id {
  unsigned int device;
  unsigned int vendor;
};
#define VIRTIO_DEV_ANY_ID 0xffffffffu

#endif  // TINY_LINUX_MOD_DEVICETABLE_H_
