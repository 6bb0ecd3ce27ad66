// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the scenarios of a vDSO have in common. See vdso_scenarios.h.
#include <stdio.h>
#include <string.h>

#include "models/vdso/builtin.h"
#include "models/vdso/image_subject.h"
#include "models/vdso/vdso_machine.h"
#include "models/vdso/vdso_scenarios.h"

const char *const vdso_arch_names[] = {"ppc32", "ppc64", "ppc64le", "arm64", NULL};
const char *const vdso_vdso32_names[] = {"own", "compat", NULL};
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

bool vdso_params_refused(const struct sim_params *params, char *err, size_t len) {
  const struct vdso_image *image = vdso_subject();
  const char *bug = sim_params_bug(params), *arch;
  s64 index = 0, fpsimd = 1, compat = 0;

  if (!sim_params_get(params, "arch", &index)) return false;
  arch = image ? vdso_arch_name(image->arch) : vdso_arch_names[index];
  if (bug && image) {
    snprintf(err, len, "planted bugs are of the built-in subject: bug %s is in no image", bug);
    return true;
  }
  if (bug && !vdso_builtin_image(arch, bug)) {
    snprintf(err, len, "bug %s is not made for %s", bug, arch);
    return true;
  }
  if (sim_params_get(params, "fpsimd", &fpsimd) && !fpsimd && strcmp(arch, "arm64") != 0) {
    snprintf(err, len, "fpsimd=0 is arm64's: %s has no such state", arch);
    return true;
  }
  if (sim_params_get(params, "vdso32", &compat) && compat && (!image || strcmp(arch, "ppc32"))) {
    snprintf(err, len, "vdso32=compat is of a kernel tree's ppc32, and not of %s",
             image ? arch : "the built-in subject");
    return true;
  }
  return false;
}
