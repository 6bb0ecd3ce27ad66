// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions of a kernel tree's archrandom.h, as tools/kernel-archrandom compiled them
// (`--subject=kernel:DIR`): in place of those of the built-in text (arm64_text.h). What a kernel
// does with its ID registers when a CPU comes, and all else, stays the built-in text's.
//
// The command hands the image over before a world is set up: a setting of the process, as the
// parameters are; no run changes it.
#ifndef SEEDBED_MODELS_ARM64_ARM64_TREE_H_
#define SEEDBED_MODELS_ARM64_ARM64_TREE_H_

#include "models/arm64/arm64_text.h"
#include "models/guest/guest.h"
#include "models/vdso/image.h"

struct arm64_tree {
  const struct vdso_image *image;
  // By whether preemption is counted and what has been patched: addresses in the guest, 0 where
  // the tree has no such function.
  u64 fn[2][ARM64_PATCHES][ARM64_FNS];
  bool before_6_2;  // by its Makefile: random_init_early has functions of its own
};

// From now on machines are set up with the functions of `image`, which must live until it is
// replaced; NULL: with the built-in text, as at the start of the process. Returns false, with a
// reason in `err` and nothing changed, where it has not all that is needed.
SIM_MUST_CHECK bool arm64_tree_set(const struct vdso_image *image, char *err, size_t len);
// The functions, or NULL for the built-in text. For set-up.
const struct arm64_tree *arm64_tree(void);

// Maps what `tree` has, and its symbols, in all `num` engines; the memory is the first one's. In
// set-up.
void arm64_tree_map(const struct arm64_tree *tree, struct guest *const *engines, u32 num);

#endif  // SEEDBED_MODELS_ARM64_ARM64_TREE_H_
