// SPDX-License-Identifier: GPL-2.0-or-later
//
// See oracles.h.
#include "models/hwrng/oracles.h"

#define X(name, id_, status_, sentence_, source_) \
  const struct sim_oracle hwrng_oracle_##name = { \
      .id = id_, .status = status_, .sentence = sentence_, .source = source_};
HWRNG_ORACLES(X)
#undef X

const struct sim_oracle *const hwrng_oracles[] = {
#define X(name, id, status, sentence, source) &hwrng_oracle_##name,
    HWRNG_ORACLES(X)
#undef X
        (const struct sim_oracle *) 0,
};
