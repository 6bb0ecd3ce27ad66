// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed compare, from the command line, on the model and its planted bugs. What it does with a
// tree, tools/kernel_tests asks.
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/cli_testing.h"

static int clean(void **state) {
  (void)state;
  cli_clean();
  return 0;
}

static void usage(void **state) {
  static const struct {
    const char *line, *says;
  } wrong[] = {
      {"compare", "what is to be compared is missing"},
      {"compare tea", "nothing to compare by the name of 'tea'"},
      {"compare crng", "--subject=kernel:DIR is missing"},
      {"compare crng hwrng --bug=16", "one at a time"},
      {"compare crng --bug=55", "no such planted bug"},
      {"compare crng --bug=16 --subject=kernel:/", "planted in the model"},
      {"compare crng --subject=model", "a tree is needed"},
      {"compare crng --bug=16 --only=1", "of one seed"},
      {"compare crng --bug=16 --show --seeds=1..2", "of one seed"},
      {"compare crng --bug=16 --seeds=2..1", "--seeds=2..1"},
      {"compare crng --bug=16 --seeds=1 --only=1000", "no event of that number"},
  };

  (void)state;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(wrong); i++) {
    cli_run("%s", wrong[i].line);
    cli_expect_status(64);
    cli_expect_err(wrong[i].says);
  }
  cli_run("compare crng --bug=16 --known=nowhere");
  cli_expect_status(66);
  cli_run("compare --help");
  cli_expect_status(0);
  cli_expect_out("Exit status: 0");
}

// The report is a function of the seeds; the command that it ends with shows the same.
static void a_report(void **state) {
  char *first, *repeat, *at;

  (void)state;
  cli_run("compare crng --bug=16 --seeds=1..300");
  cli_expect_status(10);
  cli_expect_out("add_interrupt_randomness");
  cli_expect_out("differs: compare-crng/add_interrupt_randomness/credit-given, first of ");
  cli_expect_out("    credit given: model 128, bug ");
  cli_line("FAIL compare=crng seeds=1..300 lists=300 differences=1 known=0 commit=");
  repeat = xstrdup(cli_line("  repeat: "));
  first = xstrdup(text_str(&cli_run("compare crng --bug=16 --seeds=1..300")->out));
  assert_string_equal(first, text_str(&cli_run("compare crng --bug=16 --seeds=1..300")->out));
  at = strstr(repeat, " compare ");
  assert_non_null(at);
  cli_run("%s", at + 1);
  cli_expect_status(10);
  cli_expect_out("    credit given: model 128, bug ");
  cli_line("FAIL compare=crng seeds=");
  free(first);
  free(repeat);
}

static void json(void **state) {
  const cJSON *difference;
  cJSON *object;

  (void)state;
  cli_run("compare crng --bug=batch-end --seeds=1..50 --json");
  cli_expect_status(10);
  object = cli_json();
  assert_true(cJSON_GetObjectItem(object, "lists")->valuedouble == 50);
  assert_true(cJSON_GetObjectItem(cJSON_GetObjectItem(object, "events"), "getrandom")->valuedouble >
              50);
  difference = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "differences"), 0);
  assert_string_equal(cJSON_GetObjectItem(difference, "key")->valuestring,
                      "compare-crng/get_random_uN/bytes");
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(difference, "known")));
  assert_non_null(strstr(cJSON_GetObjectItem(difference, "repeat")->valuestring, " --only="));
  cJSON_Delete(object);
}

// A subject that crashes ends its list and not the search.
static void a_crash(void **state) {
  (void)state;
  cli_run("compare crng --bug=7 --seeds=1..40");
  cli_expect_status(12);
  cli_expect_out("differs: compare-crng/crash, first of ");
  cli_line("FAIL compare=crng seeds=1..40 lists=40 differences=");
}

static void shown(void **state) {
  (void)state;
  cli_run("compare hwrng --bug=56 --seeds=1 --show");
  cli_expect_out("  machine: hz=");
  cli_expect_out("hwrng_register(device=");
  cli_expect_out("    model   inits [device ");
  cli_expect_out("    bug     inits [device ");
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(usage, clean), cmocka_unit_test_teardown(a_report, clean),
      cmocka_unit_test_teardown(json, clean),  cmocka_unit_test_teardown(a_crash, clean),
      cmocka_unit_test_teardown(shown, clean),
  };

  cli_begin(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
