// SPDX-License-Identifier: GPL-2.0-or-later
//
// Digests of a fixed set of seeds of a scenario, as corpora/digests keeps them: what every
// process, compiler and optimisation must agree on. The format is in the README there.
#ifndef SEEDBED_MODELS_TESTING_DIGESTS_H_
#define SEEDBED_MODELS_TESTING_DIGESTS_H_

#include <stdio.h>

#include "sim/scenario.h"
#include "sim/world.h"

// Seeds 0..99 are kept one by one, 0..9999 in blocks of 100.
enum { DIGESTS_SEEDS = 100, DIGESTS_BLOCK = 100, DIGESTS_BLOCKS = 100 };

// What one seed, or the seeds of a block folded in order, came to.
struct digests_entry {
  u64 digest, draws;
};

// Whether the scenario's digests are kept: not of the one that has none.
bool digests_are_kept(const struct sim_scenario *scenario);

// digests_of runs one seed, and digests_of_block a block of them, upwards or downwards
// (which must not matter), with the default strategy and parameters.
struct digests_entry digests_of(struct sim_world *world, u64 seed);
struct digests_entry digests_of_block(struct sim_world *world, u32 block, bool downwards);

// digests_write writes the scenario's file to `out` from a world that is set up for it.
// Returns false on a write error.
SIM_MUST_CHECK bool digests_write(struct sim_world *world, const struct sim_scenario *scenario,
                                  FILE *out);

// The entries of a file.
struct digests_file {
  struct digests_entry seeds[DIGESTS_SEEDS];
  struct digests_entry blocks[DIGESTS_BLOCKS];
};
// digests_read reads one. Returns false if the file is not whole; *out_file then means
// nothing.
SIM_MUST_CHECK bool digests_read(FILE *in, struct digests_file *out_file);

#endif  // SEEDBED_MODELS_TESTING_DIGESTS_H_
