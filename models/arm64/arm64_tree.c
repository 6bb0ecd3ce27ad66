// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_tree.h.
#include "models/arm64/arm64_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Settings of the process, not state of a run.
static struct arm64_tree tree;
static struct guest_symbol symbols[VDSO_SYMBOLS_MAX];

// Which functions a tree has of its own; the others are the built-in text's.
static const bool of_tree[ARM64_FNS] = {
    [ARM64_FN_RANDOM_LONGS] = true,       [ARM64_FN_RANDOM_SEED_LONGS] = true,
    [ARM64_FN_RANDOM_LONGS_EARLY] = true, [ARM64_FN_RANDOM_SEED_LONGS_EARLY] = true,
    [ARM64_FN_SMCCC_INIT] = true,         [ARM64_FN_EARLY_HAS] = true,
};

static bool may_lack(u32 fn) {
  return fn == ARM64_FN_RANDOM_LONGS_EARLY || fn == ARM64_FN_RANDOM_SEED_LONGS_EARLY;
}

static u64 address_of(const struct vdso_image *image, const char *name) {
  const struct vdso_symbol *symbol = vdso_symbol_find(image, name);

  return symbol ? ARM64_TREE_ADDR + symbol->value - image->vaddr : 0;
}

// "NAME.COUNTED.PATCHED"
static u64 variant_of(const struct vdso_image *image, const char *name, u32 counted, u32 patched) {
  char full[96];

  snprintf(full, sizeof(full), "%s.%u.%u", name, counted, patched);
  return address_of(image, full);
}

static bool find_functions(struct arm64_tree *out, u32 counted, u32 patched, char *err,
                           size_t len) {
  for (u32 fn = 0; fn < ARM64_FNS; fn++) {
    const char *name = arm64_fn_names[fn];
    u64 *at = &out->fn[counted][patched][fn];

    if (!of_tree[fn]) continue;
    *at = fn == ARM64_FN_SMCCC_INIT ? address_of(out->image, "__kernel_psci_init_smccc")
                                    : variant_of(out->image, name, counted, patched);
    if (*at || may_lack(fn)) continue;
    snprintf(err, len, "it has no %s", name);
    return false;
  }
  return true;
}

bool arm64_tree_set(const struct vdso_image *image, char *err, size_t len) {
  struct arm64_tree found = {.image = image};
  char *end;
  unsigned long major;

  if (image) {
    if (image->arch != VDSO_ARM64 || image->num_segments != 1 || image->segments[0].is_writable) {
      snprintf(err, len, "it is not what tools/kernel-archrandom makes");
      return false;
    }
    for (u32 i = 0; i < 2 * ARM64_PATCHES; i++)
      if (!find_functions(&found, i / ARM64_PATCHES, i % ARM64_PATCHES, err, len)) return false;
    major = strtoul(image->version, &end, 10);
    found.before_6_2 = major < 6 || (major == 6 && *end == '.' && strtoul(end + 1, NULL, 10) < 2);
  }
  tree = found;
  return true;
}

const struct arm64_tree *arm64_tree(void) { return tree.image ? &tree : NULL; }

void arm64_tree_map(const struct arm64_tree *mapped, struct guest *const *engines, u32 num) {
  const struct vdso_image *image = mapped->image;
  size_t len = (image->mem_len + GUEST_PAGE - 1) / GUEST_PAGE * GUEST_PAGE;
  u8 *text = guest_pages(engines[0], len);
  u32 count = 0;

  memcpy(text, image->bytes + image->segments[0].offset, image->segments[0].file_len);
  for (u32 i = 0; i < image->num_symbols; i++)
    if (image->symbols[i].is_function)
      symbols[count++] = (struct guest_symbol){
          .name = image->symbols[i].name,
          .addr = ARM64_TREE_ADDR + image->symbols[i].value - image->vaddr,
          .size = image->symbols[i].len,
      };
  for (u32 i = 0; i < num; i++) {
    if (!guest_map(engines[i], ARM64_TREE_ADDR, text, len, GUEST_READ | GUEST_EXEC))
      SIM_ASSERT(!"a tree's text is mapped");
    guest_set_symbols(engines[i], symbols, count);
  }
}
