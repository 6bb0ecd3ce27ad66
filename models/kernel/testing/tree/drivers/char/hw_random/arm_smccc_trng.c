// SPDX-License-Identifier: GPL-2.0-or-later
//
// A tiny driver of a firmware's function, for tests of models/kernel: a platform device without a
// node.
#include <linux/arm-smccc.h>
#include <linux/hw_random.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static int tiny_firmware_read(struct hwrng *rng, void *data, size_t max, bool wait) {
  struct arm_smccc_res res;

  arm_smccc_1_1_invoke(ARM_SMCCC_TRNG_RND64, 8 * sizeof(long), &res);
  if (res.a0 != SMCCC_RET_SUCCESS || max < sizeof(long)) return -EINVAL;
  memcpy(data, &res.a3, sizeof(long));
  return sizeof(long);
}

static int tiny_firmware_probe(struct platform_device *pdev) {
  struct hwrng *rng = devm_kzalloc(&pdev->dev, sizeof(*rng), GFP_KERNEL);

  if (!rng) return -ENOMEM;
  rng->name = "tiny_firmware";
  rng->read = tiny_firmware_read;
  return devm_hwrng_register(&pdev->dev, rng);
}

static struct platform_driver tiny_firmware_driver = {
    .driver = {.name = "tiny_firmware"},
    .probe = tiny_firmware_probe,
};
module_platform_driver(tiny_firmware_driver);

MODULE_LICENSE("GPL");
