// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs come to the digests that corpora/digests keeps: in two orders in one process, with
// other bytes in memory that nobody has written, and (since other processes, compilers
// and optimisations have made or checked the files) everywhere. A hundred seeds of each
// scenario; nightly ten thousand.
#include "models/testing/digests.h"

#include "models/testing/bulk.h"

#include <stdlib.h>

static void load(const struct sim_scenario *scenario, struct digests_file *file) {
  char path[160];
  FILE *in;

  snprintf(path, sizeof(path), "corpora/digests/%s.txt", scenario->name);
  in = fopen(path, "r");
  if (!in) fail_msg("%s is missing: bazel run //models:digests -- $PWD/corpora/digests", path);
  if (!digests_read(in, file)) fail_msg("%s is not whole", path);
  fclose(in);
}

static void compare(const struct sim_scenario *scenario, const char *what, u32 index,
                    struct digests_entry got, const struct digests_entry *kept) {
  if (got.digest == kept->digest && got.draws == kept->draws) return;
  fail_msg(
      "%s, %s %u: digest 0x%016llx with %llu draws, kept is 0x%016llx with %llu. If runs "
      "are meant to differ: bazel run //models:digests -- $PWD/corpora/digests",
      scenario->name, what, index, (unsigned long long)got.digest, (unsigned long long)got.draws,
      (unsigned long long)kept->digest, (unsigned long long)kept->draws);
}

// Upwards, downwards, and upwards over other memory.
static void check_seeds(const struct sim_scenario *scenario, const struct digests_file *file) {
  struct bulk bulk;

  bulk_open(&bulk, scenario, NULL, NULL);
  for (u32 i = 0; i < DIGESTS_SEEDS; i++)
    compare(scenario, "seed", i, digests_of(bulk.world, i), &file->seeds[i]);
  for (u32 i = DIGESTS_SEEDS; i-- > 0;)
    compare(scenario, "seed", i, digests_of(bulk.world, i), &file->seeds[i]);
  sim_world_set_fill(bulk.world, 0xa5);
  for (u32 i = 0; i < DIGESTS_SEEDS; i++)
    compare(scenario, "seed, memory filled with 0xa5,", i, digests_of(bulk.world, i),
            &file->seeds[i]);
  bulk_close(&bulk);
}

static void check_blocks(const struct sim_scenario *scenario, const struct digests_file *file) {
  struct bulk bulk;

  bulk_open(&bulk, scenario, NULL, NULL);
  for (u32 i = 0; i < DIGESTS_BLOCKS; i++)
    compare(scenario, "block", i, digests_of_block(bulk.world, i, false), &file->blocks[i]);
  for (u32 i = DIGESTS_BLOCKS; i-- > 0;)
    compare(scenario, "block", i, digests_of_block(bulk.world, i, true), &file->blocks[i]);
  bulk_close(&bulk);
}

static void runs_have_the_digests_that_are_kept(void **state) {
  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    struct digests_file file;

    if (!digests_are_kept(seedbed_scenarios[i])) continue;
    load(seedbed_scenarios[i], &file);
    check_seeds(seedbed_scenarios[i], &file);
    if (getenv("SEEDBED_NIGHTLY")) check_blocks(seedbed_scenarios[i], &file);
  }
}

// The comparison can fail: what no seed decides has other digests in each run.
static void other_digests_are_seen(void **state) {
  const struct sim_scenario *scenario = seedbed_scenario_by_name("not-deterministic");
  struct digests_entry first, second;
  struct bulk bulk;

  bulk_open(&bulk, scenario, NULL, NULL);
  first = digests_of_block(bulk.world, 0, false);
  second = digests_of_block(bulk.world, 0, false);
  assert_true(first.digest != second.digest);
  bulk_close(&bulk);
}

// A file that is cut short or out of order is refused.
static void broken_files_are_refused(void **state) {
  static const char *const texts[] = {"", "# c\n", "# c\nseed 0 0x1 2\nseed 2 0x1 2\n",
                                      "seed 0 0x1 2\n", "# c\nblock 0 0x1 2\n"};
  struct digests_file file;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(texts); i++) {
    FILE *in = tmpfile();

    assert_non_null(in);
    fputs(texts[i], in);
    rewind(in);
    assert_false(digests_read(in, &file));
    fclose(in);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_have_the_digests_that_are_kept),
      cmocka_unit_test(other_digests_are_seen),
      cmocka_unit_test(broken_files_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
