// SPDX-License-Identifier: GPL-2.0-or-later
//
// The boot guest's code (guest_asm/archrandom.S), assembled when seedbed is built: one text for
// each design, for whether preemption is counted, for what has been patched, and for each
// planted bug.
//
// Designs, by who may use RNDR when. All end as ARM64_ALTERNATIVE once capabilities are final.
//
//   ARM64_EARLY_VARIANTS  6.1: random_init_early has functions of its own, which read
//                         ID_AA64ISAR0_EL1; all others the alternative, which is false until then
//   ARM64_LOCAL_CAP       6.2 to 7.2: each call reads the register of its CPU, unless it is
//                         preemptible: then the alternative
//   ARM64_SANITISED       the patch of 20 July 2026: as before, and in place of the register the
//                         value that cpufeature.c keeps of it
//   ARM64_ALTERNATIVE     nothing but the alternative
#ifndef SEEDBED_MODELS_ARM64_ARM64_TEXT_H_
#define SEEDBED_MODELS_ARM64_ARM64_TEXT_H_

#include "models/arm64/guest_asm/arm64_data.h"
#include "sim/base.h"

// What a variant is, in the numbers of guest_asm/arm64_data.h, and its code.
struct arm64_text {
  const u8 *code;
  u32 len;            // bytes, at most a page
  u32 fn[ARM64_FNS];  // offsets of its functions
};

// arm64_text_find tells a variant; there is one for each combination. `out_text` points to memory
// that lives as long as the process.
void arm64_text_find(u32 design, bool counted, u32 patched, u32 bug, struct arm64_text *out_text);

// "arch_get_random_longs", ...
extern const char *const arm64_fn_names[ARM64_FNS];
// Names of the designs, and of the bugs as --bug takes them, NULL-terminated. The first bug is
// NULL: none.
extern const char *const arm64_design_names[];
extern const char *const arm64_bug_names[ARM64_BUGS];

// Generated: the table, then the texts.
extern const u8 arm64_texts[];
extern const u32 arm64_texts_len;

#endif  // SEEDBED_MODELS_ARM64_ARM64_TEXT_H_
