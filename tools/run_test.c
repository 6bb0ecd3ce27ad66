// SPDX-License-Identifier: GPL-2.0-or-later
//
// How a run is written: its line, its command, its decision file; and what a fresh process
// answers.

#include "tools/run.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/testing/scenarios.h"
#include "tools/command.h"
#include "tools/difference.h"
#include "tools/keep.h"
#include "tools/probe.h"

static void set(struct run_spec *spec, const char *key, const char *value) {
  char err[256];

  if (!sim_params_set(spec->params, key, value, err, sizeof(err))) fail_msg("%s", err);
}

static void line_has_all_fields_in_order(void **state) {
  struct run_line line = {
      .scenario = "s",
      .has_seed = true,
      .seed = 0x12,
      .draws = 3,
      .steps = 4,
      .vtime_ns = 5,
      .digest = 0xabc,
      .commit = "c",
      .subject_sha256 = "d",
  };
  struct text text = {0};

  run_line_add(&line, &text);
  assert_string_equal(text_str(&text),
                      "OK scenario=s seed=0x12 draws=3 steps=4 vtime_ns=5 "
                      "digest=0x0000000000000abc commit=c subject=d");
  text_free(&text);
  line.key = "s/o/1";
  line.has_seed = false;
  run_line_add(&line, &text);
  assert_string_equal(text_str(&text),
                      "FAIL key=s/o/1 scenario=s seed=- draws=3 steps=4 vtime_ns=5 "
                      "digest=0x0000000000000abc commit=c subject=d");
  text_free(&text);
}

// A printed command names what is not the default, and nothing else.
static void command_names_what_is_not_default(void **state) {
  struct text text = {0};
  struct run_spec spec;

  command_invocation = "tools/seedbed";
  run_spec_init(&spec, &testing_lost_update);
  run_add_replay_seed(&spec, 0x12, &text);
  assert_string_equal(text_str(&text), "tools/seedbed replay testing-lost-update --seed=0x12");
  text_free(&text);

  assert_true(sim_params_set_bug(spec.params, "race"));
  set(&spec, "num_cpus", "1");
  set(&spec, "hz", "250");  // its default
  spec.strategy = SIM_STRATEGY_PCT2;
  run_add_replay_seed(&spec, 1, &text);
  assert_string_equal(text_str(&text),
                      "tools/seedbed replay testing-lost-update --seed=0x1 --bug=race "
                      "--strategy=pct2 --set=num_cpus=1");
  text_free(&text);

  run_add_replay_file(&spec, "a b", false, &text);
  assert_string_equal(text_str(&text), "tools/seedbed replay 'a b'");
  text_free(&text);
  run_add_replay_file(&spec, "-x", true, &text);
  assert_string_equal(text_str(&text),
                      "tools/seedbed replay testing-lost-update ./-x --bug=race --strategy=pct2 "
                      "--set=num_cpus=1");
  text_free(&text);
  run_spec_free(&spec);
}

static void decision_file_describes_the_spec(void **state) {
  struct sim_decision_file file, back;
  struct run_spec spec;
  u64 seed = 7;
  size_t len;
  char *text, err[256];

  setenv("SEEDBED_COMMIT", "0123abcd", 1);
  run_spec_init(&spec, &testing_lost_update);
  assert_true(sim_params_set_bug(spec.params, "race"));
  set(&spec, "num_cpus", "1");
  run_decision_file(&spec, &seed, "s/o/1", 0x99, &file);
  text = run_decision_text(&file, &len);
  assert_true(sim_decision_file_parse(&back, text, len, err, sizeof(err)));
  assert_string_equal(back.scenario, "testing-lost-update");
  assert_string_equal(back.subject, "model");
  assert_string_equal(back.subject_sha256, spec.subject.sha256);
  assert_string_equal(back.commit, "0123abcd");
  assert_string_equal(back.bug, "race");
  assert_string_equal(back.strategy, "portfolio");
  assert_string_equal(back.key, "s/o/1");
  assert_true(back.has_seed);
  assert_int_equal(back.seed, 7);
  assert_int_equal(back.digest, 0x99);
  assert_int_equal(back.num_set, 1);
  assert_string_equal(back.set[0].key, "num_cpus");
  assert_string_equal(back.set[0].value, "1");
  sim_decision_file_free(&file);
  sim_decision_file_free(&back);
  free(text);
  run_spec_free(&spec);
}

