// SPDX-License-Identifier: GPL-2.0-or-later
//
// A tiny driver, for tests of models/kernel.
#include <linux/clk.h>
#include <linux/hw_random.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/reset.h>

struct tiny_priv {
  struct hwrng rng;
  void __iomem *base;
  struct clk *clk;
  struct reset_control *reset;
  bool odd;
};

static int tiny_read(struct hwrng *rng, void *data, size_t max, bool wait) {
  struct tiny_priv *priv = container_of(rng, struct tiny_priv, rng);
  u32 word = readl(priv->base + 8);

  if (max < sizeof(word)) return 0;
  memcpy(data, &word, sizeof(word));
  return sizeof(word);
}

static int tiny_init(struct hwrng *rng) {
  struct tiny_priv *priv = container_of(rng, struct tiny_priv, rng);
  int err = clk_prepare_enable(priv->clk);

  if (err) return err;
  err = reset_control_reset(priv->reset);
  if (err)
    clk_disable_unprepare(priv->clk);
  else
    writel(priv->odd ? 3 : 1, priv->base);
  return err;
}

static void tiny_cleanup(struct hwrng *rng) {
  struct tiny_priv *priv = container_of(rng, struct tiny_priv, rng);

  writel(0, priv->base);
  clk_disable_unprepare(priv->clk);
}

static const int odd = 1;
static const struct of_device_id tiny_match[] = {
    {.compatible = "brcm,bcm2835-rng"},
    {.compatible = "brcm,bcm-nsp-rng", .data = &odd},
    {},
};
MODULE_DEVICE_TABLE(of, tiny_match);

static int tiny_probe(struct platform_device *pdev) {
  struct device *dev = &pdev->dev;
  struct tiny_priv *priv = devm_kzalloc(dev, sizeof(*priv), GFP_KERNEL);

  if (!priv) return -ENOMEM;
  priv->base = devm_platform_ioremap_resource(pdev, 0);
  if (IS_ERR(priv->base)) return PTR_ERR(priv->base);
  priv->clk = devm_clk_get_optional(dev, NULL);
  priv->reset = devm_reset_control_get_optional_exclusive(dev, NULL);
  priv->rng.name = pdev->name;
  priv->rng.init = tiny_init;
  priv->rng.cleanup = tiny_cleanup;
  priv->rng.read = tiny_read;
  priv->odd = of_match_node(tiny_match, dev->of_node)->data != NULL;
  dev_info(dev, "probed\n");
  return devm_hwrng_register(dev, &priv->rng);
}

static struct platform_driver tiny_driver = {
    .driver = {.name = "tiny-rng", .of_match_table = tiny_match},
    .probe = tiny_probe,
};
module_platform_driver(tiny_driver);

MODULE_LICENSE("GPL");
