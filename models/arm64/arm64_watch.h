// SPDX-License-Identifier: GPL-2.0-or-later
//
// The onlooker: judges each call of the arch_get_random functions by what registers and firmware
// did, and by the table of arm64_use.h. It shares no code with the guest; that its calls run in
// the guest engine it does not know.
#ifndef SEEDBED_MODELS_ARM64_ARM64_WATCH_H_
#define SEEDBED_MODELS_ARM64_ARM64_WATCH_H_

#include "models/arm64/arm64_machine.h"

// Situations of which a scenario wants to know that they were met.
enum {
  ARM64_SAW_RNDR_WORD = 1,      // a caller got RNDR's
  ARM64_SAW_SEED_WORD = 2,      // or RNDRRS's
  ARM64_SAW_TRNG_3 = 4,         // three of the firmware
  ARM64_SAW_TRNG_FAIL = 8,      // it gave none
  ARM64_SAW_RNDR_FAIL = 16,     // a register gave none
  ARM64_SAW_NO_RNDRRS = 32,     // RNDRRS gave none, and RNDR would
  ARM64_SAW_UNEQUAL = 64,       // a CPU has FEAT_RNG and its caller may not use it
  ARM64_SAW_PREEMPTIBLE = 128,  // a preemptible caller before capabilities are final
};

struct arm64_watch {
  struct arm64_machine *m;
  u32 design;  // the one whose table holds, whatever a planted bug does
  u32 boot_cpu;
  u32 saw;
  u64 words;  // that callers got
};

// arm64_watch_init makes a zeroed onlooker the machine's judge. In set-up.
void arm64_watch_init(struct arm64_watch *watch, struct arm64_machine *m, u32 design);

#endif  // SEEDBED_MODELS_ARM64_ARM64_WATCH_H_
