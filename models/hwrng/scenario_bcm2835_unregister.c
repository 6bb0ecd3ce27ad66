// SPDX-License-Identifier: GPL-2.0-or-later
//
// bcm2835-unregister: a bcm2835's driver goes while readers and the fill thread read,
// sleep in its read, or sleep off a failed one.
//
// Registration is in set-up, since its interleaving is hwrng-lifecycle's subject: a run
// is short.
#include "models/hwrng/hwrng_scenarios.h"

#include "models/hwrng/bcm2835_rng.h"
#include "models/hwrng/oracles.h"
#include "models/hwrng/scene.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/world.h"

enum { READERS_MAX = 4 };

struct state {
  struct hwrng_scene scene;
  struct bcm2835_dev dev;
  struct bcm2835_driver driver;
  struct sim_task *readers[READERS_MAX];
  u32 num_readers, bytes, num_signals;
};

static void reader(void *arg) {
  struct state *state = arg;
  u8 buf[SCENE_SIZE_MAX + WATCH_GUARD];
  struct hwrng_file file;
  u32 left = state->bytes;

  if (hwrng_subject_open(&file, false, false)) return;
  scene_pause(9);
  while (left) {
    s64 rc = watch_rng_dev_read(&file, buf, left < SCENE_SIZE_MAX ? left : SCENE_SIZE_MAX);

    if (sim_signal_pending()) sim_clear_signals();
    if (rc <= 0) break;
    left -= (u32)rc;
  }
  watch_rng_dev_close(&file);
}

static void mark(void) {
  const struct sim_task *fill = hwrng_subject_fill();

  SIM_SOMETIMES("bcm2835-unregister", "a reader sleeps in the driver at unregister", 20000,
                watch_reader_in_read(true));
  SIM_SOMETIMES("bcm2835-unregister", "a read is in flight at unregister", 20000,
                watch_reader_in_read(false));
  SIM_SOMETIMES("bcm2835-unregister", "the fill thread sleeps at unregister", 20000,
                fill && sim_task_state(fill) != SIM_TASK_RUNNING);
}

static void remover(void *arg) {
  struct state *state = arg;

  scene_pause(9000);
  mark();
  bcm2835_driver_remove(&state->driver);
}

static void signaller(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->num_signals; i++) {
    u32 who =
        sim_choose(sim_w, SIM_SITE_DRAW("signal", SIM_SITE_WORK, 0, 0), 1 + state->num_readers);

    if (who == 0) continue;
    scene_pause(9);
    if (sim_task_state(state->readers[who - 1]) == SIM_TASK_DEAD) continue;
    SIM_SOMETIMES("bcm2835-unregister", "signal while a reader sleeps in the driver", 20000,
                  watch_reader_in_read(true));
    watch_send_signal(state->readers[who - 1]);
  }
}

static void setup(void) {
  struct state *state = scene_setup(sizeof(*state));
  u32 num_cpus = sim_world_config(sim_w)->num_cpus;
  struct bcm2835_rng_config config;
  struct bcm2835_dev_config dev_config;

  bcm2835_dev_config_default(&dev_config);
  dev_config.warm = true;
  dev_config.odd = sim_param("odd");
  bcm2835_dev_init(&state->dev, "bcm2835-rng", 1, &dev_config);
  bcm2835_rng_config_from_params(&config);
  if (bcm2835_driver_probe(&state->dev, &config, &state->driver)) SIM_ASSERT(!"probe");

  state->num_readers = (u32)sim_param("readers");
  state->bytes = (u32)sim_param("bytes");
  state->num_signals = (u32)sim_param("signals");
  for (u32 i = 0; i < state->num_readers; i++)
    state->readers[i] = sim_task_new("reader", reader, state, i % num_cpus);
  sim_task_new("remover", remover, state, 0);
  if (state->num_signals) sim_task_new("signaller", signaller, state, num_cpus - 1);
}

static void heal(void) {
  struct state *state = sim_private();

  bcm2835_dev_heal(&state->dev);
}

static void check(void) {
  struct state *state = sim_private();

  watch_check(&state->scene.watch);
}

static const struct sim_param params[] = {
    SCENE_PARAM_POLICY,
    {"readers", 2, 0, READERS_MAX, "", "readers"},
    {"bytes", 40, 0, 1000000, "B", "what each wants"},
    {"signals", 1, 0, 1000, "", "signals, at most"},
    {"odd", 1, 0, 1, "", "the device may misbehave"},
    SCENE_PARAMS,
    {.name = NULL},
};

static const struct sim_suspect suspects[] = {
    SCENE_SUSPECT_YIELD_IGNORED,
    SCENE_SUSPECT_STATUS_TWICE,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    SCENE_BUG_55,
    SCENE_BUG_56,
    SCENE_BUG_57,
    {.id = NULL},
};

const struct sim_scenario scenario_bcm2835_unregister = {
    .name = "bcm2835-unregister",
    .claim = "a bcm2835's driver can go at any time, and nobody sleeps through it",
    .params = params,
    .oracles = hwrng_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 200000,
    .hooked = SIM_HOOKED_TWIN(scenario_bcm2835_unregister),
    .takes_kernel = true,
    .refuses = hwrng_subject_refuses,
    .setup = setup,
    .heal = heal,
    .check = check,
};
