// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who may use RNDR and RNDRRS when: a table over design, phase, preemptible, this CPU has them,
// the boot CPU has them, all that have come have them. It is docs/ARM64.md's.
#ifndef SEEDBED_MODELS_ARM64_ARM64_USE_H_
#define SEEDBED_MODELS_ARM64_ARM64_USE_H_

#include "models/arm64/arm64_machine.h"

// What a caller is, as bits of a row: a row holds where each of the caller's bits is in it.
enum {
  ARM64_NO = 1,
  ARM64_YES = 2,
  ARM64_ANY = ARM64_NO | ARM64_YES,
};

struct arm64_use {
  u32 design, phases;                            // phases: bits 1 << enum arm64_phase
  u8 preemptible, this_has, boot_has, all_have;  // ARM64_NO, _YES, _ANY
  bool used;                                     // a call reads the register, once
  const char *source;
};

// The rows; each caller is in exactly one.
extern const struct arm64_use arm64_uses[];
extern const u32 arm64_num_uses;

// The row of a caller.
const struct arm64_use *arm64_use_of(u32 design, enum arm64_phase phase, bool preemptible,
                                     bool this_has, bool boot_has, bool all_have);
// Reads of ID_AA64ISAR0_EL1 that a call makes by that design before it decides.
u32 arm64_reads_of(u32 design, enum arm64_phase phase, bool preemptible);

#endif  // SEEDBED_MODELS_ARM64_ARM64_USE_H_
