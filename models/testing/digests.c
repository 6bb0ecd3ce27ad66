// SPDX-License-Identifier: GPL-2.0-or-later
//
// See digests.h.
#include "models/testing/digests.h"

#include <inttypes.h>
#include <string.h>

bool digests_are_kept(const struct sim_scenario *scenario) {
  return strcmp(scenario->name, "not-deterministic") != 0;
}

struct digests_entry digests_of(struct sim_world *world, u64 seed) {
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = seed};
  struct sim_result result;

  sim_world_run(world, &input, &result);
  return (struct digests_entry){result.digest, result.draws};
}

struct digests_entry digests_of_block(struct sim_world *world, u32 block, bool downwards) {
  struct digests_entry entries[DIGESTS_BLOCK], sum = {0, 0};

  for (u32 i = 0; i < DIGESTS_BLOCK; i++) {
    u32 k = downwards ? DIGESTS_BLOCK - 1 - i : i;

    entries[k] = digests_of(world, (u64)block * DIGESTS_BLOCK + k);
  }
  for (u32 i = 0; i < DIGESTS_BLOCK; i++) {
    sum.digest = sim_mix64(sum.digest ^ entries[i].digest);
    sum.draws += entries[i].draws;
  }
  return sum;
}

static void write_entry(FILE *out, const char *what, u32 index, struct digests_entry entry) {
  fprintf(out, "%s %" PRIu32 " 0x%016" PRIx64 " %" PRIu64 "\n", what, index, entry.digest,
          entry.draws);
}

bool digests_write(struct sim_world *world, const struct sim_scenario *scenario, FILE *out) {
  fprintf(out, "# Digest and draws of seeds and blocks of %d seeds of %s.\n", DIGESTS_BLOCK,
          scenario->name);
  for (u32 i = 0; i < DIGESTS_SEEDS; i++) write_entry(out, "seed", i, digests_of(world, i));
  for (u32 i = 0; i < DIGESTS_BLOCKS; i++)
    write_entry(out, "block", i, digests_of_block(world, i, false));
  return !ferror(out);
}

static bool read_entries(FILE *in, const char *what, struct digests_entry *entries, u32 count) {
  for (u32 i = 0; i < count; i++) {
    u32 index;
    char word[8];

    if (fscanf(in, "%7s %" SCNu32 " 0x%" SCNx64 " %" SCNu64, word, &index, &entries[i].digest,
               &entries[i].draws) != 4)
      return false;
    if (strcmp(word, what) != 0 || index != i) return false;
  }
  return true;
}

bool digests_read(FILE *in, struct digests_file *out_file) {
  char comment[160];

  if (!fgets(comment, sizeof(comment), in) || comment[0] != '#') return false;
  return read_entries(in, "seed", out_file->seeds, DIGESTS_SEEDS) &&
         read_entries(in, "block", out_file->blocks, DIGESTS_BLOCKS);
}
