// SPDX-License-Identifier: GPL-2.0-or-later
//
// crng-seed: from an empty pool to READY. A boot task does the early steps, with and without
// seeds; then callers on all CPUs storm what there is, while interrupts, a generator and a
// process trickle.
#include "models/crng/crng_scenarios.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/crng/crng_subject.h"
#include "sim/checker.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/world.h"

enum { CALLERS_MAX = 8 };

struct state {
  struct crng_scene scene;
  struct crng_scene_device devices[SIM_CPUS_MAX];
  struct sim_spinlock driver_lock;
  u32 callers, reads, interrupts;
};

static void caller(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->reads; i++) {
    u32 what = sim_choose(sim_w, SIM_SITE_DRAW("crng-call", SIM_SITE_WORK, 0, 0), 5);

    crng_scene_pause();
    SIM_SOMETIMES("crng-seed", "a reader while EMPTY", 2000,
                  state->scene.watch.stage == CRNG_EMPTY);
    SIM_SOMETIMES("crng-seed", "a reader while EARLY", 2000,
                  state->scene.watch.stage == CRNG_EARLY);
    SIM_SOMETIMES("crng-seed", "a reader when READY", 2000, state->scene.watch.stage == CRNG_READY);
    if (what < 3)
      crng_scene_read(&state->scene);
    else if (what == 3)
      crng_scene_getrandom(&state->scene);
    else
      crng_watch_execute_when_ready(&state->scene.watch);
  }
}

// What the feeder gives next, and in which context.
static void feed(struct state *state) {
  static const u16 bits[] = {64, 128, 256, 8, 0};
  struct crng_scene *scene = &state->scene;
  u32 n = sim_choose(sim_w, SIM_SITE_DRAW("crng-bits", SIM_SITE_WORK, 0, 0), SIM_ARRAY_SIZE(bits));
  u32 how = sim_choose(sim_w, SIM_SITE_DRAW("crng-feed", SIM_SITE_WORK, 0, 0), 4);
  u8 buf[32];
  unsigned long flags;

  crng_scene_data(scene, buf, sizeof(buf));
  switch (how) {
    case 1:
      crng_watch_user_entropy(&scene->watch, buf, sizeof(buf), bits[n]);
      break;
    case 2:
      // A driver that has found a seed, under its own lock.
      sim_spin_lock_irqsave(&state->driver_lock, flags);
      crng_watch_bootloader(&scene->watch, buf, 8);
      sim_spin_unlock_irqrestore(&state->driver_lock, flags);
      break;
    case 3:
      crng_watch_device(&scene->watch, buf, sizeof(buf));
      crng_watch_key(&scene->watch, (u32)scene->words);
      break;
    default:
      crng_watch_hwgenerator(&scene->watch, buf, sizeof(buf), bits[n], false);
  }
}

// Goes on until there is enough, then for once more.
static void feeder(void *arg) {
  struct state *state = arg;
  u8 buf[32];

  for (u32 i = 0; i < 8 && state->scene.watch.stage < CRNG_READY; i++) {
    crng_scene_pause();
    feed(state);
  }
  while (state->scene.watch.stage < CRNG_READY) {
    crng_scene_data(&state->scene, buf, sizeof(buf));
    crng_watch_hwgenerator(&state->scene.watch, buf, sizeof(buf), 64, false);
    sim_schedule_timeout_interruptible(1);
  }
  feed(state);
}

static void early_seed(struct state *state) {
  static const u8 lengths[] = {0, 16, 32, 64};
  u32 len = lengths[sim_choose(sim_w, SIM_SITE_DRAW("crng-early-seed", SIM_SITE_WORK, 1, 4),
                               SIM_ARRAY_SIZE(lengths))];
  u8 buf[64];

  if (!len) return;
  crng_scene_data(&state->scene, buf, len);
  crng_watch_bootloader(&state->scene.watch, buf, len);
}

// The order of start_kernel and what it calls, as far as the CRNG sees it.
static void boot(void *arg) {
  struct state *state = arg;
  struct crng *rng = &state->scene.rng;
  u32 num_cpus = sim_nr_cpus();
  unsigned long flags = 0;

  early_seed(state);
  // Under PREEMPT_RT locks sleep, which is not looked at so early.
  if (!sim_world_config(sim_w)->rt) sim_local_irq_save(flags);
  crng_subject_random_init_early(rng, "console=ttyS0");
  if (!sim_world_config(sim_w)->rt) sim_local_irq_restore(flags);
  early_seed(state);
  // workqueue_init_early comes first: one that is ready by its early seed queues its reseeding.
  crng_subject_workqueue_init(rng);
  crng_subject_random_init(rng);

  sim_task_new("feeder", feeder, state, num_cpus - 1);
  if (sim_choose(sim_w, SIM_SITE_DRAW("crng-feeders", SIM_SITE_WORK, 1, 2), 2))
    sim_task_new("feeder", feeder, state, 0);
  for (u32 i = 0; i < state->callers; i++) sim_task_new("caller", caller, state, i % num_cpus);
  for (u32 cpu = 0; cpu < num_cpus; cpu++)
    crng_scene_device_start(&state->devices[cpu], &state->scene, cpu, state->interrupts);
}

static void setup(void) {
  struct state *state = crng_scene_setup(sizeof(*state));

  sim_spin_lock_init(&state->driver_lock, "driver lock");
  state->callers = (u32)sim_param("callers");
  state->reads = (u32)sim_param("reads");
  state->interrupts = (u32)sim_param("interrupts");
  crng_scene_work(state->reads + 16, 16);
  sim_task_new("boot", boot, state, 0);
}

static const struct sim_param params[] = {
    {"callers", 3, 0, CALLERS_MAX, "", "tasks that read"},
    {"reads", 2, 0, 1000, "", "what each does"},
    {"interrupts", 3, 0, 100000, "", "of each CPU's device, bursts counted once"},
    CRNG_SCENE_PARAMS,
};

static const struct sim_suspect suspects[] = {
    CRNG_SCENE_SUSPECT_READY_NOTIFIER,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    CRNG_SCENE_BUG_4,  CRNG_SCENE_BUG_6,  CRNG_SCENE_BUG_UNMARKED, CRNG_SCENE_BUG_7,
    CRNG_SCENE_BUG_10, CRNG_SCENE_BUG_13, CRNG_SCENE_BUG_14,       CRNG_SCENE_BUG_15,
    CRNG_SCENE_BUG_16, CRNG_SCENE_BUG_21, CRNG_SCENE_BUG_EARLY,    CRNG_SCENE_BUG_POOL_KEY,
    {.id = NULL},
};

const struct sim_scenario scenario_crng_seed = {
    .name = "crng-seed",
    .claim = "callers storm a CRNG that is being seeded, and it becomes ready on what was paid",
    .params = params,
    .oracles = crng_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 500000,
    .hooked = SIM_HOOKED_TWIN(scenario_crng_seed),
    .takes_kernel = true,
    .refuses = crng_subject_refuses,
    .setup = setup,
};
