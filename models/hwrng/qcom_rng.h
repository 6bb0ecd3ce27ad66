// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Qualcomm PRNG and its driver, a model of drivers/crypto/qcom-rng.c: the hwrng side
// as 7.2 has it, and the crypto side (qcom_rng_generate, any length) that kernels of the
// time of planted bug 75 had. Here for that bug.
//
// Corrected here, as 7.2 does it under the suspect qcom_waits: a read without wait takes the
// words that are there. (It may wait for the lock, while the crypto side reads.)
//
// The device has a FIFO of 4 words, 10 us a word (both assumed) and tells whether a word
// is there. Odd behaviour: qcom-late, up to 5 ms.
#ifndef SEEDBED_MODELS_HWRNG_QCOM_RNG_H_
#define SEEDBED_MODELS_HWRNG_QCOM_RNG_H_

#include "models/hwrng/hw_device.h"
#include "models/hwrng/hw_fifo.h"
#include "sim/lock.h"

// The device.
struct qcom_rng_hw {
  struct hw_device hw;
  struct hw_fifo fifo;
  struct hw_clk clk;
};

struct qcom_rng_config {
  u16 quality;         // stated to the core; 0: none
  bool suspect_waits;  // "qcom_waits"
  bool bug_75;         // generate: the last bytes are not counted, a missing word ends it
};

// The driver. Allocated by probe, freed by remove.
struct qcom_rng {
  struct hwrng hwrng;
  struct qcom_rng_hw *base;
  struct sim_mutex lock;  // reads of either side; 7.2 has the hwrng side only
  struct qcom_rng_config config;
};

void qcom_rng_hw_init(struct qcom_rng_hw *hw, const char *name, u8 id);

// qcom_rng_probe registers. Returns 0 or hwrng_register's error, with nothing kept.
SIM_MUST_CHECK int qcom_rng_probe(struct qcom_rng_hw *hw, const struct qcom_rng_config *config,
                                  struct qcom_rng **out_rng);
void qcom_rng_remove(struct qcom_rng *rng);

// qcom_rng_generate fills `len` bytes for the crypto layer. Returns 0, having filled them
// all, or a negative errno. Not while qcom_rng_remove runs.
SIM_MUST_CHECK int qcom_rng_generate(struct qcom_rng *rng, u8 *dst, size_t len);

#endif  // SEEDBED_MODELS_HWRNG_QCOM_RNG_H_
