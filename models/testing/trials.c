// SPDX-License-Identifier: GPL-2.0-or-later
//
// See trials.h.
#include "models/testing/trials.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/task.h"
#include "sim/trace.h"
#include "sim/world.h"

// ---- The canary ----

static const struct sim_oracle canary_oracle = {
    .id = "canary",
    .status = SIM_SAFETY,
    .sentence = "the canary sings",
    .source = "models/testing/trials.h",
};

// On purpose what no model may have, where the bug `leak` is planted: a variable that the reset
// does not restore.
static u64 leaked;

enum { LEAKED_MAX = 4 };

// A run that draws 1 leaves something behind; one that draws 0 shows it in its trace, and fails
// where there is too much of it. So two runs of one input are equal, whatever it is, if no other
// runs between them.
static void leak(void) {
  if (sim_choose(sim_w, SIM_SITE_DRAW("canary-leak", SIM_SITE_WORK, 1, 100), 2))
    leaked++;
  else if (leaked >= LEAKED_MAX)
    sim_fail(&canary_oracle, "leak", "the canary is silent after runs that left something behind");
  else
    sim_trace_model("canary-leak", leaked, 0);
}

// ---- What sanitizers and an engine's limits are there for ----

enum { GREEDY_BYTES = 1 << 20, GREEDY_BLOCKS = 600, SLOW_STEPS = 1 << 30 };

// Volatile, so that no compiler knows better.
static void *volatile block;
static volatile int number;

static void overflow_heap(void) {
  block = malloc(20);  // tidy-allow(banned): for a sanitizer
  if (block) ((volatile char *)block)[20] = 1;
  free(block);  // tidy-allow(banned): for a sanitizer
}

static void overflow_number(void) {
  number = INT_MAX;
  number = number + 1;
}

static void lose_memory(void) {
  block = malloc(20);  // tidy-allow(banned): for a sanitizer
  block = NULL;
}

static void take_long(void) {
  for (number = 0; number < SLOW_STEPS;) number = number + 1;
}

// And keeps it for a while: libFuzzer looks once a second.
static void take_much_memory(void) {
  static void *volatile blocks[GREEDY_BLOCKS];

  for (u32 i = 0; i < GREEDY_BLOCKS; i++) {
    blocks[i] = malloc(GREEDY_BYTES);  // tidy-allow(banned): for a sanitizer
    if (blocks[i]) memset(blocks[i], 1, GREEDY_BYTES);
  }
  take_long();
  for (u32 i = 0; i < GREEDY_BLOCKS; i++) free(blocks[i]);  // tidy-allow(banned): for a sanitizer
}

static void take_for_ever(void) {
  for (number = 0; number >= 0;) number = 0;
}

// On a plain build all but the last pass.
static const struct {
  const char *bug;
  void (*fn)(void);
} errors[] = {
    {"heap-overflow", overflow_heap}, {"int-overflow", overflow_number},
    {"memory-leak", lose_memory},     {"much-memory", take_much_memory},
    {"long-loop", take_long},         {"endless-loop", take_for_ever},
};

// The error that is planted; false: none is.
static bool err(void) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(errors); i++) {
    if (!sim_bug(errors[i].bug)) continue;
    errors[i].fn();
    return true;
  }
  return false;
}

static void sing(void *arg) {
  if (arg)
    leak();
  else if (sim_choose(sim_w, SIM_SITE_DRAW("canary", SIM_SITE_WORK, 1, 100), 2) && !err())
    sim_fail(&canary_oracle, "", "the canary is silent, as it is for one seed in a hundred");
}

static void canary_setup(void) {
  sim_task_new("canary", sing, sim_bug("leak") ? &leaked : NULL, 0);
}

static const struct sim_bug canary_bugs[] = {
    {"leak", "a run leaves behind what shows in later ones, which fail in the end"},
    {"heap-overflow", "in place of failing a run writes beyond its block", .silent = true},
    {"int-overflow", "in place of failing a run overflows a signed number", .silent = true},
    {"memory-leak", "in place of failing a run loses a block", .silent = true},
    {"much-memory", "in place of failing a run takes 600 MiB for some seconds", .silent = true},
    {"long-loop", "in place of failing a run counts to 2^30", .silent = true},
    {"endless-loop", "in place of failing a run never ends", .silent = true},
    {0},
};
static const struct sim_oracle *const canary_oracles[] = {&canary_oracle, NULL};

const struct sim_scenario scenario_canary = {
    .name = "canary",
    .claim = "fails on purpose for one seed in a hundred",
    .oracles = canary_oracles,
    .bugs = canary_bugs,
    .input_len_max = 16,
    .yardstick_runs = 2000,
    .testonly = true,
    .setup = canary_setup,
};

// ---- What no seed decides ----

// On purpose what no model may have: a variable that the reset does not restore.
static u64 survivor;

static void stray(void *arg) {
  for (u32 i = 0; i < 3; i++) sim_cond_resched();
  survivor++;
  sim_trace_model("stray", sim_param("how") ? (u64)(uintptr_t)&survivor : survivor, 0);
}

static void stray_setup(void) {
  sim_task_new("stray", stray, NULL, 0);
  sim_task_new("stray", stray, NULL, sim_world_config(sim_w)->num_cpus - 1);
}

static const char *const stray_names[] = {"counter", "address", NULL};
static const struct sim_param stray_params[] = {
    {.name = "how",
     .min = 0,
     .max = 1,
     .unit = "",
     .line = "what the digest depends on",
     .names = stray_names},
    {.name = NULL},
};
static const struct sim_oracle *const stray_oracles[] = {NULL};

const struct sim_scenario scenario_not_deterministic = {
    .name = "not-deterministic",
    .claim = "depends on purpose on what the seed does not decide",
    .params = stray_params,
    .oracles = stray_oracles,
    .input_len_max = 16,
    .yardstick_runs = 1,
    .testonly = true,
    .setup = stray_setup,
};
