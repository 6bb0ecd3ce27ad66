// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_oracles.h.
#include "models/vdso/vdso_oracles.h"

#define X(name, id_, status_, sentence_, source_) \
  const struct sim_oracle vdso_oracle_##name = {  \
      .id = id_, .status = status_, .sentence = sentence_, .source = source_};
VDSO_ORACLES(X)
#undef X

const struct sim_oracle *const vdso_oracles[] = {
#define X(name, id, status, sentence, source) &vdso_oracle_##name,
    VDSO_ORACLES(X)
#undef X
        NULL,
};
