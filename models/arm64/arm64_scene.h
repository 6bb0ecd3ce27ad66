// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the arm64 scenarios share: parameters of machine and hardware, planted bugs, and the draws
// of what the hardware is.
#ifndef SEEDBED_MODELS_ARM64_ARM64_SCENE_H_
#define SEEDBED_MODELS_ARM64_ARM64_SCENE_H_

#include "models/arm64/arm64_machine.h"
#include "models/arm64/arm64_watch.h"
#include "sim/scenario.h"

struct arm64_scene {
  struct arm64_machine machine;
  struct arm64_watch watch;
  u32 rndr, unequal, smccc, trng, conduit;  // parameters; the last value of each: drawn
};

// Whose RNDR is as drawn; the others have none.
enum arm64_unequal {
  ARM64_EQUAL,
  ARM64_BOOT_ONLY,    // the boot CPU's
  ARM64_OTHERS_ONLY,  // all but it
  ARM64_LAST_LACKS,   // all but the last CPU to come
};
enum { ARM64_UNEQUALS = ARM64_LAST_LACKS + 1 };
extern const char *const arm64_unequal_names[], *const arm64_conduit_names[];

// Prepares a zeroed scene by the parameters below. In set-up.
void arm64_scene_init(struct arm64_scene *scene);
// The first thing of a run: the machine begins anew, its hardware drawn where it is not set.
void arm64_scene_begin(struct arm64_scene *scene);

// And the second: before all that the boot does, kaslr asks its CPU. Of a tree's function alone.
void arm64_scene_kaslr(struct arm64_scene *scene);
// For `refuses`: bugs and suspects of functions that the tree has its own of.
bool arm64_scene_refuses(const struct sim_params *params, char *err, size_t len);

// What arm64_scene_init reads.
#define ARM64_SCENE_PARAMS                                                                         \
  {"design",          ARM64_OWN_DESIGN, 0, 0, "", "who may use RNDR when: see docs/ARM64.md",      \
   arm64_design_names},                                                                            \
      {"rndr", ARM64_RNDR_KINDS, 0, 0, "", "what RNDR and RNDRRS do", arm64_rndr_names},           \
      {"unequal", ARM64_UNEQUALS, 0, 0, "", "which CPUs have them", arm64_unequal_names},          \
      {"smccc", ARM64_SMCCC_KINDS, 0, 0, "", "version that the firmware says", arm64_smccc_names}, \
      {"trng", ARM64_TRNG_KINDS, 0, 0, "", "and of its TRNG", arm64_trng_names},                   \
      {"conduit", ARM64_CONDUIT_HVC + 1, 0, 0, "", "how it is called", arm64_conduit_names},       \
      {"tid3", 1, 0, 1, "", "a hypervisor traps the ID registers (HCR_EL2.TID3)"},                 \
      {"trap_ns", 1000, 0, 100000, "ns", "what such a trap costs"},                                \
      {"el3_ns", 2000, 0, 100000, "ns", "a trap of RNDR to EL3 (FEAT_RNG_TRAP)"},                  \
      {"smccc_ns", 2000, 0, 100000, "ns", "a call of the firmware"},                               \
      {"insn_ps", 500, 0, 100000, "ps", "an instruction"}, {                                       \
    "weak", 0, 0, 0, "", "the guest's calls are not modelled with weak memory"                     \
  }

// Planted bugs in what the guest does, wherever its functions are called.
#define ARM64_SCENE_BUGS                                                                 \
  {"25",                                                                                 \
   "RNDR is looked for by random_init_early alone until all CPUs have come; \"random: "  \
   "remove early archrandom abstraction\""},                                             \
      {"27", "each call reads ID_AA64ISAR0_EL1, as 6.2 to 7.2 do: design=local-cap"},    \
      {"while-not-ok", "RNDR and RNDRRS are read until they give a word"},               \
      {"failed-value", "what a register holds that failed is taken for a word"},         \
      {"trng-failed-value",                                                              \
       "what the firmware leaves in its registers is taken, whatever it says"},          \
      {"trng-number", "the firmware is asked for three words, however many are needed"}, \
      {"trng-retry", "the firmware is asked until it has entropy"}, {                    \
    "trng-order", "the firmware's words are taken from x1 on"                            \
  }
// And in what it does as it boots.
#define ARM64_SCENE_BOOT_BUGS                                                \
  {"trng-old", "a TRNG is used whatever version it says"}, {                 \
    "cap-latched", "the kept register stays the boot CPU's when others come" \
  }

#endif  // SEEDBED_MODELS_ARM64_ARM64_SCENE_H_
