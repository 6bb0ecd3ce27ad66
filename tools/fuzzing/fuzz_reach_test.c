// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a changed file means, and what is read of Bazel's answer.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/fuzzing/fuzz_reach.h"

static void a_files_place_says(void **state) {
  static const struct {
    const char *path;
    bool gone;
    enum fuzz_reach reach;
  } rows[] = {
      {"sim/mutex.c", false, FUZZ_REACH_ALL},
      {"sim/mutex.h", true, FUZZ_REACH_ALL},
      {"sim/mutex_test.c", false, FUZZ_REACH_NONE},
      {"sim/BUILD.bazel", false, FUZZ_REACH_ALL},
      {"models/crng/crng.c", false, FUZZ_REACH_ASK},
      {"models/crng/crng.c", true, FUZZ_REACH_ALL},
      {"models/crng/crng_test.c", true, FUZZ_REACH_NONE},
      {"models/crng/BUILD.bazel", false, FUZZ_REACH_ALL},
      {"models/vdso/guest_asm/chacha.S", false, FUZZ_REACH_ASK},
      {"models/seedbed_scenarios.c", false, FUZZ_REACH_ALL},
      {"models/README.md", false, FUZZ_REACH_NONE},
      {"fuzz/target.c", false, FUZZ_REACH_ALL},
      {"fuzz/feedback_test.c", false, FUZZ_REACH_NONE},
      {"fuzz/oss-fuzz/build.sh", false, FUZZ_REACH_NONE},
      {"tools/bazel/fuzz.bzl", false, FUZZ_REACH_ALL},
      {"tools/fuzzing/fuzz_reach.c", false, FUZZ_REACH_NONE},
      {"docs/FUZZING.md", false, FUZZ_REACH_NONE},
      {"README.md", false, FUZZ_REACH_NONE},
      {"WORKSPACE", false, FUZZ_REACH_ALL},
      {".bazelrc", false, FUZZ_REACH_ALL},
      {"BUILD.bazel", false, FUZZ_REACH_ALL},
      {"corpora/digests/crng-seed.txt", false, FUZZ_REACH_NONE},
      {"corpora/README.md", false, FUZZ_REACH_NONE},
      {"", false, FUZZ_REACH_NONE},
  };
  char target[64];

  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    enum fuzz_reach reach = fuzz_reach_of(rows[i].path, !rows[i].gone, target, sizeof(target));

    if (reach != rows[i].reach) fail_msg("%s: %d", rows[i].path, (int)reach);
  }
}

static void an_input_is_its_targets(void **state) {
  char target[64] = "";

  assert_int_equal(
      fuzz_reach_of("corpora/crng_seed_fuzz/regress/27-0", true, target, sizeof(target)),
      FUZZ_REACH_TARGET);
  assert_string_equal(target, "crng_seed_fuzz");
  assert_int_equal(fuzz_reach_of("corpora/crng_seed_fuzz/seed/0", false, target, sizeof(target)),
                   FUZZ_REACH_TARGET);
}

static const char graph[] =
    "digraph mygraph {\n"
    "  node [shape=box];\n"
    "  \"//models/crng:sources\"\n"
    "  \"//models/crng:crng\" -> \"//models/crng:scenario_crng_seed.c\"\n"
    "  \"//models/crng:crng\" -> \"//models/crng:crng_twin_rest\"\n"
    "  \"//models/crng:crng_twin_rest\" -> \"//models/crng:scenario_crng_seed.c\"\n"
    "  \"//models/testing:trials\" -> \"//models/testing:trials.c\"\n"
    "  \"//models/vdso:vdso\" -> \"//models/vdso:guest_asm/chacha.S\"\n"
    "}\n";

static void owners_of(const char *path, const char *expected) {
  struct text owners = {0};

  fuzz_reach_owners(graph, path, &owners);
  assert_string_equal(text_str(&owners), expected);
  text_free(&owners);
}

static void owners_are_who_names_a_file(void **state) {
  owners_of("models/crng/scenario_crng_seed.c",
            "//models/crng:crng\n//models/crng:crng_twin_rest\n");
  owners_of("models/testing/trials.c", "//models/testing:trials\n");
  owners_of("models/vdso/guest_asm/chacha.S", "//models/vdso:vdso\n");
  owners_of("models/crng/scenario_crng_see.c", "");
  owners_of("", "");
}

static void lines_are_whole(void **state) {
  assert_true(fuzz_reach_shares_line("a\nb\n", "x\nb"));
  assert_false(fuzz_reach_shares_line("a\nb\n", "ab\nba\n"));
  assert_false(fuzz_reach_shares_line("\n\n", "\n\n"));
  assert_false(fuzz_reach_shares_line("", "a"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_files_place_says),
      cmocka_unit_test(an_input_is_its_targets),
      cmocka_unit_test(owners_are_who_names_a_file),
      cmocka_unit_test(lines_are_whole),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
