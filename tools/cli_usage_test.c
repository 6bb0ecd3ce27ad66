// SPDX-License-Identifier: GPL-2.0-or-later
//
// The command line: help everywhere, strict numbers, statuses, and where output goes.

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/cli_testing.h"

static const char *const commands[] = {
    "hunt", "explore", "sweep", "replay", "shrink", "table", "list", "image", "selftest",
};

// Help goes to stdout, names every subcommand, and has examples that name this command.
static void help_is_everywhere(void **state) {
  u32 i;

  cli_run("--help");
  cli_expect_status(0);
  cli_expect_out("Exit status: 0 clean;");
  {
    char *help = xstrdup(text_str(&cli_run("--help")->out));

    cli_run("help");
    cli_expect_status(0);
    cli_expect_out(help);
    free(help);
  }
  for (i = 0; i < SIM_ARRAY_SIZE(commands); i++) {
    char *name = xasprintf("\n  %s", commands[i]), *usage, *example;

    cli_run("--help");
    cli_expect_out(name);
    usage = xasprintf("Usage: seedbed %s", commands[i]);
    example = xasprintf("\n  seedbed %s", commands[i]);
    cli_run("%s --help", commands[i]);
    cli_expect_status(0);
    cli_expect_out(usage);
    cli_expect_out("Example");
    cli_expect_out(example);
    cli_run("%s --usage", commands[i]);
    cli_expect_status(0);
    cli_expect_out(usage);
    free(name);
    free(usage);
    free(example);
  }
}

// Options of explore that change nothing are taken and not shown.
static void help_shows_what_has_an_effect(void **state) {
  cli_run("explore --help");
  cli_expect_out("--seeds=");
  cli_expect_out("--keep-going");
  if (strstr(text_str(&cli_run("sweep --help")->out), "--seeds=")) fail_msg("sweep: --seeds");
  cli_expect_out("--keep-going");
  if (strstr(text_str(&cli_run("replay --help")->out), "--jobs=")) fail_msg("replay: --jobs");
  cli_expect_out("--json");
}

// Every example of every help text is a command line that parses: nothing in it is refused
// as usage.
static void examples_parse(void **state) {
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(commands); i++) {
    const struct cli_result *help = cli_run("%s --help", commands[i]);
    char *text = xstrdup(text_str(&help->out)), *line = text;

    while ((line = strstr(line, "\n  seedbed "))) {
      char *end = strchr(line + 1, '\n');

      line += strlen("\n  seedbed ");
      // --help at the end: everything before it is parsed first.
      cli_run("%.*s --help", (int)(end - line), line);
      cli_expect_status(0);
      line = end;
    }
    free(text);
  }
}

static void version_names_commit_and_subject(void **state) {
  cli_run("--version");
  cli_expect_status(0);
  cli_expect_out("commit=0123abcd model=");
}

