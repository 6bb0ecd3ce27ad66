// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which target and engine has the next slice of a core. The rule:
//   - each pair of a target and an engine has a first slice, in the order in which they were added;
//   - then half of the time goes to all pairs alike, so that none starves, and the other half by
//     what they found: new inputs a second in their last four slices. Where none finds anything,
//     all have equal shares.
// A slice that ends early has used only the time that it took. A pair that is added when others are
// beyond their first slice has no time to make up for. Of pairs that are due alike, the one
// that was added first. It holds no clock: the same records give the same order.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_SHARE_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_SHARE_H_

#include "sim/base.h"

enum { FUZZ_SHARE_LAST = 4 };

struct fuzz_share {
  u32 slices;
  u32 running;     // slices that have begun and not ended
  u64 charged_ms;  // what those are to take
  // Time used, each millisecond divided by the share that the pair had then.
  double used;
  struct {
    u64 ms, found;
  } last[FUZZ_SHARE_LAST];
};

struct fuzz_shares {
  struct fuzz_share *share;
  u32 count;
};

// Adds a pair; its index is the number of those before.
void fuzz_shares_add(struct fuzz_shares *shares);
void fuzz_shares_free(struct fuzz_shares *shares);

// The part of the time that a pair is given now, from 1/(2 count) to 1.
double fuzz_shares_part(const struct fuzz_shares *shares, u32 index);
// The pair that is next.
u32 fuzz_shares_next(const struct fuzz_shares *shares);
// It begins a slice of so many milliseconds.
void fuzz_shares_begin(struct fuzz_shares *shares, u32 index, u64 ms);
// A slice ended: how long it took, and how many inputs it found that reach something new.
// `charged_ms`: what fuzz_shares_begin was told; 0: it was not called, the slice is an earlier
// process's.
void fuzz_shares_end(struct fuzz_shares *shares, u32 index, u64 charged_ms, u64 ms, u64 found);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_SHARE_H_
