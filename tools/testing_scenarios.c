// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scenarios that do on purpose what a scenario should not: for tests of the command. They
// are linked into //tools:seedbed_testing only. Each has a draw of its own that decides,
// so that some seeds do it and most do not.

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "models/vdso/image_subject.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/task.h"
#include "sim/trace.h"
#include "tools/registry.h"

// ---- test-lost: two tasks add to a counter without a lock ----

struct lost {
  u32 counter, rounds, last;
  bool twice;
};

static const struct sim_oracle lost_update = {"lost-update", SIM_SAFETY, "no addition is lost",
                                              "two tasks, each adds `rounds` times"};
static const struct sim_oracle lost_parity = {"lost-parity", SIM_SAFETY, "the sum is even",
                                              "each task adds the same number of times"};
static const struct sim_oracle *const lost_oracles[] = {&lost_update, &lost_parity, NULL};
static const char *const lost_suspect_oracles[] = {"lost-update", "lost-parity", NULL};
static const struct sim_suspect lost_suspects[] = {
    {"unlocked", "the additions are not atomic, as they were in the original",
     lost_suspect_oracles},
    {0},
};
static const struct sim_bug lost_bugs[] = {
    {"901", "a lost update (planted for tests of the command)"},
    {0},
};
static const struct sim_param lost_params[] = {
    {"rounds", 3, 1, 100000, "additions", "additions of each task", NULL},
    {0},
};

static void lost_adder(void *arg) {
  struct lost *lost = arg;
  u32 i, me = 1 + sim_smp_processor_id();

  for (i = 0; i < lost->rounds; i++) {
    u32 value = sim_read_once(lost->counter);

    SIM_SOMETIMES("test-lost", "they take turns", 1000, i && lost->last != me);
    lost->last = me;
    if (!lost->twice) {
      // Corrected: nothing comes between.
      lost->counter++;
      continue;
    }
    sim_write_once(lost->counter, value + 1);
  }
}

static void lost_setup(void) {
  struct lost *lost = sim_alloc_static(sizeof(*lost), "lost");

  lost->rounds = (u32)sim_param("rounds");
  lost->twice = sim_bug("901") || sim_suspect("unlocked");
  sim_set_private(lost);
  sim_task_new("adder", lost_adder, lost, 0);
  sim_task_new("adder", lost_adder, lost, 1 % sim_nr_cpus());
}

static void lost_check(void) {
  const struct lost *lost = sim_private();

  if (lost->counter != 2 * lost->rounds)
    sim_report(&lost_update, "counter", "%u additions, the counter says %u", 2 * lost->rounds,
               lost->counter);
  if (lost->counter % 2) sim_report(&lost_parity, "counter", "the counter says %u", lost->counter);
}

static const struct sim_scenario lost_scenario = {
    .name = "test-lost",
    .claim = "additions of two tasks are not lost",
    .params = lost_params,
    .oracles = lost_oracles,
    .suspects = lost_suspects,
    .bugs = lost_bugs,
    .input_len_max = 64,
    .yardstick_runs = 1000,
    .testonly = true,
    .setup = lost_setup,
    .check = lost_check,
};

// ---- test-deaths: runs that kill or hold up their process, now and then ----

enum { DEATH_NONE, DEATH_SEGV, DEATH_ABORT, DEATH_EXIT, DEATH_ASSERT, DEATH_LOOP, DEATH_KILL };

static const char *const death_names[] = {"none",   "segv", "abort", "exit",
                                          "assert", "loop", "kill",  NULL};
static const struct sim_param death_params[] = {
    {"how", DEATH_NONE, 0, 0, "", "what happens to the process", death_names},
    {"setup", 0, 0, 1, "", "it happens in the set-up", NULL},
    {"every", 0, 0, 1, "", "it happens in every run", NULL},
    {0},
};
static const struct sim_bug death_bugs[] = {
    {"segv", "a signal (planted for tests of the command)", "how", "segv"},
    {"exit", "an exit (the same)", "how", "exit"},
    {"assert", "an assertion (the same)", "how", "assert"},
    {"loop", "an endless loop (the same)", "how", "loop"},
    {"kill", "a signal from outside (the same)", "how", "kill"},
    {0},
};
static const struct sim_oracle death_oracle = {"test-fails", SIM_LIVENESS, "it does not fail",
                                               "for tests"};
