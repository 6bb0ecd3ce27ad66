// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the FPU's scenarios share: model and onlooker, parameters and planted bugs; user tasks
// with live registers and signals, kernel threads, interrupts with their softirqs, and a task
// that moves others, sends signals, and takes CPUs down and up.
#ifndef SEEDBED_MODELS_FPU_FPU_SCENE_H_
#define SEEDBED_MODELS_FPU_FPU_SCENE_H_

#include "models/fpu/fpu.h"
#include "models/fpu/fpu_watch.h"
#include "sim/cpu.h"
#include "sim/scenario.h"
#include "sim/timer.h"

struct fpu_scene;

// What the kernel does in each context, and whether CPUs go and come; the rest is the scene's.
struct fpu_scene_work {
  bool hotplug;
  void (*task)(struct fpu_scene *scene);
  void (*softirq)(struct fpu_scene *scene);
  void (*hardirq)(struct fpu_scene *scene);
};

struct fpu_scene_user {
  struct fpu_scene *scene;
  struct fpu fpu;
  struct sim_task *task;
  u32 number;
  bool in_handler;  // signals wait
};

// The interrupts of one CPU.
struct fpu_scene_irqs {
  struct fpu_scene *scene;
  struct sim_hw_event event;
  struct sim_timer timer;
  u32 cpu, left;
};

// The beginning of such a scenario's private state.
struct fpu_scene {
  struct fpu_model model;
  struct fpu_watch watch;
  const struct fpu_scene_work *work;
  u32 num_users, rounds, moves;
  struct fpu_scene_user users[FPU_WATCH_USERS_MAX];
  struct fpu_scene_irqs irqs[SIM_CPUS_MAX];
};

// fpu_scene_setup allocates a zeroed scene of `size` bytes that begins with struct fpu_scene,
// makes it the world's private state, prepares model and onlooker by the parameters, and
// starts everybody. In set-up.
void *fpu_scene_setup(size_t size, const struct fpu_scene_work *work);

// A few parameters' numbers are measured or published: docs/FPU.md.
extern const char *const fpu_scene_designs[];
#define FPU_SCENE_PARAMS                                                                      \
  {"design",         FPU_7_2, 0, 2, "", "who may use the FPU, and what a section keeps out",  \
   fpu_scene_designs},                                                                        \
      {"users", 2, 0, FPU_WATCH_USERS_MAX, "", "tasks with registers in user mode"},          \
      {"workers", 1, 0, 8, "", "kernel threads, which have none"},                            \
      {"rounds", 3, 0, 1000, "", "times that each goes to user mode, or works"},              \
      {"interrupts", 4, 0, 1000, "", "of each CPU"},                                          \
      {"moves", 4, 0, 1000, "", "migrations, signals and CPUs that go, at most"},             \
      {"mhz", 2800, 100, 100000, "MHz", "the clock of the cycles below"},                     \
      {"generic_cycles", 430, 0, 100000, "cycles", "BLAKE2s of a block, without SIMD"},       \
      {"simd_cycles", 277, 0, 100000, "cycles", "and with it"},                               \
      {"begin_cycles", 10, 0, 100000, "cycles", "a section's begin and end, without a save"}, \
      {"save_cycles", 105, 0, 100000, "cycles", "saving a task's registers"},                 \
      {"restore_cycles", 231, 0, 100000, "cycles", "loading them"}, {                         \
    "section_ns", 8000, 1, 1000000000, "ns",                                                  \
        "bound of a section with interrupts off, at the default speed of SIMD"                \
  }

// Planted bugs: ids of FACTS where they are numbers.
#define FPU_SCENE_BUG_80 \
  { "80", "a hardirq may open a section where registers are being kept; 59f5ede3bc0f" }
#define FPU_SCENE_BUG_81 \
  { "81", "who interrupts a section does not see it; 14e153ef75ee" }
#define FPU_SCENE_BUG_82 \
  { "82", "SIMD is used exactly where irq_fpu_usable forbids it; 13b79b971564" }
#define FPU_SCENE_BUG_POSTED                                                                       \
  {                                                                                                \
    "softirq-only-as-posted",                                                                      \
        "the patch of 5 May 2022 lets softirqs in at a section's end, with interrupts off as well" \
  }

// Does nothing (calm), executes for 300 ns to 20 us, or sleeps for a jiffy.
void fpu_scene_pause(void);
// For what drivers do in hardirq: under PREEMPT_RT their handlers have threads, since locks sleep.
// Then this asks the softirq, which has one, to do it, and returns true.
bool fpu_scene_threaded(void);
// 1, 2, 3 or 200 blocks.
u32 fpu_scene_blocks(void);

#endif  // SEEDBED_MODELS_FPU_FPU_SCENE_H_
