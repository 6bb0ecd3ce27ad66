// SPDX-License-Identifier: GPL-2.0-or-later
//
// The odometer back-end: a run's draws as the digits of a number that is counted up, so
// that every combination is run exactly once. Depth-first search of the tree of choices,
// without state between runs but the digits.
#include <stdlib.h>
#include <string.h>

#include "sim/choice.h"

void sim_odometer_begin(struct sim_odometer *o) { o->pos = 0; }

static SIM_COLD void grow(struct sim_odometer *o) {
  SIM_ASSERT(o->cap <= UINT32_MAX / 2);
  o->cap = o->cap ? o->cap * 2 : 256;
  o->digit = realloc(o->digit, o->cap * sizeof(o->digit[0]));
  o->top = realloc(o->top, o->cap * sizeof(o->top[0]));
  SIM_ASSERT(o->digit && o->top);
}

u32 sim_odometer_draw(struct sim_odometer *o, u32 n) {
  SIM_ASSERT(n >= 2 && n <= SIM_CHOICE_MAX);
  if (o->depth_max && o->pos >= o->depth_max) return 0;
  if (o->pos == o->len) {
    if (o->len == o->cap) grow(o);
    o->digit[o->len] = 0;
    o->top[o->len] = (u16)(n - 1);
    o->len++;
    o->pos++;
    return 0;
  }
  u32 i = o->pos++;
  if (sim_likely(o->top[i] == n - 1)) return o->digit[i];
  o->diverged = true;
  o->top[i] = (u16)(n - 1);
  if (o->digit[i] > n - 1) o->digit[i] = 0;
  return o->digit[i];
}

bool sim_odometer_next(struct sim_odometer *o) {
  u32 used = 0;
  // The digits make the run draw each of them.
  if (o->pos < o->len) {
    o->diverged = true;
    o->len = o->pos;
  }
  for (u32 i = 0; i < o->len; i++) used += o->digit[i] != 0;
  while (o->len > 0) {
    u32 i = o->len - 1;
    used -= o->digit[i] != 0;
    if (o->digit[i] < o->top[i] && (!o->bound || used < o->bound)) {
      o->digit[i]++;
      return true;
    }
    o->len--;
  }
  return false;
}

void sim_odometer_free(struct sim_odometer *o) {
  free(o->digit);
  free(o->top);
  memset(o, 0, sizeof(*o));
}
