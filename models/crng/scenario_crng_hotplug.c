// SPDX-License-Identifier: GPL-2.0-or-later
//
// crng-hotplug: CPUs go and come while their interrupts, timers and readers are under way.
#include "models/crng/crng_scenarios.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/crng/crng_subject.h"
#include "sim/checker.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

enum { READERS_MAX = 8 };

struct state {
  struct crng_scene scene;
  struct crng_scene_device devices[SIM_CPUS_MAX];
  struct sim_timer first_read[SIM_CPUS_MAX];
  u32 reads, rounds;
};

static int prepare(u32 cpu) {
  struct state *state = sim_private();

  return crng_watch_prepare_cpu(&state->scene.watch, cpu);
}

static int online(u32 cpu) {
  struct state *state = sim_private();
  const struct crng *rng = &state->scene.rng;

  SIM_SOMETIMES("crng-hotplug", "a CPU comes and its pool waits for a timer", 20000,
                crng_subject_fast_count(rng, cpu) & CRNG_MIX_INFLIGHT);
  SIM_SOMETIMES("crng-hotplug", "a CPU comes and its timer is pending elsewhere", 50000,
                crng_subject_fast_timer_pending(rng, cpu));
  return crng_subject_random_online_cpu(&state->scene.rng, cpu);
}

static void read_in_softirq(struct sim_timer *timer) {
  struct state *state = sim_private();

  crng_scene_read(&state->scene);
}

// When all CPUs have come for good each still gets its interrupts, and must mix them.
static void afterwards(struct state *state) {
  enum { TIMES = 4, GAP_MS = 600 };

  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++)
    while (state->devices[cpu].left) sim_msleep(500);
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++) {
    state->devices[cpu].gap_ms = GAP_MS;
    crng_scene_device_start(&state->devices[cpu], &state->scene, cpu, TIMES);
  }
  sim_msleep((TIMES + 1) * GAP_MS);
}

static void plugger(void *arg) {
  struct state *state = arg;
  u32 num_cpus = sim_nr_cpus();

  for (u32 i = 0; i < state->rounds; i++) {
    u32 cpu = 1 + sim_choose(sim_w, SIM_SITE_DRAW("crng-cpu", SIM_SITE_WORK, 0, 0), num_cpus - 1);

    crng_scene_pause();
    if (sim_cpu_down(cpu)) SIM_ASSERT(!"a CPU goes");
    crng_scene_pause();
    if (sim_cpu_up(cpu)) SIM_ASSERT(!"a CPU comes");
    // Tasks that have left it stay away.
    if (!sim_timer_pending(&state->first_read[cpu]))
      sim_add_timer_on(&state->first_read[cpu], sim_jiffies(), cpu);
  }
  afterwards(state);
}

static void reader(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->reads; i++) {
    crng_scene_pause();
    crng_scene_read(&state->scene);
    if (i == 1) crng_subject_reseed(&state->scene.rng);
  }
}

static void setup(void) {
  struct state *state = crng_scene_setup(sizeof(*state));
  u32 num_cpus = sim_nr_cpus(), readers = (u32)sim_param("readers");

  state->reads = (u32)sim_param("reads");
  state->rounds = (u32)sim_param("rounds");
  // The devices' interrupts are 1.1 s apart at most, and waited for.
  crng_scene_work(state->reads + 2 * state->rounds + 4 * (u32)sim_param("interrupts") + 16, 1);
  if (sim_cpuhp_setup_state("random:prepare", prepare, NULL, false) < 0) SIM_ASSERT(!"a state");
  if (sim_cpuhp_setup_state("random:online", online, NULL, true) < 0) SIM_ASSERT(!"a state");
  crng_subject_workqueue_init(&state->scene.rng);
  crng_scene_make_ready(&state->scene);
  for (u32 cpu = 0; cpu < num_cpus; cpu++) {
    sim_timer_setup(&state->first_read[cpu], read_in_softirq);
    crng_scene_device_start(&state->devices[cpu], &state->scene, cpu, (u32)sim_param("interrupts"));
  }
  sim_task_new("plugger", plugger, state, 0);
  for (u32 i = 0; i < readers; i++) sim_task_new("reader", reader, state, (i + 1) % num_cpus);
}

static const struct sim_param params[] = {
    {"num_cpus", 2, 2, SIM_CPUS_MAX, "", "CPUs"},
    {"hz", 100, 100, 1000, "", "ticks a second: the fewer, the longer a timer is pending"},
    {"readers", 2, 0, READERS_MAX, "", "tasks that read"},
    {"reads", 3, 0, 1000, "", "reads of each"},
    {"rounds", 2, 0, 1000, "", "times that a CPU goes and comes"},
    {"interrupts", 10, 1, 1000, "", "of each CPU's device, bursts counted once"},
    CRNG_SCENE_PARAMS,
};

static const struct sim_suspect suspects[] = {
    CRNG_SCENE_SUSPECT_HOTPLUG_TIMER,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    CRNG_SCENE_BUG_12,
    CRNG_SCENE_BUG_PREPARE_KEY,
    CRNG_SCENE_BUG_PREPARE_BATCHES,
    {.id = NULL},
};

const struct sim_scenario scenario_crng_hotplug = {
    .name = "crng-hotplug",
    .claim = "CPUs go and come, and what they had collected and kept does no harm",
    .params = params,
    .oracles = crng_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 500000,
    .hooked = SIM_HOOKED_TWIN(scenario_crng_hotplug),
    .takes_kernel = true,
    .refuses = crng_subject_refuses,
    .setup = setup,
};
