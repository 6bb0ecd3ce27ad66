// SPDX-License-Identifier: GPL-2.0-or-later
//
// The EIP76 generator of OMAP and its driver, a model of the read path of
// drivers/char/hw_random/omap-rng.c (7.2): 16 bytes at a time, polled with udelay(10) at
// most 100 times. Here for planted bug 72.
//
// The device takes 500 to 900 us for 16 bytes (the driver's comment says approx. 700 us;
// draws of class "omap-fill") and makes the next after the acknowledgement.
#ifndef SEEDBED_MODELS_HWRNG_OMAP_RNG_H_
#define SEEDBED_MODELS_HWRNG_OMAP_RNG_H_

#include "models/hwrng/hw_device.h"

// The device.
struct omap_rng_hw {
  struct hw_device hw;
  bool enabled;
  u64 ready_ns;  // when the 16 bytes are complete
};

// The driver. Allocated by probe, freed by remove.
struct omap_rng_dev {
  struct hwrng rng;
  struct omap_rng_hw *base;
  u32 fill_timeout;  // polls of 10 us; 100, with bug 72 20
};

void omap_rng_hw_init(struct omap_rng_hw *hw, const char *name, u8 id);

// omap_rng_probe registers. Returns 0 or hwrng_register's error, with nothing kept.
SIM_MUST_CHECK int omap_rng_probe(struct omap_rng_hw *hw, u16 quality, bool bug_72,
                                  struct omap_rng_dev **out_priv);
void omap_rng_remove(struct omap_rng_dev *priv);

#endif  // SEEDBED_MODELS_HWRNG_OMAP_RNG_H_
