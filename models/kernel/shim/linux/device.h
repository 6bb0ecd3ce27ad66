// SPDX-License-Identifier: GPL-2.0-or-later
//
// Devices, what they own (devres), their attributes.
#ifndef SEEDBED_SHIM_LINUX_DEVICE_H_
#define SEEDBED_SHIM_LINUX_DEVICE_H_

#include <linux/cache.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/mod_devicetable.h>
#include <linux/pm.h>
#include <linux/printk.h>
#include <linux/seedbed.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/types.h>

struct device_node {
  const char *compatible;
};
struct device_driver {
  const char *name;
  struct module *owner;
  const struct of_device_id *of_match_table;
  const struct dev_pm_ops *pm;
};
struct device {
  unsigned long seedbed[KERNEL_DEVICE_WORDS];
  const char *init_name;
  struct device_node *of_node;
  struct device_driver *driver;
  void *driver_data;
};
#define dev_name(dev) ((dev)->init_name)
#define dev_of_node(dev) ((dev)->of_node)
#define dev_set_drvdata(dev, data) ((void)((dev)->driver_data = (data)))
#define dev_get_drvdata(dev) ((dev)->driver_data)

#define dev_err(dev, fmt, ...) seedbed_k_printk(dev_name(dev), fmt, ##__VA_ARGS__)
#define dev_warn(dev, fmt, ...) seedbed_k_printk(dev_name(dev), fmt, ##__VA_ARGS__)
#define dev_notice(dev, fmt, ...) seedbed_k_printk(dev_name(dev), fmt, ##__VA_ARGS__)
#define dev_info(dev, fmt, ...) seedbed_k_printk(dev_name(dev), fmt, ##__VA_ARGS__)
#define dev_dbg(dev, fmt, ...) ((void)0)
#define dev_err_probe(dev, err, fmt, ...) (dev_err((dev), fmt, ##__VA_ARGS__), (err))

typedef void (*dr_release_t)(struct device *dev, void *res);
typedef int (*dr_match_t)(struct device *dev, void *res, void *match_data);
#define devres_alloc(release, size, gfp) \
  seedbed_k_devres_alloc((void (*)(void *, void *))(release), (size), (gfp), #release)
#define devres_free(res) seedbed_k_devres_free(res)
#define devres_add(dev, res) seedbed_k_devres_add((dev), (res))
#define devres_release(dev, release, match, data)                      \
  seedbed_k_devres_release((dev), (void (*)(void *, void *))(release), \
                           (int (*)(void *, void *, void *))(match), (data))
#define devm_kmalloc(dev, size, gfp) seedbed_k_devm_kmalloc((dev), (size), (gfp), __func__)
#define devm_kzalloc(dev, size, gfp) \
  seedbed_k_devm_kmalloc((dev), (size), (gfp) | __GFP_ZERO, __func__)

struct device_attribute {
  struct attribute attr;
  ssize_t (*show)(struct device *dev, struct device_attribute *attr, char *buf);
  ssize_t (*store)(struct device *dev, struct device_attribute *attr, const char *buf,
                   size_t count);
};
#define DEVICE_ATTR_RW(name_) \
  struct device_attribute dev_attr_##name_ = {{#name_, 0644}, name_##_show, name_##_store}
#define DEVICE_ATTR_RO(name_) \
  struct device_attribute dev_attr_##name_ = {{#name_, 0444}, name_##_show, NULL}
#define DEVICE_ATTR_WO(name_) \
  struct device_attribute dev_attr_##name_ = {{#name_, 0200}, NULL, name_##_store}

#endif  // SEEDBED_SHIM_LINUX_DEVICE_H_
