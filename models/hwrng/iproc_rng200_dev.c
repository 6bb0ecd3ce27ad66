// SPDX-License-Identifier: GPL-2.0-or-later
//
// See iproc_rng200_dev.h.
#include "models/hwrng/iproc_rng200_dev.h"

#include "sim/choice.h"
#include "sim/trace.h"

enum { RBGEN_MASK = 0x1fff, RBGEN_ENABLE = 1, RESET = 1 };

void iproc_rng200_dev_config_default(struct iproc_rng200_dev_config *out_config) {
  *out_config = (struct iproc_rng200_dev_config){
      .word_ns = 32000,
      .fifo_words = 16,
      .access_ns = 200,
      .late_ns_max = 20000000,
      .odd = true,
  };
}

// Starts or stops the generator as the registers say.
static void update(struct iproc_rng200_dev *dev) {
  bool run = (dev->ctrl & RBGEN_MASK) == RBGEN_ENABLE && !(dev->rbg_reset & RESET) &&
             !(dev->soft_reset & RESET) &&
             !(dev->int_status & (IPROC_INT_LOCKOUT | IPROC_INT_NIST_FAIL));

  if (run && !dev->fifo.on)
    hw_fifo_start(&dev->fifo, 0);
  else if (!run && dev->fifo.on)
    hw_fifo_stop(&dev->fifo);
}

static void draw_fail(struct iproc_rng200_dev *dev) {
  if (!dev->config.odd || !dev->fifo.on || dev->fifo.dead) return;
  switch (sim_choose(sim_w, SIM_SITE_DRAW("iproc-fail", SIM_SITE_FAULT, 1, 256), 4)) {
    case 1:
      dev->int_status |= IPROC_INT_NIST_FAIL;
      break;
    case 2:
      dev->int_status |= IPROC_INT_LOCKOUT;
      break;
    case 3:
      dev->int_status |= IPROC_INT_LOCKOUT;
      dev->lockout_stays = true;
      break;
    default:
      break;
  }
  update(dev);
}

static u32 read_count(struct iproc_rng200_dev *dev) {
  struct hw_fifo *fifo = &dev->fifo;

  if (!dev->config.odd || !fifo->on || fifo->dead) return fifo->level;
  hw_fifo_draw_late(fifo, SIM_SITE_DRAW("iproc-late", SIM_SITE_FAULT, 1, 256),
                    dev->config.late_ns_max);
  hw_fifo_draw_stuck(fifo, SIM_SITE_DRAW("iproc-stuck", SIM_SITE_FAULT, 1, 2048));
  hw_fifo_draw_dead(fifo, SIM_SITE_DRAW("iproc-dead", SIM_SITE_FAULT, 1, 4096));
  return hw_fifo_draw_count(fifo, SIM_SITE_DRAW("iproc-count", SIM_SITE_FAULT, 1, 256));
}

static void access(struct iproc_rng200_dev *dev) {
  hw_access(&dev->hw, dev->config.access_ns);
  hw_fifo_advance(&dev->fifo);
}

static const char *register_name(u32 offset) {
  switch (offset) {
    case IPROC_RNG_CTRL:
      return "CTRL";
    case IPROC_RNG_SOFT_RESET:
      return "SOFT_RESET";
    case IPROC_RBG_SOFT_RESET:
      return "RBG_RESET";
    case IPROC_RNG_INT_STATUS:
      return "INT_STATUS";
    case IPROC_RNG_DATA:
      return "DATA";
    case IPROC_RNG_COUNT:
      return "COUNT";
    default:
      return "(no register)";
  }
}

static u32 read_register(struct iproc_rng200_dev *dev, u32 offset) {
  switch (offset) {
    case IPROC_RNG_CTRL:
      return dev->ctrl;
    case IPROC_RNG_SOFT_RESET:
      return dev->soft_reset;
    case IPROC_RBG_SOFT_RESET:
      return dev->rbg_reset;
    case IPROC_RNG_INT_STATUS:
      draw_fail(dev);
      return dev->int_status;
    case IPROC_RNG_DATA:
      return hw_fifo_take(&dev->fifo);
    case IPROC_RNG_COUNT:
      return read_count(dev);
    default:
      return 0;
  }
}

u32 iproc_rng200_dev_ioread32(struct iproc_rng200_dev *dev, u32 offset) {
  u32 value;

  access(dev);
  value = read_register(dev, offset);
  sim_trace_named("ioread32", offset, value, dev->hw.name, register_name(offset));
  return value;
}

void iproc_rng200_dev_iowrite32(struct iproc_rng200_dev *dev, u32 value, u32 offset) {
  access(dev);
  sim_trace_named("iowrite32", offset, value, dev->hw.name, register_name(offset));
  switch (offset) {
    case IPROC_RNG_CTRL:
      dev->ctrl = value & RBGEN_MASK;
      break;
    case IPROC_RNG_SOFT_RESET:
      dev->soft_reset = value & RESET;
      break;
    case IPROC_RBG_SOFT_RESET:
      dev->rbg_reset = value & RESET;
      break;
    case IPROC_RNG_INT_STATUS:
      dev->int_status &= ~value;
      if (dev->lockout_stays) dev->int_status |= IPROC_INT_LOCKOUT;
      break;
    default:
      break;
  }
  update(dev);
}

void iproc_rng200_dev_heal(struct iproc_rng200_dev *dev) {
  dev->lockout_stays = false;
  dev->int_status = 0;
  hw_fifo_heal(&dev->fifo);
  update(dev);
}

static u64 word_due_ns(const struct hw_device *hw) {
  return hw_fifo_due_ns(&sim_container_of(hw, const struct iproc_rng200_dev, hw)->fifo);
}

static bool is_off(const struct hw_device *hw) {
  const struct iproc_rng200_dev *dev = sim_container_of(hw, const struct iproc_rng200_dev, hw);

  return (dev->ctrl & RBGEN_MASK) == 0;
}

void iproc_rng200_dev_init(struct iproc_rng200_dev *dev, const char *name, u8 id,
                           const struct iproc_rng200_dev_config *config) {
  *dev = (struct iproc_rng200_dev){
      .hw = {.name = name,
             .kind = "iproc-rng200",
             .id = id,
             .word_ns_max = config->word_ns + (config->odd ? config->late_ns_max : 0),
             .word_due_ns = word_due_ns,
             .is_off = is_off},
      .config = *config,
  };
  hw_fifo_init(&dev->fifo, id, config->word_ns, config->fifo_words);
}
