// SPDX-License-Identifier: GPL-2.0-or-later
//
// Code of a kernel tree for a guest: compiled by tools/kernel-vdso and tools/kernel-archrandom,
// which keep what they made.
#ifndef SEEDBED_TOOLS_KERNEL_GUEST_H_
#define SEEDBED_TOOLS_KERNEL_GUEST_H_

#include <stddef.h>

#include "models/vdso/image.h"
#include "sim/base.h"
#include "sim/scenario.h"
#include "sim/world.h"

// Compiles the vDSO of the tree in `dir` for the architecture that `params` have, and puts the
// image's path into `out`. The script is that below SEEDBED_ROOT; where that is unset, below the
// current folder. What it complains of goes to stderr. Else a status as subject_complete has it
// (tools/subject.h), and `err` says in a line what was tried.
SIM_MUST_CHECK enum sim_status kernel_vdso(const char *dir, const struct sim_params *params,
                                           char *out, size_t out_len, char *err, size_t err_len);

// The same for the functions of arm64's archrandom.h.
SIM_MUST_CHECK enum sim_status kernel_archrandom(const char *dir, char *out, size_t out_len,
                                                 char *err, size_t err_len);

// Whether the image needs nothing but itself: no undefined symbol, no relocation, no branch that
// leaves it. A kernel's build would not have linked it; the script has looked, too.
SIM_MUST_CHECK bool kernel_guest_is_whole(const struct vdso_image *image, char *err, size_t len);

#endif  // SEEDBED_TOOLS_KERNEL_GUEST_H_
