// SPDX-License-Identifier: GPL-2.0-or-later
//
// The device tree: a node is a compatible string.
#ifndef SEEDBED_SHIM_LINUX_OF_H_
#define SEEDBED_SHIM_LINUX_OF_H_

#include <linux/device.h>
#include <linux/mod_devicetable.h>
#include <linux/string.h>

static inline const struct of_device_id *of_match_node(const struct of_device_id *matches,
                                                       const struct device_node *node) {
  for (; matches->compatible[0]; matches++)
    if (strcmp(matches->compatible, node->compatible) == 0) return matches;
  return NULL;
}
static inline const void *of_device_get_match_data(const struct device *dev) {
  const struct of_device_id *match;

  if (!dev->of_node || !dev->driver->of_match_table) return NULL;
  match = of_match_node(dev->driver->of_match_table, dev->of_node);
  return match ? match->data : NULL;
}
#define device_get_match_data(dev) of_device_get_match_data(dev)
#define of_match_ptr(p) (p)

#endif  // SEEDBED_SHIM_LINUX_OF_H_
