// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_oracles.h.
#include "models/vdso/vdso_oracles.h"

#include "models/vdso/vdso_profile.h"
#include "sim/checker.h"

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

void vdso_report_twice(const struct vdso_twice *twice) {
  if (!twice->path)
    sim_report(&vdso_oracle_timing, "", "two runs with different keys took different paths");
  for (u32 i = 0; i < twice->num_where; i++)
    sim_report(&vdso_oracle_varies, twice->where[i], "%s varies with the key", twice->where[i]);
}
