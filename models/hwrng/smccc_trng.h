// SPDX-License-Identifier: GPL-2.0-or-later
//
// The TRNG of Arm firmware (SMCCC, DEN0098) and its driver, a model of
// drivers/char/hw_random/arm_smccc_trng.c (7.2). Here for planted bug 71.
//
// The firmware gives up to 192 bits a call, the last register first, or answers
// NO_ENTROPY several times in a row (draws of class "smccc-no-entropy": 1, 3, 19 or 25
// times). Data is there within 20 calls unless it is 25.
#ifndef SEEDBED_MODELS_HWRNG_SMCCC_TRNG_H_
#define SEEDBED_MODELS_HWRNG_SMCCC_TRNG_H_

#include "models/hwrng/hw_device.h"

// The firmware.
struct smccc_trng_dev {
  struct hw_device hw;
  u32 no_entropy_left;  // answers of NO_ENTROPY still to come
  u32 no_entropy_seen;  // in a row
};

// The driver. Allocated by probe, freed by remove.
struct smccc_trng {
  struct hwrng trng;
  struct smccc_trng_dev *firmware;
  bool bug_71;  // any negative answer is returned before NO_ENTROPY is looked for
};

// An answer to a call of TRNG_RND: the result, and the bits, from a3 downwards.
struct smccc_res {
  s64 a0;
  u64 a1, a2, a3;
};
void smccc_trng_rnd(struct smccc_trng_dev *dev, u32 bits, struct smccc_res *res);

void smccc_trng_dev_init(struct smccc_trng_dev *dev, const char *name, u8 id);

// smccc_trng_probe registers. Returns 0 or hwrng_register's error, with nothing kept.
SIM_MUST_CHECK int smccc_trng_probe(struct smccc_trng_dev *dev, u16 quality, bool bug_71,
                                    struct smccc_trng **out_trng);
void smccc_trng_remove(struct smccc_trng *trng);

#endif  // SEEDBED_MODELS_HWRNG_SMCCC_TRNG_H_
