// SPDX-License-Identifier: GPL-2.0-or-later
//
// See bcm2835_dev.h.
#include "models/hwrng/bcm2835_dev.h"

#include "models/hwrng/oracles.h"
#include "sim/checker.h"
#include "sim/trace.h"

enum {
  CTRL_RBGEN = 1,
  INT_OFF = 1,
  WARMUP_MASK = 0xfffff,
  WARMUP_USUAL = 0x40000,  // what drivers ask for
  COUNT_SHIFT = 24,
  WORD_BITS = 32,
};

void bcm2835_dev_config_default(struct bcm2835_dev_config *out_config) {
  *out_config = (struct bcm2835_dev_config){
      .word_ns = 29000,
      .fifo_words = 5,
      .access_ns = 200,
      .late_ns_max = 20000000,
      .odd = true,
  };
}

// Bits that are discarded take as long as others.
static u64 warmup_ns(const struct bcm2835_dev *dev, u32 bits) {
  return dev->config.warm ? 0 : (u64)bits * dev->config.word_ns / WORD_BITS;
}

static void access(struct bcm2835_dev *dev) {
  hw_access(&dev->hw, dev->config.access_ns);
  if (dev->clk.enabled <= 0)
    sim_fail(&hwrng_oracle_unclocked, "bcm2835", "%s is touched while its clock is off",
             dev->hw.name);
  hw_fifo_advance(&dev->fifo);
}

static u32 read_status(struct bcm2835_dev *dev) {
  struct hw_fifo *fifo = &dev->fifo;
  u32 count = fifo->level;

  if (dev->config.odd && fifo->on && !fifo->dead) {
    hw_fifo_draw_late(fifo, SIM_SITE_DRAW("bcm2835-late", SIM_SITE_FAULT, 1, 32),
                      dev->config.late_ns_max);
    hw_fifo_draw_stuck(fifo, SIM_SITE_DRAW("bcm2835-stuck", SIM_SITE_FAULT, 1, 256));
    hw_fifo_draw_dead(fifo, SIM_SITE_DRAW("bcm2835-dead", SIM_SITE_FAULT, 1, 512));
    count = hw_fifo_draw_count(fifo, SIM_SITE_DRAW("bcm2835-count", SIM_SITE_FAULT, 1, 64));
  }
  if (fifo->dead) return 0;
  u64 bits = hw_fifo_startup_left(fifo) * WORD_BITS / dev->config.word_ns;
  return count << COUNT_SHIFT | (u32)(bits & WARMUP_MASK);
}

static const char *register_name(u32 offset) {
  switch (offset) {
    case BCM2835_RNG_CTRL:
      return "CTRL";
    case BCM2835_RNG_STATUS:
      return "STATUS";
    case BCM2835_RNG_DATA:
      return "DATA";
    case BCM2835_RNG_INT_MASK:
      return "INT_MASK";
    default:
      return "(no register)";
  }
}

static u32 read_register(struct bcm2835_dev *dev, u32 offset) {
  switch (offset) {
    case BCM2835_RNG_CTRL:
      return dev->fifo.on ? CTRL_RBGEN : 0;
    case BCM2835_RNG_STATUS:
      return read_status(dev);
    case BCM2835_RNG_DATA:
      if (!dev->warmed && hw_fifo_due_ns(&dev->fifo) != UINT64_MAX)
        sim_fail(&hwrng_oracle_cold, "bcm2835", "a word of %s, which was not warmed up",
                 dev->hw.name);
      return hw_fifo_take(&dev->fifo);
    case BCM2835_RNG_INT_MASK:
      return dev->int_mask;
    default:
      return 0;
  }
}

u32 bcm2835_dev_readl(struct bcm2835_dev *dev, u32 offset) {
  u32 value;

  access(dev);
  value = read_register(dev, offset);
  sim_trace_named("readl", offset, value, dev->hw.name, register_name(offset));
  return value;
}

void bcm2835_dev_writel(struct bcm2835_dev *dev, u32 value, u32 offset) {
  struct hw_fifo *fifo = &dev->fifo;

  access(dev);
  sim_trace_named("writel", offset, value, dev->hw.name, register_name(offset));
  switch (offset) {
    case BCM2835_RNG_CTRL:
      if (!(value & CTRL_RBGEN)) {
        hw_fifo_stop(fifo);
        dev->warmed = false;
      } else if (!fifo->on)
        hw_fifo_start(fifo, fifo->startup_ns);
      break;
    case BCM2835_RNG_STATUS: {
      u64 startup_ns = warmup_ns(dev, value & WARMUP_MASK);

      dev->warmed = (value & WARMUP_MASK) >= WARMUP_USUAL && !fifo->level;
      if (fifo->on)
        hw_fifo_start(fifo, startup_ns);
      else
        fifo->startup_ns = startup_ns;
      break;
    }
    case BCM2835_RNG_INT_MASK:
      dev->int_mask = value & INT_OFF;
      break;
    default:
      break;
  }
}

bool bcm2835_dev_irq(struct bcm2835_dev *dev) {
  hw_fifo_advance(&dev->fifo);
  return dev->fifo.level > 0 && !(dev->int_mask & INT_OFF);
}

void bcm2835_dev_heal(struct bcm2835_dev *dev) { hw_fifo_heal(&dev->fifo); }

static void pulse_reset(void *arg) {
  struct bcm2835_dev *dev = arg;

  hw_fifo_reset(&dev->fifo);
  dev->warmed = false;
  dev->int_mask = 0;
}

static u64 word_due_ns(const struct hw_device *hw) {
  return hw_fifo_due_ns(&sim_container_of(hw, const struct bcm2835_dev, hw)->fifo);
}

static bool is_off(const struct hw_device *hw) {
  const struct bcm2835_dev *dev = sim_container_of(hw, const struct bcm2835_dev, hw);

  return !dev->fifo.on && dev->clk.enabled == 0;
}

void bcm2835_dev_init(struct bcm2835_dev *dev, const char *name, u8 id,
                      const struct bcm2835_dev_config *config) {
  *dev = (struct bcm2835_dev){
      .hw =
          {.name = name, .kind = "bcm2835", .id = id, .word_due_ns = word_due_ns, .is_off = is_off},
      .config = *config,
      .clk = {.name = name},
      .reset = {.pulse = pulse_reset, .arg = dev},
  };
  hw_fifo_init(&dev->fifo, id, config->word_ns, config->fifo_words);
  dev->hw.word_ns_max = warmup_ns(dev, WARMUP_USUAL) + config->word_ns;
  if (config->odd) dev->hw.word_ns_max += config->late_ns_max;
}
