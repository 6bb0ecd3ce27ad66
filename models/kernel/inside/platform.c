// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside a kernel object: the platform bus. A device is named by its compatible string, or,
// without a node, by its driver's name.
#include "models/kernel/inside/bus.h"

#include <linux/kernel.h>
#include <linux/of.h>
#include <linux/platform_device.h>

enum { DRIVERS_MAX = 16 };
static const struct platform_driver *drivers[DRIVERS_MAX];

int platform_driver_register(struct platform_driver *driver) {
  int i;

  for (i = 0; i < DRIVERS_MAX; i++) {
    if (drivers[i]) continue;
    drivers[i] = driver;
    return 0;
  }
  return -ENOMEM;
}

void platform_driver_unregister(struct platform_driver *driver) {
  int i;

  for (i = 0; i < DRIVERS_MAX; i++)
    if (drivers[i] == driver) drivers[i] = NULL;
}

static bool has_compatible(const struct platform_driver *driver, const char *id) {
  const struct of_device_id *match = driver->driver.of_match_table;

  for (; match && match->compatible[0]; match++)
    if (strcmp(match->compatible, id) == 0) return true;
  return false;
}

static bool names(const struct platform_driver *driver, const char *id) {
  return has_compatible(driver, id) || strcmp(driver->driver.name, id) == 0;
}

static const void *find_driver(const char *id) {
  const struct seedbed_driver *one;
  int i;

  for (i = 0; i < DRIVERS_MAX; i++)
    if (drivers[i] && names(drivers[i], id)) return drivers[i];
  for (one = __start_seedbed_drivers; one < __stop_seedbed_drivers; one++)
    if (one->bus == seedbed_bus_platform && names(one->driver, id)) return one->driver;
  return NULL;
}

// A platform device and its node.
struct place {
  struct platform_device pdev;
  struct device_node node;
};

static struct device *add(void *at, const void *driver, const char *name, const char *id) {
  struct place *place = at;
  struct device *dev = &place->pdev.dev;

  place->pdev.name = name;
  dev->init_name = name;
  dev->driver = (struct device_driver *)&((const struct platform_driver *)driver)->driver;
  if (has_compatible(driver, id)) {
    place->node.compatible = id;
    dev->of_node = &place->node;
  }
  return dev;
}

static struct platform_driver *driver_of(struct place *place) {
  return container_of(place->pdev.dev.driver, struct platform_driver, driver);
}

static int probe(void *at) {
  struct place *place = at;

  return driver_of(place)->probe(&place->pdev);
}

static void remove(void *at) {
  struct place *place = at;
  struct platform_driver *driver = driver_of(place);

  if (driver->remove)
    driver->remove(&place->pdev);
  else if (driver->remove_new)
    driver->remove_new(&place->pdev);
}

static int suspend(void *at) {
  struct place *place = at;
  const struct dev_pm_ops *pm = place->pdev.dev.driver->pm;

  return pm && pm->suspend ? pm->suspend(&place->pdev.dev) : 0;
}

static int resume(void *at) {
  struct place *place = at;
  const struct dev_pm_ops *pm = place->pdev.dev.driver->pm;

  return pm && pm->resume ? pm->resume(&place->pdev.dev) : 0;
}

const struct seedbed_bus seedbed_platform_bus = {
    .device_size = sizeof(struct place),
    .find_driver = find_driver,
    .add = add,
    .probe = probe,
    .remove = remove,
    .suspend = suspend,
    .resume = resume,
};
