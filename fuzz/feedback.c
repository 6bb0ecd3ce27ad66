// SPDX-License-Identifier: GPL-2.0-or-later
//
// See feedback.h.
#include "fuzz/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "models/guest/guest.h"

enum { ORDER = 4096, STATE = 4096, GUEST_BLOCK = 2048, GUEST_EDGE = 4096 };

// libFuzzer looks at the section and clears it before each input.
struct counters {
  u8 order[ORDER], state[STATE], block[GUEST_BLOCK], edge[GUEST_EDGE];
};
static struct counters counters
    __attribute__((section("__libfuzzer_extra_counters"), used, aligned(8)));

// Edges of what the compiler was told to count, if anything.
extern u8 __start___sancov_cntrs[] __attribute__((weak));
extern u8 __stop___sancov_cntrs[] __attribute__((weak));

static bool wanted(char what) {
  const char *feedback = getenv("SEEDBED_FUZZ_FEEDBACK");

  return !feedback || strchr(feedback, what);
}

const struct sim_cover *fuzz_feedback(void) {
  static struct sim_cover cover;

  cover = (struct sim_cover){.order = counters.order, .state = counters.state};
  if (wanted('g'))
    guest_cover_shared(&(struct guest_cover){.block = counters.block,
                                             .edge = counters.edge,
                                             .num_block = GUEST_BLOCK,
                                             .num_edge = GUEST_EDGE});
  if (wanted('o')) cover.num_order = ORDER;
  if (wanted('s')) cover.num_state = STATE;
  return cover.num_order || cover.num_state ? &cover : NULL;
}

static struct counters kept;
static u8 *kept_edges;

void fuzz_feedback_hold(void) {
  size_t len = (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);

  kept = counters;
  if (!len) return;
  if (!kept_edges) kept_edges = malloc(len);
  SIM_ASSERT(kept_edges);
  memcpy(kept_edges, __start___sancov_cntrs, len);
}

void fuzz_feedback_resume(void) {
  size_t len = (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);

  counters = kept;
  if (len) memcpy(__start___sancov_cntrs, kept_edges, len);
}

void fuzz_feedback_forget(void) {
  size_t len = (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);

  memset(&counters, 0, sizeof(counters));
  if (len) memset(__start___sancov_cntrs, 0, len);
}
