// SPDX-License-Identifier: GPL-2.0-or-later
//
// See bench_hooked.h.
#include "tools/bench_hooked.h"

#include "sim/task.h"
#include "sim/world.h"

enum { WORDS = 256 };

struct hooked {
  u64 accesses;
  u32 word[2][WORDS];
};

// A load and a store at a time; each task has words of its own.
static SIM_NOINLINE void touch(u32 *word, u64 accesses) {
  for (u64 i = 0; i < accesses / 2; i++) {
    word[i % WORDS]++;
    __asm__ __volatile__("" ::: "memory");
  }
}

static void hooked_task(void *arg) {
  const struct hooked *hooked = sim_private();

  touch(arg, hooked->accesses);
}

static void hooked_setup(void) {
  struct hooked *hooked = sim_alloc_static(sizeof(*hooked), "hooked");

  sim_set_private(hooked);
  hooked->accesses = (u64)sim_param("accesses");
  touch(hooked->word[0], (u64)sim_param("setup_accesses"));
  for (u32 i = 0; i < 2; i++) sim_task_new("touch", hooked_task, hooked->word[i], i);
}

static const struct sim_param hooked_params[] = {
    {"accesses", 0, 0, 1 << 30, "", "loads and stores of each task", NULL},
    {"setup_accesses", 0, 0, 1 << 30, "", "loads and stores of set-up", NULL},
    {.name = NULL},
};

const struct sim_scenario bench_hooked = {
    .name = "bench-hooked",
    .claim = "the cost of an access hook",
    .params = hooked_params,
    .testonly = true,
    .hooked = SIM_HOOKED_TWIN(bench_hooked),
    .setup = hooked_setup,
};
