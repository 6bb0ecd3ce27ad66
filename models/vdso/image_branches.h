// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the direct branches of an image go.
#ifndef SEEDBED_MODELS_VDSO_IMAGE_BRANCHES_H_
#define SEEDBED_MODELS_VDSO_IMAGE_BRANCHES_H_

#include "models/vdso/image.h"

// Whether each branch and call in .text whose target its own word tells (PowerPC: b, bc and their
// kin; arm64: b, bl, b.cond, cbz, tbz) ends within an executable segment. If not, `out_at` and
// `out_to` are the link-time addresses of the first that does not, and where that goes. True for
// an architecture that does not run here. Data between functions are taken for instructions, so
// this is for images that hold none there: those that tools/kernel-vdso makes.
SIM_MUST_CHECK bool vdso_image_branches_stay(const struct vdso_image *image, u64 *out_at,
                                             u64 *out_to);

#endif  // SEEDBED_MODELS_VDSO_IMAGE_BRANCHES_H_
