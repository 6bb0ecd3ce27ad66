// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_text.h.
#include "models/arm64/arm64_text.h"

const char *const arm64_fn_names[ARM64_FNS] = {
    "arch_get_random_longs",
    "arch_get_random_seed_longs",
    "arch_get_random_longs_early",
    "arch_get_random_seed_longs_early",
    "psci_init_smccc",
    "cpuinfo_store_cpu",
    "read_all",
    "__early_cpu_has_rndr",
};

const char *const arm64_design_names[] = {"early-variants", "local-cap", "sanitised",
                                          "alternative",    "own",       NULL};

const char *const arm64_bug_names[ARM64_BUGS] = {
    NULL,          "query-preemptible", "while-not-ok", "failed-value", "trng-failed-value",
    "trng-number", "trng-retry",        "trng-order",   "trng-old",     "cap-latched",
};

// A line of the table: design, counted, patched, bug, offset, length, functions.
enum { LINE_WORDS = 6 + ARM64_FNS };

static u32 word(u32 index) {
  const u8 *at = arm64_texts + 4 * (size_t)index;

  return (u32)at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

void arm64_text_find(u32 design, bool counted, u32 patched, u32 bug, struct arm64_text *out_text) {
  for (u32 line = 0; word(line) != UINT32_MAX; line += LINE_WORDS) {
    if (word(line) != design || word(line + 1) != counted || word(line + 2) != patched ||
        word(line + 3) != bug)
      continue;
    out_text->code = arm64_texts + word(line + 4);
    out_text->len = word(line + 5);
    for (u32 fn = 0; fn < ARM64_FNS; fn++) out_text->fn[fn] = word(line + 6 + fn);
    SIM_ASSERT(out_text->code + out_text->len <= arm64_texts + arm64_texts_len);
    return;
  }
  SIM_ASSERT(!"a text exists");
}
