// SPDX-License-Identifier: GPL-2.0-or-later
//
// arm64-archrandom: the arch_get_random functions alone, by every design, in every phase of a
// boot and every context, under every answer that register and firmware can give.
#include "models/arm64/arm64_scenarios.h"

#include "models/arm64/arm64_oracles.h"
#include "models/arm64/arm64_scene.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/world.h"

enum { CALLERS_MAX = 8 };

struct state {
  struct arm64_scene scene;
  bool begun;
  u32 phase, calls;
  struct sim_mutex hotplug;
};

// The phase: a machine that has booted so far.
static void boot(struct state *state) {
  // Calmly all CPUs have come and alternatives are applied.
  static const u8 order[] = {ARM64_PHASE_FINAL, ARM64_PHASE_BOOT, ARM64_PHASE_SMP,
                             ARM64_PHASE_EARLY};
  struct arm64_machine *m = &state->scene.machine;
  u32 phase = state->phase;

  state->begun = true;
  arm64_scene_begin(&state->scene);
  arm64_scene_kaslr(&state->scene);
  if (phase == ARM64_PHASES)
    phase = order[sim_choose(sim_w, SIM_SITE_DRAW("arm64-phase", SIM_SITE_WORK, 0, 0),
                             SIM_ARRAY_SIZE(order))];
  arm64_put(m, (enum arm64_phase)phase);
}

static void call(struct state *state) {
  static const u8 lengths[] = {1, 4, 3, 2, 0, 8};
  struct arm64_machine *m = &state->scene.machine;
  u32 what = sim_choose(sim_w, SIM_SITE_DRAW("arm64-call", SIM_SITE_WORK, 0, 0), 2);
  u32 max = lengths[sim_choose(sim_w, SIM_SITE_DRAW("arm64-longs", SIM_SITE_WORK, 0, 0),
                               SIM_ARRAY_SIZE(lengths))];
  bool early = m->phase == ARM64_PHASE_EARLY;
  u64 v[8];

  if (sim_choose(sim_w, SIM_SITE_DRAW("arm64-read-all", SIM_SITE_WORK, 1, 32), 2))
    arm64_read_all(m);
  else if (what)
    (void)arm64_get_random_longs(m, v, max, early);
  else
    (void)arm64_get_random_seed_longs(m, v, max, early);
}

static void caller(void *arg) {
  struct state *state = arg;
  struct arm64_machine *m = &state->scene.machine;

  if (!state->begun) boot(state);
  if (!m->come[sim_smp_processor_id()]) {
    unsigned long flags;

    // Until CPUs come there is but one.
    if (m->phase < ARM64_PHASE_SMP) return;
    // One at a time: cpu_add_remove_lock.
    sim_mutex_lock(&state->hotplug);
    if (!m->come[sim_smp_processor_id()]) {
      sim_local_irq_save(flags);
      if (!arm64_cpu_come(m, true)) SIM_ASSERT(!"a CPU is let in");
      sim_local_irq_restore(flags);
    }
    sim_mutex_unlock(&state->hotplug);
  }
  for (u32 i = 0; i < state->calls; i++) {
    unsigned long flags;
    u32 context = sim_choose(sim_w, SIM_SITE_DRAW("arm64-context", SIM_SITE_WORK, 0, 0), 3);

    // Until the scheduler runs nothing is preemptible.
    if (m->phase < ARM64_PHASE_SMP && !context) context = 1;
    switch (context) {
      case 1:
        sim_preempt_disable();
        call(state);
        sim_preempt_enable();
        break;
      case 2:
        sim_local_irq_save(flags);
        call(state);
        sim_local_irq_restore(flags);
        break;
      default:
        call(state);
    }
  }
}

static void check(void) {
  const struct state *state = sim_private();
  u32 saw = state->scene.watch.saw;

  SIM_SOMETIMES("arm64-archrandom", "a caller gets a word of RNDR", 1000,
                saw & ARM64_SAW_RNDR_WORD);
  SIM_SOMETIMES("arm64-archrandom", "a caller gets a word of RNDRRS", 1000,
                saw & ARM64_SAW_SEED_WORD);
  SIM_SOMETIMES("arm64-archrandom", "a caller gets three words of the firmware", 2000,
                saw & ARM64_SAW_TRNG_3);
  SIM_SOMETIMES("arm64-archrandom", "the firmware has no words", 2000, saw & ARM64_SAW_TRNG_FAIL);
  SIM_SOMETIMES("arm64-archrandom", "RNDR or RNDRRS fails", 2000, saw & ARM64_SAW_RNDR_FAIL);
  SIM_SOMETIMES("arm64-archrandom", "RNDRRS fails where RNDR would not", 5000,
                saw & ARM64_SAW_NO_RNDRRS);
  SIM_SOMETIMES("arm64-archrandom", "a CPU has RNDR and must not use it, since another has none",
                5000, saw & ARM64_SAW_UNEQUAL);
  SIM_SOMETIMES("arm64-archrandom", "a preemptible caller before capabilities are final", 5000,
                saw & ARM64_SAW_PREEMPTIBLE);
}

static void setup(void) {
  struct state *state = sim_alloc_static(sizeof(*state), "scene");
  u32 callers = (u32)sim_param("callers");

  sim_set_private(state);
  arm64_scene_init(&state->scene);
  sim_mutex_init(&state->hotplug, "cpu_add_remove_lock");
  state->phase = (u32)sim_param("phase");
  state->calls = (u32)sim_param("calls");
  for (u32 i = 0; i < callers; i++) sim_task_new("caller", caller, state, i % sim_nr_cpus());
}

static const char *const phase_names[] = {
    "setup_arch", "random_init_early", "start_kernel", "kernel_init", "final", "drawn", NULL};

static const struct sim_param params[] = {
    ARM64_SCENE_PARAMS,
    {"phase", ARM64_PHASES, 0, 0, "", "how far the machine has booted", phase_names},
    {"callers", 2, 1, CALLERS_MAX, "", "tasks that call"},
    {"calls", 2, 1, 1000, "", "what each does"},
    {.name = NULL},
};

static const struct sim_oracle *const oracles[] = {
#define X(name, id, status, sentence, source) &arm64_oracle_##name,
    ARM64_ORACLES(X)
#undef X
        NULL,
};

static const struct sim_bug bugs[] = {
    ARM64_SCENE_BUGS,
    {"query-preemptible", "design=local-cap asks for its CPU's capability where it may be moved"},
    {"reg31-sp", "the hypervisor takes register 31 of a trapped read for the stack pointer"},
    {.id = NULL},
};

const struct sim_scenario scenario_arm64_archrandom = {
    .name = "arm64-archrandom",
    .claim = "arm64's arch_get_random functions give what was delivered, and ask who may be asked",
    .params = params,
    .oracles = oracles,
    .bugs = bugs,
    .input_len_max = 256,
    .yardstick_runs = 100000,
    .takes_guest = true,
    .refuses = arm64_scene_refuses,
    .setup = setup,
    .check = check,
};
