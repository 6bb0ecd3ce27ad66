// SPDX-License-Identifier: GPL-2.0-or-later
//
// See iproc_rng200.h.
#include "models/hwrng/iproc_rng200.h"

#include <string.h>

#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

enum {
  RNG_CTRL_RBGEN_MASK = 0x1fff,
  RNG_CTRL_RBGEN_ENABLE = 0x1,
  RNG_SOFT_RESET = 0x1,
  RBG_SOFT_RESET = 0x1,
  RNG_FIFO_COUNT_MASK = 0xff,
  MAX_RESETS_PER_READ = 1,
  MAX_IDLE_TIME_S = 1,
};

static struct iproc_rng200_priv *to_rng_priv(struct hwrng *rng) {
  return sim_container_of(rng, struct iproc_rng200_priv, rng);
}

static void iproc_rng200_enable_set(struct iproc_rng200_dev *base, bool enable) {
  u32 val = iproc_rng200_dev_ioread32(base, IPROC_RNG_CTRL);

  val &= ~(u32)RNG_CTRL_RBGEN_MASK;
  if (enable) val |= RNG_CTRL_RBGEN_ENABLE;
  iproc_rng200_dev_iowrite32(base, val, IPROC_RNG_CTRL);
}

static void set_bits(struct iproc_rng200_dev *base, u32 offset, u32 clear, u32 set) {
  u32 val = iproc_rng200_dev_ioread32(base, offset);

  iproc_rng200_dev_iowrite32(base, (val & ~clear) | set, offset);
}

static void iproc_rng200_restart(struct iproc_rng200_priv *priv) {
  struct iproc_rng200_dev *base = priv->base;

  iproc_rng200_enable_set(base, false);
  iproc_rng200_dev_iowrite32(base, 0xffffffff, IPROC_RNG_INT_STATUS);
  set_bits(base, IPROC_RBG_SOFT_RESET, 0, RBG_SOFT_RESET);
  set_bits(base, IPROC_RNG_SOFT_RESET, 0, RNG_SOFT_RESET);
  set_bits(base, IPROC_RNG_SOFT_RESET, RNG_SOFT_RESET, 0);
  set_bits(base, IPROC_RBG_SOFT_RESET, RBG_SOFT_RESET, 0);
  iproc_rng200_enable_set(base, true);
}

static void lock(struct iproc_rng200_priv *priv) {
  if (!priv->config.suspect_pm) sim_mutex_lock(&priv->lock);
}

static void unlock(struct iproc_rng200_priv *priv) {
  if (!priv->config.suspect_pm) sim_mutex_unlock(&priv->lock);
}

static int iproc_rng200_read(struct hwrng *rng, void *buf, size_t max, bool wait) {
  struct iproc_rng200_priv *priv = to_rng_priv(rng);
  u64 idle_time = MAX_IDLE_TIME_S * sim_hz();
  u64 idle_end = sim_jiffies() + idle_time;
  u32 num_remaining = (u32)max;
  u32 num_resets = 0;
  u8 *out = buf;

  while (num_remaining > 0 && sim_jiffies() < idle_end) {
    bool ready = false;
    u32 status, word;

    lock(priv);
    if (!priv->suspended) {
      status = iproc_rng200_dev_ioread32(priv->base, IPROC_RNG_INT_STATUS);
      if (status & (IPROC_INT_LOCKOUT | IPROC_INT_NIST_FAIL)) {
        if (num_resets >= MAX_RESETS_PER_READ) {
          unlock(priv);
          break;
        }
        iproc_rng200_restart(priv);
        num_resets++;
      }
      ready = iproc_rng200_dev_ioread32(priv->base, IPROC_RNG_COUNT) & RNG_FIFO_COUNT_MASK;
      if (ready) word = iproc_rng200_dev_ioread32(priv->base, IPROC_RNG_DATA);
    }
    unlock(priv);
    if (ready) {
      u32 len = num_remaining < sizeof(word) ? num_remaining : sizeof(word);

      memcpy(out, &word, len);
      out += len;
      num_remaining -= len;
      idle_end = sim_jiffies() + idle_time;
    } else {
      u32 min_us = num_remaining * 10 < 500 ? num_remaining * 10 : 500;

      if (!wait) break;
      sim_usleep_range(min_us, 500);
    }
  }
  return (int)(max - num_remaining);
}

static int iproc_rng200_init(struct hwrng *rng) {
  struct iproc_rng200_priv *priv = to_rng_priv(rng);

  if (priv->config.suspect_pm) {
    iproc_rng200_enable_set(priv->base, true);
    return 0;
  }
  sim_mutex_lock(&priv->lock);
  priv->in_use = true;
  if (!priv->suspended) iproc_rng200_enable_set(priv->base, true);
  sim_mutex_unlock(&priv->lock);
  return 0;
}

static void iproc_rng200_cleanup(struct hwrng *rng) {
  struct iproc_rng200_priv *priv = to_rng_priv(rng);

  if (priv->config.suspect_pm) {
    iproc_rng200_enable_set(priv->base, false);
    return;
  }
  sim_mutex_lock(&priv->lock);
  priv->in_use = false;
  iproc_rng200_enable_set(priv->base, false);
  sim_mutex_unlock(&priv->lock);
}

int iproc_rng200_probe(struct iproc_rng200_dev *dev, const struct iproc_rng200_config *config,
                       struct iproc_rng200_priv **out_priv) {
  struct iproc_rng200_priv *priv = sim_zalloc(sizeof(*priv), "iproc_rng200_priv");
  int err;

  dev->hw.going = false;
  priv->base = dev;
  priv->config = *config;
  sim_mutex_init(&priv->lock, "iproc_rng200");
  priv->rng.name = dev->hw.name;
  priv->rng.init = iproc_rng200_init;
  priv->rng.read = iproc_rng200_read;
  priv->rng.cleanup = iproc_rng200_cleanup;
  priv->rng.quality = config->quality;
  err = devm_hwrng_register(&dev->hw, &priv->rng);
  if (err) {
    sim_free(priv);
    return err;
  }
  *out_priv = priv;
  return 0;
}

void iproc_rng200_remove(struct iproc_rng200_priv *priv) {
  priv->base->hw.going = true;
  devm_hwrng_unregister(&priv->base->hw, &priv->rng);
  sim_free(priv);
}

void iproc_rng200_suspend(struct iproc_rng200_priv *priv) {
  if (priv->config.suspect_pm) {
    iproc_rng200_cleanup(&priv->rng);
    return;
  }
  sim_mutex_lock(&priv->lock);
  priv->suspended = true;
  iproc_rng200_enable_set(priv->base, false);
  sim_mutex_unlock(&priv->lock);
}

void iproc_rng200_resume(struct iproc_rng200_priv *priv) {
  if (priv->config.suspect_pm) {
    iproc_rng200_init(&priv->rng);
    return;
  }
  sim_mutex_lock(&priv->lock);
  priv->suspended = false;
  if (priv->in_use) iproc_rng200_enable_set(priv->base, true);
  sim_mutex_unlock(&priv->lock);
}
