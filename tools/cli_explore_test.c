// SPDX-License-Identifier: GPL-2.0-or-later
//
// explore, sweep and shrink, from the command line to the folders of findings.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/decision.h"
#include "tools/cli_testing.h"
#include "tools/findings.h"

static int clean(void **state) {
  cli_clean();
  return 0;
}

static char *read_all(const char *path) {
  struct text text = {0};

  if (!read_file(path, 1 << 26, &text)) fail_msg("%s is not there", path);
  return text.s ? text.s : xstrdup("");
}

static void expect_folder_whole(const char *folder, const char *key) {
  static const char *const names[] = {"key",   "decisions", "decisions.full",
                                      "cause", "replay",    "trace.txt"};
  struct sim_decision_file file;
  char *text, err[256];
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(names); i++) {
    char *path = xasprintf("%s/%s", folder, names[i]);

    text = read_all(path);
    if (!strcmp(names[i], "key")) {
      char *line = xasprintf("%s\n", key);

      assert_string_equal(text, line);
      free(line);
    }
    if (!strncmp(names[i], "decisions", 9)) {
      if (!sim_decision_file_parse(&file, text, strlen(text), err, sizeof(err)))
        fail_msg("%s: %s", path, err);
      assert_string_equal(file.key, key);
      sim_decision_file_free(&file);
    }
    if (!strcmp(names[i], "cause") || !strcmp(names[i], "replay"))
      assert_int_equal(strcspn(text, "\n") + 1, strlen(text));
    free(text);
    free(path);
  }
}

// The command after "replay: " in what was printed last; it is run, and must end with the
// FAIL line that was printed with it.
static void expect_replay_agrees(int status) {
  char *line = xstrdup(cli_line("FAIL key=")), *replay = xstrdup(cli_line("replay: "));

  cli_shell(replay + strlen("replay: "));
  cli_expect_status(status);
  cli_expect_out(line);
  assert_string_equal(cli_line("replay: "), replay);
  free(line);
  free(replay);
}

static void clean_run_ends_with_ok(void **state) {
  cli_run("explore test-lost --seeds=1..2000");
  cli_expect_status(0);
  cli_expect_out("2,000 runs, ");
  assert_non_null(strstr(cli_line("OK "), "OK scenario=test-lost seeds=1..2000 runs=2000 "));
  assert_non_null(strstr(cli_line("OK "), " commit=0123abcd subject="));
  assert_int_equal(access("findings", F_OK), -1);
}

static void finding_is_kept_and_replays(void **state) {
  char *text;

  cli_run("explore test-deaths --seeds=1..5000");
  cli_expect_status(11);
  cli_expect_out("kept in findings/test-deaths.test-fails.");
  expect_replay_agrees(11);
  cli_shell("ls -A findings");
  cli_expect_out("test-deaths.test-fails.");
  text = xstrdup(cli_line("test-deaths"));
  cli_shell("cat findings/*/key");
  {
    char *folder = xasprintf("findings/%s", text), *key = xstrdup(cli_line("test-deaths/"));

    expect_folder_whole(folder, key);
    free(folder);
    free(key);
  }
  free(text);
  // The folder's own command is a shell script, for any folder.
  cli_shell("script=$PWD/$(ls -d findings/*/replay); cd / && sh \"$script\"");
  cli_expect_status(11);
  // A second time it is the same finding.
  cli_run("explore test-deaths --seeds=1..5000");
  cli_expect_status(11);
  cli_expect_out("was in findings/");
  cli_shell("ls -A findings | wc -l");
  cli_expect_out("1\n");
}

