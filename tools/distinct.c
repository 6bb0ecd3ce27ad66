// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many different runs there were; see distinct.h.

#include "tools/distinct.h"

#include <math.h>
#include <stdlib.h>

#include "tools/text.h"

// Puts a digest other than 0 into a table with room; returns whether it was new.
static bool insert(u64 *slot, u64 cap, u64 digest) {
  u64 i = sim_mix64(digest) & (cap - 1);

  while (slot[i]) {
    if (slot[i] == digest) return false;
    i = (i + 1) & (cap - 1);
  }
  slot[i] = digest;
  return true;
}

static void grow(struct distinct *d) {
  u64 cap = d->cap ? d->cap * 2 : 1024, i;
  u64 *slot = xcalloc(cap, sizeof(*slot));

  for (i = 0; i < d->cap; i++) {
    if (d->slot[i]) insert(slot, cap, d->slot[i]);
  }
  free(d->slot);
  d->slot = slot;
  d->cap = cap;
}

// The sketch sees every digest from the first on, so that the answer does not depend
// on when the exact set was given up.
static void sketch_add(struct distinct *d, u64 digest) {
  u64 hash = sim_mix64(digest ^ 0x5eedbed5eedbed5eull);
  u64 rest = hash << 16 | 1ull << 15;  // ends the count of leading zeros
  u8 rank = (u8)(__builtin_clzll(rest) + 1);
  u8 *reg = &d->reg[hash >> 48];

  if (rank > *reg) *reg = rank;
}

void distinct_add(struct distinct *d, u64 digest) {
  if (!d->reg) d->reg = xcalloc(DISTINCT_REGISTERS, 1);
  sketch_add(d, digest);
  if (d->sketched) return;
  if (!digest) {
    d->has_zero = true;
    return;
  }
  if (d->used * 4 >= d->cap * 3) grow(d);
  d->used += insert(d->slot, d->cap, digest);
  if (d->used > DISTINCT_EXACT_MAX) {
    d->sketched = true;
    free(d->slot);
    d->slot = NULL;
  }
}

u64 distinct_count(const struct distinct *d) {
  const double m = DISTINCT_REGISTERS;
  double sum = 0;
  u32 i;

  if (!d->sketched) return d->used + d->has_zero;
  for (i = 0; i < DISTINCT_REGISTERS; i++) sum += ldexp(1, -d->reg[i]);
  return (u64)llround(0.7213 / (1 + 1.079 / m) * m * m / sum);
}

bool distinct_is_exact(const struct distinct *d) { return !d->sketched; }

void distinct_free(struct distinct *d) {
  free(d->slot);
  free(d->reg);
  *d = (struct distinct){0};
}
