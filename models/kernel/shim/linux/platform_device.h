// SPDX-License-Identifier: GPL-2.0-or-later
//
// Platform devices and drivers. The board brings a device when the scenario says so, and matches
// it by its compatible string.
#ifndef SEEDBED_SHIM_LINUX_PLATFORM_DEVICE_H_
#define SEEDBED_SHIM_LINUX_PLATFORM_DEVICE_H_

#include <linux/device.h>
#include <linux/mod_devicetable.h>

struct platform_device {
  const char *name;
  struct device dev;
};
struct platform_driver {
  int (*probe)(struct platform_device *pdev);
  // Its result was an int until Linux 6.11, and nobody looks at it.
  void (*remove)(struct platform_device *pdev);
  void (*remove_new)(struct platform_device *pdev);
  struct device_driver driver;
  const struct platform_device_id *id_table;
};
#define platform_set_drvdata(pdev, data) dev_set_drvdata(&(pdev)->dev, (data))
#define platform_get_drvdata(pdev) dev_get_drvdata(&(pdev)->dev)
#define devm_platform_ioremap_resource(pdev, index) seedbed_k_ioremap(&(pdev)->dev, (index))
// models/kernel/inside/inside.c
int platform_driver_register(struct platform_driver *driver);
void platform_driver_unregister(struct platform_driver *driver);
#define module_platform_driver(driver_)                                            \
  static int driver_##_init(void) { return platform_driver_register(&(driver_)); } \
  SEEDBED_INITCALL(driver_##_init, 6);                                             \
  SEEDBED_DRIVER(platform, driver_)

#endif  // SEEDBED_SHIM_LINUX_PLATFORM_DEVICE_H_
