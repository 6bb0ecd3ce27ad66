// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of the hwrng models: a scene with one task that does what the test says, run
// calmly or with a few draws given. In a run a test says SIM_EXPECT.
#ifndef SEEDBED_MODELS_HWRNG_TESTING_ALONE_H_
#define SEEDBED_MODELS_HWRNG_TESTING_ALONE_H_

#include "sim/testing/runs.h"

#include "models/hwrng/oracles.h"
#include "models/hwrng/scene.h"
#include "sim/decision.h"
#include "sim/task.h"
#include "sim/trace.h"

static const struct sim_param alone_params[] = {
    {"fill", 0, 0, 1, "", "the core has its fill thread"},
    SCENE_PARAM_CRNG_READY,
    SCENE_PARAM_UPTIME,
    SCENE_PARAM_CANCEL,
    SCENE_PARAM_POLL,
    SCENE_PARAM_POLICY,
    {NULL},
};

// ALONE(name, struct state, prepare, fn): a scenario `name` whose state begins with struct
// hwrng_scene. prepare(state) is called in set-up; fn(state) is its task.
#define ALONE(name_, state_, prepare_, fn_)      \
  static void name_##_setup(void) {              \
    state_ *state = scene_setup(sizeof(*state)); \
    prepare_(state);                             \
    sim_task_new("alone", fn_, state, 0);        \
  }                                              \
  static const struct sim_scenario name_ = {     \
      .name = "alone", .params = alone_params, .setup = name_##_setup}

// A transcript: what model events of one site label said, a line each, "LABEL A B" with B
// in hexadecimal. Set it as the world's sink between set-up and run.
struct alone_transcript {
  struct sim_trace_sink sink;
  char text[4096];
};

static inline void alone_transcript_event(struct sim_trace_sink *sink,
                                          const struct sim_event *event) {
  struct alone_transcript *t = sim_container_of(sink, struct alone_transcript, sink);
  size_t len = strlen(t->text);

  if (event->kind != SIM_EVENT_MODEL) return;
  snprintf(t->text + len, sizeof(t->text) - len, "%s %#llx %#llx\n", event->site->prim,
           (unsigned long long)event->a, (unsigned long long)event->b);
}

// One draw: the site's label, the actor, which of its draws there, and the value.
struct alone_draw {
  const char *site, *actor;
  u32 k, value;
};

// Runs with the given draws, all others calm; `draws` ends with site NULL, or is NULL.
// `transcript` may be NULL.
static inline void alone_run(struct sim_test *t, const struct sim_scenario *scenario,
                             const char *const *set, const struct alone_draw *draws,
                             struct alone_transcript *transcript) {
  struct sim_decision items[16];
  struct sim_decisions list = {.item = items};
  struct sim_input in = {.backend = SIM_BACKEND_LIST, .list = &list};

  memset(items, 0, sizeof(items));
  for (; draws && draws->site; draws++) {
    struct sim_decision *item = &items[list.count++];

    snprintf(item->site, sizeof(item->site), "%s", draws->site);
    snprintf(item->actor, sizeof(item->actor), "%s", draws->actor);
    item->k = draws->k;
    item->value = draws->value;
  }
  sim_test_open(t, scenario, set);
  if (transcript) {
    *transcript = (struct alone_transcript){.sink.event = alone_transcript_event};
    sim_world_set_sink(t->world, &transcript->sink);
  }
  sim_world_run(t->world, &in, &t->result);
}

// The run ends well, and its model events were these.
static inline void alone_says(const struct sim_scenario *scenario, const struct alone_draw *draws,
                              const char *expected) {
  struct alone_transcript transcript;
  struct sim_test t;

  alone_run(&t, scenario, NULL, draws, &transcript);
  sim_test_show(&t, "given draws", 0);
  assert_int_equal(t.result.status, SIM_OK);
  assert_string_equal(transcript.text, expected);
  sim_test_close(&t);
}

// The run ends well.
static inline void alone_passes(const struct sim_scenario *scenario, const char *const *set,
                                const struct alone_draw *draws) {
  struct sim_test t;

  alone_run(&t, scenario, set, draws, NULL);
  sim_test_show(&t, "given draws", 0);
  assert_int_equal(t.result.status, SIM_OK);
  sim_test_close(&t);
}

// The run ends with a failure of `oracle`.
static inline void alone_trips(const struct sim_scenario *scenario, const char *const *set,
                               const struct alone_draw *draws, const char *oracle) {
  struct sim_test t;

  alone_run(&t, scenario, set, draws, NULL);
  if (t.result.num_failures == 0) fail_msg("nothing fired, %s was to", oracle);
  if (strcmp(t.result.failures[0].oracle, oracle) != 0) sim_test_show(&t, "given draws", 0);
  assert_string_equal(t.result.failures[0].oracle, oracle);
  sim_test_close(&t);
}

#endif  // SEEDBED_MODELS_HWRNG_TESTING_ALONE_H_