// A run has one line, however many failures; they are kept apart, and each is told.
static void failures_of_one_run_share_its_line(void **state) {
  const struct cli_result *result =
      cli_run("explore test-lost --bug=901 --set=rounds=1 --seeds=1.. --jobs=1");
  u32 seed = 0;

  cli_expect_status(10);
  cli_expect_out("  lost-update: ");
  cli_expect_out("  lost-parity: ");
  cli_expect_out("kept in findings/test-lost.lost-update.");
  cli_expect_out("kept in findings/test-lost.lost-parity.");
  assert_null(strstr(strstr(text_str(&result->out), "FAIL key=") + 1, "FAIL "));
  expect_replay_agrees(10);
  cli_expect_out("  also: test-lost/lost-parity/");
  // A file is about its own key.
  cli_run("replay findings/*parity*/decisions");
  cli_expect_status(10);
  cli_line("FAIL key=test-lost/lost-parity/");
  cli_expect_out("  also: test-lost/lost-update/");
  cli_clean();
  // A key that comes second in a run whose first was seen before has a line that replays.
  do {
    cli_run("replay test-lost --bug=901 --seed=%u", ++seed);
  } while (!strstr(text_str(&result->out), "FAIL ") || strstr(text_str(&result->out), "also: "));
  cli_run("explore test-lost --bug=901 --keep-going --seeds=%u..%u", seed, seed + 1000);
  cli_line("FAIL key=test-lost/lost-parity/");
  expect_replay_agrees(10);
}

// Every option that matters is in the printed command, quoted.
static void printed_command_has_the_options(void **state) {
  const char *replay;

  cli_run(
      "explore test-lost --bug=901 --set=num_cpus=3 --set rounds=2 --strategy=random "
      "--seeds=0x10.. --out='out dir' --jobs=1");
  cli_expect_status(10);
  replay = cli_line("replay: ");
  assert_non_null(strstr(replay, " --bug=901"));
  assert_non_null(strstr(replay, " --set=num_cpus=3"));
  assert_non_null(strstr(replay, " --set=rounds=2"));
  assert_non_null(strstr(replay, " --strategy=random"));
  assert_null(strstr(replay, "--out"));
  assert_null(strstr(replay, "--jobs"));
  expect_replay_agrees(10);
  cli_shell("sh 'out dir'/*update*/replay");
  cli_expect_status(10);
  cli_expect_out("replay: ");
  cli_expect_out("'out dir/test-lost.");
}

static void expect_same_output(const char *a, const char *b) {
  char *first, *second;

  // Wall-clock time is all that may differ.
  first = xstrdup(text_str(&cli_run("%s | sed 's/, [0-9.]* s$//; s/\"seconds\":.*//'", a)->out));
  cli_shell("rm -rf findings");
  second = xstrdup(text_str(&cli_run("%s | sed 's/, [0-9.]* s$//; s/\"seconds\":.*//'", b)->out));
  cli_shell("rm -rf findings");
  assert_true(strlen(first) > 0);
  assert_string_equal(first, second);
  free(first);
  free(second);
}

static void number_of_jobs_changes_nothing(void **state) {
  expect_same_output("explore test-lost --seeds=1..3000 --jobs=1",
                     "explore test-lost --seeds=1..3000 --jobs=3");
  expect_same_output("explore test-deaths --keep-going --seeds=1..300 --json --jobs=1",
                     "explore test-deaths --keep-going --seeds=1..300 --json --jobs=4");
  expect_same_output("sweep test-deaths --window=2 --keep-going --jobs=1",
                     "sweep test-deaths --window=2 --keep-going --jobs=3");
}

static void expect_json_string(const cJSON *object, const char *name, const char *value) {
  const cJSON *item = cJSON_GetObjectItem(object, name);

  assert_non_null(item);
  assert_true(value ? cJSON_IsString(item) : cJSON_IsNull(item));
  if (value) assert_string_equal(item->valuestring, value);
}

// What says which runs these were.
static void expect_which_runs(const cJSON *object, const char *scenario, const char *seeds,
                              const char *strategy) {
  expect_json_string(object, "scenario", scenario);
  expect_json_string(object, "seeds", seeds);
  expect_json_string(object, "strategy", strategy);
  expect_json_string(object, "commit", "0123abcd");
  assert_int_equal(strlen(cJSON_GetObjectItem(object, "subject")->valuestring), 64);
}

