// SPDX-License-Identifier: GPL-2.0-or-later
//
// One vDSO's ELF file, read through libelf and checked. Internal to models/vdso.
#ifndef SEEDBED_MODELS_VDSO_IMAGE_ELF_H_
#define SEEDBED_MODELS_VDSO_IMAGE_ELF_H_

#include "models/vdso/image.h"

// What a candidate turned out to be.
enum image_verdict {
  IMAGE_GOOD,    // a vDSO
  IMAGE_BROKEN,  // a shared object, or a header that cannot be read: it breaks a rule
  IMAGE_OTHER,   // an ELF file of another kind, or a shared object that is no vDSO
};

// Reads the vDSO that begins at bytes[0] and is at most `len` bytes long; what follows its
// end is not looked at. `is_all`: the file ends after `len` bytes, so an image that goes on
// is cut off; otherwise it is too large. On IMAGE_GOOD, `out` owns copies of all it holds,
// but for where it was found, which is left empty; free with vdso_image_free. Otherwise it is
// empty, and `err` has the reason.
enum image_verdict vdso_image_read(const u8 *bytes, u64 len, bool is_all, struct vdso_image *out,
                                   char *err, size_t err_len);
void vdso_image_free(struct vdso_image *image);

#endif  // SEEDBED_MODELS_VDSO_IMAGE_ELF_H_
