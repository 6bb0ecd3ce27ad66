// SPDX-License-Identifier: GPL-2.0-or-later
//
// arm64-boot: an arm64 guest's boot up to its CPUs, whose callers of get_random_* ask the CRNG,
// which asks registers and firmware: see arm64_boot.h.
#include "models/arm64/arm64_scenarios.h"

#include "models/arm64/arm64_boot.h"
#include "models/arm64/arm64_oracles.h"
#include "models/crng/crng_oracles.h"
#include "sim/checker.h"
#include "sim/cpu.h"
#include "sim/world.h"

static int prepare(u32 cpu) { return arm64_boot_prepare_cpu(sim_private(), cpu); }
static int starting(u32 cpu) { return arm64_boot_starting(sim_private(), cpu); }
static int online(u32 cpu) { return arm64_boot_online(sim_private(), cpu); }

static void setup(void) {
  struct arm64_boot *boot = sim_alloc_static(sizeof(*boot), "scene");

  sim_set_private(boot);
  if (sim_cpuhp_setup_state("random:prepare", prepare, NULL, false) < 0 ||
      sim_cpuhp_setup_state("arm64:starting", starting, NULL, true) < 0 ||
      sim_cpuhp_setup_state("random:online", online, NULL, true) < 0)
    SIM_ASSERT(!"a state");
  arm64_boot_setup(boot, NULL);
}

static void check(void) {
  const struct arm64_boot *boot = sim_private();
  const struct arm64_scene *scene = &boot->arm64;
  u32 saw = scene->watch.saw, num_cpus = sim_nr_cpus();
  // No hardware is fixed, so every kind of it must be seen.
  bool drawn = scene->rndr == ARM64_RNDR_KINDS && scene->unequal == ARM64_UNEQUALS &&
               scene->smccc == ARM64_SMCCC_KINDS && scene->trng == ARM64_TRNG_KINDS &&
               scene->conduit == ARM64_CONDUIT_HVC + 1 && boot->calls_max &&
               scene->watch.design != ARM64_ALTERNATIVE && num_cpus > 1;

  SIM_SOMETIMES("arm64-boot", "a late CPU is not let in", 5000,
                boot->refused || !drawn || !boot->late);
  SIM_SOMETIMES("arm64-boot", "a boot with words of RNDR", 2000,
                saw & ARM64_SAW_RNDR_WORD || !drawn);
  SIM_SOMETIMES("arm64-boot", "a boot with words of the firmware", 2000,
                saw & ARM64_SAW_TRNG_3 || !drawn);
  SIM_SOMETIMES("arm64-boot", "a CPU has RNDR and must not use it, since another has none", 5000,
                saw & ARM64_SAW_UNEQUAL || !drawn);
  arm64_boot_check(boot);
}

const struct arm64_counts *arm64_boot_counts(void) {
  return &((const struct arm64_boot *)sim_private())->arm64.machine.counts;
}

static const struct sim_param params[] = {
    ARM64_BOOT_PARAMS,
    CRNG_SCENE_PARAMS_ARCH(crng_scene_versions),
};

#define X(name, id, status, sentence, source) &arm64_oracle_##name,
#define Y(name, id, status, sentence, source) &crng_oracle_##name,
static const struct sim_oracle *const oracles[] = {ARM64_ORACLES(X) ARM64_BOOT_ORACLES(X)
                                                       CRNG_ORACLES(Y) NULL};
#undef X
#undef Y

static const struct sim_suspect suspects[] = {
    ARM64_BOOT_SUSPECT_LOCAL_CAP,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    ARM64_BOOT_BUGS,
    {.id = NULL},
};

const struct sim_scenario scenario_arm64_boot = {
    .name = "arm64-boot",
    .claim = "an arm64 guest boots with reads that trap bounded by its CPUs, and words well used",
    .params = params,
    .oracles = oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 50000,
    .takes_guest = true,
    .refuses = arm64_scene_refuses,
    .setup = setup,
    .check = check,
};
