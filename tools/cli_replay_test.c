// SPDX-License-Identifier: GPL-2.0-or-later
//
// replay: seeds, decision files and fuzzer bytes; traces; and every fault of an input.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/cli_testing.h"
#include "tools/findings.h"

static int clean(void **state) {
  cli_clean();
  return 0;
}

static void write_text(const char *path, const char *text) {
  char err[256];

  if (!write_file(path, text, strlen(text), err, sizeof(err))) fail_msg("%s", err);
}

// A decision file of a run that fails, in `found`.
static void make_decisions(void) {
  cli_run("explore test-lost --bug=901 --set=rounds=4 --seeds=1..");
  cli_expect_status(10);
  cli_shell("cp findings/*update*/decisions.full found");
  cli_expect_status(0);
}

static void seed_replays_the_same(void **state) {
  char *line;

  cli_run("replay test-lost --seed=0x10");
  cli_expect_status(0);
  line = xstrdup(cli_line("OK scenario=test-lost seed=0x10 draws="));
  cli_run("replay test-lost --seed=16 --json");
  cli_expect_status(0);
  {
    cJSON *object = cli_json();
    char *digest =
        xasprintf(" steps=%d vtime_ns=%d digest=0x", cJSON_GetObjectItem(object, "steps")->valueint,
                  cJSON_GetObjectItem(object, "vtime_ns")->valueint);

    assert_non_null(strstr(line, digest));
    assert_string_equal(cJSON_GetObjectItem(object, "result")->valuestring, "OK");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(object, "key")));
    assert_string_equal(cJSON_GetObjectItem(object, "scenario")->valuestring, "test-lost");
    assert_string_equal(cJSON_GetObjectItem(object, "seed")->valuestring, "0x10");
    assert_string_equal(cJSON_GetObjectItem(object, "commit")->valuestring, "0123abcd");
    assert_int_equal(strlen(cJSON_GetObjectItem(object, "subject")->valuestring), 64);
    free(digest);
    cJSON_Delete(object);
  }
  cli_run("replay test-lost --seed=0x10 --twice");
  cli_expect_status(0);
  assert_string_equal(cli_line("OK "), line);
  // Options of explore that say how much are taken and change nothing.
  cli_run("replay test-lost --seed=0x10 --seeds=1..5 --time=5 --jobs=3 --keep-going --out=x");
  cli_expect_status(0);
  assert_string_equal(cli_line("OK "), line);
  free(line);
}

// The run that explore told is what its file replays, and the file says all settings.
static void decision_file_replays_alone(void **state) {
  char *line;

  make_decisions();
  cli_run("replay found");
  cli_expect_status(10);
  line = xstrdup(cli_line("FAIL key=test-lost/lost-update/"));
  cli_expect_out("lost-update: 8 additions, the counter says ");
  cli_expect_out("the last events:");
  cli_expect_out(" replay found\n");
  cli_run("replay test-lost found");
  cli_expect_status(10);
  cli_expect_out(line);
  cli_shell("cp found -- -found");
  cli_run("replay -- -found");
  cli_expect_status(10);
  cli_expect_out(" replay ./-found\n");
  cli_run("replay found --twice");
  cli_expect_status(10);
  cli_expect_out(line);
  free(line);
}

// What is set on the command line goes first, and what then matches nothing is told.
static void command_line_goes_before_the_file(void **state) {
  make_decisions();
  cli_run("replay found --set=rounds=1");
  cli_expect_err("decisions matched nothing in this run:");
  cli_expect_err("lost_adder:");
  cli_run("replay found --set=num_cpus=1");
  cli_expect_err("does not fail with the file's key");
  cli_expect_status(0);
  cli_run("replay found --set=rounds=1 --json");
  cli_expect_out("--set=rounds=1\"");
  cli_run("replay found --bug=902");
  cli_expect_status(64);
}

// What a suspect explains is told as what it would be without it.
static void explained_failure_is_told(void **state) {
  char *key;

  make_decisions();
  cli_run("replay found");
  key = xasprintf("%.*s", (int)strcspn(cli_line("FAIL key=") + 9, " "), cli_line("FAIL key=") + 9);
  cli_shell("sed 's/^bug 901/set suspect.unlocked 1/; /^key /d' found >explained");
  cli_run("replay explained");
  cli_expect_status(0);
  cli_expect_out("lost-update: 8 additions, the counter says ");
  cli_expect_out("  explained by the suspect unlocked, key ");
  cli_expect_out(key);
  cli_run("replay explained --json");
  cJSON *object = cli_json();
  const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "explained"), 0);
  assert_string_equal(cJSON_GetObjectItem(item, "suspect")->valuestring, "unlocked");
  assert_string_equal(cJSON_GetObjectItem(item, "key")->valuestring, key);
  cJSON_Delete(object);
  free(key);
}