static void keep_going_counts_equal_keys(void **state) {
  cJSON *object, *findings, *finding;
  u32 i;

  cli_run("explore test-lost --bug=901 --keep-going --seeds=1..1000 --json");
  cli_expect_status(10);
  object = cli_json();
  expect_which_runs(object, "test-lost", "1..1000", "portfolio");
  assert_int_equal(cJSON_GetObjectItem(object, "runs")->valueint, 1000);
  assert_true(cJSON_GetObjectItem(object, "distinct")->valueint > 1);
  assert_true(cJSON_IsNumber(cJSON_GetObjectItem(object, "seconds")));
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(object, "sometimes_missing")), 0);
  findings = cJSON_GetObjectItem(object, "findings");
  assert_int_equal(cJSON_GetArraySize(findings), 2);
  for (i = 0; i < 2; i++) {
    finding = cJSON_GetArrayItem(findings, (int)i);
    assert_true(cJSON_IsString(cJSON_GetObjectItem(finding, "key")));
    assert_int_equal(strncmp(cJSON_GetObjectItem(finding, "seed")->valuestring, "0x", 2), 0);
    assert_int_equal(access(cJSON_GetObjectItem(finding, "file")->valuestring, R_OK), 0);
    assert_true(cJSON_IsString(cJSON_GetObjectItem(finding, "replay")));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(finding, "known")));
    assert_true(cJSON_GetObjectItem(finding, "count")->valueint > 1);
  }
  cJSON_Delete(object);
}

// Different settings are different findings; a strategy is not.
static void settings_have_folders_of_their_own(void **state) {
  cli_run("explore test-lost --bug=901 --seeds=1..");
  cli_run("explore test-lost --bug=901 --seeds=1.. --strategy=random");
  cli_run("explore test-lost --bug=901 --seeds=1.. --set=rounds=4");
  cli_run("explore test-lost --bug=901 --seeds=1.. --set=rounds=5");
  cli_shell("ls -d findings/*update* | wc -l");
  cli_expect_out("3\n");
}

static void suspects_explain(void **state) {
  cli_run("explore test-lost --set=suspect.unlocked=1 --seeds=1..1000");
  cli_expect_status(0);
  cli_expect_out("suspect unlocked explains ");
  cli_expect_out("OK scenario=test-lost ");
  cli_run("explore test-lost --set=suspect.unlocked=1 --seeds=1..1000 --json");
  cJSON *object = cli_json();
  assert_true(cJSON_GetObjectItem(cJSON_GetObjectItem(object, "suspects"), "unlocked")->valueint >
              0);
  cJSON_Delete(object);
}

static void mark_never_reached_is_15(void **state) {
  cJSON *object;

  cli_run("explore test-marks --seeds=1..600");
  cli_expect_status(15);
  cli_expect_out("never reached: never");
  cli_expect_out("FAIL key=test-marks/never-reached/");
  // Too few runs say nothing.
  cli_run("explore test-marks --seeds=1..400");
  cli_expect_status(0);
  cli_run("explore test-marks --seeds=1..600 --json");
  cli_expect_status(15);
  object = cli_json();
  assert_string_equal(
      cJSON_GetArrayItem(cJSON_GetObjectItem(object, "sometimes_missing"), 0)->valuestring,
      "test-marks/never");
  cJSON_Delete(object);
  // Marks are of the default workload.
  cli_run("explore test-marks --seeds=1..600 --set=num_cpus=1");
  cli_expect_status(0);
}

// A run that ends its process is told with its seed, kept, shrunk and replayed like any
// other.
static void deaths_are_kept_and_replay(void **state) {
  static const struct {
    const char *how, *said;
    int status;
  } cases[] = {
      {"abort", "died by SIGABRT", 12},
      {"exit", "exited with status 3", 12},
      {"assert", "an assertion of seedbed failed", 70},
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    cli_run("explore test-deaths --set=how=%s --seeds=1..2000", cases[i].how);
    cli_expect_status(cases[i].status);
    cli_expect_out(cases[i].said);
    cli_expect_out("(1 decision; ");
    expect_replay_agrees(cases[i].status);
    cli_shell("sh findings/*/replay");
    cli_expect_status(cases[i].status);
    cli_clean();
  }
}

static void endless_loop_is_14(void **state) {
  cli_run("explore test-deaths --set=how=loop --seeds=1..2000 --watchdog=1");
  cli_expect_status(14);
  cli_expect_out("made no progress for 1.0 s");
  cli_expect_out("kept in findings/");
  cli_shell("sh -c \"$(cat findings/*/replay) --watchdog=1\"");
  cli_expect_status(14);
}

