// SPDX-License-Identifier: GPL-2.0-or-later
//
// The image that scenarios run on: `--subject=image:FILE`.
//
// The command loads the file and hands its vDSO over before a world is set up; a scenario
// whose `takes_image` is set asks for it in its set-up. It is a setting of the process, as
// the parameters are: no run changes it. Workers and fresh processes that try a finding again
// get it in the same way.
#ifndef SEEDBED_MODELS_VDSO_IMAGE_SUBJECT_H_
#define SEEDBED_MODELS_VDSO_IMAGE_SUBJECT_H_

#include "models/vdso/image.h"

// From now on scenarios run on `image`, which must live until it is replaced; NULL: on the
// built-in subject, as at the start of the process.
void vdso_subject_set(const struct vdso_image *image);

// The image, or NULL for the built-in subject. For set-up.
const struct vdso_image *vdso_subject(void);

// The one image of a file that scenarios can run on: it has __kernel_getrandom and an
// architecture with an engine. NULL with a reason in `err` if there is none, or more than
// one (a 32-bit and a 64-bit vDSO of a big-endian kernel: carve one).
SIM_MUST_CHECK const struct vdso_image *vdso_subject_pick(const struct vdso_images *images,
                                                          char *err, size_t err_len);

#endif  // SEEDBED_MODELS_VDSO_IMAGE_SUBJECT_H_