// A file that came by mail is the file that was sent, and never fuzzer bytes.
static void mailed_file_replays(void **state) {
  char *line;

  make_decisions();
  cli_run("replay found");
  line = xstrdup(cli_line("FAIL key="));
  cli_shell(
      "{ echo Hello; sed 's/^/> /; s/$/\\r/; s/^> subject model /&\\r\\n> /' found; "
      "echo '-- '; echo Me; } >mail");
  cli_run("replay mail");
  cli_expect_status(10);
  cli_expect_out(line);
  cli_run("replay test-lost mail");
  cli_expect_status(10);
  cli_run("shrink mail");
  cli_expect_status(10);
  // Lines are counted as they came.
  cli_shell("sed -i 's/> bug 901/> bug 902/' mail");
  cli_run("replay mail");
  cli_expect_status(65);
  cli_expect_err("mail: line 8: test-lost has no planted bug '902'");
  cli_shell("sed -i 's/> seed .*/> seed x/' mail");
  cli_run("replay mail");
  cli_expect_status(65);
  cli_expect_err("mail: line 9: seed is not a number");
  free(line);
}

static void other_subject_and_commit_are_told(void **state) {
  make_decisions();
  cli_shell("sed 's/^subject model ..../subject model 0000/' found >other");
  cli_run("replay other");
  cli_expect_status(10);
  cli_expect_err("recorded under the subject 0000");
  cli_shell("sed 's/^commit .*/commit feed/' found >other");
  cli_run("replay other");
  cli_expect_status(10);
  cli_expect_err("recorded under the commit feed, run under 0123abcd");
}

static void another_digest_is_told(void **state) {
  make_decisions();
  cli_run("replay found");
  cli_expect_status(10);
  assert_null(strstr(text_str(&cli_run("replay found")->err), "digest is not"));
  cli_shell("sed 's/^digest .*/digest 0x1111111111111111/' found >other");
  cli_run("replay other");
  cli_expect_status(10);
  cli_expect_err("the digest is not the file's, 0x1111111111111111");
  // Under another subject or commit that is to be expected, and told as such.
  cli_shell("sed 's/^commit .*/commit feed/' other >third");
  assert_null(strstr(text_str(&cli_run("replay third")->err), "digest is not"));
}

// With access hooks a line and a file name the build; under another one that is told, and the
// run goes on by its labels.
static void build_of_access_hooks_is_told(void **state) {
  cli_run("explore crng-seed --seeds=0x100000000.. --bug=6");
  cli_expect_status(10);
  assert_non_null(strstr(cli_line("FAIL "), " build=0x"));
  cli_expect_out(" --set=hooks=2");
  cli_shell("cp findings/crng-seed.data-race.*/decisions hooked");
  cli_run("replay hooked");
  cli_expect_status(10);
  assert_non_null(strstr(cli_line("FAIL "), " build=0x"));
  assert_null(strstr(text_str(&cli_run("replay hooked")->err), "another build"));
  assert_null(strstr(text_str(&cli_run("replay hooked")->err), "digest is not"));
  cli_shell("sed 's/^build .*/build 0x1/' hooked >other");
  cli_run("replay other");
  cli_expect_status(10);
  cli_expect_err("access hooks of another build, 0x0000000000000001");
  // Without hooks none is named.
  cli_run("explore crng-seed --seeds=1..10");
  cli_expect_status(0);
  assert_null(strstr(cli_line("OK "), " build="));
  // And where a scenario has no twin it is no parameter.
  cli_run("explore mailbox --set=hooks=1");
  cli_expect_status(64);
  cli_expect_err("has no parameter 'hooks'");
}

// The files and pipes of a run must not come to stand in for descriptors that were closed.
static void closed_descriptors_are_lost_output(void **state) {
  static const char *const closed[] = {"<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"};
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(closed); i++) {
    char *command =
        xasprintf("%s replay mailbox --seed=1 --twice --trace=text %s", cli_binary(), closed[i]);

    assert_int_equal(cli_shell(command)->status, 70);
    free(command);
  }
}

