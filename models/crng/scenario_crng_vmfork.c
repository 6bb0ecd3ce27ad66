// SPDX-License-Identifier: GPL-2.0-or-later
//
// crng-vmfork: a virtual machine is forked again and again, before and after the CRNG is
// ready, while others reseed it, seed it and read. The new identity is told by an interrupt,
// as a device tree's vmgenid does; its users (WireGuard) are told by a chain that may sleep.
//
// Left out: what is drawn between the fork and its notice, which no design prevents.
#include "models/crng/crng_scenarios.h"

#include <string.h>

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/crng/crng_subject.h"
#include "sim/checker.h"
#include "sim/task.h"
#include "sim/wait.h"
#include "sim/world.h"

enum { ID_LEN = 16, READERS_MAX = 8 };

struct state {
  struct crng_scene scene;
  struct sim_hw_event event;
  struct sim_completion told;
  struct sim_notifier user;
  struct sim_mutex user_lock;
  u8 next_id[ID_LEN], this_id[ID_LEN];
  u32 forks, reads, reseeds;
  bool device_tree;  // suspect: the machine may have one, and no ACPI
  bool in_hardirq;
};

static int on_fork(struct sim_notifier *nb, unsigned long action, void *data) {
  struct state *state = sim_container_of(nb, struct state, user);

  // Sessions are under a lock that sleeps.
  sim_mutex_lock(&state->user_lock);
  sim_mutex_unlock(&state->user_lock);
  return SIM_NOTIFY_DONE;
}

// vmgenid_notify.
static void compare_ids(struct state *state) {
  SIM_SOMETIMES("crng-vmfork", "a fork before READY", 2000, state->scene.watch.stage < CRNG_READY);
  SIM_SOMETIMES("crng-vmfork", "a fork when READY", 2000, state->scene.watch.stage == CRNG_READY);
  if (memcmp(state->this_id, state->next_id, ID_LEN) == 0) return;
  memcpy(state->this_id, state->next_id, ID_LEN);
  crng_watch_vmfork(&state->scene.watch, state->this_id, ID_LEN);
}

static void arm(struct state *state);

// The hypervisor has gone on with another machine.
static void forked(void *arg) {
  struct state *state = arg;

  crng_scene_data(&state->scene, state->next_id, ID_LEN);
  if (state->in_hardirq)
    compare_ids(state);
  else
    sim_complete(&state->told);
}

static void arm(struct state *state) {
  static const u32 gap_us[] = {1000, 3, 10, 50, 4000, 700000};
  u32 gap = gap_us[sim_choose(sim_w, SIM_SITE_DRAW("crng-fork-gap", SIM_SITE_WORK, 0, 0),
                              SIM_ARRAY_SIZE(gap_us))];

  sim_hw_event_arm(&state->event, sim_clock_ns() + (u64)gap * 1000, forked, state, 0);
}

// The thread of the interrupt.
static void vmgenid(void *arg) {
  struct state *state = arg;

  // The first fork that is told in hardirq ends the run: some runs go on.
  state->in_hardirq = state->device_tree &&
                      sim_choose(sim_w, SIM_SITE_DRAW("crng-device-tree", SIM_SITE_WORK, 0, 0), 2);
  for (u32 i = 0; i < state->forks; i++) {
    arm(state);
    if (state->in_hardirq) {
      sim_msleep(1000);
      continue;
    }
    sim_wait_for_completion(&state->told);
    compare_ids(state);
  }
}

static void reader(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->reads; i++) {
    crng_scene_pause();
    crng_scene_read(&state->scene);
  }
}

// Makes the CRNG ready, and then reseeds by hand.
static void seeder(void *arg) {
  struct state *state = arg;

  crng_scene_pause();
  crng_scene_make_ready(&state->scene);
  for (u32 i = 0; i < state->reseeds; i++) {
    crng_scene_pause();
    crng_subject_reseed(&state->scene.rng);
  }
}

static void setup(void) {
  struct state *state = crng_scene_setup(sizeof(*state));
  u32 num_cpus = sim_nr_cpus(), readers = (u32)sim_param("readers");

  state->forks = (u32)sim_param("forks");
  state->reads = (u32)sim_param("reads");
  state->reseeds = (u32)sim_param("reseeds");
  crng_scene_work(state->reads + state->reseeds + 4 * state->forks, 1);
  state->device_tree = sim_suspect("vmgenid_hardirq");
  state->user.fn = on_fork;
  sim_mutex_init(&state->user_lock, "wg device_update_lock");
  sim_init_completion(&state->told, "vmgenid");
  if (crng_subject_register_vmfork_notifier(&state->scene.rng, &state->user))
    SIM_ASSERT(!"registered");
  crng_subject_workqueue_init(&state->scene.rng);
  sim_task_new("vmgenid", vmgenid, state, 0);
  sim_task_new("seeder", seeder, state, num_cpus - 1);
  for (u32 i = 0; i < readers; i++) sim_task_new("reader", reader, state, (i + 1) % num_cpus);
}

static const struct sim_param params[] = {
    {"readers", 2, 0, READERS_MAX, "", "tasks that read"},
    {"reads", 3, 0, 1000, "", "reads of each"},
    {"forks", 3, 0, 1000, "", "forks of the machine"},
    {"reseeds", 2, 0, 1000, "", "reseeds by hand"},
    CRNG_SCENE_PARAMS,
};

static const struct sim_suspect suspects[] = {
    CRNG_SCENE_SUSPECT_RESEED_OVERTAKEN,
    CRNG_SCENE_SUSPECT_VMFORK_UNREADY,
    CRNG_SCENE_SUSPECT_VMGENID_HARDIRQ,
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    CRNG_SCENE_BUG_FORK_TOLD,
    {.id = NULL},
};

const struct sim_scenario scenario_crng_vmfork = {
    .name = "crng-vmfork",
    .claim = "once a fork of the machine has been told, every key stems from its new identity",
    .params = params,
    .oracles = crng_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 512,
    .yardstick_runs = 500000,
    .hooked = SIM_HOOKED_TWIN(scenario_crng_vmfork),
    .takes_kernel = true,
    .refuses = crng_subject_refuses,
    .setup = setup,
};
