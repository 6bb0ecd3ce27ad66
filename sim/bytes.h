// SPDX-License-Identifier: GPL-2.0-or-later
//
// Draws as bytes: what a fuzzer changes. Every byte string is a run, the empty one the calm run.
//
// An entry is four bytes: class, skip, and a value, its low byte first. A class is the low byte of
// the hash of a site's label, so that labels share a few of them and a new site moves no other. For
// each class its entries hold in their order: `skip` draws there are calm, then one is
// 1 + value modulo (n - 1), never the calm one. A skip of 255 is 255 calm draws and no value.
// Where a class has no entry left its draws are calm. With a base seed (struct sim_input) what is
// called calm here is what the seed says. So an entry that is put in, taken out or
// moved changes what happens at its own sites and leaves the others be. An incomplete entry at the
// end counts for nothing, and so do entries beyond SIM_BYTES_ENTRIES_MAX.
#ifndef SEEDBED_SIM_BYTES_H_
#define SEEDBED_SIM_BYTES_H_

#include "sim/base.h"
#include "sim/site.h"

enum {
  SIM_BYTES_ENTRY_LEN = 4,
  SIM_BYTES_ENTRIES_MAX = 16384,
  SIM_BYTES_CLASSES = 256,
  SIM_BYTES_LONG_SKIP = 255,
};

static inline u8 sim_bytes_class(const struct sim_site *site) { return (u8)site->hash; }

struct sim_world;
struct sim_decisions;

// Draws at each class in the last run by the bytes back-end, for mutators; of `w`, until its next
// run. NULL: there was none.
const u32 *sim_bytes_draws(const struct sim_world *w);

// sim_bytes_from_decisions runs `list` on `w`, which is set up, and writes the bytes by which the
// bytes back-end makes the same run, at most `cap`. Returns how many there are; more than `cap`:
// what was written is no whole.
// Determinism: the bytes depend on the list and the world's set-up alone.
size_t sim_bytes_from_decisions(struct sim_world *w, const struct sim_decisions *list, u8 *out,
                                size_t cap);

// ---- For the back-end ----

struct sim_bytes;
struct sim_bytes *sim_bytes_new(void);
void sim_bytes_free(struct sim_bytes *b);
// Reads an input; borrowed for the run.
void sim_bytes_begin(struct sim_bytes *b, const u8 *bytes, size_t len);
// One of n >= 2 alternatives at `site`; SIM_BYTES_NONE where the input says nothing.
#define SIM_BYTES_NONE UINT32_MAX
u32 sim_bytes_draw(struct sim_bytes *b, const struct sim_site *site, u32 n);
// While a list is made bytes: a draw at `site` was `value`.
void sim_bytes_encode(struct sim_bytes *b, const struct sim_site *site, u32 value);

#endif  // SEEDBED_SIM_BYTES_H_
