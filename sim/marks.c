// SPDX-License-Identifier: GPL-2.0-or-later
//
// SOMETIMES marks: counting the situations that exploration must reach. The marks lie in
// a linker section; the counts are of the process, not of a run, and decide nothing in a
// run.
#include <string.h>

#include "sim/checker.h"

// The linker provides these where the section exists; a program may have no mark.
extern struct sim_mark __start_sim_marks[] __attribute__((weak));
extern struct sim_mark __stop_sim_marks[] __attribute__((weak));

_Static_assert(sizeof(struct sim_mark) == 32, "marks are indexed by address");

u32 sim_marks_count(void) {
  if (!__start_sim_marks) return 0;
  return (u32)(__stop_sim_marks - __start_sim_marks);
}

struct sim_mark *sim_mark_at(u32 index) {
  SIM_ASSERT(index < sim_marks_count());
  return &__start_sim_marks[index];
}

void sim_mark_hit(struct sim_mark *mark) {
  if (sim_in_setup()) return;
  const char *running = sim_params_scenario(sim_world_params(sim_w))->name;
  if (mark->scenario == running || strcmp(mark->scenario, running) == 0) mark->hits++;
}