// Whoever is killed from outside says nothing of the subject.
static void kill_from_outside_is_no_finding(void **state) {
  char *seed;

  cli_run("explore test-deaths --seeds=1..2000");
  seed = xasprintf("%.*s", (int)strcspn(strstr(cli_line("FAIL"), "seed=") + 5, " "),
                   strstr(cli_line("FAIL"), "seed=") + 5);
  cli_shell("rm -r findings");
  cli_run("explore test-deaths --set=how=kill --seeds=1..2000 --jobs=1");
  cli_expect_status(70);
  cli_expect_err(seed);
  cli_expect_err(": a run was killed from outside twice (out of memory?)");
  if (strstr(text_str(&cli_shell("ls")->out), "findings")) fail_msg("a finding was kept");
  cli_run("replay test-deaths --set=how=kill --seed=%s", seed);
  cli_expect_status(70);
  cli_expect_err("the run's process was killed from outside by SIGKILL");
  assert_int_equal(cli_run("shrink test-deaths --set=how=kill --seed=%s", seed)->out.len, 0);
  cli_expect_status(70);
  cli_run("sweep test-deaths --set=how=kill --set=every=1");
  cli_expect_status(70);
  free(seed);
}

// A short time is long enough for a run.
static void shortest_time_runs_something(void **state) {
  cli_run("explore test-lost --time=0.001");
  cli_expect_status(0);
  assert_null(strstr(cli_line("OK "), " runs=0 "));
  cli_run("sweep test-lost --time=0.001");
  assert_null(strstr(cli_line("OK "), " runs=0 "));
}

static void broken_setup_is_told(void **state) {
  cli_run("explore test-deaths --set=setup=1");
  cli_expect_status(11);
  cli_expect_out("0 runs");
  expect_replay_agrees(11);
  cli_run("explore test-deaths --set=setup=1 --set=how=exit");
  cli_expect_status(12);
  expect_replay_agrees(12);
  cli_run("replay test-deaths --set=setup=1 --seed=1");
  cli_expect_status(11);
}

static void what_does_not_reproduce_is_13(void **state) {
  cli_run("explore test-mutable --jobs=1");
  cli_expect_status(13);
  cli_expect_out("NOT DETERMINISTIC");
  cli_shell("cat findings/not-deterministic/*/first-difference");
  cli_expect_status(0);
  cli_expect_out("the first event that differs is number ");
  cli_expect_out("mutable_task:run");
  cli_shell("ls findings | wc -l");
  cli_expect_out("1\n");
  cli_run("replay test-mutable --seed=7 --twice");
  cli_expect_status(13);
  cli_expect_out("FAIL key=test-mutable/not-deterministic/");
  cli_expect_out("the first event that differs is number ");
  cli_run("replay test-mutable --seed=7 --twice --json");
  cli_expect_status(13);
  cJSON_Delete(cli_json());
}

// ---- Sweep ----

static void sweep_is_exhaustive(void **state) {
  cJSON *object;

  cli_run("sweep test-lost --window=100 --json");
  cli_expect_status(0);
  object = cli_json();
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(object, "completed")));
  expect_which_runs(object, "test-lost", NULL, NULL);
  assert_int_equal(cJSON_GetObjectItem(object, "window")->valueint, 100);
  assert_true(cJSON_GetObjectItem(object, "events")->valueint > 0);
  // The calm run, each event alone, and pairs.
  assert_true(cJSON_GetObjectItem(object, "runs")->valueint >
              1 + cJSON_GetObjectItem(object, "events")->valueint);
  cJSON_Delete(object);
  cli_run("sweep test-lost --window=0 --json");
  object = cli_json();
  assert_int_equal(cJSON_GetObjectItem(object, "runs")->valueint,
                   1 + cJSON_GetObjectItem(object, "events")->valueint);
  cJSON_Delete(object);
}

static void sweep_finds_pairs(void **state) {
  cli_run("sweep test-lost --bug=901 --window=100");
  cli_expect_status(10);
  assert_non_null(strstr(cli_line("FAIL"), " seed=- "));
  expect_replay_agrees(10);
  cli_run("sweep test-deaths --set=how=exit");
  cli_expect_status(12);
  expect_replay_agrees(12);
}

// ---- Shrink ----

