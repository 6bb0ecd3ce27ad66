// SPDX-License-Identifier: GPL-2.0-or-later
//
// See omap_rng.h.
#include "models/hwrng/omap_rng.h"

#include <string.h>

#include "models/hwrng/hwrng_world.h"
#include "sim/choice.h"
#include "sim/world.h"

enum {
  ACCESS_NS = 200,
  FILL_NS = 500000,
  FILL_JITTER_NS = 100000,  // four times at most
  EIP76_RNG_OUTPUT_SIZE = 16,
  RNG_DATA_FILL_TIMEOUT = 100,
  RNG_DATA_FILL_TIMEOUT_BUG_72 = 20,
};

// ---- The device ----

static void begin_fill(struct omap_rng_hw *hw) {
  u32 late = sim_choose(sim_w, SIM_SITE_DRAW("omap-fill", SIM_SITE_TIME, 1, 2), 5);

  hw->ready_ns = sim_clock_ns() + FILL_NS + late * FILL_JITTER_NS;
}

static bool omap_hw_ready(struct omap_rng_hw *hw) {
  hw_access(&hw->hw, ACCESS_NS);
  return hw->enabled && sim_clock_ns() >= hw->ready_ns;
}

static void omap_hw_output(struct omap_rng_hw *hw, u8 *out) {
  for (u32 i = 0; i < EIP76_RNG_OUTPUT_SIZE / 4; i++) {
    u32 word;

    hw_access(&hw->hw, ACCESS_NS);
    word = hw_words_take(&hwrng_world()->words, hw->hw.id);
    memcpy(out + 4 * i, &word, sizeof(word));
  }
}

static void omap_hw_ack(struct omap_rng_hw *hw) {
  hw_access(&hw->hw, ACCESS_NS);
  begin_fill(hw);
}

static void omap_hw_enable(struct omap_rng_hw *hw, bool enable) {
  hw_access(&hw->hw, ACCESS_NS);
  hw->enabled = enable;
  if (enable) begin_fill(hw);
}

static u64 word_due_ns(const struct hw_device *dev) {
  const struct omap_rng_hw *hw = sim_container_of(dev, const struct omap_rng_hw, hw);

  return hw->enabled ? hw->ready_ns : UINT64_MAX;
}

static bool is_off(const struct hw_device *dev) {
  return !sim_container_of(dev, const struct omap_rng_hw, hw)->enabled;
}

void omap_rng_hw_init(struct omap_rng_hw *hw, const char *name, u8 id) {
  *hw = (struct omap_rng_hw){
      .hw = {.name = name,
             .kind = "omap",
             .id = id,
             .word_ns_max = FILL_NS + 4 * FILL_JITTER_NS,
             .word_due_ns = word_due_ns,
             .is_off = is_off},
  };
}

// ---- The driver ----

static struct omap_rng_dev *to_omap(struct hwrng *rng) {
  return sim_container_of(rng, struct omap_rng_dev, rng);
}

static int omap_rng_do_read(struct hwrng *rng, void *data, size_t max, bool wait) {
  struct omap_rng_dev *priv = to_omap(rng);
  bool present = false;

  if (max < EIP76_RNG_OUTPUT_SIZE) return 0;
  for (u32 i = 0; i < priv->fill_timeout; i++) {
    present = omap_hw_ready(priv->base);
    if (present || !wait) break;
    sim_udelay(10);
  }
  if (!present) return 0;
  omap_hw_output(priv->base, data);
  omap_hw_ack(priv->base);
  return EIP76_RNG_OUTPUT_SIZE;
}

static int omap_rng_init(struct hwrng *rng) {
  omap_hw_enable(to_omap(rng)->base, true);
  return 0;
}

static void omap_rng_cleanup(struct hwrng *rng) { omap_hw_enable(to_omap(rng)->base, false); }

int omap_rng_probe(struct omap_rng_hw *hw, u16 quality, bool bug_72,
                   struct omap_rng_dev **out_priv) {
  struct omap_rng_dev *priv = sim_zalloc(sizeof(*priv), "omap_rng_dev");
  int err;

  hw->hw.going = false;
  priv->base = hw;
  priv->fill_timeout = bug_72 ? RNG_DATA_FILL_TIMEOUT_BUG_72 : RNG_DATA_FILL_TIMEOUT;
  priv->rng.name = hw->hw.name;
  priv->rng.init = omap_rng_init;
  priv->rng.read = omap_rng_do_read;
  priv->rng.cleanup = omap_rng_cleanup;
  priv->rng.quality = quality;
  err = devm_hwrng_register(&hw->hw, &priv->rng);
  if (err) {
    sim_free(priv);
    return err;
  }
  *out_priv = priv;
  return 0;
}

void omap_rng_remove(struct omap_rng_dev *priv) {
  priv->base->hw.going = true;
  devm_hwrng_unregister(&priv->base->hw, &priv->rng);
  sim_free(priv);
}
