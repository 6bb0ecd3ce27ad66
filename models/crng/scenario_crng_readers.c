// SPDX-License-Identifier: GPL-2.0-or-later
//
// crng-readers: readers in task, softirq and hardirq context on every CPU, batches included,
// and waiters that get signals, while the CRNG becomes ready and is reseeded.
#include "models/crng/crng_scenarios.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/crng/crng_subject.h"
#include "sim/checker.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

enum { WAITERS_MAX = 4, READERS_MAX = 8 };

// Reads in the interrupts of one CPU, and in its timer softirq.
struct interrupter {
  struct state *state;
  struct sim_hw_event event;
  struct sim_timer timer;
  u32 cpu, left;
};

struct state {
  struct crng_scene scene;
  struct interrupter interrupters[SIM_CPUS_MAX];
  struct sim_task *waiters[WAITERS_MAX];
  u32 num_waiters, reads, signals;
};

static void arm(struct interrupter *interrupter);

static void read_in_softirq(struct sim_timer *timer) {
  struct interrupter *interrupter = sim_container_of(timer, struct interrupter, timer);

  SIM_SOMETIMES("crng-readers", "a reader in softirq", 2000, true);
  crng_scene_read(&interrupter->state->scene);
}

static void read_in_hardirq(void *arg) {
  struct interrupter *interrupter = arg;

  SIM_SOMETIMES("crng-readers", "a reader in hardirq", 2000, true);
  // Under PREEMPT_RT nobody may: the CRNG's locks sleep.
  if (!sim_world_config(sim_w)->rt) crng_scene_read(&interrupter->state->scene);
  if (!sim_timer_pending(&interrupter->timer)) sim_mod_timer(&interrupter->timer, sim_jiffies());
  if (--interrupter->left) arm(interrupter);
}

static void arm(struct interrupter *interrupter) {
  static const u32 gap_ns[] = {20000, 300, 900, 2500, 4000000};
  u32 gap = gap_ns[sim_choose(sim_w, SIM_SITE_DRAW("crng-irq-gap", SIM_SITE_WORK, 0, 0),
                              SIM_ARRAY_SIZE(gap_ns))];

  sim_hw_event_arm(&interrupter->event, sim_clock_ns() + gap, read_in_hardirq, interrupter,
                   interrupter->cpu);
}

// Sometimes: all of a batch, and the first of the next.
static void use_up_batch(struct state *state) {
  u32 draw =
      sim_choose(sim_w, SIM_SITE_DRAW("crng-use-up", SIM_SITE_WORK, 1, 16), 1 + CRNG_BATCH_KINDS);
  u32 kind = CRNG_BATCH_KINDS - draw, num = CRNG_BATCH_LEN >> kind;

  if (!draw) return;
  for (u32 i = 0; i <= num; i++) {
    const struct crng *rng = &state->scene.rng;
    struct crng_batch_view batch = crng_subject_batch(rng, kind, sim_smp_processor_id());
    bool used_up = batch.position == num && batch.generation == crng_subject_base_generation(rng);

    SIM_SOMETIMES("crng-readers", "a batch of u8 is used up", 20000, used_up && kind == CRNG_U8);
    SIM_SOMETIMES("crng-readers", "a batch of u16 is used up", 20000, used_up && kind == CRNG_U16);
    SIM_SOMETIMES("crng-readers", "a batch of u32 is used up", 20000, used_up && kind == CRNG_U32);
    SIM_SOMETIMES("crng-readers", "a batch of u64 is used up", 20000, used_up && kind == CRNG_U64);
    crng_watch_batched(&state->scene.watch, kind);
  }
}

static void reader(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->reads; i++) {
    crng_scene_pause();
    crng_scene_read(&state->scene);
    crng_scene_read(&state->scene);
    if (state->scene.watch.stage == CRNG_READY) use_up_batch(state);
  }
}

static void waiter(void *arg) {
  struct state *state = arg;

  crng_scene_getrandom(&state->scene);
  sim_clear_signals();
  crng_scene_getrandom(&state->scene);
}

static void signaller(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->signals; i++) {
    u32 who = sim_choose(sim_w, SIM_SITE_DRAW("crng-signal", SIM_SITE_WORK, 0, 0),
                         1 + state->num_waiters);

    crng_scene_pause();
    if (!who || sim_task_state(state->waiters[who - 1]) == SIM_TASK_DEAD) continue;
    SIM_SOMETIMES("crng-readers", "a signal for one who waits", 5000,
                  sim_task_state(state->waiters[who - 1]) != SIM_TASK_RUNNING);
    crng_watch_send_signal(&state->scene.watch, state->waiters[who - 1]);
  }
}

// Half of what is needed, the other half, and reseeds by hand.
static void feeder(void *arg) {
  struct state *state = arg;
  u8 buf[32];

  for (u32 i = 0; i < 2; i++) {
    crng_scene_pause();
    crng_scene_data(&state->scene, buf, sizeof(buf));
    crng_watch_hwgenerator(&state->scene.watch, buf, sizeof(buf), 128, false);
  }
  crng_scene_pause();
  crng_subject_reseed(&state->scene.rng);
  crng_scene_pause();
  crng_subject_reseed(&state->scene.rng);
}

static void setup(void) {
  struct state *state = crng_scene_setup(sizeof(*state));
  u32 num_cpus = sim_nr_cpus(), readers = (u32)sim_param("readers");

  state->reads = (u32)sim_param("reads");
  state->signals = (u32)sim_param("signals");
  state->num_waiters = (u32)sim_param("waiters");
  crng_scene_work(state->reads + state->signals + 8, 2);
  crng_subject_workqueue_init(&state->scene.rng);
  for (u32 i = 0; i < readers; i++) sim_task_new("reader", reader, state, i % num_cpus);
  for (u32 i = 0; i < state->num_waiters; i++)
    state->waiters[i] = sim_task_new("waiter", waiter, state, (i + 1) % num_cpus);
  sim_task_new("feeder", feeder, state, num_cpus - 1);
  if (state->num_waiters && state->signals) sim_task_new("signaller", signaller, state, 0);
  for (u32 cpu = 0; cpu < num_cpus; cpu++) {
    struct interrupter *interrupter = &state->interrupters[cpu];

    *interrupter =
        (struct interrupter){.state = state, .cpu = cpu, .left = (u32)sim_param("interrupts")};
    sim_timer_setup(&interrupter->timer, read_in_softirq);
    if (interrupter->left) arm(interrupter);
  }
}

static const struct sim_param params[] = {
    {"readers", 2, 0, READERS_MAX, "", "tasks that read"},
    {"reads", 3, 0, 1000, "", "pairs of reads of each"},
    {"waiters", 1, 0, WAITERS_MAX, "", "tasks in getrandom, which get signals"},
    {"signals", 2, 0, 1000, "", "signals, at most"},
    {"interrupts", 4, 0, 1000, "", "interrupts of each CPU that read"},
    CRNG_SCENE_PARAMS,
};

static const struct sim_bug bugs[] = {
    CRNG_SCENE_BUG_2,         CRNG_SCENE_BUG_13, CRNG_SCENE_BUG_BATCH,
    CRNG_SCENE_BUG_BATCH_END, {.id = NULL},
};

const struct sim_scenario scenario_crng_readers = {
    .name = "crng-readers",
    .claim = "readers in every context get bytes that nobody else has, of a key that is current",
    .params = params,
    .oracles = crng_oracles,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 500000,
    .hooked = SIM_HOOKED_TWIN(scenario_crng_readers),
    .takes_kernel = true,
    .refuses = crng_subject_refuses,
    .setup = setup,
};