// A bound on the size of files is an error of a write: the failure is printed nevertheless.
static void size_limit_is_no_death(void **state) {
  char *command =
      xasprintf("ulimit -f 0; %s explore mailbox --bug=unlocked --out=limited", cli_binary());

  assert_int_equal(cli_shell(command)->status, 10);
  free(command);
}

static void faults_of_a_decision_file_are_65(void **state) {
  static const struct {
    const char *sed, *said;
  } cases[] = {
      /* 1 */ {"1s/1/2/", "line 1: "},
      /* 2 */ {"s/^scenario .*/scenario nobody/", "line 2: no scenario of this build is named"},
      /* 3 */ {"s/^subject .*/subject image:x -/", "line 3: test-lost does not take the subject"},
      /* 4 */ {"s/^set rounds .*/set rounds 0/", "line 5: "},
      /* 5 */ {"s/^set rounds .*/set colour 1/", "line 5: "},
      /* 6 */ {"s/^bug .*/bug 902/", "line 6: test-lost has no planted bug '902'"},
      /* 7 */ {"s/^strategy .*/strategy clever/", "line 8: 'clever' is not a strategy"},
      /* 8 */ {"s/^seed .*/seed x/", "line 7: "},
      /* 9 */ {"s/^draws .*/draws 1000000/", "line "},
      /* 10 */ {"$d", "line "},
      /* 11 */ {"$s/.*/nonsense/", "line "},
      /* 12 */ {"2d", "line "},
  };
  u32 i;

  make_decisions();
  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    char *command = xasprintf("sed '%s' found >broken && ! cmp -s found broken", cases[i].sed);

    cli_shell(command);
    cli_expect_status(0);
    cli_run("replay broken");
    cli_expect_status(65);
    cli_expect_err("seedbed: broken: ");
    cli_expect_err(cases[i].said);
    cli_run("shrink broken");
    cli_expect_status(65);
    free(command);
  }
  // The magic alone makes it one.
  write_text("broken", "seedbed-decisions ");
  cli_run("replay broken");
  cli_expect_status(65);
  cli_run("replay test-lost broken");
  cli_expect_status(65);
}

static void missing_files_are_66(void **state) {
  cli_run("replay nothing");
  cli_expect_status(66);
  cli_expect_err("seedbed: nothing: No such file or directory");
  cli_run("replay test-lost nothing");
  cli_expect_status(66);
  cli_run("shrink nothing");
  cli_expect_status(66);
  cli_run("replay .");
  cli_expect_status(66);
}

// Anything that is no decision file is fuzzer bytes, and needs its scenario.
static void bytes_need_their_scenario(void **state) {
  write_text("bytes", "");
  cli_run("replay bytes");
  cli_expect_status(64);
  cli_expect_err("seedbed replay SCENARIO bytes");
  cli_run("replay test-lost bytes");
  cli_expect_status(0);
  cli_expect_out("OK scenario=test-lost seed=- ");
  cli_run("replay nobody bytes");
  cli_expect_status(64);
  make_decisions();
  cli_run("replay test-marks found");
  cli_expect_status(64);
  cli_expect_err("found is of the scenario test-lost, not of test-marks");
}

// What undoes a bug's own setting is in line and file, be it the default; a file's bug had come
// behind its settings.
static void a_bug_does_not_undo_a_setting(void **state) {
  cli_run("explore boot-hwrng --bug=71 --set=trng=drawn --seeds=1..300");
  cli_expect_status(10);
  cli_expect_out("--bug=71 --set=trng=drawn\n");
}

// Bytes replay as themselves, with the settings that are not the default, and shrink.
static void bytes_replay_and_shrink(void **state) {
  char *line, *replay;

  // No setting; at the first draws of each class the second choice.
  cli_shell(
      "printf '\\000' >bytes; for i in $(seq 0 255); do printf \"$(printf "
      "'\\\\%03o' $i)\\000\\000\\000\"; done >>bytes");
  cli_run("replay test-lost bytes --bug=901 --set=num_cpus=2 --set=rounds=5");
  cli_expect_status(10);
  line = xstrdup(cli_line("FAIL key="));
  replay = xstrdup(cli_line("replay: "));
  assert_non_null(strstr(replay, " replay test-lost bytes --bug=901 --set=rounds=5"));
  cli_shell(replay + strlen("replay: "));
  cli_expect_status(10);
  assert_string_equal(cli_line("FAIL key="), line);
  cli_run("shrink test-lost bytes --bug=901 --set=rounds=5");
  cli_expect_status(10);
  cli_run("replay bytes.shrunk");
  cli_expect_status(10);
  free(line);
  free(replay);
}

