// SPDX-License-Identifier: GPL-2.0-or-later
//
// crng-hwrng: a bcm2835 that misbehaves fills the pool by way of the hwrng core's thread;
// callers wait for the CRNG, others read the device; when the CRNG is ready the driver goes.
// Both onlookers judge.
#include "models/crng/crng_scenarios.h"

#include <stdio.h>

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/crng/crng_subject.h"
#include "models/hwrng/bcm2835_rng.h"
#include "models/hwrng/hwrng_subject.h"
#include "models/hwrng/oracles.h"
#include "models/hwrng/scene.h"
#include "models/kernel/kernel_random.h"
#include "sim/checker.h"
#include "sim/task.h"
#include "sim/world.h"

enum { CALLERS_MAX = 4, READERS_MAX = 4 };

struct state {
  struct hwrng_scene hwrng;  // first: see hwrng_world()
  struct crng_scene crng;
  struct bcm2835_dev dev;
  struct bcm2835_driver driver;
  u32 calls, bytes;
};

static void into_the_pool(void *arg, const void *buf, size_t len, size_t entropy,
                          bool sleep_after) {
  struct state *state = arg;

  SIM_SOMETIMES("crng-hwrng", "one read of the device is not enough", 5000,
                state->crng.watch.credited && state->crng.watch.stage < CRNG_READY);
  crng_watch_hwgenerator(&state->crng.watch, buf, len, entropy, sleep_after);
}

static void caller(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->calls; i++) {
    crng_scene_pause();
    crng_scene_getrandom(&state->crng);
    crng_scene_read(&state->crng);
  }
}

static void reader(void *arg) {
  struct state *state = arg;
  u8 buf[SCENE_SIZE_MAX + WATCH_GUARD];
  struct hwrng_file file;

  if (hwrng_subject_open(&file, false, false)) return;
  scene_pause(9);
  (void)watch_rng_dev_read(&file, buf, state->bytes);
  watch_rng_dev_close(&file);
}

static void remover(void *arg) {
  struct state *state = arg;

  while (crng_subject_wait_for_random_bytes(&state->crng.rng)) sim_clear_signals();
  crng_scene_pause();
  bcm2835_driver_remove(&state->driver);
}

static void setup(void) {
  struct state *state = scene_setup(sizeof(*state));
  u32 num_cpus = sim_nr_cpus();
  u32 callers = (u32)sim_param("callers"), readers = (u32)sim_param("readers");
  struct bcm2835_rng_config config;
  struct bcm2835_dev_config dev_config;

  crng_scene_init(&state->crng);
  crng_subject_workqueue_init(&state->crng.rng);
  state->hwrng.world.sink = (struct hwrng_sink){.add = into_the_pool, .arg = state};
  state->calls = (u32)sim_param("calls");
  crng_scene_work(state->calls + 2, 1);
  state->bytes = (u32)sim_param("bytes");

  bcm2835_dev_config_default(&dev_config);
  dev_config.odd = sim_param("odd");
  bcm2835_dev_init(&state->dev, "bcm2835-rng", 1, &dev_config);
  bcm2835_rng_config_from_params(&config);
  if (bcm2835_driver_probe(&state->dev, &config, &state->driver)) SIM_ASSERT(!"probe");

  for (u32 i = 0; i < callers; i++) sim_task_new("caller", caller, state, i % num_cpus);
  for (u32 i = 0; i < readers; i++) sim_task_new("reader", reader, state, (i + 1) % num_cpus);
  sim_task_new("remover", remover, state, 0);
}

// Until Linux 6.2 the core credits nothing for a driver that names no quality, as this one.
static bool refuses(const struct sim_params *params, char *err, size_t len) {
  enum { CREDITS_BY_DEFAULT = 6002 };

  if (hwrng_subject_refuses(params, err, len) || crng_subject_refuses(params, err, len))
    return true;
  if (!kernel_subject() || kernel_random_version() >= CREDITS_BY_DEFAULT) return false;
  snprintf(err, len, "a tree before 6.2 credits nothing for a bcm2835: nobody would become ready");
  return true;
}

static void heal(void) {
  struct state *state = sim_private();

  bcm2835_dev_heal(&state->dev);
}

static void check(void) {
  struct state *state = sim_private();

  watch_check(&state->hwrng.watch);
}

static const struct sim_param params[] = {
    SCENE_PARAM_POLICY,
    {"callers", 2, 0, CALLERS_MAX, "", "tasks in getrandom"},
    {"calls", 2, 0, 1000, "", "calls of each"},
    {"readers", 1, 0, READERS_MAX, "", "readers of /dev/hwrng"},
    {"bytes", 20, 1, SCENE_SIZE_MAX, "B", "what each wants"},
    {"odd", 1, 0, 1, "", "the device may misbehave"},
    {"fill", 1, 0, 1, "", "the core has its fill thread; 0: nothing seeds the CRNG, and all wait",
     .provokes = true},
    SCENE_PARAM_CRNG_READY,
    SCENE_PARAM_CANCEL,
    SCENE_PARAM_POLL,
    CRNG_SCENE_PARAMS,
};

#define X(name, id, status, sentence, source) &crng_oracle_##name,
#define Y(name, id, status, sentence, source) &hwrng_oracle_##name,
static const struct sim_oracle *const oracles[] = {CRNG_ORACLES(X) HWRNG_ORACLES(Y) NULL};
#undef X
#undef Y

const struct sim_scenario scenario_crng_hwrng = {
    .name = "crng-hwrng",
    .claim = "a hardware generator that misbehaves makes the CRNG ready on what it has given",
    .params = params,
    .oracles = oracles,
    .input_len_max = 512,
    .yardstick_runs = 500000,
    .hooked = SIM_HOOKED_TWIN(scenario_crng_hwrng),
    .takes_kernel = true,
    .refuses = refuses,
    .setup = setup,
    .heal = heal,
    .check = check,
};
