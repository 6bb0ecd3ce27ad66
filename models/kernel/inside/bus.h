// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside a kernel object: a bus, which joins drivers of the tree and devices of the board. A
// device's memory is the caller's; all of a bus's have its struct device, from which they are
// found.
#ifndef SEEDBED_MODELS_KERNEL_INSIDE_BUS_H_
#define SEEDBED_MODELS_KERNEL_INSIDE_BUS_H_

#include <linux/device.h>

struct seedbed_bus {
  unsigned long device_size;
  // The driver that `id` names, registered or one that an initcall will register; NULL: none.
  const void *(*find_driver)(const char *id);
  // Makes a device of zeroed memory, with its driver, and returns its struct device.
  struct device *(*add)(void *at, const void *driver, const char *name, const char *id);
  int (*probe)(void *at);
  void (*remove)(void *at);
  int (*suspend)(void *at), (*resume)(void *at);
  // A buffer came back from the device; NULL: its devices take none.
  void (*used)(void *at, unsigned int len);
};
extern const struct seedbed_bus seedbed_platform_bus __attribute__((visibility("hidden")));
extern const struct seedbed_bus seedbed_virtio_bus __attribute__((visibility("hidden")));

// The drivers of the object's initcalls.
#define SEEDBED_SECTION(type, name)                                         \
  extern type __start_##name[] __attribute__((weak, visibility("hidden"))); \
  extern type __stop_##name[] __attribute__((weak, visibility("hidden")))
SEEDBED_SECTION(const struct seedbed_driver, seedbed_drivers);

#endif  // SEEDBED_MODELS_KERNEL_INSIDE_BUS_H_