static void text_trace_is_the_whole_run(void **state) {
  char *line;

  cli_run("replay test-lost --seed=3");
  line = xstrdup(cli_line("OK "));
  cli_run("replay test-lost --seed=3 --trace=text");
  cli_expect_status(0);
  cli_expect_out("lost_adder:read");
  // Looking changes nothing.
  assert_string_equal(cli_line("OK "), line);
  cli_run("replay test-lost --seed=3 --trace=text -o trace");
  cli_expect_status(0);
  if (strstr(text_str(&cli_run("replay test-lost --seed=3 --trace=text -o trace")->out), "read"))
    fail_msg("the trace went to stdout as well");
  cli_shell("test $(grep -c lost_adder trace) -ge 6");
  cli_expect_status(0);
  free(line);
}

// Who reads the trace slowly makes no hang.
static void slow_reader_is_no_hang(void **state) {
  char *command = xasprintf(
      "%s replay test-lost --set=rounds=5000 --seed=3 --trace=text --watchdog=1 | (sleep 3; cat)",
      cli_binary());

  cli_shell(command);
  cli_line("OK scenario=test-lost ");
  free(command);
}

static void lost_trace_does_not_hide_the_failure(void **state) {
  char *command = xasprintf(
      "{ %s replay found --trace=text; echo $? >status; } | head -n 1; cat status", cli_binary());

  make_decisions();
  cli_run("replay found --trace=text >/dev/full");
  cli_expect_status(10);
  cli_run("replay found --trace=text -o /dev/full");
  cli_expect_status(10);
  cli_line("FAIL key=");
  cli_expect_err("the trace could not be written");
  cli_run("replay found --set=rounds=100 --trace=text >/dev/null");
  cli_shell(command);
  cli_line("10");
  free(command);
  cli_run("replay test-lost --seed=1 --trace=text >/dev/full");
  cli_expect_status(70);
}

static void perfetto_trace_is_json(void **state) {
  struct text text = {0};
  cJSON *trace;

  cli_run("replay test-lost --seed=3 --trace=perfetto -o trace.json");
  cli_expect_status(0);
  cli_expect_out("OK scenario=");
  assert_true(read_file("trace.json", 1 << 26, &text));
  trace = cJSON_Parse(text_str(&text));
  assert_non_null(trace);
  cJSON_Delete(trace);
  text_free(&text);
  // On stdout it stands alone.
  cli_run("replay test-lost --seed=3 --trace=perfetto");
  cli_expect_status(0);
  cli_expect_err("OK scenario=");
  trace = cJSON_Parse(text_str(&cli_run("replay test-lost --seed=3 --trace=perfetto")->out));
  assert_non_null(trace);
  cJSON_Delete(trace);
}

// The last lines of a run that kills its process are there.
static void trace_of_a_death_has_its_end(void **state) {
  char *line, *seed;

  cli_run("explore test-deaths --set=how=abort --seeds=1..2000");
  cli_expect_status(12);
  line = xstrdup(cli_line("FAIL key="));
  seed = xasprintf("%.*s", (int)strcspn(strstr(line, "seed=") + 5, " "), strstr(line, "seed=") + 5);
  cli_run("replay test-deaths --set=how=abort --seed=%s --trace=text -o trace", seed);
  cli_expect_status(12);
  assert_string_equal(cli_line("FAIL key="), line);
  cli_shell("tail -n 1 trace");
  cli_expect_out("test-death");
  free(line);
  free(seed);
}

static void until_ends_the_run(void **state) {
  cJSON *object;

  cli_run("replay test-lost --seed=3 --until=4");
  cli_expect_status(0);
  assert_non_null(strstr(cli_line("OK "), " steps=4 "));
  cli_run("replay test-lost --seed=3 --until=4 --json");
  object = cli_json();
  assert_non_null(strstr(cJSON_GetObjectItem(object, "replay")->valuestring, " --until=4"));
  cJSON_Delete(object);
  make_decisions();
  // A run that was cut short is not asked for its failure.
  assert_int_equal(cli_run("replay found --until=1")->err.len, 0);
  cli_expect_status(0);
}

