// SPDX-License-Identifier: GPL-2.0-or-later
//
// The counters of feedback.h for AFL++: a part of its map, which lies beside the edges that the
// compiler counts. Each counter has a guard in the section that compiled code keeps its guards in.
// __sanitizer_cov_trace_pc_guard_init, which that code calls before main, numbers all of the
// section one after the other, so that the map is as large as it must be and no edge shares a
// counter.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/feedback.h"
#include "models/guest/guest.h"

enum { ORDER = 4096, STATE = 4096, GUEST_BLOCK = 2048, GUEST_EDGE = 4096 };

// No padding: the section is an array of 32-bit numbers.
static struct {
  u32 order[ORDER], state[STATE], block[GUEST_BLOCK], edge[GUEST_EDGE];
} guards __attribute__((section("__sancov_guards"), used, aligned(4)));

// Of AFL++'s runtime: the map, shared with afl-fuzz by the time that the first input runs, and its
// length.
extern u8 *__afl_area_ptr;
extern u32 __afl_map_size;

static bool wanted(char what) {
  const char *feedback = getenv("SEEDBED_FUZZ_FEEDBACK");

  return !feedback || strchr(feedback, what);
}

static bool are_numbered(void) {
  const u32 *guard = guards.order;

  for (u32 i = 0; i < sizeof(guards) / sizeof(u32); i++)
    if (!guard[0] || guard[i] != guard[0] + i) return false;
  return true;
}

const struct sim_cover *fuzz_feedback(void) {
  static struct sim_cover cover;

  if (!are_numbered()) {
    // AFL_INST_RATIO leaves some out.
    fprintf(stderr, "AFL++ has not numbered all counters: only edges are fed back\n");
    return NULL;
  }
  cover = (struct sim_cover){.order = __afl_area_ptr + guards.order[0],
                             .state = __afl_area_ptr + guards.state[0]};
  if (wanted('g'))
    guest_cover_shared(&(struct guest_cover){.block = __afl_area_ptr + guards.block[0],
                                             .edge = __afl_area_ptr + guards.edge[0],
                                             .num_block = GUEST_BLOCK,
                                             .num_edge = GUEST_EDGE});
  if (wanted('o')) cover.num_order = ORDER;
  if (wanted('s')) cover.num_state = STATE;
  return cover.num_order || cover.num_state ? &cover : NULL;
}

static u8 *kept;

void fuzz_feedback_hold(void) {
  if (!kept) kept = malloc(__afl_map_size);
  SIM_ASSERT(kept);
  memcpy(kept, __afl_area_ptr, __afl_map_size);
}

void fuzz_feedback_resume(void) { memcpy(__afl_area_ptr, kept, __afl_map_size); }

// The first is always 1, as AFL++'s runtime has it: a map without any would be a target that counts
// nothing.
void fuzz_feedback_forget(void) {
  memset(__afl_area_ptr, 0, __afl_map_size);
  __afl_area_ptr[0] = 1;
}
