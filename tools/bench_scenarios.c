// SPDX-License-Identifier: GPL-2.0-or-later
//
// The benchmark's own scenarios; see bench_scenarios.h.

#include "tools/bench_scenarios.h"

#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/task.h"
#include "sim/world.h"
#include "tools/registry.h"

// ---- Empty tasks ----

static void points_task(void *arg) {
  u64 rounds = *(const u64 *)arg;
  u64 i;

  for (i = 0; i < rounds; i++) {
    SIM_POINT("first", NULL);
    SIM_POINT("second", NULL);
    SIM_POINT("third", NULL);
    SIM_POINT("fourth", NULL);
  }
}

static void points_irq(void *arg) {}

static void points_setup(void) {
  u64 *rounds = sim_alloc_static(sizeof(*rounds), "rounds");
  u32 tasks = (u32)sim_param("tasks"), i;

  *rounds = (u64)sim_param("rounds");
  // Rare, so that what is measured is the draw, not the interrupt.
  if (sim_param("irq")) sim_irq_drawn("bench-irq", points_irq, NULL, ~0u, 1, 4096);
  for (i = 0; i < tasks; i++) sim_task_new("empty", points_task, rounds, i % sim_nr_cpus());
}

static const struct sim_param points_params[] = {
    {"tasks", 8, 1, 64, "", "tasks", NULL},
    {"rounds", 100, 1, 1000000, "", "rounds of four points", NULL},
    {"irq", 0, 0, 1, "", "an interrupt is drawn at each point", NULL},
    {0},
};

const struct sim_scenario bench_points = {
    .name = "bench-points",
    .claim = "the cost of a scheduling decision",
    .params = points_params,
    .testonly = true,
    .setup = points_setup,
};

// ---- Three tasks ----

static void three_task(void *arg) {
  u32 *shared = arg;
  u32 i;

  for (i = 0; i < 4; i++) {
    u32 value = sim_read_once(shared[0]);

    sim_write_once(shared[1], value + i);
    sim_cmpxchg(&shared[0], value, value + 1);
  }
}

static void three_setup(void) {
  u32 *shared = sim_alloc_static(2 * sizeof(*shared), "shared");
  u32 i;

  for (i = 0; i < 3; i++) sim_task_new("atomic", three_task, shared, i % sim_nr_cpus());
}

static const struct sim_param three_params[] = {
    {"num_cpus", 1, 0, 0, NULL, NULL, NULL},
    {0},
};

const struct sim_scenario bench_three = {
    .name = "bench-three",
    .claim = "the cost of a short run",
    .params = three_params,
    .testonly = true,
    .setup = three_setup,
};

// ---- Touching memory ----

struct touch {
  u64 bytes;
  u64 word[];
};

static void touch_task(void *arg) {
  struct touch *touch = arg;
  u64 i;

  SIM_POINT("touch", NULL);
  for (i = 0; i < touch->bytes / 8; i += 8) touch->word[i]++;
  sim_write_once(touch->word[0], 1);
}

static void touch_setup(void) {
  u64 bytes = (u64)sim_param("bytes");
  struct touch *touch = sim_alloc_static(sizeof(*touch) + bytes, "touch");

  touch->bytes = bytes;
  sim_task_new("touch", touch_task, touch, 0);
}

static const struct sim_param touch_params[] = {
    {"bytes", 8192, 64, 1 << 20, "B", "bytes that the task writes to", NULL},
    {0},
};

const struct sim_scenario bench_touch = {
    .name = "bench-touch",
    .claim = "the cost of a reset",
    .params = touch_params,
    .testonly = true,
    .setup = touch_setup,
};

const struct sim_scenario *const seedbed_more_scenarios[] = {
    &bench_points,
    &bench_three,
    &bench_touch,
    NULL,
};
