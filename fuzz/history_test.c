// SPDX-License-Identifier: GPL-2.0-or-later
//
// The record of a process's inputs: what a reader has of it, wherever its writer was stopped and
// whatever became of the file.
#include "fuzz/history.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/world.h"

static char folder[512], path[600];
static u8 bytes[2 * HISTORY_RING];

static int set_up(void **state) {
  const char *temp = getenv("TEST_TMPDIR");

  snprintf(folder, sizeof(folder), "%s/history-XXXXXX", temp ? temp : "/tmp");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/record", folder);
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (u8)sim_mix64(i);
  return 0;
}

// Input number n: its length and its bytes differ from its neighbours'.
static size_t len_of(u64 n, size_t max) { return (size_t)(sim_mix64(n) % (max + 1)); }
static const u8 *bytes_of(u64 n) { return bytes + n % 1000; }

static void write_inputs(u64 first, u64 last, size_t max) {
  for (u64 n = first; n <= last; n++) {
    history_begin(bytes_of(n), len_of(n, max));
    if (n % 3 == 0) history_twice();
    history_end(n * 7);
  }
}

static void expect_inputs(const struct history *history, u64 last, size_t max) {
  for (u32 i = 0; i < history->count; i++) {
    const struct history_input *input = &history->input[i];
    u64 n = last - history->count + 1 + i;

    assert_int_equal(input->len, len_of(n, max));
    assert_memory_equal(input->bytes, bytes_of(n), input->len);
    assert_int_equal(input->digest, n * 7);
    assert_true(input->done);
    assert_int_equal(input->twice, n % 3 == 0);
    assert_false(input->cut);
  }
}

static void read_good(struct history *out) {
  char err[256];

  if (history_read(path, out, err, sizeof(err))) fail_msg("%s", err);
  assert_string_equal(out->scenario, "case");
}

// 64 inputs at least, or 1 MiB of them, whatever their lengths.
static void last_inputs_are_there(void **state) {
  static const size_t max[] = {0, 1, 16, 500, 40000, HISTORY_INPUT_MAX};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(max); i++) {
    struct history history;
    size_t total = 0;
    struct stat st;

    assert_true(history_open(path, "case"));
    // Its room is its own: a disk that fills up later kills nobody.
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_blocks * 512 >= st.st_size);
    read_good(&history);
    assert_int_equal(history.count, 0);
    history_free(&history);
    for (u64 last = 1; last <= 600; last += last < 70 ? 1 : 97) {
      write_inputs(last == 1 || last <= 70 ? last : last - 96, last, max[i]);
      read_good(&history);
      expect_inputs(&history, last, max[i]);
      total = 0;
      for (u32 k = 0; k < history.count; k++) total += history.input[k].len;
      assert_true(history.count == last || history.count >= 64 || total >= 1 << 20);
      history_free(&history);
    }
  }
}

static void run_that_did_not_end_is_last(void **state) {
  struct history history;

  assert_true(history_open(path, "case"));
  write_inputs(1, 3, 10);
  history_begin(bytes, 20);
  read_good(&history);
  assert_int_equal(history.count, 4);
  assert_false(history.input[3].done);
  assert_memory_equal(history.input[3].bytes, bytes, 20);
  history_free(&history);
}

static void too_long_input_is_cut(void **state) {
  struct history_input earlier;
  struct history history;

  assert_true(history_open(path, "case"));
  history_begin(bytes, HISTORY_INPUT_MAX + 1);
  history_end(1);
  assert_false(history_earlier(5, &earlier));
  write_inputs(1, 1, 10);
  read_good(&history);
  assert_int_equal(history.count, 2);
  assert_true(history.input[0].cut && !history.input[0].len);
  assert_false(history.input[1].cut);
  history_free(&history);
}

static void earlier_inputs_are_those_that_were(void **state) {
  struct history_input earlier;
  bool seen[700] = {false};
  u32 different = 0;

  assert_true(history_open(path, "case"));
  assert_false(history_earlier(0, &earlier));
  write_inputs(1, 600, 20000);
  for (u64 number = 0; number < 1000; number++) {
    u64 n;

    assert_true(history_earlier(number, &earlier));
    n = earlier.digest / 7;
    assert_true(n >= 1 && n <= 600 && earlier.done);
    assert_int_equal(earlier.len, len_of(n, 20000));
    assert_memory_equal(earlier.bytes, bytes_of(n), earlier.len);
    different += !seen[n];
    seen[n] = true;
    // It is a copy: recording it again does not change it.
    history_begin(earlier.bytes, earlier.len);
    assert_memory_equal(earlier.bytes, bytes_of(n), earlier.len);
    history_end(earlier.digest);
  }
  assert_true(different > 20);
}