// Other settings, another folder; another strategy, the same.
static void folder_name_tells_settings_apart(void **state) {
  struct run_spec spec;
  char *plain, *bug, *one, *two;

  run_spec_init(&spec, &testing_lost_update);
  plain = keep_folder_name(&spec, "s/o/1234");
  assert_string_equal(plain, "s.o.1234");
  spec.strategy = SIM_STRATEGY_RR;
  bug = keep_folder_name(&spec, "s/o/1234");
  assert_string_equal(plain, bug);
  free(bug);
  assert_true(sim_params_set_bug(spec.params, "race"));
  bug = keep_folder_name(&spec, "s/o/1234");
  assert_string_equal(bug, "s.o.1234.bugrace");
  set(&spec, "num_cpus", "1");
  one = keep_folder_name(&spec, "s/o/1234");
  set(&spec, "num_cpus", "3");
  two = keep_folder_name(&spec, "s/o/1234");
  assert_string_not_equal(one, two);
  assert_string_not_equal(one, bug);
  free(plain);
  free(bug);
  free(one);
  free(two);
  run_spec_free(&spec);
}

static void commit_is_what_the_launcher_says(void **state) {
  setenv("SEEDBED_COMMIT", "abc-dirty", 1);
  assert_string_equal(subject_commit(), "abc-dirty");
  setenv("SEEDBED_COMMIT", "", 1);
  assert_string_equal(subject_commit(), "unknown");
  setenv("SEEDBED_COMMIT", "with space", 1);
  assert_string_equal(subject_commit(), "unknown");
  setenv("SEEDBED_COMMIT", "0123456789012345678901234567890123456789012345678901234567890123456789",
         1);
  assert_string_equal(subject_commit(), "unknown");
  unsetenv("SEEDBED_COMMIT");
  assert_string_equal(subject_commit(), "unknown");
}

// A scenario that takes no image runs on the model; what is not taken changes nothing.
static void subject_is_model_unless_taken(void **state) {
  struct subject subject = {.kind = SUBJECT_KERNEL};
  const struct sim_scenario *none = &testing_lost_update;
  char err[512];

  assert_int_equal(subject_parse("image:vdso.so", none, &subject, err, sizeof(err)), SIM_USAGE);
  assert_non_null(strstr(err, "image:vdso.so"));
  assert_int_equal(subject_parse("models", none, &subject, err, sizeof(err)), SIM_USAGE);
  assert_int_equal(subject_parse("", none, &subject, err, sizeof(err)), SIM_USAGE);
  assert_int_equal(subject.kind, SUBJECT_KERNEL);
  assert_int_equal(subject_parse("model", none, &subject, err, sizeof(err)), SIM_OK);
  assert_int_equal(subject.kind, SUBJECT_MODEL);
  assert_null(subject.image);
  assert_int_equal(strspn(subject.sha256, "0123456789abcdef"), 64);
}

// Of an image each fault has its status, and `out` stays as it was.
static void subject_faults_have_their_status(void **state) {
  struct sim_scenario takes = testing_lost_update;
  struct subject subject = {.kind = SUBJECT_KERNEL};
  char err[512], path[300];

  takes.takes_image = true;
  assert_int_equal(subject_parse("image:", &takes, &subject, err, sizeof(err)), SIM_USAGE);
  assert_int_equal(subject_parse("image:a ", &takes, &subject, err, sizeof(err)), SIM_USAGE);
  assert_int_equal(subject_parse("image:\x01", &takes, &subject, err, sizeof(err)), SIM_USAGE);
  assert_int_equal(subject_parse("kernel:", &takes, &subject, err, sizeof(err)), SIM_USAGE);
  assert_int_equal(subject_parse("kernel:a ", &takes, &subject, err, sizeof(err)), SIM_USAGE);
  memset(path, 'x', sizeof(path));
  memcpy(path, "image:", 6);
  path[256] = '\0';
  assert_int_equal(subject_parse(path, &takes, &subject, err, sizeof(err)), SIM_USAGE);
  path[255] = '\0';
  assert_int_equal(subject_parse(path, &takes, &subject, err, sizeof(err)), SIM_MISSING_FILE);
  assert_int_equal(subject_parse("image:/nowhere/x", &takes, &subject, err, sizeof(err)),
                   SIM_MISSING_FILE);
  assert_non_null(strstr(err, "/nowhere/x: No such file"));
  assert_int_equal(subject_parse("image:/proc/self/exe", &takes, &subject, err, sizeof(err)),
                   SIM_MALFORMED);
  assert_int_equal(subject.kind, SUBJECT_KERNEL);
}

