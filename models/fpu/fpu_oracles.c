// SPDX-License-Identifier: GPL-2.0-or-later
//
// See fpu_oracles.h.
#include "models/fpu/fpu_oracles.h"

#define X(name, id_, status_, sentence_, source_) \
  const struct sim_oracle fpu_oracle_##name = {   \
      .id = id_, .status = status_, .sentence = sentence_, .source = source_};
FPU_ORACLES(X)
#undef X

const struct sim_oracle *const fpu_oracles[] = {
#define X(name, id, status, sentence, source) &fpu_oracle_##name,
    FPU_ORACLES(X)
#undef X
        (const struct sim_oracle *) 0,
};