static void output_is_not_written_over_the_input(void **state) {
  make_decisions();
  cli_run("replay found --trace=text -o found");
  cli_expect_status(64);
  cli_run("replay found");
  cli_expect_status(10);
}

// An engine's input that passes here is not told as if nothing had been found.
static void input_in_a_folder_has_a_key(void **state) {
  cli_shell("mkdir f");
  write_text("f/input.bytes", "");
  write_text("f/key", "test-lost/engine-leak/12345678\n");
  cli_run("replay test-lost f/input.bytes");
  cli_expect_status(0);
  cli_expect_err(
      "does not fail with the key beside it, test-lost/engine-leak/12345678: the command "
      "that does is in f/replay");
  cli_shell("cp f/input.bytes elsewhere");
  cli_run("replay test-lost elsewhere");
  cli_expect_status(0);
  assert_string_equal(text_str(&cli_run("replay test-lost elsewhere")->err), "");
}

// An input that was found with a planted bug passes without it: that is told.
static void an_input_tells_the_bug_that_found_it(void **state) {
  static const char note[] =
      " was found with the planted bug 901, and runs here without it: --bug=901 plants it";

  cli_run("explore test-lost --bug=901 --seeds=1..2000 --out=f");
  cli_shell("cd f && mv *lost-parity* found && printf '\\0' >found/input.bytes");
  cli_run("replay test-lost f/found/input.bytes");
  cli_expect_status(0);
  cli_expect_err("NOTE: f/found/input.bytes");
  cli_expect_err(note);
  assert_null(
      strstr(text_str(&cli_run("replay test-lost f/found/input.bytes --bug=901")->err), note));
  // Of an engine's build there are no decisions.
  cli_shell("rm f/found/decisions* && echo 'SEEDBED_FUZZ_BUG=901 x/bin y' >f/found/replay");
  cli_run("replay test-lost f/found/input.bytes");
  cli_expect_err(note);
  cli_shell("echo 'tools/seedbed replay test-lost --bug=901 y' >f/found/replay");
  cli_run("replay test-lost f/found/input.bytes");
  cli_expect_err(note);
  cli_shell("echo 'tools/seedbed replay test-lost y' >f/found/replay");
  assert_null(strstr(text_str(&cli_run("replay test-lost f/found/input.bytes")->err), note));

  cli_shell("mkdir regress && printf '\\0' >regress/901-0123456789abcdef");
  cli_run("replay test-lost regress/901-0123456789abcdef");
  cli_expect_status(0);
  cli_expect_err(note);
  cli_shell("cd regress && cp 901-0123456789abcdef 77-0123456789abcdef && cp 77* 901-7");
  assert_int_equal(cli_run("replay test-lost regress/77-0123456789abcdef")->err.len, 0);
  assert_int_equal(cli_run("replay test-lost regress/901-7")->err.len, 0);
}

int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_teardown(name, clean)
  const struct CMUnitTest tests[] = {
      TEST(a_bug_does_not_undo_a_setting),
      TEST(seed_replays_the_same),
      TEST(decision_file_replays_alone),
      TEST(command_line_goes_before_the_file),
      TEST(explained_failure_is_told),
      TEST(mailed_file_replays),
      TEST(other_subject_and_commit_are_told),
      TEST(another_digest_is_told),
      TEST(closed_descriptors_are_lost_output),
      TEST(build_of_access_hooks_is_told),
      TEST(size_limit_is_no_death),
      TEST(faults_of_a_decision_file_are_65),
      TEST(missing_files_are_66),
      TEST(bytes_need_their_scenario),
      TEST(an_input_tells_the_bug_that_found_it),
      TEST(bytes_replay_and_shrink),
      TEST(text_trace_is_the_whole_run),
      TEST(slow_reader_is_no_hang),
      TEST(lost_trace_does_not_hide_the_failure),
      TEST(perfetto_trace_is_json),
      TEST(trace_of_a_death_has_its_end),
      TEST(until_ends_the_run),
      TEST(output_is_not_written_over_the_input),
      TEST(input_in_a_folder_has_a_key),
  };

  cli_begin(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