static const struct sim_oracle *const death_oracles[] = {&death_oracle, NULL};

static void die(s64 how) {
  switch (how) {
    case DEATH_SEGV:
      raise(SIGSEGV);
      return;
    case DEATH_ABORT:
      abort();
    case DEATH_EXIT:
      _exit(3);
    case DEATH_ASSERT:
      SIM_ASSERT(how != DEATH_ASSERT);
      return;
    case DEATH_LOOP:
      for (;;) __asm__ volatile("");
    case DEATH_KILL:
      raise(SIGKILL);
      return;
    default:
      sim_fail(&death_oracle, "", "it failed, as it was told to");
  }
}

static void death_task(void *arg) {
  const s64 *how = arg;
  u32 i;

  for (i = 0; i < 20; i++) {
    SIM_POINT("walk", NULL);
    if (how[1] || sim_choose(sim_w, SIM_SITE_DRAW("test-death", SIM_SITE_FAULT, 1, 2000), 2))
      die(how[0]);
  }
}

static void death_setup(void) {
  s64 *how = sim_alloc_static(2 * sizeof(*how), "how");

  how[0] = sim_param("how");
  how[1] = sim_param("every");
  if (sim_param("setup")) die(how[0]);
  sim_task_new("walker", death_task, how, 0);
  sim_task_new("walker", death_task, how, 1);
}

static const struct sim_scenario death_scenario = {
    .name = "test-deaths",
    .claim = "no run kills its process",
    .params = death_params,
    .oracles = death_oracles,
    .bugs = death_bugs,
    .testonly = true,
    .setup = death_setup,
};

// ---- test-mutable: a static variable leaks from run to run ----

static const struct sim_oracle mutable_oracle = {"test-third", SIM_SAFETY, "it is not the third",
                                                 "for tests"};
static const struct sim_oracle *const mutable_oracles[] = {&mutable_oracle, NULL};

static void mutable_task(void *arg) {
  static u32 runs;  // the defect: it is not in the world's arena

  runs++;
  sim_trace_model("run", runs, 0);
  if (runs == 100) sim_fail(&mutable_oracle, "", "this is run number 100 of its process");
}

static void mutable_setup(void) { sim_task_new("counter", mutable_task, NULL, 0); }

static const struct sim_scenario mutable_scenario = {
    .name = "test-mutable",
    .claim = "a run depends on its input alone",
    .oracles = mutable_oracles,
    .testonly = true,
    .setup = mutable_setup,
};

// ---- test-marks: one situation is never reached ----

static void marks_task(void *arg) {
  SIM_SOMETIMES("test-marks", "always", 1, true);
  SIM_SOMETIMES("test-marks", "never", 500, false);
  SIM_POINT("walk", NULL);
}

static void marks_setup(void) { sim_task_new("walker", marks_task, NULL, 0); }

static const struct sim_scenario marks_scenario = {
    .name = "test-marks",
    .claim = "what must happen now and then does",
    .testonly = true,
    .setup = marks_setup,
};

// ---- test-image: fails now and then, but on an image only ----

static const struct sim_oracle image_oracle = {"test-image", SIM_SAFETY, "there is no image",
                                               "for tests"};
static const struct sim_oracle *const image_oracles[] = {&image_oracle, NULL};

static void image_task(void *arg) {
  const struct vdso_image *const *image = arg;
  u32 i;

  sim_trace_model("image", *image ? (*image)->len : 0, 0);
  for (i = 0; i < 20; i++) {
    SIM_POINT("walk", NULL);
    if (sim_choose(sim_w, SIM_SITE_DRAW("test-image", SIM_SITE_FAULT, 1, 100), 2) && *image)
      sim_fail(&image_oracle, "", "an image for %s", vdso_arch_name((*image)->arch));
  }
}

static void image_setup(void) {
  const struct vdso_image **image = sim_alloc_static(sizeof(*image), "image");

  *image = vdso_subject();
  sim_task_new("looker", image_task, image, 0);
}

static const struct sim_scenario image_scenario = {
    .name = "test-image",
    .claim = "it runs on an image",
    .oracles = image_oracles,
    .input_len_max = 64,
    .testonly = true,
    .takes_image = true,
    .setup = image_setup,
};

const struct sim_scenario *const seedbed_more_scenarios[] = {
    &lost_scenario, &death_scenario, &mutable_scenario, &marks_scenario, &image_scenario, NULL,
};
