// SPDX-License-Identifier: GPL-2.0-or-later
//
// A survey of a subject: what quiet calls cost in instructions, and at which instructions a
// register that the ABI calls non-volatile does not hold what the caller left in it.
//
// The survey makes one call of each kind: from an empty state, from the batch, with a refill,
// with whole blocks, of no bytes, a query, one whose state lies over a page's end, one that
// falls back to the system call; and looks at every instruction of them.
#ifndef SEEDBED_MODELS_VDSO_VDSO_SURVEY_H_
#define SEEDBED_MODELS_VDSO_VDSO_SURVEY_H_

#include "models/vdso/vdso_machine.h"

enum {
  VDSO_SURVEY_LINES_MAX = 512,
  VDSO_SURVEY_WORDS_MAX = 16384,  // instructions of an image
  VDSO_BATCH_CALLS = 24,          // of 4 bytes, which one refill serves
  VDSO_BATCH_CALLS_32 = 3,        // of 32
};

// Instructions of calls of 4 bytes, where nothing else is said, in the vDSO alone; a system call
// counts as one.
struct vdso_costs {
  u64 first;     // from an empty state: a key is asked for
  u64 hit;       // from the batch
  u64 refill;    // with an empty batch: two blocks are made; no system call
  u64 fallback;  // by the system call, since the state has another length
  u64 block;     // what one more block of ChaCha20 costs
  u64 hit_32;    // of 32 bytes
  u64 refill_32;
};
// Of VDSO_BATCH_CALLS calls in a row: one refill, and hits.
u64 vdso_costs_batch(const struct vdso_costs *costs);

// Instructions from `from` to `to`, offsets in the image's memory of the first and the last one:
// before each of them these registers differ from what they held at the call's entry.
struct vdso_survey_line {
  u64 from, to;
  u32 gpr;  // bit n: r<n>; of r2, r13 to r31; arm64: x<n>, of x18 to x29
  u32 cr;   // bit n: CR<n>; of CR2 to CR4
  u32 fpr;  // of f14 to f31; arm64: of d8 to d15
  u32 vr;   // of v20 to v31
};

struct vdso_survey {
  struct vdso_costs costs;
  u64 boundaries;  // that were looked at
  u64 addresses;   // of different instructions
  bool stable;     // two surveys with different keys list the same
  bool restored;   // at each return all of them, and the stack pointer, are as at the entry
  // What lies below the stack pointer, the ABI's red zone apart, may be overwritten before any
  // instruction: results, state and list stay the same.
  bool zone_kept;
  // How the subject takes a key: as 8 words in the machine's order, as merged, or as 32 bytes. On a
  // little-endian machine the same. Neither: what it returns is no keystream.
  bool key_words, key_bytes;
  char where[64];  // "stable: r14 at 0x760", the first that is not so
  u32 num_lines;
  struct vdso_survey_line line[VDSO_SURVEY_LINES_MAX];
};

// Surveys the machine's subject. False with a reason in `err` if a call does not return, the
// image has too many instructions, or the list does not fit.
SIM_MUST_CHECK bool vdso_survey(struct vdso_machine *m, struct vdso_survey *out, char *err,
                                size_t len);

#endif  // SEEDBED_MODELS_VDSO_VDSO_SURVEY_H_
