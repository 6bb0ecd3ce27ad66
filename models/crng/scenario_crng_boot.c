// SPDX-License-Identifier: GPL-2.0-or-later
//
// crng-boot: from start_kernel to the first task, in the order of Linux 7.2 (init/main.c):
//
//   interrupts off, one CPU    setup_arch: the firmware's and the device tree's seed
//                              random_init_early: the processor's words
//                              mm_core_init: the first callers; from here on there is memory
//                              workqueue_init_early: work may be queued, none runs
//                              random_init: the time, the static key
//                              kfence_init and others: more callers
//   interrupts on              local_irq_enable: the timer's interrupts, softirqs
//   preemptible                rest_init: kernel_init
//   all CPUs                   smp_init, with the hotplug callbacks
//                              do_initcalls: drivers, a hardware generator, more callers
//   the first task             getrandom, and later a seed that it has kept on disk
//
// Reports from the field that it carries: a guest whose first task waits for entropy
// (dt_seed, efi_seed, trust_boot, trust_cpu, arch_longs, generator=0, interrupts=0,
// late_seed), and an architecture's seed hook that takes a lock (arch_hook, and the planted
// bug arch-seed-lock).
#include "models/crng/crng_scenarios.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/crng/crng_subject.h"
#include "sim/checker.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

enum { CALLERS_MAX = 8, SEED_LEN_MAX = 64, EARLY_READS = 2 };

struct state {
  struct crng_scene scene;
  struct crng_scene_device devices[SIM_CPUS_MAX];
  struct sim_spinlock map_lock;
  u64 seed_words;    // that the hook has given
  u64 trusted_bits;  // what seeds so far are worth
  s64 dt_seed, efi_seed;
  u32 callers, reads, interrupts;
  bool generator, late_seed;
  bool all_drawn;  // no source is fixed: every outcome must be seen
  bool rt;
  bool slab;        // memory can be had
  bool hook_locks;  // planted bug
};

// ---- The architecture's hook ----

// As that of a Power8 (powernv): it works once memory can be had, and what the planted bug
// adds is that it maps its device, which the allocator of address space does under a lock
// that others take with interrupts on.
static u32 power8_seed(void *arg, u64 *v, u32 max, bool early) {
  struct state *state = arg;

  if (!state->slab) return 0;
  if (state->hook_locks) {
    sim_spin_lock(&state->map_lock);
    sim_spin_unlock(&state->map_lock);
  }
  *v = sim_mix64(0x9085ull << 48 | ++state->seed_words);
  return 1;
}

// ioremap of a driver.
static void map_device(struct state *state) {
  sim_spin_lock(&state->map_lock);
  sim_spin_unlock(&state->map_lock);
}

// ---- Early ----

// What took so long, at each of the early steps: far below the bound of interrupts off.
static void step(void) {
  static const u16 us[] = {20, 3, 400};

  sim_elapse(1000ull * us[sim_choose(sim_w, SIM_SITE_DRAW("crng-boot-step", SIM_SITE_WORK, 0, 0),
                                     SIM_ARRAY_SIZE(us))]);
}

// Nobody else is there: the stage is exactly what the seeds are worth.
static void judge_stage(const struct state *state, const char *where) {
  u32 stage = state->trusted_bits >= 256   ? CRNG_READY
              : state->trusted_bits >= 128 ? CRNG_EARLY
                                           : CRNG_EMPTY;

  if (state->scene.watch.stage != stage)
    sim_fail(&crng_oracle_boot, where, "%s: %llu bits of trusted seeds, and the stage is %u", where,
             (unsigned long long)state->trusted_bits, state->scene.watch.stage);
}

// A seed of `len` bytes, or of a drawn length if that is negative.
static void seed(struct state *state, s64 len, u32 which, const char *where) {
  static const u8 lengths[] = {32, 0, 16, 64, 31, 8};
  u8 buf[SEED_LEN_MAX];

  if (len < 0)
    len = lengths[(which + sim_choose(sim_w, SIM_SITE_DRAW("crng-boot-seed", SIM_SITE_WORK, 0, 0),
                                      SIM_ARRAY_SIZE(lengths))) %
                  SIM_ARRAY_SIZE(lengths)];
  if (!len) return;
  crng_scene_data(&state->scene, buf, (size_t)len);
  crng_watch_bootloader(&state->scene.watch, buf, (size_t)len);
  if (state->scene.rng.platform.trust_boot) state->trusted_bits += 8 * (u64)len;
  judge_stage(state, where);
}

