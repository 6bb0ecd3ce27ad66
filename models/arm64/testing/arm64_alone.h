// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of the arm64 machine: one with a task that does what the test says, run calmly. In a
// run a test says SIM_EXPECT.
#ifndef SEEDBED_MODELS_ARM64_TESTING_ARM64_ALONE_H_
#define SEEDBED_MODELS_ARM64_TESTING_ARM64_ALONE_H_

#include "sim/testing/runs.h"

#include "models/arm64/arm64_oracles.h"
#include "models/arm64/arm64_scene.h"
#include "sim/cpu.h"
#include "sim/task.h"

static void (*arm64_alone_act)(struct arm64_scene *scene);

// The machine has begun; nothing has booted.
static void arm64_alone_task(void *arg) {
  arm64_scene_begin(arg);
  arm64_alone_act(arg);
}

static void arm64_alone_setup(void) {
  struct arm64_scene *scene = sim_alloc_static(sizeof(*scene), "scene");

  sim_set_private(scene);
  arm64_scene_init(scene);
  sim_task_new("alone", arm64_alone_task, scene, 0);
}

static const struct sim_param arm64_alone_params[] = {
    ARM64_SCENE_PARAMS,
    {.name = NULL},
};

static const struct sim_oracle *const arm64_alone_oracles[] = {
#define X(name, id, status, sentence, source) &arm64_oracle_##name,
    ARM64_ORACLES(X)
#undef X
        NULL,
};

static const struct sim_bug arm64_alone_bugs[] = {
    ARM64_SCENE_BUGS, ARM64_SCENE_BOOT_BUGS, {"query-preemptible", ""},
    {"reg31-sp", ""}, {.id = NULL},
};

static const struct sim_scenario arm64_alone = {.name = "arm64-alone",
                                                .claim = "a test's",
                                                .params = arm64_alone_params,
                                                .oracles = arm64_alone_oracles,
                                                .bugs = arm64_alone_bugs,
                                                .setup = arm64_alone_setup};

static inline void arm64_alone_run(struct sim_test *t, void (*act)(struct arm64_scene *scene),
                                   const char *settings) {
  arm64_alone_act = act;
  sim_test_open_with(t, &arm64_alone, settings);
  sim_test_calm(t);
}

static inline void arm64_alone_passes(void (*act)(struct arm64_scene *scene),
                                      const char *settings) {
  struct sim_test t;

  arm64_alone_run(&t, act, settings);
  sim_test_show(&t, settings, 0);
  assert_int_equal(t.result.status, SIM_OK);
  sim_test_close(&t);
}

// The run has a failure of `oracle`, first.
static inline void arm64_alone_trips(void (*act)(struct arm64_scene *scene), const char *settings,
                                     const char *oracle) {
  struct sim_test t;

  arm64_alone_run(&t, act, settings);
  if (t.result.num_failures == 0) fail_msg("%s: nothing fired, %s was to", settings, oracle);
  if (strcmp(t.result.failures[0].oracle, oracle) != 0) sim_test_show(&t, settings, 0);
  assert_string_equal(t.result.failures[0].oracle, oracle);
  sim_test_close(&t);
}

#endif  // SEEDBED_MODELS_ARM64_TESTING_ARM64_ALONE_H_