// A kernel tree is only named; it becomes a subject when the parameters are known.
static void kernel_is_named_before_it_is_built(void **state) {
  struct sim_scenario takes = testing_lost_update;
  struct subject subject = {.kind = SUBJECT_MODEL}, model = subject_model();
  struct sim_params *params = sim_params_new(&takes);
  char err[512];

  assert_int_equal(subject_parse("kernel:nowhere", &takes, &subject, err, sizeof(err)), SIM_USAGE);
  takes.takes_image = true;
  assert_int_equal(subject_parse("kernel:nowhere", &takes, &subject, err, sizeof(err)), SIM_OK);
  assert_int_equal(subject.kind, SUBJECT_KERNEL);
  assert_string_equal(subject.name, "kernel:nowhere");
  assert_null(subject.image);
  // There is no script here.
  setenv("SEEDBED_ROOT", "/nowhere", 1);
  assert_int_equal(subject_complete(&subject, &takes, params, err, sizeof(err)), SIM_MISSING_FILE);
  unsetenv("SEEDBED_ROOT");
  assert_int_equal(subject_complete(&model, &takes, params, err, sizeof(err)), SIM_OK);
  assert_int_equal(model.kind, SUBJECT_MODEL);
  sim_params_free(params);
}

// What a fresh process writes is read back, and nothing else is taken for it.
static void probe_lines_are_read_back(void **state) {
  struct sim_result result = {
      .status = SIM_SAFETY,
      .num_failures = 2,
      .draws = 1,
      .steps = 2,
      .vtime_ns = 3,
      .digest = UINT64_MAX,
      .failures = {{.key = "a/b/1"}, {.key = "a/c/2"}},
  };
  static const char *const wrong[] = {
      "",
      "probe\n",
      "probe 10 1 2 3\n",
      "probe 10 1 2 3 4",
      "probe 10 1 2 3 4 5\n",
      "probe 10 1 2 3 4\nkey a",
      "probe 10 1 2 3 4\nkeys a\n",
      "probe 10 1 2 3 4\n\n",
      "OK\nprobe 10 1 2 3 4\n",
  };
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream(&text, &len);
  struct probe probe;
  u32 i;

  probe_write(&result, out);
  fclose(out);
  assert_true(probe_parse(text, &probe));
  assert_int_equal(probe.status, SIM_SAFETY);
  assert_int_equal(probe.draws, 1);
  assert_int_equal(probe.steps, 2);
  assert_int_equal(probe.vtime_ns, 3);
  assert_int_equal(probe.digest, UINT64_MAX);
  assert_int_equal(probe.num_keys, 2);
  assert_string_equal(probe.key[0], "a/b/1");
  assert_string_equal(probe.key[1], "a/c/2");
  free(text);
  for (i = 0; i < SIM_ARRAY_SIZE(wrong); i++)
    if (probe_parse(wrong[i], &probe)) fail_msg("case %u", i);
}

#define EVENT(digest, text) "000000000000000" digest " " text "\n"

static void first_difference_is_named(void **state) {
  struct text out = {0};

  assert_false(event_log_difference(EVENT("1", "a"), "x", EVENT("1", "a"), "y", &out));
  assert_false(event_log_difference("", "x", "", "y", &out));
  assert_int_equal(out.len, 0);
  assert_true(event_log_difference(EVENT("1", "a") EVENT("2", "b") EVENT("3", "c"), "x",
                                   EVENT("1", "a") EVENT("2", "b") EVENT("4", "d"), "y", &out));
  assert_string_equal(text_str(&out),
                      "the first event that differs is number 2:\n  x:\n    c\n  y:\n    d\n"
                      "  before it, in both:\n    a\n    b\n");
  text_free(&out);
  assert_true(
      event_log_difference(EVENT("1", "a"), "x", EVENT("1", "a") EVENT("2", "b"), "y", &out));
  assert_non_null(strstr(text_str(&out), "x:\n    nothing: the run had ended\n  y:\n    b\n"));
  text_free(&out);
  assert_true(event_log_difference(EVENT("1", "a"), "x", EVENT("2", "a"), "y", &out));
  assert_non_null(strstr(text_str(&out), "the same text, but the digest differs"));
  text_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(line_has_all_fields_in_order),
      cmocka_unit_test(command_names_what_is_not_default),
      cmocka_unit_test(decision_file_describes_the_spec),
      cmocka_unit_test(folder_name_tells_settings_apart),
      cmocka_unit_test(commit_is_what_the_launcher_says),
      cmocka_unit_test(subject_is_model_unless_taken),
      cmocka_unit_test(kernel_is_named_before_it_is_built),
      cmocka_unit_test(subject_faults_have_their_status),
      cmocka_unit_test(probe_lines_are_read_back),
      cmocka_unit_test(first_difference_is_named),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
