// SPDX-License-Identifier: GPL-2.0-or-later
//
// See bcm2835_rng.h.
#include "models/hwrng/bcm2835_rng.h"

#include <string.h>

#include "sim/scenario.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

enum {
  RNG_RBGEN = 0x1,
  // The first numbers are less random and are discarded.
  RNG_WARMUP_COUNT = 0x40000,
  RNG_INT_OFF = 0x1,
  MAX_IDLE_TIME_S = 1,
};

const char *const bcm2835_policy_names[BCM2835_POLICY_COUNT + 1] = {
#define X(id, name) name,
    BCM2835_POLICIES(X)
#undef X
        NULL,
};

void bcm2835_rng_config_from_params(struct bcm2835_rng_config *out_config) {
  *out_config = (struct bcm2835_rng_config){
      .policy = (enum bcm2835_policy)sim_param("policy"),
      .suspect_yield_ignored = sim_suspect("bcm2835_yield_ignored"),
      .suspect_status_twice = sim_suspect("bcm2835_status_twice"),
  };
  out_config->bug_words_lost = sim_bug("words-lost");
  out_config->bug_wait_ignored = sim_bug("wait-ignored");
  out_config->bug_cold_start = sim_bug("cold-start");
  if (sim_bug("62")) out_config->policy = BCM2835_POLICY_CPU_RELAX;
  if (sim_bug("63")) out_config->policy = BCM2835_POLICY_MSLEEP_1000;
}

static struct bcm2835_rng_priv *to_rng_priv(struct hwrng *rng) {
  return sim_container_of(rng, struct bcm2835_rng_priv, rng);
}

// Waits for about as long as the policy says. 0: look again.
static s64 wait_for_word(struct bcm2835_rng_priv *priv) {
  switch (priv->config.policy) {
    case BCM2835_POLICY_CPU_RELAX:
      sim_cpu_relax();
      return 0;
    case BCM2835_POLICY_MSLEEP_1000:
      return hwrng_msleep(&priv->rng, 1000);
    case BCM2835_POLICY_USLEEP_100_200:
      sim_usleep_range(100, 200);
      return 0;
    case BCM2835_POLICY_USLEEP_200_400:
      sim_usleep_range(200, 400);
      return 0;
    case BCM2835_POLICY_MSLEEP_20:
      return hwrng_msleep(&priv->rng, 20);
    default:
      return hwrng_yield(&priv->rng);
  }
}

static int bcm2835_rng_read(struct hwrng *rng, void *buf, size_t max, bool wait) {
  struct bcm2835_rng_priv *priv = to_rng_priv(rng);
  u32 max_words = (u32)(max / sizeof(u32));
  u64 idle_end = sim_jiffies() + MAX_IDLE_TIME_S * sim_hz();
  bool idle = false;
  u32 num_words;

  if (priv->config.bug_wait_ignored) wait = true;
  while ((num_words = bcm2835_dev_readl(priv->base, BCM2835_RNG_STATUS) >> 24) == 0) {
    s64 rc;

    if (!wait || idle) return 0;
    rc = wait_for_word(priv);
    if (priv->config.suspect_yield_ignored) continue;
    if (rc < 0) return (int)rc;
    if (rc > 0) return 0;
    // Looks once more: a wait may be longer than the limit.
    idle = sim_jiffies() >= idle_end;
  }
  if (priv->config.suspect_status_twice)
    num_words = bcm2835_dev_readl(priv->base, BCM2835_RNG_STATUS) >> 24;
  if (num_words > max_words) num_words = max_words;
  for (u32 i = 0; i < num_words; i++) {
    u32 word = bcm2835_dev_readl(priv->base, BCM2835_RNG_DATA);

    memcpy((u8 *)buf + i * sizeof(word), &word, sizeof(word));
  }
  if (priv->config.bug_words_lost && num_words > 1) num_words--;
  return (int)(num_words * sizeof(u32));
}

static int bcm2835_rng_init(struct hwrng *rng) {
  struct bcm2835_rng_priv *priv = to_rng_priv(rng);
  int ret;

  ret = clk_prepare_enable(priv->clk);
  if (ret) return ret;
  ret = reset_control_reset(priv->reset);
  if (ret) {
    clk_disable_unprepare(priv->clk);
    return ret;
  }
  if (priv->config.mask_interrupts) {
    u32 mask = bcm2835_dev_readl(priv->base, BCM2835_RNG_INT_MASK);

    bcm2835_dev_writel(priv->base, mask | RNG_INT_OFF, BCM2835_RNG_INT_MASK);
  }
  if (!priv->config.bug_cold_start)
    bcm2835_dev_writel(priv->base, RNG_WARMUP_COUNT, BCM2835_RNG_STATUS);
  bcm2835_dev_writel(priv->base, RNG_RBGEN, BCM2835_RNG_CTRL);
  return 0;
}

static void bcm2835_rng_cleanup(struct hwrng *rng) {
  struct bcm2835_rng_priv *priv = to_rng_priv(rng);

  bcm2835_dev_writel(priv->base, 0, BCM2835_RNG_CTRL);
  clk_disable_unprepare(priv->clk);
}

int bcm2835_rng_probe(struct bcm2835_dev *dev, const struct bcm2835_rng_config *config,
                      struct bcm2835_rng_priv **out_priv) {
  struct bcm2835_rng_priv *priv = sim_zalloc(sizeof(*priv), "bcm2835_rng_priv");
  int err;

  dev->hw.going = false;
  priv->base = dev;
  priv->clk = &dev->clk;
  priv->reset = &dev->reset;
  priv->config = *config;
  priv->rng.name = dev->hw.name;
  priv->rng.init = bcm2835_rng_init;
  priv->rng.read = bcm2835_rng_read;
  priv->rng.cleanup = bcm2835_rng_cleanup;
  priv->rng.quality = config->quality;
  err = devm_hwrng_register(&dev->hw, &priv->rng);
  if (err) {
    sim_free(priv);
    return err;
  }
  *out_priv = priv;
  return 0;
}

void bcm2835_rng_remove(struct bcm2835_rng_priv *priv) {
  priv->base->hw.going = true;
  devm_hwrng_unregister(&priv->base->hw, &priv->rng);
  sim_free(priv);
}
