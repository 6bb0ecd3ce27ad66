// SPDX-License-Identifier: GPL-2.0-or-later
//
// vdso-crng: processes on two CPUs read from a PowerPC vDSO, instruction by instruction, while
// the CRNG below them becomes ready and is reseeded by work, by hand, by forks of the machine
// and by resumes; kernel readers too. One schedule for all.
#include "models/vdso_crng/vdso_crng_scenarios.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/vdso/vdso_oracles.h"
#include "models/vdso/vdso_scenarios.h"
#include "models/vdso_crng/vdso_reader.h"
#include "sim/checker.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

enum { RESEEDERS_MAX = 4 };

struct state {
  struct crng_scene scene;
  struct vdso_readers readers;
  u32 calls, reseeds;
  char variant[48];
};

struct reader_arg {
  struct state *state;
  u32 index;
};

static void reader(void *arg) {
  // At least 8: fewer are found in a stream by chance.
  static const u8 lengths[] = {16, 32, 8, 96, 200};
  static const u8 flags[] = {0, CRNG_GRND_NONBLOCK, CRNG_GRND_INSECURE};
  const struct reader_arg *own = arg;
  struct state *state = own->state;

  for (u32 i = 0; i < state->calls; i++) {
    u32 len = sim_choose(sim_w, SIM_SITE_DRAW("vdso-crng-length", SIM_SITE_WORK, 0, 0),
                         SIM_ARRAY_SIZE(lengths));
    u32 flag = sim_choose(sim_w, SIM_SITE_DRAW("vdso-crng-flags", SIM_SITE_WORK, 1, 4),
                          SIM_ARRAY_SIZE(flags));

    if (sim_choose(sim_w, SIM_SITE_DRAW("vdso-crng-pause", SIM_SITE_WORK, 1, 4), 2))
      crng_scene_pause();
    vdso_reader_call(&state->readers, own->index, lengths[len], flags[flag]);
  }
  SIM_SOMETIMES("vdso-crng", "a vDSO finds the CRNG not ready", 2000,
                state->readers.reached & VDSO_READERS_UNREADY);
  SIM_SOMETIMES("vdso-crng", "a generation comes within a call that has to see it", 5000,
                state->readers.reached & VDSO_READERS_WITHIN);
  SIM_SOMETIMES("vdso-crng", "a call takes a second key", 5000,
                state->readers.reached & VDSO_READERS_ANEW);
  SIM_SOMETIMES("vdso-crng", "a generation comes while two calls are open", 5000,
                state->readers.reached & VDSO_READERS_BOTH);
}

static void reseeder(void *arg) {
  struct state *state = arg;
  struct crng *rng = &state->scene.rng;
  u8 id[16];

  for (u32 i = 0; i < state->reseeds; i++) {
    switch (sim_choose(sim_w, SIM_SITE_DRAW("vdso-crng-reseed", SIM_SITE_WORK, 0, 0), 4)) {
      case 1:
        crng_scene_data(&state->scene, id, sizeof(id));
        crng_watch_vmfork(&state->scene.watch, id, sizeof(id));
        break;
      case 2:
        crng_watch_pm_notification(&state->scene.watch);
        break;
      case 3:
        crng_scene_read(&state->scene);
        break;
      default:
        if (crng_ready(rng)) crng_reseed(rng);
    }
    if (sim_choose(sim_w, SIM_SITE_DRAW("vdso-crng-pause", SIM_SITE_WORK, 1, 4), 2))
      crng_scene_pause();
  }
}

static void first_seed(void *arg) {
  struct state *state = arg;

  if (sim_choose(sim_w, SIM_SITE_DRAW("vdso-crng-pause", SIM_SITE_WORK, 1, 4), 2))
    crng_scene_pause();
  crng_scene_make_ready(&state->scene);
}

static void setup(void) {
  static const struct sim_bug none[] = {{.id = NULL}};
  struct state *state = crng_scene_setup(sizeof(*state));
  u32 num_cpus = sim_nr_cpus(), readers = (u32)sim_param("readers");
  u32 reseeders = (u32)sim_param("reseeders");
  struct vdso_setting setting;
  char err[160];

  state->calls = (u32)sim_param("calls");
  state->reseeds = (u32)sim_param("reseeds");
  vdso_setting_from_params(&setting, state->variant, sizeof(state->variant), none);
  // A vDSO that takes its state by a conditional store, as the built-in one, would not mind.
  if (sim_bug("state-shared")) setting.variant = "state_trusted";
  if (!vdso_readers_setup(&state->readers, readers, &setting, sim_bug("state-shared"),
                          &state->scene.watch, err, sizeof(err)))
    sim_fail(&vdso_oracle_crash, "set-up", "%s", err);
  crng_workqueue_init(&state->scene.rng);
  if (sim_param("ready"))
    crng_scene_make_ready(&state->scene);
  else
    sim_task_new("seed", first_seed, state, 0);
  for (u32 i = 0; i < readers; i++) {
    struct reader_arg *arg = sim_alloc_static(sizeof(*arg), "reader");

    *arg = (struct reader_arg){state, i};
    sim_task_new("reader", reader, arg, (i + 1) % num_cpus);
  }
  for (u32 i = 0; i < reseeders; i++) sim_task_new("reseeder", reseeder, state, i % num_cpus);
}

static const struct sim_param params[] = {
    VDSO_PARAM_ARCH,
    VDSO_PARAM_KEY_ORDER,
    {"readers", 2, 1, VDSO_READERS_MAX, "", "processes that read from the vDSO"},
    {"calls", 4, 1, 100, "", "calls of each"},
    {"reseeders", 1, 0, RESEEDERS_MAX, "", "tasks that reseed"},
    {"reseeds", 4, 0, 1000, "", "what each does"},
    {"ready", 0, 0, 1, "", "the CRNG is ready from the beginning"},
    {"weak", 0, 0, 0, "", "a guest sees what the kernel wrote at once"},
    CRNG_SCENE_PARAMS_OF(crng_scene_versions_vdso),
};

static const struct sim_oracle *const oracles[] = {
    &vdso_crng_oracle_fresh,
    &vdso_crng_oracle_ready,
    &vdso_oracle_keystream,
    &vdso_oracle_once,
    &vdso_oracle_result,
    &vdso_oracle_syscall,
    &vdso_oracle_retries,
    &vdso_oracle_crash,
#define X(name, id, status, sentence, source) &crng_oracle_##name,
    CRNG_ORACLES(X)
#undef X
        NULL,
};

static const struct sim_bug bugs[] = {
    CRNG_SCENE_BUG_GENERATION_EARLY,
    {"state-shared", "two threads are given one state, which a vDSO as merged cannot tell"},
    {.id = NULL},
};

const struct sim_scenario scenario_vdso_crng = {
    .name = "vdso-crng",
    .claim = "a vDSO serves no key that the CRNG has replaced, and none before it is ready",
    .params = params,
    .oracles = oracles,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 200000,
    .takes_image = true,
    .setup = setup,
};
