// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_oracles.h.
#include "models/arm64/arm64_oracles.h"

#define X(name, id, status, sentence, source) \
  const struct sim_oracle arm64_oracle_##name = {id, status, sentence, source};
ARM64_ORACLES(X)
ARM64_BOOT_ORACLES(X)
#undef X
