// SPDX-License-Identifier: GPL-2.0-or-later
//
// fpu-crng: tasks with live registers, while the CRNG hashes wherever it does: sources in
// tasks, timings in the timer softirq, and who reads in hardirq before it is ready. Each
// compression of its BLAKE2s takes time, and the FPU where that is usable.
#include "models/fpu/fpu_scenarios.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/fpu/fpu_oracles.h"
#include "models/fpu/fpu_scene.h"
#include "sim/choice.h"
#include "sim/world.h"

struct state {
  struct fpu_scene fpu;  // first
  struct crng_scene crng;
};

static struct crng_scene *crng_of(struct fpu_scene *scene) {
  return &sim_container_of(scene, struct state, fpu)->crng;
}

static void feed(struct crng_scene *crng) {
  u8 buf[32];

  crng_scene_data(crng, buf, sizeof(buf));
  if (sim_choose(sim_w, SIM_SITE_DRAW("fpu-crng-source", SIM_SITE_WORK, 0, 0), 2))
    crng_watch_hwgenerator(&crng->watch, buf, sizeof(buf), 64, false);
  else
    crng_watch_device(&crng->watch, buf, sizeof(buf));
}

static void in_task(struct fpu_scene *scene) {
  if (sim_choose(sim_w, SIM_SITE_DRAW("fpu-crng-task", SIM_SITE_WORK, 0, 0), 2))
    feed(crng_of(scene));
  else
    crng_scene_read(crng_of(scene));
}

static void in_softirq(struct fpu_scene *scene) { crng_scene_read(crng_of(scene)); }

// An interrupt's timing, many at once, or a driver that wants a number.
static void in_hardirq(struct fpu_scene *scene) {
  struct crng_watch *watch = &crng_of(scene)->watch;
  u32 what = sim_choose(sim_w, SIM_SITE_DRAW("fpu-crng-hardirq", SIM_SITE_WORK, 0, 0), 3);

  if (what != 1)
    crng_watch_interrupts(watch, 16 + sim_smp_processor_id(), what ? 1100 : 1, NULL);
  else if (!fpu_scene_threaded())
    crng_scene_read(crng_of(scene));
}

static const struct fpu_scene_work work = {
    .task = in_task, .softirq = in_softirq, .hardirq = in_hardirq};

static void compress(void *arg, u32 blocks) { blake2s_compress(arg, blocks); }

static void setup(void) {
  struct state *state = fpu_scene_setup(sizeof(*state), &work);

  crng_scene_init(&state->crng);
  // A user gives in its signals' handlers too.
  crng_scene_work(1, 2 * (u32)sim_param("rounds"));
  state->crng.rng.hooks.compress = compress;
  state->crng.rng.hooks.compress_arg = &state->fpu.model;
  crng_workqueue_init(&state->crng.rng);
}

static const struct sim_param params[] = {
    FPU_SCENE_PARAMS,
    CRNG_SCENE_PARAMS,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    FPU_SCENE_BUG_80,
    FPU_SCENE_BUG_82,
    FPU_SCENE_BUG_POSTED,
    {.id = NULL},
};

#define X(name, id, status, sentence, source) &fpu_oracle_##name,
#define Y(name, id, status, sentence, source) &crng_oracle_##name,
static const struct sim_oracle *const oracles[] = {FPU_ORACLES(X) CRNG_ORACLES(Y) NULL};
#undef X
#undef Y

const struct sim_scenario scenario_fpu_crng = {
    .name = "fpu-crng",
    .claim = "tasks keep their FPU registers while the CRNG hashes where and when it does",
    .params = params,
    .oracles = oracles,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 100000,
    .setup = setup,
};
