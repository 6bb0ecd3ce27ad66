// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every suspect, switched on alone, trips an oracle that it names, which is counted and
// no finding; and no other fires.
#include "models/testing/bulk.h"

#include "models/testing/evidence.h"

enum { RUNS_MAX = 100000 };

static void suspects_are_counted(void **state) {
  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_scenario *scenario = seedbed_scenarios[i];
    const struct sim_suspect *suspect = scenario->suspects;

    for (; suspect && suspect->name; suspect++) {
      struct bulk bulk;
      u64 seed = 0;

      bulk_open(&bulk, scenario, NULL, suspect->name);
      do {
        bulk_clean(&bulk, scenario, seed, 1);
      } while (bulk.result.num_suspects == 0 && ++seed < RUNS_MAX);
      if (bulk.result.num_suspects == 0)
        fail_msg("%s: suspect.%s trips nothing in %d runs", scenario->name, suspect->name,
                 RUNS_MAX);
      print_message("%s: suspect.%s at seed %llu\n", scenario->name, suspect->name,
                    (unsigned long long)seed);
      assert_int_equal(bulk.result.status, SIM_OK);
      // And a few more, that nothing else fires.
      bulk_clean(&bulk, scenario, 1000000, 200);
      bulk_close(&bulk);
    }
  }
}

// Each replay line of docs/SUSPECTS.md reproduces its key, and every suspect has one.
static void documented_replays_hold(void **state) {
  FILE *in = fopen("docs/SUSPECTS.md", "r");
  struct evidence evidence = {.key = ""};
  char line[512];
  u32 documented = 0, listed = 0;

  assert_non_null(in);
  while (fgets(line, sizeof(line), in)) {
    char key[SIM_KEY_LEN] = "";

    if (!evidence_parse(line, &evidence)) continue;
    documented++;
    assert_non_null(fgets(line, sizeof(line), in));
    assert_true(evidence_parse_key(line, &evidence));
    if (!evidence_try(&evidence, evidence.seed, key) || strcmp(key, evidence.key) != 0)
      fail_msg(
          "suspect.%s at seed %llu of %s: \"%s\", not \"%s\". If runs are meant to "
          "differ: bazel run //models:suspects -- $PWD/docs/SUSPECTS.md",
          evidence.suspect, (unsigned long long)evidence.seed, evidence.scenario, key,
          evidence.key);
  }
  fclose(in);
  // Names, each once however many scenarios have it.
  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_suspect *suspect = seedbed_scenarios[i]->suspects;

    for (; suspect && suspect->name; suspect++) {
      bool before = false;

      for (u32 k = 0; k < i; k++)
        for (const struct sim_suspect *s = seedbed_scenarios[k]->suspects; s && s->name; s++)
          before |= strcmp(s->name, suspect->name) == 0;
      listed += !before;
    }
  }
  assert_int_equal(documented, listed);
}

// Lines that are no replay lines, and what does not exist, are refused.
static void other_lines_are_refused(void **state) {
  struct evidence evidence;
  char key[SIM_KEY_LEN];

  assert_false(evidence_parse("- Key: `a/b/c`", &evidence));
  assert_false(evidence_parse("- Replay: `tools/seedbed replay x --seed=1`", &evidence));
  assert_false(evidence_parse_key("- Key: ``", &evidence));
  assert_true(evidence_parse(
      "- Replay: `tools/seedbed replay canary --seed=12 --set suspect.none=1`\n", &evidence));
  assert_int_equal(evidence.seed, 12);
  assert_false(evidence_try(&evidence, 12, key));  // no such suspect
  assert_false(evidence_find(&evidence, 10));
  snprintf(evidence.scenario, sizeof(evidence.scenario), "nowhere");
  assert_false(evidence_try(&evidence, 12, key));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(suspects_are_counted),
      cmocka_unit_test(documented_replays_hold),
      cmocka_unit_test(other_lines_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
