// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the scenarios of a vDSO have in common. See vdso_scenarios.h.
#include <stdio.h>

#include "models/vdso/vdso_machine.h"
#include "models/vdso/vdso_scenarios.h"

const char *const vdso_arch_names[] = {"ppc32", "ppc64", "ppc64le", "arm64", NULL};
const char *const vdso_key_order_names[] = {"words", "bytes", NULL};

void vdso_setting_from_params(struct vdso_setting *out, char *variant, size_t len,
                              const struct sim_bug *bugs) {
  static const enum guest_arch archs[] = {GUEST_PPC32, GUEST_PPC64, GUEST_PPC64LE, GUEST_ARM64};
  // Where the scenario has no such suspect it is off.
  bool pair = sim_suspect("flags_pair"), trusted = sim_suspect("state_trusted");

  *out = (struct vdso_setting){
      .arch = archs[sim_param("arch")],
      .variant = variant,
      .key_bytes = sim_param("key_order") == 1,
  };
  snprintf(variant, len, "%s",
           pair && trusted  ? "flags_pair+state_trusted"
           : pair           ? "flags_pair"
           : trusted        ? "state_trusted"
           : out->key_bytes ? "clean+bytes"
                            : "clean");
  for (; bugs->id; bugs++)
    if (sim_bug(bugs->id)) snprintf(variant, len, "%s", bugs->id);
}
