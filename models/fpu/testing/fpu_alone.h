// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of the FPU: a model, its onlooker and one user task that does what the test says,
// run calmly. In a run a test says SIM_EXPECT.
#ifndef SEEDBED_MODELS_FPU_TESTING_FPU_ALONE_H_
#define SEEDBED_MODELS_FPU_TESTING_FPU_ALONE_H_

#include "sim/testing/runs.h"

#include "models/fpu/fpu.h"
#include "models/fpu/fpu_oracles.h"
#include "models/fpu/fpu_scene.h"
#include "models/fpu/fpu_watch.h"
#include "sim/cpu.h"
#include "sim/task.h"
#include "sim/timer.h"

// Costs that add up to sums from which they can be told.
enum {
  FPU_ALONE_GENERIC_NS = 1000,
  FPU_ALONE_SIMD_NS = 500,
  FPU_ALONE_BEGIN_NS = 7,
  FPU_ALONE_SAVE_NS = 130,
  FPU_ALONE_RESTORE_NS = 110,
};

struct fpu_alone {
  struct fpu_model model;
  struct fpu_watch watch;
  struct fpu fpu;
  struct sim_hw_event event;
  void (*in_context)(struct fpu_alone *alone);
  u32 irq;
  bool ran;
};

// What the task does; constant in a run.
static void (*fpu_alone_act)(struct fpu_alone *alone);

static void fpu_alone_task(void *arg) { fpu_alone_act(arg); }

// Calls what is to run in a context, once.
static void fpu_alone_enter(void *arg) {
  struct fpu_alone *alone = arg;

  alone->ran = true;
  alone->in_context(alone);
}

static void fpu_alone_softirq(void) { fpu_alone_enter(sim_private()); }

static void fpu_alone_setup(void) {
  struct fpu_alone *alone = sim_alloc_static(sizeof(*alone), "alone");
  struct sim_task *task;

  sim_set_private(alone);
  alone->model.design = (enum fpu_design)sim_param("design");
  alone->model.costs = (struct fpu_costs){
      .generic_ns = FPU_ALONE_GENERIC_NS,
      .simd_ns = FPU_ALONE_SIMD_NS,
      .begin_ns = FPU_ALONE_BEGIN_NS,
      .save_ns = FPU_ALONE_SAVE_NS,
      .restore_ns = FPU_ALONE_RESTORE_NS,
  };
  fpu_watch_init(&alone->watch, &alone->model, (u64)sim_param("section_ns"));
  fpu_setup(&alone->model);
  alone->irq = sim_irq_register("nmi", fpu_alone_enter, alone, 0, true);
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, fpu_alone_softirq);
  task = sim_task_new("alone", fpu_alone_task, alone, 0);
  if (sim_param("user")) fpu_attach(&alone->model, &alone->fpu, task);
}

static const struct sim_param fpu_alone_params[] = {
    {"design", FPU_7_2, 0, 2, "", "the model's", fpu_scene_designs},
    {"user", 1, 0, 1, "", "the task has registers; else it is a kernel thread"},
    {"section_ns", 100000, 0, 1000000, "ns", "the onlooker's bound"},
    {.name = NULL},
};

static const struct sim_scenario fpu_alone = {.name = "fpu-alone",
                                              .claim = "a test's",
                                              .params = fpu_alone_params,
                                              .oracles = fpu_oracles,
                                              .setup = fpu_alone_setup};

// The run ends well, or with a failure of `oracle`. `settings`: "design=6.1 user=0", or NULL.
static inline void fpu_alone_run(void (*act)(struct fpu_alone *alone), const char *settings,
                                 const char *oracle) {
  struct sim_test t;

  fpu_alone_act = act;
  sim_test_open_with(&t, &fpu_alone, settings);
  sim_test_calm(&t);
  if (strcmp(t.result.num_failures ? t.result.failures[0].oracle : "", oracle) != 0) {
    sim_test_show(&t, "calm", 0);
    fail_msg("%s was to fire", *oracle ? oracle : "nothing");
  }
  sim_test_close(&t);
}

static inline void fpu_alone_passes(void (*act)(struct fpu_alone *alone), const char *settings) {
  fpu_alone_run(act, settings, "");
}

static inline void fpu_alone_trips(void (*act)(struct fpu_alone *alone), const char *settings,
                                   const char *oracle) {
  fpu_alone_run(act, settings, oracle);
}

// fn(alone) in an interrupt of this CPU that comes while the caller executes, whatever it keeps
// out but interrupts.
static inline void fpu_alone_in_hardirq(struct fpu_alone *alone,
                                        void (*fn)(struct fpu_alone *alone)) {
  alone->ran = false;
  alone->in_context = fn;
  sim_hw_event_arm(&alone->event, sim_clock_ns() + 500, fpu_alone_enter, alone,
                   sim_smp_processor_id());
  sim_elapse(1000);
  SIM_EXPECT(alone->ran);
}

static inline void fpu_alone_in_nmi(struct fpu_alone *alone, void (*fn)(struct fpu_alone *alone)) {
  alone->ran = false;
  alone->in_context = fn;
  sim_irq_raise(alone->irq);
  sim_elapse(10);
  SIM_EXPECT(alone->ran);
}

// In a softirq that runs at once. Task context, softirqs and interrupts on.
static inline void fpu_alone_in_softirq(struct fpu_alone *alone,
                                        void (*fn)(struct fpu_alone *alone)) {
  alone->ran = false;
  alone->in_context = fn;
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  SIM_EXPECT(alone->ran);
}

#endif  // SEEDBED_MODELS_FPU_TESTING_FPU_ALONE_H_