static void wrong_usage_is_64_with_a_hint(void **state) {
  static const struct {
    const char *line, *complaint;
  } cases[] = {
      /* 1 */ {"", "a subcommand is missing"},
      /* 2 */ {"exploer", "did you mean 'explore'?"},
      /* 3 */ {"frobnicate", "'frobnicate' is not a subcommand"},
      /* 4 */ {"explore", "a scenario is missing"},
      /* 5 */ {"explore nothing-like-it", "`seedbed list' shows all"},
      /* 6 */ {"explore test-lots", "did you mean 'test-lost'?"},
      /* 7 */ {"explore test-lost test-lost", "one scenario at a time"},
      /* 8 */ {"explore test-lost --frob", "unrecognized option '--frob'"},
      /* 9 */ {"explore test-lost --seeds=5..1", "--seeds=5..1: the range is empty"},
      /* 10 */ {"explore test-lost --seeds=", "--seeds=: a number is missing"},
      /* 11 */ {"explore test-lost --seeds=1..18446744073709551616", "above 2^64-1"},
      /* 12 */ {"explore test-lost --seeds=-1", "not a decimal or 0x number"},
      /* 13 */ {"explore test-lost --seeds=1e3", "not a decimal or 0x number"},
      /* 14 */ {"explore test-lost --jobs=0", "--jobs=0: 1 to 1024 workers are possible"},
      /* 15 */ {"explore test-lost --jobs=1025", "1 to 1024 workers"},
      /* 16 */ {"explore test-lost --jobs=two", "--jobs=two: not a decimal"},
      /* 17 */ {"explore test-lost --time=0", "--time=0: a time of 0"},
      /* 18 */ {"explore test-lost --time=soon", "not a time in seconds"},
      /* 19 */ {"explore test-lost --strategy=clever", "not one of portfolio, random"},
      /* 20 */ {"explore test-lost --bug=902", "has the planted bugs 901"},
      /* 21 */ {"explore test-marks --bug=1", "test-marks has no planted bugs"},
      /* 22 */ {"explore test-lost --set=rounds", "KEY=VALUE is meant"},
      /* 23 */ {"explore test-lost --set==1", "KEY=VALUE is meant"},
      /* 24 */ {"explore test-lost --set=rounds=0", "--set=rounds=0: "},
      /* 25 */ {"explore test-lost --set=rounds=x", "--set=rounds=x: "},
      /* 26 */
      {"explore test-lost --set=colour=1",
       "has no parameter 'colour'; `seedbed list test-lost' shows all"},
      /* 27 */ {"explore test-lost --set=num_cpus=9", "--set=num_cpus=9: "},
      /* 28 */
      {"explore test-lost --subject=image:x", "test-lost does not take the subject 'image:x'"},
      /* 29 */ {"explore test-lost --subject=moon", "'moon' is not a subject"},
      /* 30 */ {"explore test-lost --out=", "--out: a folder is missing"},
      /* 31 */ {"sweep test-lost --window=x", "--window=x: not a decimal"},
      /* 32 */ {"sweep test-lost --window=1000001", "at most 1000000 boundaries"},
      /* 33 */ {"replay", "a file, or a scenario and --seed=N, is missing"},
      /* 34 */ {"replay a b c", "one file at a time: c is one more"},
      /* 35 */ {"replay test-lost --seed=x", "--seed=x: not a decimal"},
      /* 36 */ {"replay --seed=1", "--seed takes one scenario and no file"},
      /* 37 */ {"replay test-lost file --seed=1", "--seed takes one scenario and no file"},
      /* 38 */ {"replay test-lost --seed=1 --trace=colour", "text or perfetto is meant"},
      /* 39 */ {"replay test-lost --seed=1 -o x", "--trace=text or perfetto is missing"},
      /* 40 */ {"replay test-lost --seed=1 --until=0", "a run has a first step, number 1"},
      /* 41 */ {"replay test-lost --seed=1 --json --trace=text", "-o FILE for the trace"},
      /* 42 */ {"shrink", "a file, or a scenario and --seed=N, is missing"},
      /* 43 */ {"table", "a table is missing; there are: archrandom, bcm2835, blake2s, vdso"},
      /* 44 */ {"table moon", "there is no table 'moon'"},
      /* 45 */ {"list nothing-like-it", "no scenario is named"},
      /* 46 */ {"selftest now", "selftest takes no argument"},
      /* 47 */ {"hunt test-lost", "hunt takes no scenario"},
      /* 48 */ {"hunt --seeds=1..5", "`seedbed explore SCENARIO' takes --bug, --set, --seeds"},
      /* 49 */ {"hunt --set=hz=100", "`seedbed explore SCENARIO' takes --bug"},
      /* 50 */ {"hunt --base=4294967296", "at most 2^32-1"},
      /* 51 */ {"image", "a file is missing"},
      /* 52 */ {"image a b", "one file at a time"},
      /* 53 */ {"image a --carve=", "--carve: a folder is missing"},
      /* 54 */ {"image a --carve=/proc/x", "cannot write to /proc/x: "},
      /* 55 */ {"replay test-lost", "test-lost is a scenario: --seed=N or a file is missing"},
      /* 56 */ {"shrink test-lost", "test-lost is a scenario: --seed=N or a file is missing"},
      /* 57 */ {"replay / .", "one file at a time: /, ."},
      /* 58 */ {"hunt --bug=55", "`seedbed explore SCENARIO' takes --bug"},
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    const struct cli_result *result = cli_run("%s", cases[i].line);

    cli_expect_status(64);
    cli_expect_err("seedbed: ");
    cli_expect_err(cases[i].complaint);
    cli_expect_err("Try `seedbed");
    if (result->out.len) fail_msg("case %u wrote to stdout", i + 1);
  }
}