static void shrink_writes_a_file_that_fails(void **state) {
  cJSON *object;

  cli_run("shrink test-lost --bug=901 --seed=1");
  cli_expect_status(10);
  cli_expect_out("test-lost-0x1.decisions");
  expect_replay_agrees(10);
  cli_run("explore test-lost --bug=901 --seeds=1");
  cli_run("shrink findings/*update*/decisions.full -o small --json");
  cli_expect_status(10);
  object = cli_json();
  assert_true(cJSON_GetObjectItem(object, "decisions")->valueint <
              cJSON_GetObjectItem(object, "decisions_before")->valueint);
  cJSON_Delete(object);
  cli_run("replay small");
  cli_expect_status(10);
  cli_run("shrink test-lost --seed=1");
  cli_expect_status(0);
  cli_expect_err("does not fail");
  cli_run("shrink test-lost --bug=901 --seed=1 --key=test-lost/other/00000000");
  cli_expect_status(64);
  cli_expect_err("--key=test-lost/other/00000000: the run fails with test-lost/lost-update/");
  cli_run("shrink test-lost --seed=1 --key=test-lost/other/00000000");
  cli_expect_status(64);
  // Refused before the work: this run would take minutes.
  cli_run("shrink test-lost --bug=901 --set=rounds=100000 --seed=1 -o /nowhere/x");
  cli_expect_status(64);
  cli_expect_err("cannot write /nowhere/x");
}

static void shrink_always_answers_in_json(void **state) {
  cJSON *object;

  cli_run("shrink test-lost --seed=1 --json");
  cli_expect_status(0);
  object = cli_json();
  assert_string_equal(cJSON_GetObjectItem(object, "result")->valuestring, "OK");
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(object, "key")));
  cJSON_Delete(object);
  cli_run("shrink test-deaths --set=how=abort --set=every=1 --seed=1 --json");
  cli_expect_status(12);
  object = cli_json();
  assert_string_equal(cJSON_GetObjectItem(object, "result")->valuestring, "FAIL");
  cJSON_Delete(object);
}

// ---- Trouble ----

static void unusable_out_is_refused_at_once(void **state) {
  cli_shell("echo >plain");
  cli_run("explore test-lost --bug=901 --out=plain");
  cli_expect_status(64);
  cli_expect_err("cannot write to plain: Not a directory");
  cli_run("explore test-lost --bug=901 --out=plain/below");
  cli_expect_status(64);
  cli_run("hunt --out=/proc/nothing");
  cli_expect_status(64);
  cli_expect_err("cannot write to /proc/nothing: No such file or directory");
}

// What cannot be seen beforehand is told when it happens; the finding still counts.
static void finding_that_cannot_be_written_counts(void **state) {
  // No file may grow: as a full disk.
  char *command = xasprintf(
      "trap '' XFSZ; (ulimit -f 0; %s explore test-lost --bug=901 2>&1) | cat", cli_binary());

  cli_shell(command);
  cli_expect_out("the finding is not written: ");
  cli_expect_out("FAIL key=");
  free(command);
}

static void list_of_known_findings_is_checked(void **state) {
  cli_run("explore test-lost --seeds=1..10 --known=nothing");
  cli_expect_status(66);
  cli_expect_err("seedbed: nothing: No such file or directory");
  cli_run("explore test-lost --seeds=1..10 --known=/");
  cli_expect_status(66);
  cli_shell("echo colour red >broken");
  cli_run("explore test-lost --seeds=1..10 --known=broken");
  cli_expect_status(65);
  cli_expect_err("seedbed: broken: line 1: not one of key");
  cli_shell("echo '# nothing is known' >empty");
  cli_run("explore test-lost --seeds=1..10 --known=empty");
  cli_expect_status(0);
}

static void extreme_seeds_are_fine(void **state) {
  cli_run("explore test-lost --seeds=18446744073709551600..18446744073709551615");
  cli_expect_status(0);
  cli_expect_out("16 runs");
  cli_run("explore test-lost --seeds=0xffffffffffffffff");
  cli_expect_status(0);
  cli_expect_out("1 run,");
  cli_run("explore test-lost --seeds=0..18446744073709551615 --time=0.5");
  cli_expect_status(0);
  cli_run("explore test-lost --seeds=1..20 --jobs=1000");
  cli_expect_status(0);
  cli_expect_out("20 runs");
}

