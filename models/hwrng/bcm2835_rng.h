// SPDX-License-Identifier: GPL-2.0-or-later
//
// The driver of the bcm2835 random number generator: a model of
// drivers/char/hw_random/bcm2835-rng.c (7.2), under its names.
//
//   here                                     bcm2835-rng.c
//   bcm2835_rng_init, _read, _cleanup        the same
//   bcm2835_rng_probe                        the same
//   bcm2835_rng_remove                       what devres does when the driver goes
//
// It has neither suspend nor resume. How it waits for a word is a policy: the present
// one and those that were tried before it or in the thread "hwrng: bcm2835: Fix hwrng
// throughput regression" (2023).
//
// Corrected here, as 7.2 does it under a suspect: a wait that `dying` or a signal has
// ended ends the read, and so does a second without a word (the limit of
// iproc-rng200); the words to take are counted by the same read of STATUS that ended the
// wait.
#ifndef SEEDBED_MODELS_HWRNG_BCM2835_RNG_H_
#define SEEDBED_MODELS_HWRNG_BCM2835_RNG_H_

#include "models/hwrng/bcm2835_dev.h"
#include "models/hwrng/hwrng.h"
#include "sim/base.h"

// How the read waits while the FIFO is empty, in the order of the published table.
// X(enum, name)
#define BCM2835_POLICIES(X)                  \
  X(CPU_RELAX, "cpu_relax")                  \
  X(MSLEEP_1000, "hwrng_msleep(1000)")       \
  X(USLEEP_100_200, "usleep_range(100,200)") \
  X(USLEEP_200_400, "usleep_range(200,400)") \
  X(MSLEEP_20, "hwrng_msleep(20)")           \
  X(YIELD, "hwrng_yield")

enum bcm2835_policy {
#define X(id, name) BCM2835_POLICY_##id,
  BCM2835_POLICIES(X)
#undef X
      BCM2835_POLICY_COUNT
};
// Their names, NULL-terminated: for a parameter.
extern const char *const bcm2835_policy_names[BCM2835_POLICY_COUNT + 1];

struct bcm2835_rng_config {
  enum bcm2835_policy policy;
  bool mask_interrupts;        // nsp and 5301x
  u16 quality;                 // stated to the core; 0: none, as the driver has it
  bool suspect_yield_ignored;  // the result of the wait is not looked at
  bool suspect_status_twice;   // STATUS is read again for the number of words
  bool bug_words_lost;         // the last word that is read is not counted, if there are several
  bool bug_wait_ignored;       // a read waits, also where it was told not to
  bool bug_cold_start;         // init starts the generator without its warm-up
};

// Allocated by probe, freed by remove.
struct bcm2835_rng_priv {
  struct hwrng rng;
  struct bcm2835_dev *base;
  struct hw_clk *clk;
  struct hw_reset *reset;
  struct bcm2835_rng_config config;
};

// bcm2835_rng_config_from_params reads the parameter `policy`, the suspects
// bcm2835_yield_ignored and bcm2835_status_twice, the bugs 62 and 63, which are policies, and
// words-lost, wait-ignored and cold-start. In set-up.
void bcm2835_rng_config_from_params(struct bcm2835_rng_config *out_config);

// bcm2835_rng_probe registers a driver for `dev` (borrowed) under the device's name.
// Returns 0 and the driver in *out_priv; or hwrng_register's error, with nothing kept.
SIM_MUST_CHECK int bcm2835_rng_probe(struct bcm2835_dev *dev,
                                     const struct bcm2835_rng_config *config,
                                     struct bcm2835_rng_priv **out_priv);
// bcm2835_rng_remove unregisters and frees the driver.
void bcm2835_rng_remove(struct bcm2835_rng_priv *priv);

#endif  // SEEDBED_MODELS_HWRNG_BCM2835_RNG_H_
