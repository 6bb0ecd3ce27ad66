// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_use.h.
#include "models/arm64/arm64_use.h"

#define P(name) (1u << ARM64_PHASE_##name)
#define ALL_PHASES (P(ARCH) | P(EARLY) | P(BOOT) | P(SMP) | P(FINAL))
#define UNTIL_FINAL (ALL_PHASES & ~P(FINAL))

#define EARLY_6_1 "__early_cpu_has_rndr, 6.1: the _early functions of random_init_early"
#define GAP_6_1                                                                                \
  "cpus_have_const_cap, 6.1: not until all CPUs have come (\"random: remove early archrandom " \
  "abstraction\", 1 Nov 2022)"
#define CAP "ARM64_HAS_RNG, a system capability: all CPUs had it when they became final"
#define LOCAL "__cpu_has_rng, 7.2: this_cpu_has_cap, the register of the CPU"
#define PREEMPTIBLE "__cpu_has_rng, 7.2: preemptible, so the alternative, which is not patched yet"
#define SANITISED \
  "the patch of 20 Jul 2026: the sanitised register, the lowest of all CPUs that have come"
#define UNKNOWN "cpufeature.c, 7.2: before smp_prepare_boot_cpu the sanitised register is 0"
#define ALTERNATIVE "alternative_has_cap_unlikely: not until it has been patched"

const struct arm64_use arm64_uses[] = {
    // design, phases, preemptible, this CPU, boot CPU, all that have come; used
    {ARM64_EARLY_VARIANTS, P(EARLY), ARM64_ANY, ARM64_YES, ARM64_ANY, ARM64_ANY, true, EARLY_6_1},
    {ARM64_EARLY_VARIANTS, P(EARLY), ARM64_ANY, ARM64_NO, ARM64_ANY, ARM64_ANY, false, EARLY_6_1},
    {ARM64_EARLY_VARIANTS, P(ARCH) | P(BOOT) | P(SMP), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_ANY,
     false, GAP_6_1},

    {ARM64_LOCAL_CAP, UNTIL_FINAL, ARM64_NO, ARM64_YES, ARM64_ANY, ARM64_ANY, true, LOCAL},
    {ARM64_LOCAL_CAP, UNTIL_FINAL, ARM64_NO, ARM64_NO, ARM64_ANY, ARM64_ANY, false, LOCAL},
    {ARM64_LOCAL_CAP, UNTIL_FINAL, ARM64_YES, ARM64_ANY, ARM64_ANY, ARM64_ANY, false, PREEMPTIBLE},

    {ARM64_SANITISED, P(ARCH), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_ANY, false, UNKNOWN},
    {ARM64_SANITISED, P(EARLY) | P(BOOT), ARM64_NO, ARM64_ANY, ARM64_YES, ARM64_YES, true,
     SANITISED},
    {ARM64_SANITISED, P(EARLY) | P(BOOT), ARM64_NO, ARM64_ANY, ARM64_YES, ARM64_NO, false,
     SANITISED},
    {ARM64_SANITISED, P(EARLY) | P(BOOT), ARM64_NO, ARM64_ANY, ARM64_NO, ARM64_ANY, false,
     SANITISED},
    {ARM64_SANITISED, P(SMP), ARM64_NO, ARM64_ANY, ARM64_ANY, ARM64_YES, true, SANITISED},
    {ARM64_SANITISED, P(SMP), ARM64_NO, ARM64_ANY, ARM64_ANY, ARM64_NO, false, SANITISED},
    {ARM64_SANITISED, P(EARLY) | P(BOOT) | P(SMP), ARM64_YES, ARM64_ANY, ARM64_ANY, ARM64_ANY,
     false, PREEMPTIBLE},

    {ARM64_ALTERNATIVE, UNTIL_FINAL, ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_ANY, false,
     ALTERNATIVE},

    {ARM64_EARLY_VARIANTS, P(FINAL), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_YES, true, CAP},
    {ARM64_EARLY_VARIANTS, P(FINAL), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_NO, false, CAP},
    {ARM64_LOCAL_CAP, P(FINAL), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_YES, true, CAP},
    {ARM64_LOCAL_CAP, P(FINAL), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_NO, false, CAP},
    {ARM64_SANITISED, P(FINAL), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_YES, true, CAP},
    {ARM64_SANITISED, P(FINAL), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_NO, false, CAP},
    {ARM64_ALTERNATIVE, P(FINAL), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_YES, true, CAP},
    {ARM64_ALTERNATIVE, P(FINAL), ARM64_ANY, ARM64_ANY, ARM64_ANY, ARM64_NO, false, CAP},
};
const u32 arm64_num_uses = SIM_ARRAY_SIZE(arm64_uses);

static bool has(u8 of_row, bool value) { return of_row & (value ? ARM64_YES : ARM64_NO); }

const struct arm64_use *arm64_use_of(u32 design, enum arm64_phase phase, bool preemptible,
                                     bool this_has, bool boot_has, bool all_have) {
  for (u32 i = 0; i < arm64_num_uses; i++) {
    const struct arm64_use *use = &arm64_uses[i];

    if (use->design == design && (use->phases >> phase & 1) && has(use->preemptible, preemptible) &&
        has(use->this_has, this_has) && has(use->boot_has, boot_has) &&
        has(use->all_have, all_have))
      return use;
  }
  SIM_ASSERT(!"a caller is in a row");
  return NULL;
}

u32 arm64_reads_of(u32 design, enum arm64_phase phase, bool preemptible) {
  if (design == ARM64_LOCAL_CAP) return phase < ARM64_PHASE_FINAL && !preemptible;
  return design == ARM64_EARLY_VARIANTS && phase == ARM64_PHASE_EARLY;
}
