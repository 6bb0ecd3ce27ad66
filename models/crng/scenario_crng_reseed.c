// SPDX-License-Identifier: GPL-2.0-or-later
//
// crng-reseed: a CRNG that becomes ready and is reseeded by its own work, by hand, by forks
// and resumes, all at once, while readers and vDSOs on other CPUs look at the generation.
#include "models/crng/crng_scenarios.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/crng/crng_subject.h"
#include "sim/checker.h"
#include "sim/task.h"
#include "sim/world.h"

enum { READERS_MAX = 8, RESEEDERS_MAX = 4 };

struct state {
  struct crng_scene scene;
  u32 reads, reseeds;
};

static void reader(void *arg) {
  static const u8 long_s[] = {0, 20, 70};
  struct state *state = arg;

  for (u32 i = 0; i < state->reads; i++) {
    u32 how = sim_choose(sim_w, SIM_SITE_DRAW("crng-how", SIM_SITE_WORK, 0, 0), 3);

    if (how == 1)
      crng_scene_read(&state->scene);
    else if (!crng_watch_vdso(&state->scene.watch))
      SIM_SOMETIMES("crng-reseed", "a vDSO before is_ready", 2000, true);
    if (how == 2) crng_scene_pause();
    // So long that the work has reseeded several times, at intervals that grow.
    how = sim_choose(sim_w, SIM_SITE_DRAW("crng-reseed-long", SIM_SITE_WORK, 1, 24),
                     SIM_ARRAY_SIZE(long_s));
    if (how) sim_schedule_timeout_interruptible(long_s[how] * (s64)sim_hz());
  }
}

static void reseeder(void *arg) {
  struct state *state = arg;
  u8 id[16];

  for (u32 i = 0; i < state->reseeds; i++) {
    switch (sim_choose(sim_w, SIM_SITE_DRAW("crng-reseed-by", SIM_SITE_WORK, 0, 0), 4)) {
      case 1:
        crng_scene_data(&state->scene, id, sizeof(id));
        crng_subject_add_vmfork_randomness(&state->scene.rng, id, sizeof(id));
        break;
      case 2:
        crng_watch_pm_notification(&state->scene.watch);
        break;
      case 3:
        // Long enough for the work.
        sim_msleep(1100);
        break;
      default:
        if (crng_subject_ready(&state->scene.rng)) crng_subject_reseed(&state->scene.rng);
    }
    crng_scene_pause();
  }
}

static void first_seed(void *arg) {
  struct state *state = arg;

  crng_scene_pause();
  crng_scene_make_ready(&state->scene);
}

static void setup(void) {
  struct state *state = crng_scene_setup(sizeof(*state));
  u32 num_cpus = sim_nr_cpus(), readers = (u32)sim_param("readers");
  u32 reseeders = (u32)sim_param("reseeders");

  state->reads = (u32)sim_param("reads");
  state->reseeds = (u32)sim_param("reseeds");
  crng_scene_work(state->reads + 5 * state->reseeds, 1 + 2 * state->reads);
  crng_subject_workqueue_init(&state->scene.rng);
  if (sim_param("ready"))
    crng_scene_make_ready(&state->scene);
  else
    sim_task_new("seed", first_seed, state, 0);
  for (u32 i = 0; i < readers; i++) sim_task_new("reader", reader, state, (i + 1) % num_cpus);
  for (u32 i = 0; i < reseeders; i++) sim_task_new("reseeder", reseeder, state, i % num_cpus);
}

static const struct sim_param params[] = {
    {"readers", 2, 0, READERS_MAX, "", "tasks that read"},
    {"reads", 6, 0, 1000, "", "reads of each"},
    {"reseeders", 2, 0, RESEEDERS_MAX, "", "tasks that reseed"},
    {"reseeds", 2, 0, 1000, "", "what each does"},
    {"ready", 0, 0, 1, "", "the CRNG is ready from the beginning"},
    {"weak", 1, 0, 1, "", "weak memory: see sim/weak.h"},
    CRNG_SCENE_PARAMS,
};

static const struct sim_suspect suspects[] = {
    CRNG_SCENE_SUSPECT_IS_READY,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    CRNG_SCENE_BUG_2,          CRNG_SCENE_BUG_5,          CRNG_SCENE_BUG_UNMARKED,
    CRNG_SCENE_BUG_GENERATION, CRNG_SCENE_BUG_READY,      CRNG_SCENE_BUG_GENERATION_EARLY,
    CRNG_SCENE_BUG_RESUME,     CRNG_SCENE_BUG_NOT_QUEUED, {.id = NULL},
};

const struct sim_scenario scenario_crng_reseed = {
    .name = "crng-reseed",
    .claim =
        "after a reseed nobody who can know of it gets bytes of the old key, on a weakly "
        "ordered machine too",
    .params = params,
    .oracles = crng_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 500000,
    .hooked = SIM_HOOKED_TWIN(scenario_crng_reseed),
    .takes_kernel = true,
    .refuses = crng_subject_refuses,
    .setup = setup,
};
