// SPDX-License-Identifier: GPL-2.0-or-later
//
// The log: what is written is read, what is torn or hostile is passed over.

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/findings.h"
#include "tools/fuzzing/fuzz_log.h"

static char *path;

static const struct fuzz_record record = {
    .id = "crng_seed_fuzz/slice.1796121387123",
    .target = "crng_seed_fuzz",
    .engine = FUZZ_ENGINE_AFL,
    .start_ms = 1796121387123,
    .ms = 29871,
    .executions = 9007199254740992,
    .rate = 7434,
    .features = 534,
    .edges = 533,
    .corpus = 209,
    .found = 17,
    .failures = 3,
    .findings = 1,
    .set_aside = 2,
    .status = SIM_CRASH,
    .bug = "early-unchecked",
    .ended = "time",
};

static int clean(void **state) {
  unlink(path);
  return 0;
}

static void add(const struct fuzz_record *to_add) {
  char err[512];

  if (!fuzz_log_add(path, to_add, err, sizeof(err))) fail_msg("%s", err);
}

static void append(const void *bytes, size_t len) {
  FILE *file = fopen(path, "ab");

  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, len, file), len);
  assert_int_equal(fclose(file), 0);
}

static struct fuzz_log read_log(void) {
  struct fuzz_log log;
  char err[512];

  if (!fuzz_log_read(path, &log, err, sizeof(err))) fail_msg("%s", err);
  return log;
}

static void expect_counts(u32 count, u32 passed_over) {
  struct fuzz_log log = read_log();

  assert_int_equal(log.count, count);
  assert_int_equal(log.passed_over, passed_over);
  for (u32 i = 0; i < log.count; i++) assert_memory_equal(&log.record[i], &record, sizeof(record));
  fuzz_log_free(&log);
}

static void what_is_written_is_read(void **state) {
  struct fuzz_record other = record;
  struct fuzz_log log;

  expect_counts(0, 0);
  add(&record);
  add(&record);
  expect_counts(2, 0);
  memset(other.id, 0, sizeof(other.id));
  snprintf(other.id, sizeof(other.id), "crng_seed_fuzz/slice.2");
  memset(other.bug, 0, sizeof(other.bug));
  add(&other);
  log = read_log();
  assert_true(fuzz_log_has(&log, other.id));
  assert_memory_equal(&log.record[2], &other, sizeof(other));
  assert_true(fuzz_log_has(&log, record.id));
  assert_false(fuzz_log_has(&log, "crng_seed_fuzz/slice.1"));
  fuzz_log_free(&log);
}

// At each length that a kill may leave the last line at, what stands before is read, and what
// follows.
static void a_torn_last_line(void **state) {
  struct text line = {0};

  fuzz_record_line(&record, &line);
  for (size_t len = 1; len < line.len; len++) {
    clean(NULL);
    add(&record);
    append(line.s, len);
    expect_counts(1, 1);
    add(&record);
    expect_counts(2, 1);
  }
  text_free(&line);
}

static void hostile_lines(void **state) {
  static const char *const lines[] = {
      "",
      "{}",
      "[]",
      "null",
      "{\"slice\":1}",
      "}{",
      "\x80\xff\xfe",
      "{\"slice\":\"a\",\"target\":\"../../etc\",\"engine\":\"aflpp\",\"ended\":\"\"}",
  };
  char *deep = xcalloc(1, 200002), *line;
  struct text good = {0};
  u32 passed_over = 0;

  add(&record);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(lines); i++) {
    append(lines[i], strlen(lines[i]));
    append("\n", 1);
    passed_over += *lines[i] != '\0';
  }
  memset(deep, '[', 200000);
  deep[200000] = '\n';
  append(deep, 200001);
  append("a\0b\n", 4);
  expect_counts(1, passed_over + 2);
  // One field of a good line at a time is of a wrong kind.
  fuzz_record_line(&record, &good);
  for (const char *colon = good.s; (colon = strchr(colon + 1, ':'));) {
    struct fuzz_record out;

    if (colon[-1] != '"') continue;
    line = xasprintf("%.*s:-1%s", (int)(colon - good.s), good.s, colon + 1 + strcspn(colon, ",}"));
    assert_false(fuzz_record_parse(line, strlen(line), &out));
    free(line);
    line = xasprintf("%.*s:{}%s", (int)(colon - good.s), good.s, colon + strcspn(colon, ",}"));
    assert_false(fuzz_record_parse(line, strlen(line), &out));
    free(line);
  }
  text_free(&good);
  free(deep);
}

static void names_are_no_paths(void **state) {
  static const char *const names[] = {"", ".", "..", "a/b", "/a", ".hidden", "a b", "a\\nb"};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(names); i++) {
    struct fuzz_record bad = record, out;
    struct text line = {0};

    snprintf(bad.target, sizeof(bad.target), "%s", names[i]);
    fuzz_record_line(&bad, &line);
    assert_false(fuzz_record_parse(line.s, line.len - 1, &out));
    text_free(&line);
  }
}

// A disk that takes a part of a line leaves the log as it was.
static void a_full_disk(void **state) {
  struct rlimit limit, before;
  struct text was = {0}, is = {0};
  char err[512] = "";

  add(&record);
  assert_true(read_file(path, 1 << 20, &was));
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  limit = (struct rlimit){was.len + 10, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_false(fuzz_log_add(path, &record, err, sizeof(err)));
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_non_null(strstr(err, "cannot write"));
  assert_true(read_file(path, 1 << 20, &is));
  assert_string_equal(text_str(&is), text_str(&was));
  add(&record);
  expect_counts(2, 0);
  text_free(&was);
  text_free(&is);
}

int main(void) {
  const char *temp = getenv("TEST_TMPDIR");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(what_is_written_is_read, clean),
      cmocka_unit_test_setup(a_torn_last_line, clean),
      cmocka_unit_test_setup(hostile_lines, clean),
      cmocka_unit_test_setup(names_are_no_paths, clean),
      cmocka_unit_test_setup(a_full_disk, clean),
  };

  path = xasprintf("%s/log.jsonl", temp ? temp : "/tmp");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
