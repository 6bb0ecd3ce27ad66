// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an arm64 kernel patches in its vDSO when it boots, as far as a call of getrandom sees it.
//
// The function begins with a branch to where it serves nothing itself: -ENOSYS to a query, else
// the system call. On a processor that has FPSIMD, without which no ChaCha20 by vectors, the
// kernel replaces it by a NOP (arch/arm64/kernel/vdso/vgetrandom.c, alternative_has_cap_likely;
// arch/arm64/kernel/alternative.c). The number of the capability differs from kernel to kernel;
// that it is this one is told by the place: nothing else in the function has an alternative.
//
// Left out: what lies outside of __kernel_getrandom, which no call of it executes.
#ifndef SEEDBED_MODELS_VDSO_VDSO_ALTERNATIVES_H_
#define SEEDBED_MODELS_VDSO_VDSO_ALTERNATIVES_H_

#include "models/vdso/image.h"

// Patches `memory`, the image's mem_len bytes from its vaddr on, for a processor with FPSIMD or
// without. Nothing is done to an image that is not arm64's, or that has no alternative there and
// is to have FPSIMD. False with a reason in `err`, and nothing patched, where an alternative of
// __kernel_getrandom is none of a branch that a NOP replaces, where they are of several
// capabilities, or where there is none to leave unpatched.
SIM_MUST_CHECK bool vdso_alternatives_apply(const struct vdso_image *image, u8 *memory,
                                            bool has_fpsimd, char *err, size_t err_len);

#endif  // SEEDBED_MODELS_VDSO_VDSO_ALTERNATIVES_H_
