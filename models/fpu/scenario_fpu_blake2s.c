// SPDX-License-Identifier: GPL-2.0-or-later
//
// fpu-blake2s: tasks with live registers, while BLAKE2s is used in every context: by system
// calls and kernel threads, in softirqs of timers and the network, and in hardirq as random.c
// did until 5.18 and does while it is empty; with the pool's lock and without.
#include "models/fpu/fpu_scenarios.h"

#include "models/fpu/fpu_oracles.h"
#include "models/fpu/fpu_scene.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/lock.h"
#include "sim/world.h"

struct state {
  struct fpu_scene scene;
  struct sim_spinlock pool_lock;
};

static void hash_locked(struct fpu_scene *scene) {
  struct state *state = sim_container_of(scene, struct state, scene);
  unsigned long flags;

  sim_spin_lock_irqsave(&state->pool_lock, flags);
  blake2s_compress(&scene->model, fpu_scene_blocks());
  sim_spin_unlock_irqrestore(&state->pool_lock, flags);
}

// With the pool's lock (calm), or without.
static void hash(struct fpu_scene *scene) {
  if (sim_choose(sim_w, SIM_SITE_DRAW("fpu-lock", SIM_SITE_WORK, 0, 0), 2))
    blake2s_compress(&scene->model, fpu_scene_blocks());
  else
    hash_locked(scene);
}

// A section of another user of SIMD that hashes within it: there BLAKE2s must do without. Under
// PREEMPT_RT the pool's lock may sleep, and no section takes it.
static void hash_in_section(struct fpu_scene *scene) {
  kernel_fpu_begin(&scene->model);
  fpu_simd(&scene->model, 1000);
  if (sim_world_config(sim_w)->rt)
    blake2s_compress(&scene->model, fpu_scene_blocks());
  else
    hash(scene);
  kernel_fpu_end(&scene->model);
}

static void in_task(struct fpu_scene *scene) {
  if (sim_choose(sim_w, SIM_SITE_DRAW("fpu-nested", SIM_SITE_WORK, 1, 4), 2))
    hash_in_section(scene);
  else
    hash(scene);
}

static void in_hardirq(struct fpu_scene *scene) {
  if (!fpu_scene_threaded()) hash(scene);
}

static const struct fpu_scene_work work = {
    .hotplug = true, .task = in_task, .softirq = hash, .hardirq = in_hardirq};

static void setup(void) {
  struct state *state = fpu_scene_setup(sizeof(*state), &work);

  sim_spin_lock_init(&state->pool_lock, "input_pool.lock");
}

static const struct sim_param params[] = {
    FPU_SCENE_PARAMS,
    // Interrupts are off while a CPU hashes, and while it waits for others that do.
    {"irq_off_max_ns", 500000, 0, 0, NULL, NULL},
    // And so it is of a machine whose clocks are near each other, and whose locks are fast.
    {"skew_ns", 2000, 1, 20000, "ns", "how far a runnable CPU's clock may lag the fastest"},
    {"access_cost_ns", 10, 1, 5000, "ns", "a marked access or a light primitive"},
    {"lock_cost_ns", 25, 1, 5000, "ns", "taking or releasing a lock"},
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    FPU_SCENE_BUG_80, FPU_SCENE_BUG_81, FPU_SCENE_BUG_82, FPU_SCENE_BUG_POSTED, {.id = NULL},
};

const struct sim_scenario scenario_fpu_blake2s = {
    .name = "fpu-blake2s",
    .claim = "tasks keep their FPU registers while the kernel hashes with them in any context",
    .params = params,
    .oracles = fpu_oracles,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 50000,
    .setup = setup,
};