static pid_t start(const char *arguments) {
  char *command = xasprintf("exec %s %s >out.log 2>err.log", cli_binary(), arguments);
  pid_t pid = fork();

  if (!pid) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  free(command);
  return pid;
}

// Ctrl-C: a summary, the status of what was found, 130 if nothing was.
static void interrupt_ends_in_order(void **state) {
  int status;
  pid_t pid = start("explore test-lost --seeds=1..");

  usleep(1500000);
  kill(pid, SIGINT);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 130);
  cli_shell("cat out.log");
  cli_expect_out("(interrupted)");
  pid = start("explore test-deaths --keep-going --seeds=1..");
  usleep(3000000);
  kill(pid, SIGINT);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(WEXITSTATUS(status), 11);
  cli_shell("cat out.log");
  cli_expect_out("(interrupted)");
  cli_expect_out("kept in findings/");
}

// Killed at any moment, the folders that are there are whole, and the next start cleans up.
static void kills_leave_whole_findings(void **state) {
  u32 i, moments = getenv("SEEDBED_NIGHTLY") ? 50 : 12;
  char *command;

  for (i = 0; i < moments; i++) {
    char *arguments = xasprintf(
        "explore test-lost --bug=901 --set=rounds=%u --keep-going "
        "--seeds=1..2000",
        2 + i % 3);
    pid_t pid = start(arguments);
    int status;

    usleep(20000 + sim_mix64(i + 1) % 1500000);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    free(arguments);
  }
  cli_run("explore test-lost --bug=901 --keep-going --seeds=1..500");
  cli_expect_status(10);
  cli_shell("ls -A findings | grep -c '^[.]tmp' || true");
  cli_expect_out("0\n");
  command = xasprintf(
      "for folder in findings/*; do test $(ls $folder | wc -l) = 7 && %s replay $folder/decisions "
      ">/dev/null; test $? = 10 && %s replay $folder/decisions.full >/dev/null; test $? = 10 || "
      "echo broken $folder; done",
      cli_binary(), cli_binary());
  cli_shell(command);
  if (strstr(text_str(&cli_shell(command)->out), "broken")) cli_expect_out("all folders whole");
  free(command);
}

// Two at once in one folder: each finding is there once, and whole.
static void two_instances_share_a_folder(void **state) {
  char *command = xasprintf(
      "for i in 1 2 3 4; do %s explore test-lost --bug=901 --keep-going --seeds=1..1000 "
      ">out.$i 2>&1 & done; wait; cat out.*; ls -A findings",
      cli_binary());

  cli_shell(command);
  cli_expect_out("kept in findings/");
  cli_shell("ls -A findings | wc -l");
  cli_expect_out("2\n");
  cli_shell("for folder in findings/*; do test $(ls $folder | wc -l) = 7 || echo broken; done");
  assert_int_equal(cli_shell("for folder in findings/*; do test $(ls $folder | wc -l) = 7 || "
                             "echo broken; done")
                       ->out.len,
                   0);
  free(command);
}

int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_teardown(name, clean)
  const struct CMUnitTest tests[] = {
      TEST(clean_run_ends_with_ok),
      TEST(finding_is_kept_and_replays),
      TEST(failures_of_one_run_share_its_line),
      TEST(printed_command_has_the_options),
      TEST(number_of_jobs_changes_nothing),
      TEST(keep_going_counts_equal_keys),
      TEST(settings_have_folders_of_their_own),
      TEST(suspects_explain),
      TEST(mark_never_reached_is_15),
      TEST(deaths_are_kept_and_replay),
      TEST(endless_loop_is_14),
      TEST(kill_from_outside_is_no_finding),
      TEST(shortest_time_runs_something),
      TEST(broken_setup_is_told),
      TEST(what_does_not_reproduce_is_13),
      TEST(sweep_is_exhaustive),
      TEST(sweep_finds_pairs),
      TEST(shrink_writes_a_file_that_fails),
      TEST(shrink_always_answers_in_json),
      TEST(unusable_out_is_refused_at_once),
      TEST(finding_that_cannot_be_written_counts),
      TEST(list_of_known_findings_is_checked),
      TEST(extreme_seeds_are_fine),
      TEST(interrupt_ends_in_order),
      TEST(kills_leave_whole_findings),
      TEST(two_instances_share_a_folder),
  };

  cli_begin(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