// Killed at any moment, a writer leaves a record whose inputs are its last ones.
static void killed_writer_leaves_whole_inputs(void **state) {
  for (u32 turn = 0; turn < 40; turn++) {
    size_t max = turn % 2 ? 60 : 30000;
    struct history history;
    int status, ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (!pid) {
      if (!history_open(path, "case")) _exit(1);
      write_inputs(1, 300, max);
      (void)!write(ready[1], "", 1);
      for (u64 n = 301;; n++) write_inputs(n, n, max);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    usleep(sim_mix64(turn) % 3000);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    close(ready[0]);
    close(ready[1]);
    read_good(&history);
    assert_true(history.count >= 60);
    for (u32 i = 0; i + 1 < history.count; i++) {
      u64 n = history.input[0].digest / 7 + i;

      assert_true(history.input[i].done);
      assert_int_equal(history.input[i].digest, n * 7);
      assert_int_equal(history.input[i].len, len_of(n, max));
      assert_memory_equal(history.input[i].bytes, bytes_of(n), history.input[i].len);
    }
    history_free(&history);
  }
}

static void forked_process_has_none(void **state) {
  struct history history;
  int status;
  pid_t pid;

  assert_true(history_open(path, "case"));
  write_inputs(1, 5, 10);
  pid = fork();
  if (!pid) {
    write_inputs(6, 9, 10);  // nobody's
    _exit(history_is_open());
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  write_inputs(6, 6, 10);
  read_good(&history);
  assert_int_equal(history.count, 6);
  expect_inputs(&history, 6, 10);
  history_free(&history);
}

static u32 records_in(const char *in) {
  char command[700];
  FILE *out;
  u32 count = 0;

  snprintf(command, sizeof(command), "ls %s | wc -l", in);
  out = popen(command, "r");
  assert_non_null(out);
  assert_int_equal(fscanf(out, "%u", &count), 1);
  pclose(out);
  return count;
}

// "%p" is the process's id; records of processes that have ended go but for the newest.
static void folder_of_records_is_bounded(void **state) {
  char pattern[600], in[600], mine[620], user[620];
  struct stat st;

  snprintf(in, sizeof(in), "%s/many", folder);
  assert_int_equal(mkdir(in, 0777), 0);
  snprintf(pattern, sizeof(pattern), "%s/many/%%p", folder);
  snprintf(user, sizeof(user), "%s/notes", in);
  fclose(fopen(user, "w"));
  assert_true(history_open(pattern, "case"));
  snprintf(mine, sizeof(mine), "%s/%ld", in, (long)getpid());
  for (u32 i = 0; i < HISTORY_FILES_MAX + 10; i++) {
    int status;
    pid_t pid = fork();

    if (!pid) _exit(!history_open(pattern, "case"));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    // Of a living process it stays, and what is no record does.
    assert_int_equal(stat(mine, &st), 0);
    assert_int_equal(stat(user, &st), 0);
  }
  assert_true(records_in(in) <= HISTORY_FILES_MAX + 3);
  assert_true(records_in(in) >= HISTORY_FILES_MAX);
}

static void record_made_of_inputs_is_one(void **state) {
  struct history_input input[5] = {{bytes, 10, 1, true, false, false},
                                   {bytes + 3, 0, 2, true, true, false},
                                   {bytes + 4, 70000, 3, true, false, false},
                                   {NULL, 0, 0, true, false, true},
                                   {bytes + 9, 1, 0, false, false, false}};

  for (u32 count = 0; count <= 5; count++) {
    struct history history;
    size_t len;
    u8 *made = history_make("case", input, count, &len);
    FILE *file = fopen(path, "wb");

    assert_non_null(made);
    assert_int_equal(fwrite(made, 1, len, file), len);
    fclose(file);
    free(made);
    read_good(&history);
    assert_int_equal(history.count, count);
    for (u32 i = 0; i < count; i++) {
      assert_int_equal(history.input[i].len, input[i].len);
      if (input[i].len) assert_memory_equal(history.input[i].bytes, input[i].bytes, input[i].len);
      assert_int_equal(history.input[i].digest, input[i].digest);
      assert_int_equal(history.input[i].done, input[i].done);
      assert_int_equal(history.input[i].twice, input[i].twice);
      assert_int_equal(history.input[i].cut, input[i].cut);
    }
    history_free(&history);
  }
}

// A file with any byte changed, or cut anywhere, is refused or read; nothing else happens.
static void damaged_records_do_no_harm(void **state) {
  struct history_input input[3] = {{bytes, 10, 1, true, false, false},
                                   {bytes + 3, 40, 2, true, true, false},
                                   {bytes + 4, 7, 3, true, false, false}};
  size_t len;
  u8 *made = history_make("case", input, 3, &len);
  u32 refused = 0;
  char err[256];

  for (size_t at = 0; at < len; at++) {
    for (u32 how = 0; how < 4; how++) {
      struct history history;
      FILE *file = fopen(path, "wb");
      u8 old = made[at];
      size_t length = how == 3 ? at : len;
      int status;

      made[at] = (u8)(how == 0 ? 0xff : how == 1 ? 0 : old + 1);
      assert_int_equal(fwrite(made, 1, length, file), length);
      fclose(file);
      made[at] = old;
      status = history_read(path, &history, err, sizeof(err));
      refused += status != 0;
      assert_true(status == 0 || status == SIM_MALFORMED);
      // Whatever it says is within the file's memory.
      for (u32 i = 0; !status && i < history.count; i++) {
        u64 sum = 0;

        for (size_t k = 0; k < history.input[i].len; k++) sum += history.input[i].bytes[k];
        assert_true(sum <= 255 * history.input[i].len);
      }
      history_free(&history);
    }
  }
  assert_true(refused > len);
  free(made);
}

static void what_is_no_record_is_refused(void **state) {
  struct history history;
  char err[256], none[600];

  snprintf(none, sizeof(none), "%s/nothing", folder);
  assert_int_equal(history_read(none, &history, err, sizeof(err)), SIM_MISSING_FILE);
  assert_int_equal(history_read(folder, &history, err, sizeof(err)), SIM_MALFORMED);
  assert_int_equal(history_read("/dev/null", &history, err, sizeof(err)), SIM_MALFORMED);
}

// No room, no record, and nothing is left of it; the target goes on.
static void where_there_is_no_room(void **state) {
  struct rlimit limit = {1 << 16, RLIM_INFINITY};
  struct stat st;
  char none[600];
  int status;
  pid_t pid = fork();

  if (!pid) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    snprintf(none, sizeof(none), "%s/no-room", folder);
    if (history_open(none, "case") || history_is_open()) _exit(1);
    write_inputs(1, 10, 10);
    _exit(stat(none, &st) == 0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  snprintf(none, sizeof(none), "%s/no/folder", folder);
  assert_false(history_open(none, "case"));
  assert_false(history_is_open());
}

// A record of a living process: how far it is, and a copy that stays.
static void a_living_record_is_counted_and_copied(void **state) {
  char copy[700], err[256];
  struct history history;

  unlink(path);
  assert_int_equal(history_count(path), 0);
  assert_true(history_open(path, "case"));
  assert_int_equal(history_count(path), 0);
  for (u64 n = 1; n <= 3 * HISTORY_SLOTS / 2; n++) {
    history_begin(bytes, 5);
    assert_int_equal(history_count(path), n);
  }
  snprintf(copy, sizeof(copy), "%s.copy", path);
  assert_true(history_write(copy));
  history_begin(bytes, 9);
  assert_int_equal(history_count(copy), 3 * HISTORY_SLOTS / 2);
  assert_int_equal(history_read(copy, &history, err, sizeof(err)), SIM_OK);
  assert_int_equal(history.count, HISTORY_SLOTS);
  assert_int_equal(history.input[history.count - 1].len, 5);
  history_free(&history);
  assert_false(history_write("/nowhere/at/all"));
  unlink(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(last_inputs_are_there),
      cmocka_unit_test(run_that_did_not_end_is_last),
      cmocka_unit_test(too_long_input_is_cut),
      cmocka_unit_test(earlier_inputs_are_those_that_were),
      cmocka_unit_test(killed_writer_leaves_whole_inputs),
      cmocka_unit_test(forked_process_has_none),
      cmocka_unit_test(folder_of_records_is_bounded),
      cmocka_unit_test(record_made_of_inputs_is_one),
      cmocka_unit_test(damaged_records_do_no_harm),
      cmocka_unit_test(what_is_no_record_is_refused),
      cmocka_unit_test(where_there_is_no_room),
      cmocka_unit_test(a_living_record_is_counted_and_copied),
  };

  return cmocka_run_group_tests(tests, set_up, NULL);
}