static void early_callers(struct state *state) {
  u32 num =
      sim_choose(sim_w, SIM_SITE_DRAW("crng-boot-callers", SIM_SITE_WORK, 0, 0), 1 + EARLY_READS);

  while (num--) crng_scene_read(&state->scene);
}

static void kernel_init(void *arg);

static void start_kernel(void *arg) {
  struct state *state = arg;
  struct crng *rng = &state->scene.rng;

  // Under PREEMPT_RT locks sleep, which is not looked at until the scheduler runs: here there is
  // nobody to preempt this one, nor anything to interrupt it.
  if (!state->rt) {
    sim_preempt_disable();
    sim_local_irq_disable();
  }
  // Calmly there is no firmware's seed, and the device tree's has 32 bytes.
  seed(state, state->efi_seed, 1, "efi_config_parse_tables");
  seed(state, state->dt_seed, 0, "early_init_dt_scan_chosen");
  step();
  crng_subject_random_init_early(rng, "console=ttyS0");
  if (rng->platform.trust_cpu && !rng->platform.arch_get_random_seed_longs)
    state->trusted_bits += 64ull * rng->platform.arch_longs;
  judge_stage(state, "random_init_early");
  state->slab = true;
  early_callers(state);
  step();
  crng_subject_workqueue_init(rng);
  step();
  crng_subject_random_init(rng);
  judge_stage(state, "random_init");
  early_callers(state);
  // The timer's line has been asking since time_init.
  crng_scene_device_start(&state->devices[0], &state->scene, 0, state->interrupts);
  step();
  if (!state->rt) sim_local_irq_enable();
  early_callers(state);
  if (!state->rt) sim_preempt_enable();
  sim_task_new("kernel_init", kernel_init, state, 0);
}

// ---- All CPUs ----

static void caller(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->reads; i++) {
    u32 what = sim_choose(sim_w, SIM_SITE_DRAW("crng-boot-call", SIM_SITE_WORK, 0, 0), 4);

    crng_scene_pause();
    if (what < 2)
      crng_scene_read(&state->scene);
    else if (what == 2)
      map_device(state);
    else
      crng_watch_execute_when_ready(&state->scene.watch);
  }
}

// A generator's fill thread: some words, of a quality that is drawn, until that is enough.
static void generator(void *arg) {
  static const u16 quality[] = {64, 256, 8, 0};
  struct state *state = arg;
  u32 bits = quality[sim_choose(sim_w, SIM_SITE_DRAW("crng-boot-quality", SIM_SITE_WORK, 0, 0),
                                SIM_ARRAY_SIZE(quality))];
  u8 buf[32];

  for (u32 i = 0; i < 6; i++) {
    crng_scene_data(&state->scene, buf, sizeof(buf));
    crng_watch_hwgenerator(&state->scene.watch, buf, sizeof(buf), bits, true);
  }
}

static void initcalls(struct state *state) {
  u32 num_cpus = sim_nr_cpus();

  map_device(state);
  if (state->generator) sim_task_new("hwrng", generator, state, num_cpus - 1);
  for (u32 i = 0; i < state->callers; i++) sim_task_new("caller", caller, state, i % num_cpus);
  // Probes wait for their devices.
  sim_msleep(10);
  crng_scene_pause();
}

// ---- The first task ----

// Init brings the seed that the machine before it has kept (systemd-random-seed).
static void first_task(struct state *state) {
  struct crng_scene *scene = &state->scene;
  bool seeded = state->trusted_bits >= 256;
  u8 buf[32];
  s64 rc;

  SIM_SOMETIMES("crng-boot", "READY by seeds before the first task", 2000,
                seeded || !state->all_drawn);
  SIM_SOMETIMES("crng-boot", "READY by other sources before the first task", 5000,
                (!seeded && scene->watch.stage == CRNG_READY) || !state->all_drawn);
  SIM_SOMETIMES("crng-boot", "the first task before READY", 2000,
                scene->watch.stage < CRNG_READY || !state->all_drawn);
  rc = crng_watch_getrandom(&scene->watch, buf, sizeof(buf), CRNG_GRND_NONBLOCK);
  if (seeded && rc != (s64)sizeof(buf))
    sim_fail(&crng_oracle_boot, "first task", "the first task is not given bytes: %lld",
             (long long)rc);
  if (state->late_seed && scene->watch.stage < CRNG_READY) {
    crng_scene_pause();
    crng_scene_data(scene, buf, sizeof(buf));
    crng_watch_user_entropy(&scene->watch, buf, sizeof(buf), 256);
  }
  (void)crng_watch_getrandom(&scene->watch, buf, sizeof(buf), 0);
}

