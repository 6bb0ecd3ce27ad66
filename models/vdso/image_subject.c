// SPDX-License-Identifier: GPL-2.0-or-later
//
// See image_subject.h.
#include "models/vdso/image_subject.h"

#include <stdio.h>

// A setting of the process, not state of a run.
static const struct vdso_image *subject;

void vdso_subject_set(const struct vdso_image *image) { subject = image; }

const struct vdso_image *vdso_subject(void) { return subject; }

const struct vdso_image *vdso_subject_pick(const struct vdso_images *images, char *err,
                                           size_t err_len) {
  const struct vdso_image *picked = NULL;

  for (u32 i = 0; i < images->count; i++) {
    const struct vdso_image *image = &images->image[i];

    if (!vdso_arch_runs(image->arch) || !vdso_symbol_find(image, "__kernel_getrandom")) continue;
    if (picked) {
      snprintf(err, err_len, "it holds a vDSO for %s and one for %s: carve one of them",
               vdso_arch_name(picked->arch), vdso_arch_name(image->arch));
      return NULL;
    }
    picked = image;
  }
  if (!picked)
    snprintf(
        err, err_len,
        "none of its vDSOs has __kernel_getrandom for an architecture that runs: PowerPC, of 32 "
        "and 64 bits, and arm64");
  return picked;
}
