// SPDX-License-Identifier: GPL-2.0-or-later
//
// boot-hwrng: an arm64 machine from start_kernel to READY. Its early callers ask the CRNG, which
// asks the guest's registers and firmware; initcalls bring the bcm2835 and the firmware's TRNG as
// hardware generators, whose fill thread feeds the pool; processes wait in getrandom; when the
// CRNG is ready the drivers go. All in one schedule; all onlookers judge.
#include "models/arm64/arm64_scenarios.h"

#include "models/arm64/arm64_boot.h"
#include "models/arm64/arm64_oracles.h"
#include "models/crng/crng_oracles.h"
#include "models/hwrng/bcm2835_rng.h"
#include "models/hwrng/oracles.h"
#include "models/hwrng/scene.h"
#include "models/hwrng/smccc_trng.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/task.h"
#include "sim/world.h"

enum { CALLERS_MAX = 4, READERS_MAX = 4, QUALITY = 0 };

struct state {
  struct hwrng_scene hwrng;  // first: see hwrng_world()
  struct arm64_boot boot;
  struct bcm2835_dev dev;
  struct bcm2835_rng_config config;
  struct bcm2835_rng_priv *priv;
  struct smccc_trng_dev firmware;
  struct smccc_trng *trng;
  bool has_bcm2835, has_trng, bug_71;
  u32 callers, calls, readers, bytes;
  u64 fed;  // bytes of generators
};

static void into_the_pool(void *arg, const void *buf, size_t len, size_t entropy,
                          bool sleep_after) {
  struct state *state = arg;

  state->fed += len;
  crng_watch_hwgenerator(&state->boot.crng.watch, buf, len, entropy, sleep_after);
}

static void caller(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->calls; i++) {
    crng_scene_pause();
    crng_scene_getrandom(&state->boot.crng);
    crng_scene_read(&state->boot.crng);
  }
}

static void reader(void *arg) {
  struct state *state = arg;
  u8 buf[SCENE_SIZE_MAX + WATCH_GUARD];
  struct hwrng_file file;

  if (rng_dev_open(&file, false, false)) return;
  scene_pause(9);
  (void)watch_rng_dev_read(&file, buf, state->bytes);
  watch_rng_dev_close(&file);
}

// Which generators the machine has; one at least, or it would wait for ever.
static void probe(struct state *state) {
  const struct arm64_hardware *hw = &state->boot.arm64.machine.hw;

  // arm_smccc_version_init has made the TRNG's platform device.
  if (state->has_trng && hw->conduit != ARM64_CONDUIT_NONE && hw->smccc >= ARM64_SMCCC_1_1 &&
      hw->trng >= ARM64_TRNG_1_0 &&
      smccc_trng_probe(&state->firmware, QUALITY, state->bug_71, &state->trng))
    SIM_ASSERT(!"probe");
  // Its clock may fail, which is a fault that heals: whoever loads modules tries again.
  while ((state->has_bcm2835 || !state->trng) && !state->priv)
    if (bcm2835_rng_probe(&state->dev, &state->config, &state->priv)) sim_msleep(20);
}

static void initcalls(struct arm64_boot *boot) {
  struct state *state = sim_private();
  u32 num_cpus = sim_num_online_cpus();
  bool ready = crng_ready(&boot->crng.rng);

  probe(state);
  for (u32 i = 0; i < state->callers; i++) sim_task_new("caller", caller, state, i % num_cpus);
  for (u32 i = 0; i < state->readers; i++)
    sim_task_new("reader", reader, state, (i + 1) % num_cpus);
  while (crng_wait_for_random_bytes(&boot->crng.rng)) sim_clear_signals();
  SIM_SOMETIMES("boot-hwrng", "ready by its seeds and its CPU", 3000, ready);
  SIM_SOMETIMES("boot-hwrng", "ready by a hardware generator", 3000, !ready && state->fed);
  crng_scene_pause();
  if (state->trng) smccc_trng_remove(state->trng);
  if (state->priv) bcm2835_rng_remove(state->priv);
}

// ---- Set-up ----