static void kernel_init(void *arg) {
  struct state *state = arg;

  for (u32 cpu = 1; cpu < sim_nr_cpus(); cpu++) {
    if (sim_cpu_up(cpu)) SIM_ASSERT(!"a CPU comes");
    crng_scene_device_start(&state->devices[cpu], &state->scene, cpu, state->interrupts);
  }
  initcalls(state);
  first_task(state);
}

// ---- Set-up ----

static int prepare(u32 cpu) {
  struct state *state = sim_private();

  return crng_watch_prepare_cpu(&state->scene.watch, cpu);
}

static int online(u32 cpu) {
  struct state *state = sim_private();

  return crng_subject_random_online_cpu(&state->scene.rng, cpu);
}

static void setup(void) {
  struct state *state = crng_scene_setup(sizeof(*state));

  sim_spin_lock_init(&state->map_lock, "free_vmap_area_lock");
  state->dt_seed = sim_param("dt_seed");
  state->efi_seed = sim_param("efi_seed");
  state->callers = (u32)sim_param("callers");
  state->reads = (u32)sim_param("reads");
  state->interrupts = (u32)sim_param("interrupts");
  state->generator = sim_param("generator");
  state->late_seed = sim_param("late_seed");
  crng_scene_work(state->reads + 8, 8);
  state->rt = sim_world_config(sim_w)->rt;
  state->all_drawn = state->dt_seed < 0 && state->efi_seed < 0 && state->generator &&
                     state->interrupts && state->scene.rng.platform.trust_boot &&
                     !state->scene.rng.platform.arch_longs;
  state->hook_locks = sim_bug("arch-seed-lock");
  if (sim_param("arch_hook") || state->hook_locks) {
    state->scene.rng.platform.arch_get_random_seed_longs = power8_seed;
    state->scene.rng.platform.arch_arg = state;
  }
  if (sim_cpuhp_setup_state("random:prepare", prepare, NULL, false) < 0) SIM_ASSERT(!"a state");
  if (sim_cpuhp_setup_state("random:online", online, NULL, true) < 0) SIM_ASSERT(!"a state");
  for (u32 cpu = 1; cpu < sim_nr_cpus(); cpu++)
    if (sim_cpu_down(cpu)) SIM_ASSERT(!"a CPU is not there yet");
  sim_task_new("start_kernel", start_kernel, state, 0);
}

static void check(void) {
  const struct state *state = sim_private();

  if (state->scene.watch.stage == CRNG_READY && !state->scene.watch.init_done)
    sim_fail(&crng_oracle_message, "never", "READY, and the log has not said so");
}

static const struct sim_param params[] = {
    {"dt_seed", -1, -1, SEED_LEN_MAX, "bytes", "rng-seed of the device tree; -1: drawn"},
    {"efi_seed", -1, -1, SEED_LEN_MAX, "bytes", "seed of the firmware; -1: drawn"},
    {"arch_hook", 0, 0, 1, "", "the architecture has a hook that gives seed words (Power8)"},
    {"callers", 2, 0, CALLERS_MAX, "", "tasks that read during initcalls"},
    {"reads", 2, 0, 1000, "", "what each does"},
    {"interrupts", 3, 0, 100000, "", "of each CPU's device, bursts counted once"},
    {"generator", 1, 0, 1, "", "a hardware generator, found during initcalls"},
    {"late_seed", 1, 0, 1, "",
     "the first task brings a seed if the CRNG is not ready; 0: it may wait for ever",
     .provokes = true},
    CRNG_SCENE_PARAMS,
};

static const struct sim_suspect suspects[] = {
    CRNG_SCENE_SUSPECT_READY_NOTIFIER,
    CRNG_SCENE_SUSPECT_JITTER_UNMIXED,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    CRNG_SCENE_BUG_7,
    CRNG_SCENE_BUG_10,
    CRNG_SCENE_BUG_SEED_EARLY,
    CRNG_SCENE_BUG_SEED_STRING,
    {"arch-seed-lock", "the arch seed hook takes a lock that others hold with interrupts on"},
    {.id = NULL},
};

const struct sim_scenario scenario_crng_boot = {
    .name = "crng-boot",
    .claim = "a boot in the order of start_kernel is seeded by what it is given, to the bit",
    .params = params,
    .oracles = crng_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 500000,
    .hooked = SIM_HOOKED_TWIN(scenario_crng_boot),
    .takes_kernel = true,
    .refuses = crng_subject_refuses,
    .setup = setup,
    .check = check,
};