static void list_tells_all(void **state) {
  cJSON *object, *scenarios;

  cli_run("list --all");
  cli_expect_status(0);
  cli_expect_out("test-lost (tests only)\n  additions of two tasks are not lost\n");
  cli_expect_out("--bug=901");
  cli_expect_out("--set=suspect.unlocked=1");
  cli_expect_out("--strategy=pct2");
  cli_expect_out("num_cpus");
  cli_run("list test-lost");
  cli_expect_status(0);
  cli_expect_out("lost-update");
  // Of a machine's parameter whose default alone is its own it says what the machine says.
  cli_run("list arm64-boot");
  cli_expect_out(
      "    steps_max            50000000 steps (1 to 1000000000000)\n"
      "        budget of a run (exit status 14)\n");
  cli_run("list test-lost --json");
  cli_expect_status(0);
  object = cli_json();
  scenarios = cJSON_GetObjectItem(object, "scenarios");
  assert_int_equal(cJSON_GetArraySize(scenarios), 1);
  assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(scenarios, 0), "name")->valuestring,
                      "test-lost");
  cJSON_Delete(object);
}

static void selftest_holds(void **state) {
  cJSON *object;

  cli_run("selftest");
  cli_expect_status(0);
  cli_expect_out(" hold, 0 fail\n");
  cli_run("selftest --json");
  cli_expect_status(0);
  object = cli_json();
  assert_int_equal(cJSON_GetObjectItem(object, "failed")->valueint, 0);
  cJSON_Delete(object);
}

// What cannot be written is no success.
static void lost_output_is_70(void **state) {
  cli_run("list >/dev/full");
  cli_expect_status(70);
  cli_expect_err("seedbed: output was lost");
  cli_run("--help >/dev/full");
  cli_expect_status(70);
  cli_run("explore --help >/dev/full");
  cli_expect_status(70);
  cli_expect_err("seedbed: output was lost");
  cli_run("--version >/dev/full");
  cli_expect_status(70);
  cli_run("list >&-");
  cli_expect_status(70);
  cli_expect_err("seedbed: output was lost");
  cli_run("explore test-lost --seeds=1..10 >/dev/full");
  cli_expect_status(70);
  cli_run("explore test-lost --seeds=1..10 --json >/dev/full");
  cli_expect_status(70);
  // A finding matters more than a lost line.
  cli_run("explore test-lost --bug=901 --seeds=1..100 >/dev/full");
  cli_expect_status(10);
  cli_run("replay test-lost --seed=1 --trace=text -o /dev/full");
  cli_expect_status(70);
  cli_expect_err("trace");
  cli_run("replay test-lost --seed=1 --trace=text -o /nowhere/x");
  cli_expect_status(64);
  cli_clean();
}

// A reader that has seen enough is no reason to complain.
static void closed_pipe_is_quiet(void **state) {
  const struct cli_result *result;
  char *command = xasprintf("%s list | head -n 1 >first; test -s first", cli_binary());

  result = cli_shell(command);
  cli_expect_status(0);
  if (strstr(text_str(&result->err), "seedbed:")) fail_msg("%s", text_str(&result->err));
  free(command);
  command = xasprintf("%s replay test-lost --set=rounds=100000 --seed=1 --trace=text | head -n 1",
                      cli_binary());
  result = cli_shell(command);
  cli_expect_status(0);
  free(command);
  cli_clean();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_is_everywhere),
      cmocka_unit_test(help_shows_what_has_an_effect),
      cmocka_unit_test(examples_parse),
      cmocka_unit_test(version_names_commit_and_subject),
      cmocka_unit_test(wrong_usage_is_64_with_a_hint),
      cmocka_unit_test(list_tells_all),
      cmocka_unit_test(selftest_holds),
      cmocka_unit_test(lost_output_is_70),
      cmocka_unit_test(closed_pipe_is_quiet),
  };

  cli_begin(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
