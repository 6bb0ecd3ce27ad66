// SPDX-License-Identifier: GPL-2.0-or-later
//
// See qcom_rng.h.
#include "models/hwrng/qcom_rng.h"

#include <string.h>

#include "models/hwrng/oracles.h"
#include "sim/checker.h"
#include "sim/task.h"
#include "sim/world.h"

enum {
  ACCESS_NS = 200,
  WORD_NS = 10000,
  FIFO_WORDS = 4,
  LATE_NS_MAX = 5000000,
  WORD_SZ = 4,
  POLL_SLEEP_US = 200,
  POLL_TIMEOUT_NS = 10000000,
};

// ---- The device ----

static void access(struct qcom_rng_hw *hw) {
  hw_access(&hw->hw, ACCESS_NS);
  if (hw->clk.enabled <= 0)
    sim_fail(&hwrng_oracle_unclocked, "qcom", "%s is touched while its clock is off", hw->hw.name);
  hw_fifo_advance(&hw->fifo);
  if (!hw->fifo.on) hw_fifo_start(&hw->fifo, 0);
}

static bool qcom_hw_data_avail(struct qcom_rng_hw *hw) {
  access(hw);
  hw_fifo_draw_late(&hw->fifo, SIM_SITE_DRAW("qcom-late", SIM_SITE_FAULT, 1, 32), LATE_NS_MAX);
  return hw->fifo.level > 0;
}

static u32 qcom_hw_data_out(struct qcom_rng_hw *hw) {
  access(hw);
  return hw_fifo_take(&hw->fifo);
}

static u64 word_due_ns(const struct hw_device *dev) {
  return hw_fifo_due_ns(&sim_container_of(dev, const struct qcom_rng_hw, hw)->fifo);
}

static bool is_off(const struct hw_device *dev) {
  return sim_container_of(dev, const struct qcom_rng_hw, hw)->clk.enabled == 0;
}

void qcom_rng_hw_init(struct qcom_rng_hw *hw, const char *name, u8 id) {
  *hw = (struct qcom_rng_hw){
      .hw = {.name = name,
             .kind = "qcom",
             .id = id,
             .word_ns_max = WORD_NS + LATE_NS_MAX,
             .word_due_ns = word_due_ns,
             .is_off = is_off},
      .clk = {.name = name},
  };
  hw_fifo_init(&hw->fifo, id, WORD_NS, FIFO_WORDS);
}

// ---- The driver ----

// readl_poll_timeout on the status, 200 us and 10 ms.
static int wait_for_word(struct qcom_rng_hw *hw) {
  u64 end_ns = sim_clock_ns() + POLL_TIMEOUT_NS;

  while (!qcom_hw_data_avail(hw)) {
    if (sim_clock_ns() > end_ns) return qcom_hw_data_avail(hw) ? 0 : -SIM_ETIMEDOUT;
    sim_usleep_range(POLL_SLEEP_US / 4 + 1, POLL_SLEEP_US);
  }
  return 0;
}

// `old`: as the driver was at the time of bug 75.
static int qcom_rng_read(struct qcom_rng *rng, u8 *data, size_t max, bool wait, bool old) {
  size_t currsize = 0;

  while (currsize < max) {
    size_t len = max - currsize < WORD_SZ ? max - currsize : WORD_SZ;
    u32 word;

    if (old || !wait) {
      if (!qcom_hw_data_avail(rng->base)) break;
    } else {
      int err = wait_for_word(rng->base);

      if (err) return err;
    }
    word = qcom_hw_data_out(rng->base);
    memcpy(data + currsize, &word, len);
    if (old && len < WORD_SZ) continue;
    currsize += len;
  }
  return (int)currsize;
}

static struct qcom_rng *to_qcom(struct hwrng *hwrng) {
  return sim_container_of(hwrng, struct qcom_rng, hwrng);
}

static int qcom_hwrng_read(struct hwrng *hwrng, void *data, size_t max, bool wait) {
  struct qcom_rng *rng = to_qcom(hwrng);
  int rc;

  sim_mutex_lock(&rng->lock);
  rc = qcom_rng_read(rng, data, max, wait || rng->config.suspect_waits, false);
  sim_mutex_unlock(&rng->lock);
  return rc;
}

static int qcom_hwrng_init(struct hwrng *hwrng) {
  return clk_prepare_enable(&to_qcom(hwrng)->base->clk);
}

static void qcom_hwrng_cleanup(struct hwrng *hwrng) {
  clk_disable_unprepare(&to_qcom(hwrng)->base->clk);
}

int qcom_rng_generate(struct qcom_rng *rng, u8 *dst, size_t len) {
  int rc;

  sim_mutex_lock(&rng->lock);
  rc = clk_prepare_enable(&rng->base->clk);
  if (!rc) {
    rc = qcom_rng_read(rng, dst, len, true, rng->config.bug_75);
    clk_disable_unprepare(&rng->base->clk);
  }
  sim_mutex_unlock(&rng->lock);
  return rc < 0 ? rc : 0;
}

int qcom_rng_probe(struct qcom_rng_hw *hw, const struct qcom_rng_config *config,
                   struct qcom_rng **out_rng) {
  struct qcom_rng *rng = sim_zalloc(sizeof(*rng), "qcom_rng");
  int err;

  hw->hw.going = false;
  rng->base = hw;
  rng->config = *config;
  sim_mutex_init(&rng->lock, "qcom_rng");
  rng->hwrng.name = hw->hw.name;
  rng->hwrng.init = qcom_hwrng_init;
  rng->hwrng.read = qcom_hwrng_read;
  rng->hwrng.cleanup = qcom_hwrng_cleanup;
  rng->hwrng.quality = config->quality;
  err = devm_hwrng_register(&hw->hw, &rng->hwrng);
  if (err) {
    sim_free(rng);
    return err;
  }
  *out_rng = rng;
  return 0;
}

void qcom_rng_remove(struct qcom_rng *rng) {
  rng->base->hw.going = true;
  devm_hwrng_unregister(&rng->base->hw, &rng->hwrng);
  sim_free(rng);
}
