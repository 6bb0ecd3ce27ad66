// SPDX-License-Identifier: GPL-2.0-or-later
//
// See hw_device.h.
#include "models/hwrng/hw_device.h"

#include <stdio.h>
#include <string.h>

#include "models/hwrng/hwrng_subject.h"
#include "models/hwrng/hwrng_world.h"
#include "models/hwrng/oracles.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/task.h"
#include "sim/world.h"

int devm_hwrng_register(struct hw_device *dev, struct hwrng *rng) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;
  int err;

  if (hooks->registering) hooks->registering(dev, rng);
  err = hwrng_subject_register(rng);
  if (hooks->registered) hooks->registered(dev, rng, err);
  return err;
}

void devm_hwrng_unregister(struct hw_device *dev, struct hwrng *rng) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;

  if (hooks->unregistering) hooks->unregistering(dev, rng);
  hwrng_subject_unregister(rng);
  if (hooks->unregistered) hooks->unregistered(dev, rng);
}

void hw_access(struct hw_device *dev, u32 cost_ns) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;

  sim_point(SIM_SITE("mmio"), dev, cost_ns);
  if (hooks->accessed) hooks->accessed(dev);
}

void hwrng_taken(const u8 *data, size_t len) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;

  if (hooks->taken) hooks->taken(data, len);
}

size_t copy_to_user(void *to, const void *from, size_t len) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;

  memcpy(to, from, len);
  if (hooks->copied) hooks->copied(to, len);
  return 0;
}

int clk_prepare_enable(struct hw_clk *clk) {
  if (!clk) return 0;
  sim_might_sleep("clk_prepare_enable");
  if (sim_choose(sim_w, SIM_SITE_DRAW("clk-fail", SIM_SITE_FAULT, 1, 64), 2)) return -SIM_EIO;
  clk->enabled++;
  clk->times++;
  return 0;
}

void clk_disable_unprepare(struct hw_clk *clk) {
  if (!clk) return;
  sim_might_sleep("clk_disable_unprepare");
  if (clk->enabled == 0) {
    char stable[64] = "clock below zero";

    // Of a kernel tree's driver with its name: see watch.c.
    if (hwrng_world()->kernel)
      snprintf(stable, sizeof(stable), "%.*s: clock below zero", (int)strcspn(clk->name, "."),
               clk->name);
    sim_fail(&hwrng_oracle_balance, stable, "clock %s is switched off more often than on",
             clk->name);
  }
  clk->enabled--;
}

int reset_control_reset(struct hw_reset *reset) {
  if (!reset) return 0;
  if (sim_choose(sim_w, SIM_SITE_DRAW("reset-fail", SIM_SITE_FAULT, 1, 64), 2)) return -SIM_EIO;
  reset->pulse(reset->arg);
  reset->times++;
  return 0;
}
