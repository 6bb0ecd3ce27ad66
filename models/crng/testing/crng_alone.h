// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of the CRNG: a scene with one task that does what the test says, run calmly. In
// a run a test says SIM_EXPECT.
#ifndef SEEDBED_MODELS_CRNG_TESTING_CRNG_ALONE_H_
#define SEEDBED_MODELS_CRNG_TESTING_CRNG_ALONE_H_

#include "sim/testing/runs.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scenarios.h"
#include "models/crng/crng_scene.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

// What the task does; constant in a run.
static void (*crng_alone_act)(struct crng_scene *scene);

static void crng_alone_task(void *arg) { crng_alone_act(arg); }

static void crng_alone_setup(void) {
  struct crng_scene *scene = crng_scene_setup(sizeof(*scene));

  if (sim_param("queues")) crng_workqueue_init(&scene->rng);
  sim_task_new("alone", crng_alone_task, scene, 0);
}

static const struct sim_param crng_alone_params[] = {
    {"queues", 1, 0, 1, "", "there are work queues"},
    CRNG_SCENE_PARAMS,
};

static const struct sim_scenario crng_alone = {.name = "crng-alone",
                                               .claim = "a test's",
                                               .params = crng_alone_params,
                                               .oracles = crng_oracles,
                                               .setup = crng_alone_setup};

static inline void crng_alone_run(struct sim_test *t, void (*act)(struct crng_scene *scene),
                                  const char *settings) {
  crng_alone_act = act;
  sim_test_open_with(t, &crng_alone, settings);
  sim_test_calm(t);
}

// The run ends well. `settings`: "jitter=1 hz=1000", or NULL.
static inline void crng_alone_passes(void (*act)(struct crng_scene *scene), const char *settings) {
  struct sim_test t;

  crng_alone_run(&t, act, settings);
  sim_test_show(&t, "calm", 0);
  assert_int_equal(t.result.status, SIM_OK);
  sim_test_close(&t);
}

// The run ends with a failure of `oracle`.
static inline void crng_alone_trips(void (*act)(struct crng_scene *scene), const char *settings,
                                    const char *oracle) {
  struct sim_test t;

  crng_alone_run(&t, act, settings);
  if (t.result.num_failures == 0) fail_msg("nothing fired, %s was to", oracle);
  if (strcmp(t.result.failures[0].oracle, oracle) != 0) sim_test_show(&t, "calm", 0);
  assert_string_equal(t.result.failures[0].oracle, oracle);
  sim_test_close(&t);
}

// The CRNG's scenarios, in no order; NULL behind the last.
static inline const struct sim_scenario *crng_scenario_at(u32 index) {
  static const struct sim_scenario *const all[] = {
      &scenario_crng_boot,    &scenario_crng_seed,   &scenario_crng_readers, &scenario_crng_reseed,
      &scenario_crng_hotplug, &scenario_crng_vmfork, &scenario_crng_hwrng,   NULL,
  };

  return all[index];
}

// A thousand seeds of each are clean under these settings, and some are run again.
static inline void crng_scenarios_clean(const char *settings) {
  for (u32 i = 0; crng_scenario_at(i); i++) {
    struct sim_test t;

    sim_test_open_with(&t, crng_scenario_at(i), settings);
    for (u64 seed = 0; seed < 1000; seed++) {
      sim_test_seed(&t, seed);
      sim_test_show(&t, settings, seed);
      assert_int_equal(t.result.num_failures, 0);
      if (seed % 100 == 0) sim_test_again(&t, seed);
    }
    sim_test_close(&t);
  }
}

// Data of `len` bytes (at most 64), offered and given by a process with so many bits.
static inline void crng_alone_feed(struct crng_scene *scene, size_t len, size_t bits) {
  u8 buf[64];

  crng_scene_data(scene, buf, len);
  crng_watch_user_entropy(&scene->watch, buf, len, bits);
}

struct crng_alone_event {
  struct sim_hw_event event;
  struct crng_scene *scene;
  void (*fn)(struct crng_scene *scene);
};
static inline void crng_alone_event_fn(void *arg) {
  struct crng_alone_event *event = arg;

  event->fn(event->scene);
}
static inline struct crng_alone_event *crng_alone_arm(struct crng_scene *scene,
                                                      void (*fn)(struct crng_scene *scene)) {
  struct crng_alone_event *event = sim_zalloc(sizeof(*event), "event");

  event->scene = scene;
  event->fn = fn;
  sim_hw_event_arm(&event->event, sim_clock_ns() + 1000, crng_alone_event_fn, event,
                   sim_smp_processor_id());
  return event;
}
// fn(scene) in hardirq on this CPU, a jiffy from now at the latest.
static inline void crng_alone_in_hardirq(struct crng_scene *scene,
                                         void (*fn)(struct crng_scene *scene)) {
  struct crng_alone_event *event = crng_alone_arm(scene, fn);

  sim_schedule_timeout_uninterruptible(1);
  sim_free(event);
}
// The same in microseconds, and without the timer softirq, which may be waiting for a lock.
static inline void crng_alone_in_hardirq_soon(struct crng_scene *scene,
                                              void (*fn)(struct crng_scene *scene)) {
  struct crng_alone_event *event = crng_alone_arm(scene, fn);

  sim_usleep_range(10, 10);
  sim_free(event);
}

#endif  // SEEDBED_MODELS_CRNG_TESTING_CRNG_ALONE_H_
