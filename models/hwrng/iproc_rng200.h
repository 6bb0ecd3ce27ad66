// SPDX-License-Identifier: GPL-2.0-or-later
//
// The driver of the iProc RNG200: a model of drivers/char/hw_random/iproc-rng200.c (7.2),
// under its names.
//
// Its read waits up to a second for each word (usleep_range of 10 us a byte that is
// left, at most 500, to 500 us), which neither `dying` nor a signal ends; and restarts
// the device once when a health test has failed.
//
// Corrected here, as 7.2 does it under the suspect iproc_pm: resume switches the device
// on only if it is in use; a restart does not switch it on again while it is suspended;
// no word is taken that was counted before a suspend.
#ifndef SEEDBED_MODELS_HWRNG_IPROC_RNG200_H_
#define SEEDBED_MODELS_HWRNG_IPROC_RNG200_H_

#include "models/hwrng/hwrng.h"
#include "models/hwrng/iproc_rng200_dev.h"
#include "sim/base.h"
#include "sim/lock.h"

struct iproc_rng200_config {
  u16 quality;      // stated to the core; 0: none, as the driver has it
  bool suspect_pm;  // "iproc_pm"
};

// Allocated by probe, freed by remove.
struct iproc_rng200_priv {
  struct hwrng rng;
  struct iproc_rng200_dev *base;
  struct iproc_rng200_config config;
  struct sim_mutex lock;  // corrected: the registers and the two below
  bool in_use, suspended;
};

// iproc_rng200_probe registers a driver for `dev` (borrowed). Returns 0 and the driver in
// *out_priv; or hwrng_register's error, with nothing kept.
SIM_MUST_CHECK int iproc_rng200_probe(struct iproc_rng200_dev *dev,
                                      const struct iproc_rng200_config *config,
                                      struct iproc_rng200_priv **out_priv);
// iproc_rng200_remove unregisters and frees the driver.
void iproc_rng200_remove(struct iproc_rng200_priv *priv);

// System sleep: suspend switches the device off, resume on. Not at the same time as
// probe and remove (the driver core's device lock).
void iproc_rng200_suspend(struct iproc_rng200_priv *priv);
void iproc_rng200_resume(struct iproc_rng200_priv *priv);

#endif  // SEEDBED_MODELS_HWRNG_IPROC_RNG200_H_
