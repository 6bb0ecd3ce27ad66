// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_scene.h.
#include "models/arm64/arm64_scene.h"

#include <stdio.h>
#include <string.h>

#include "models/arm64/arm64_oracles.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/world.h"

const char *const arm64_unequal_names[] = {"equal",      "boot-only", "others-only",
                                           "last-lacks", "drawn",     NULL};
const char *const arm64_conduit_names[] = {"none", "smc", "hvc", "drawn", NULL};

// Of the functions that a tree has of its own; what is done when a CPU comes is not among them.
static bool is_in_text(const char *bug) {
  if (!strcmp(bug, "25") || !strcmp(bug, "27")) return true;
  for (u32 i = 1; i < ARM64_BUGS; i++)
    if (!strcmp(bug, arm64_bug_names[i])) return i != ARM64_BUG_CAP_LATCHED;
  return false;
}

bool arm64_scene_refuses(const struct sim_params *params, char *err, size_t len) {
  const char *bug = sim_params_bug(params);
  s64 value = 0;

  if (!arm64_tree()) return false;
  if (bug && is_in_text(bug)) {
    snprintf(err, len, "bug %s is planted in the model, not in a kernel tree", bug);
    return true;
  }
  if (sim_params_get(params, "suspect.local_cap", &value) && value) {
    snprintf(err, len, "suspect.local_cap is a behaviour of the model: a kernel tree has its own");
    return true;
  }
  return false;
}

static u32 own_design(void) {
  const struct arm64_tree *tree = arm64_tree();

  if (!tree) return ARM64_SANITISED;
  return tree->before_6_2 ? ARM64_EARLY_VARIANTS : ARM64_LOCAL_CAP;
}

static u32 planted(u32 *design) {
  for (u32 bug = 1; bug < ARM64_BUGS; bug++) {
    if (!sim_bug(arm64_bug_names[bug])) continue;
    // There is no capability of a CPU's own in the others.
    if (bug == ARM64_BUG_QUERY_PREEMPTIBLE) *design = ARM64_LOCAL_CAP;
    return bug;
  }
  return ARM64_BUG_NONE;
}

void arm64_scene_init(struct arm64_scene *scene) {
  u32 design = (u32)sim_param("design");
  struct arm64_config config = {
      .tid3 = sim_param("tid3"),
      .bug_reg31_sp = sim_bug("reg31-sp"),
      .trap_ns = (u32)sim_param("trap_ns"),
      .el3_ns = (u32)sim_param("el3_ns"),
      .smccc_ns = (u32)sim_param("smccc_ns"),
      .insn_ps = (u32)sim_param("insn_ps"),
  };

  if (design == ARM64_OWN_DESIGN) design = own_design();
  if (sim_suspect("local_cap")) design = ARM64_LOCAL_CAP;
  config.bug = planted(&design);
  config.design = design;
  // What it should be is judged by the table of the design that was asked for.
  if (sim_bug("25")) config.design = ARM64_EARLY_VARIANTS;
  if (sim_bug("27")) config.design = ARM64_LOCAL_CAP;
  scene->rndr = (u32)sim_param("rndr");
  scene->unequal = (u32)sim_param("unequal");
  scene->smccc = (u32)sim_param("smccc");
  scene->trng = (u32)sim_param("trng");
  scene->conduit = (u32)sim_param("conduit");
  arm64_machine_setup(&scene->machine, &config);
  arm64_watch_init(&scene->watch, &scene->machine, design);
}

static bool has(enum arm64_unequal unequal, u32 cpu) {
  switch (unequal) {
    case ARM64_BOOT_ONLY:
      return !cpu;
    case ARM64_OTHERS_ONLY:
      return cpu;
    case ARM64_LAST_LACKS:
      return cpu + 1 < sim_nr_cpus() || !cpu;
    default:
      return true;
  }
}

void arm64_scene_begin(struct arm64_scene *scene) {
  // Calmly, RNDR works everywhere and the firmware is a recent one.
  static const u8 rndr_order[] = {
      ARM64_RNDR_WORKS,       ARM64_RNDR_ABSENT, ARM64_RNDR_RNDRRS_NEVER, ARM64_RNDR_FLAKY,
      ARM64_RNDR_FAILS_FIRST, ARM64_RNDR_FAILS,  ARM64_RNDR_TRAPS,
  };
  static const u8 smccc_order[] = {ARM64_SMCCC_1_5, ARM64_SMCCC_1_1, ARM64_SMCCC_1_0,
                                   ARM64_SMCCC_ABSENT};
  static const u8 trng_order[] = {ARM64_TRNG_ABSENT, ARM64_TRNG_DRAWN, ARM64_TRNG_1_0,
                                  ARM64_TRNG_0_9};
  static const u8 conduit_order[] = {ARM64_CONDUIT_HVC, ARM64_CONDUIT_SMC, ARM64_CONDUIT_NONE};
  struct arm64_machine *m = &scene->machine;
  u32 rndr = scene->rndr, unequal = scene->unequal;
  u32 smccc = scene->smccc, trng = scene->trng, conduit = scene->conduit;

  arm64_machine_begin(m);
  if (rndr == ARM64_RNDR_KINDS)
    rndr = rndr_order[sim_choose(sim_w, SIM_SITE_DRAW("arm64-rndr", SIM_SITE_WORK, 0, 0),
                                 SIM_ARRAY_SIZE(rndr_order))];
  if (unequal == ARM64_UNEQUALS)
    unequal =
        sim_choose(sim_w, SIM_SITE_DRAW("arm64-unequal", SIM_SITE_WORK, 1, 2), ARM64_UNEQUALS);
  if (smccc == ARM64_SMCCC_KINDS)
    smccc = smccc_order[sim_choose(sim_w, SIM_SITE_DRAW("arm64-smccc", SIM_SITE_WORK, 1, 4),
                                   SIM_ARRAY_SIZE(smccc_order))];
  if (trng == ARM64_TRNG_KINDS)
    trng = trng_order[sim_choose(sim_w, SIM_SITE_DRAW("arm64-has-trng", SIM_SITE_WORK, 0, 0),
                                 SIM_ARRAY_SIZE(trng_order))];
  if (conduit == ARM64_CONDUIT_HVC + 1)
    conduit = conduit_order[sim_choose(sim_w, SIM_SITE_DRAW("arm64-conduit", SIM_SITE_WORK, 1, 3),
                                       SIM_ARRAY_SIZE(conduit_order))];
  for (u32 cpu = 0; cpu < SIM_CPUS_MAX; cpu++)
    m->hw.rndr[cpu] =
        has((enum arm64_unequal)unequal, cpu) ? (enum arm64_rndr)rndr : ARM64_RNDR_ABSENT;
  m->hw.smccc = (enum arm64_smccc)smccc;
  m->hw.trng = (enum arm64_trng)trng;
  m->hw.conduit = conduit;
  scene->watch.boot_cpu = 0;
}

void arm64_scene_kaslr(struct arm64_scene *scene) {
  struct arm64_machine *m = &scene->machine;
  bool has;

  if (!m->tree) return;
  has = arm64_early_cpu_has_rndr(m);
  if (has != arm64_has_rndr(m, sim_smp_processor_id()))
    sim_fail(&arm64_oracle_use, "kaslr", "__early_cpu_has_rndr says that CPU %u has %s",
             sim_smp_processor_id(), has ? "RNDR, and it has none" : "no RNDR, and it has one");
}
