// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shares of the time; see fuzz_share.h. A pair that has half the share of another ages twice as
// fast by each millisecond that it uses; the youngest is next.

#include "tools/fuzzing/fuzz_share.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tools/text.h"

void fuzz_shares_add(struct fuzz_shares *shares) {
  shares->share = xrealloc(shares->share, (shares->count + 1) * sizeof(*shares->share));
  shares->share[shares->count++] = (struct fuzz_share){0};
}

void fuzz_shares_free(struct fuzz_shares *shares) {
  free(shares->share);
  *shares = (struct fuzz_shares){0};
}

// Found a second, lately.
static double rate(const struct fuzz_share *share) {
  u64 ms = 0, found = 0;

  for (u32 i = 0; i < FUZZ_SHARE_LAST; i++) {
    ms += share->last[i].ms;
    found += share->last[i].found;
  }
  return ms ? (double)found * 1000 / (double)ms : 0;
}

double fuzz_shares_part(const struct fuzz_shares *shares, u32 index) {
  double all = 0, equal = 1 / (double)shares->count;

  for (u32 i = 0; i < shares->count; i++) all += rate(&shares->share[i]);
  if (all <= 0) return equal;
  return (equal + rate(&shares->share[index]) / all) / 2;
}

static double age(const struct fuzz_shares *shares, u32 index) {
  const struct fuzz_share *share = &shares->share[index];

  return share->used + (double)share->charged_ms / fuzz_shares_part(shares, index);
}

u32 fuzz_shares_next(const struct fuzz_shares *shares) {
  u32 next = 0;

  for (u32 i = 0; i < shares->count; i++)
    if (!shares->share[i].slices && !shares->share[i].running) return i;
  for (u32 i = 1; i < shares->count; i++)
    if (age(shares, i) < age(shares, next)) next = i;
  return next;
}

void fuzz_shares_begin(struct fuzz_shares *shares, u32 index, u64 ms) {
  shares->share[index].running++;
  shares->share[index].charged_ms += ms;
}

// The least that a pair has used which is beyond its first slice; 0 while all are at theirs.
static double youngest(const struct fuzz_shares *shares) {
  double least = 0;
  bool any = false;

  for (u32 i = 0; i < shares->count; i++) {
    const struct fuzz_share *share = &shares->share[i];

    if (share->slices < 2 || (any && share->used >= least)) continue;
    least = share->used;
    any = true;
  }
  return least;
}

void fuzz_shares_end(struct fuzz_shares *shares, u32 index, u64 charged_ms, u64 ms, u64 found) {
  struct fuzz_share *share = &shares->share[index];

  share->last[share->slices % FUZZ_SHARE_LAST].ms = ms;
  share->last[share->slices % FUZZ_SHARE_LAST].found = found;
  share->used += (double)ms / fuzz_shares_part(shares, index);
  // A pair that comes to an old campaign has no time to make up for. In a new one all are at their
  // first slice, and each has used what it used.
  if (!share->slices && share->used < youngest(shares)) share->used = youngest(shares);
  share->slices++;
  if (!charged_ms) return;
  share->running -= share->running > 0;
  share->charged_ms -= charged_ms < share->charged_ms ? charged_ms : share->charged_ms;
}
