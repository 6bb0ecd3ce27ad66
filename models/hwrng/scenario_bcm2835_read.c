// SPDX-License-Identifier: GPL-2.0-or-later
//
// bcm2835-read: readers of a bcm2835, with and without the fill thread. Phase one is
// reads of drawn sizes while the device misbehaves and signals come; in phase two each
// reader wants many bytes, and what all get together is the throughput.
//
// The last reader removes the driver, so that a run leaves nothing behind.
#include "models/hwrng/hwrng_scenarios.h"

#include "models/hwrng/bcm2835_rng.h"
#include "models/hwrng/oracles.h"
#include "models/hwrng/scene.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/wait.h"
#include "sim/world.h"

enum { READERS_MAX = 4 };

struct state {
  struct hwrng_scene scene;
  struct bcm2835_dev dev;
  struct bcm2835_driver driver;
  struct sim_completion healed;
  struct sim_task *readers[READERS_MAX];
  u32 num_readers, reads, bytes, num_signals;
  u32 chaos_left;  // tasks that have not finished phase one
  u32 users;       // readers that have not finished
};

static void finish_chaos(struct state *state) {
  if (--state->chaos_left) return;
  sim_heal();
  watch_throughput_begin(&state->scene.watch);
  sim_complete_all(&state->healed);
}

static void read_some(struct hwrng_file *filp, size_t size) {
  u8 buf[SCENE_SIZE_MAX + WATCH_GUARD];

  watch_rng_dev_read(filp, buf, size);
  if (sim_signal_pending()) sim_clear_signals();
}

static void read_all(struct state *state) {
  struct hwrng_file file;
  u32 left = state->bytes;

  if (hwrng_subject_open(&file, false, false)) return;
  while (left) {
    u8 buf[SCENE_SIZE_MAX + WATCH_GUARD];
    s64 rc = watch_rng_dev_read(&file, buf, left < SCENE_SIZE_MAX ? left : SCENE_SIZE_MAX);

    if (sim_signal_pending()) sim_clear_signals();
    if (rc > 0) left -= (u32)rc;
  }
  watch_throughput_end(&state->scene.watch, 4 * SIM_NSEC_PER_SEC / state->dev.config.word_ns);
  watch_rng_dev_close(&file);
}

static void reader(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->reads; i++) {
    bool nonblock = scene_draw(SIM_SITE_DRAW("nonblock", SIM_SITE_WORK, 0, 0), 4);
    struct hwrng_file file;

    if (hwrng_subject_open(&file, nonblock, false)) return;
    read_some(&file, scene_draw_size());
    watch_rng_dev_close(&file);
  }
  finish_chaos(state);
  // The scenario's own wait, as long as phase one: nothing of the subject hangs in it.
  sim_wait_for_completion_at(SIM_SITE("wait_healed"), &state->healed, SIM_TASK_IDLE,
                             SIM_MAX_SCHEDULE_TIMEOUT);
  read_all(state);
  if (--state->users == 0) bcm2835_driver_remove(&state->driver);
}

static void signaller(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->num_signals; i++) {
    u32 who =
        sim_choose(sim_w, SIM_SITE_DRAW("signal", SIM_SITE_WORK, 0, 0), 1 + state->num_readers);

    if (who == 0) continue;
    scene_pause(9);
    if (sim_task_state(state->readers[who - 1]) == SIM_TASK_DEAD) continue;
    SIM_SOMETIMES("bcm2835-read", "signal while a reader sleeps in the driver", 20000,
                  watch_reader_in_read(true));
    watch_send_signal(state->readers[who - 1]);
  }
  finish_chaos(state);
}

static void setup(void) {
  struct state *state = scene_setup(sizeof(*state));
  struct bcm2835_rng_config config;
  struct bcm2835_dev_config dev_config;

  bcm2835_dev_config_default(&dev_config);
  dev_config.warm = true;
  dev_config.odd = sim_param("odd");
  bcm2835_dev_init(&state->dev, "bcm2835-rng", 1, &dev_config);
  bcm2835_rng_config_from_params(&config);
  if (bcm2835_driver_probe(&state->dev, &config, &state->driver)) SIM_ASSERT(!"probe");

  state->num_readers = (u32)sim_param("readers");
  state->reads = (u32)sim_param("reads");
  state->bytes = (u32)sim_param("bytes");
  state->num_signals = (u32)sim_param("signals");
  state->users = state->num_readers;
  state->chaos_left = state->num_readers + 1;
  sim_init_completion(&state->healed, "healed");
  for (u32 i = 0; i < state->num_readers; i++)
    state->readers[i] =
        sim_task_new("reader", reader, state, i % sim_world_config(sim_w)->num_cpus);
  sim_task_new("signaller", signaller, state, 0);
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
    {"readers", 2, 1, READERS_MAX, "", "readers"},
    {"reads", 2, 0, 1000, "", "reads of each in phase one"},
    {"bytes", 60, 0, 20000, "B", "what each wants in phase two"},
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
    {.id = "62", .line = "the read spins while the FIFO is empty; 96cb9d055445"},
    {.id = "63", .line = "the read sleeps a second for 116 us of refill; b58a36008bfa"},
    SCENE_BUGS_BCM2835,
    {.id = NULL},
};

const struct sim_scenario scenario_bcm2835_read = {
    .name = "bcm2835-read",
    .claim = "readers of a bcm2835 get its words, each once and in order, at a rate worth having",
    .params = params,
    .oracles = hwrng_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 1024,
    .yardstick_runs = 200000,
    .hooked = SIM_HOOKED_TWIN(scenario_bcm2835_read),
    .takes_kernel = true,
    .refuses = hwrng_subject_refuses,
    .setup = setup,
    .heal = heal,
    .check = check,
};
