// SPDX-License-Identifier: GPL-2.0-or-later
//
// The built-in vDSO images: our own getrandom and ChaCha20 (guest_asm/), assembled when
// seedbed is built, so that scenarios need no kernel.
#ifndef SEEDBED_MODELS_VDSO_BUILTIN_H_
#define SEEDBED_MODELS_VDSO_BUILTIN_H_

#include "models/vdso/image.h"

struct vdso_builtin {
  const char *arch;     // "ppc32", "ppc64", "ppc64le", "arm64"
  const char *variant;  // "clean", a planted bug's id, suspects joined by '+'; "clean+bytes"
  const u8 *bytes;      // an ELF file
  u64 len;
};

// Generated; the last one's arch is NULL.
extern const struct vdso_builtin vdso_builtins[];

// The image of that architecture and variant, loaded when it is first asked for and kept for
// as long as the process lives. NULL if there is none.
const struct vdso_image *vdso_builtin_image(const char *arch, const char *variant);

#endif  // SEEDBED_MODELS_VDSO_BUILTIN_H_
