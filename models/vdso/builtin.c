// SPDX-License-Identifier: GPL-2.0-or-later
//
// See builtin.h.
#include "models/vdso/builtin.h"

#include <string.h>

enum { VDSO_BUILTINS_MAX = 160 };

// What was loaded: a function of the constant bytes, so no state that a run could see.
static struct vdso_images loaded[VDSO_BUILTINS_MAX];

const struct vdso_image *vdso_builtin_image(const char *arch, const char *variant) {
  char err[160];

  for (u32 i = 0; vdso_builtins[i].arch; i++) {
    const struct vdso_builtin *builtin = &vdso_builtins[i];

    SIM_ASSERT(i < VDSO_BUILTINS_MAX);
    if (strcmp(builtin->arch, arch) || strcmp(builtin->variant, variant)) continue;
    if (!loaded[i].count &&
        !vdso_images_parse(builtin->bytes, builtin->len, &loaded[i], err, sizeof(err)))
      return NULL;
    return &loaded[i].image[0];
  }
  return NULL;
}
