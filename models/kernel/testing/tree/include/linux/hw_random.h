// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of the tiny tree: what the kernel's header of that name has and the tests need.
#ifndef TINY_LINUX_HW_RANDOM_H_
#define TINY_LINUX_HW_RANDOM_H_

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>

struct hwrng {
  const char *name;
  int (*init)(struct hwrng *rng);
  void (*cleanup)(struct hwrng *rng);
  int (*read)(struct hwrng *rng, void *data, size_t max, bool wait);
  unsigned short quality;
  struct kref ref;
  struct work_struct cleanup_work;
  struct completion cleanup_done;
  struct completion dying;
};
struct device;
int hwrng_register(struct hwrng *rng);
void hwrng_unregister(struct hwrng *rng);
int devm_hwrng_register(struct device *dev, struct hwrng *rng);
void devm_hwrng_unregister(struct device *dev, struct hwrng *rng);
long hwrng_yield(struct hwrng *rng);

#endif  // TINY_LINUX_HW_RANDOM_H_