static struct arm64_boot *boot_of_world(void) { return &((struct state *)sim_private())->boot; }
static int prepare(u32 cpu) { return arm64_boot_prepare_cpu(boot_of_world(), cpu); }
static int starting(u32 cpu) { return arm64_boot_starting(boot_of_world(), cpu); }
static int online(u32 cpu) { return arm64_boot_online(boot_of_world(), cpu); }

static void setup(void) {
  struct state *state = scene_setup(sizeof(*state));
  struct bcm2835_dev_config dev_config;

  state->hwrng.world.sink = (struct hwrng_sink){.add = into_the_pool, .arg = state};
  state->callers = (u32)sim_param("callers");
  state->calls = (u32)sim_param("calls");
  state->readers = (u32)sim_param("readers");
  state->bytes = (u32)sim_param("bytes");
  state->has_bcm2835 = sim_param("bcm2835");
  state->has_trng = sim_param("smccc_trng");
  state->bug_71 = sim_bug("71");
  bcm2835_dev_config_default(&dev_config);
  dev_config.odd = sim_param("odd");
  bcm2835_dev_init(&state->dev, "bcm2835-rng", 1, &dev_config);
  bcm2835_rng_config_from_params(&state->config);
  smccc_trng_dev_init(&state->firmware, "smccc_trng", 2);
  if (sim_cpuhp_setup_state("random:prepare", prepare, NULL, false) < 0 ||
      sim_cpuhp_setup_state("arm64:starting", starting, NULL, true) < 0 ||
      sim_cpuhp_setup_state("random:online", online, NULL, true) < 0)
    SIM_ASSERT(!"a state");
  arm64_boot_setup(&state->boot, initcalls);
  crng_scene_work(state->calls, 0);
}

static void heal(void) {
  struct state *state = sim_private();

  bcm2835_dev_heal(&state->dev);
}

static void check(void) {
  struct state *state = sim_private();

  watch_check(&state->hwrng.watch);
  arm64_boot_check(&state->boot);
}

static const struct sim_param params[] = {
    ARM64_BOOT_PARAMS,
    {"bcm2835", 1, 0, 1, "", "the machine has a bcm2835; 0: only where it has no TRNG"},
    {"smccc_trng", 1, 0, 1, "", "the firmware's TRNG, if there is one, is a generator too"},
    {"callers", 2, 0, CALLERS_MAX, "", "tasks in getrandom"},
    {"calls", 2, 0, 1000, "", "calls of each"},
    {"readers", 1, 0, READERS_MAX, "", "readers of /dev/hwrng"},
    {"bytes", 20, 1, SCENE_SIZE_MAX, "B", "what each wants"},
    {"odd", 1, 0, 1, "", "the bcm2835 may misbehave"},
    SCENE_PARAM_POLICY,
    {"fill", 1, 1, 1, "", "without the core's fill thread nothing might feed the CRNG"},
    SCENE_PARAM_CRNG_READY,
    SCENE_PARAM_CANCEL,
    SCENE_PARAM_POLL,
    CRNG_SCENE_PARAMS_ARCH(crng_scene_versions),
};

#define X(name, id, status, sentence, source) &arm64_oracle_##name,
#define Y(name, id, status, sentence, source) &crng_oracle_##name,
#define Z(name, id, status, sentence, source) &hwrng_oracle_##name,
static const struct sim_oracle *const oracles[] = {ARM64_ORACLES(X) ARM64_BOOT_ORACLES(X)
                                                       CRNG_ORACLES(Y) HWRNG_ORACLES(Z) NULL};
#undef X
#undef Y
#undef Z

static const struct sim_suspect suspects[] = {
    ARM64_BOOT_SUSPECT_LOCAL_CAP,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    ARM64_BOOT_BUGS,
    {"71", "arm_smccc_trng returns an error instead of trying again; 042b4b169c6f", "trng", "1.0"},
    {.id = NULL},
};

const struct sim_scenario scenario_boot_hwrng = {
    .name = "boot-hwrng",
    .claim = "an arm64 machine with a generator boots to a ready CRNG, on what it was given",
    .params = params,
    .oracles = oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 50000,
    .takes_guest = true,
    .refuses = arm64_scene_refuses,
    .setup = setup,
    .heal = heal,
    .check = check,
};
