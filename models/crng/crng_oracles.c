// SPDX-License-Identifier: GPL-2.0-or-later
//
// See crng_oracles.h.
#include "models/crng/crng_oracles.h"

#define X(name, id_, status_, sentence_, source_) \
  const struct sim_oracle crng_oracle_##name = {  \
      .id = id_, .status = status_, .sentence = sentence_, .source = source_};
CRNG_ORACLES(X)
#undef X

const struct sim_oracle *const crng_oracles[] = {
#define X(name, id, status, sentence, source) &crng_oracle_##name,
    CRNG_ORACLES(X)
#undef X
        (const struct sim_oracle *) 0,
};
