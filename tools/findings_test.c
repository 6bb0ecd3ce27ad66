// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folders of findings: whole or not there, whatever happens.

#include "tools/findings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char *base;

static int enter(void **state) {
  const char *temp = getenv("TEST_TMPDIR");

  base = xasprintf("%s/findings-XXXXXX", temp ? temp : "/tmp");
  return mkdtemp(base) ? 0 : -1;
}

static int leave(void **state) {
  char *command = xasprintf("rm -rf %s", base);
  int status = system(command);

  free(command);
  free(base);
  return status;
}

static char *in_base(const char *name) { return xasprintf("%s/%s", base, name); }

static void expect_file(const char *folder, const char *name, const char *content) {
  char *path = xasprintf("%s/%s/%s", base, folder, name);
  struct text text = {0};

  if (!read_file(path, 1000000, &text)) fail_msg("%s: %s", path, strerror(errno));
  assert_string_equal(text_str(&text), content);
  text_free(&text);
  free(path);
}

// Entries of a folder that are (not) temporary.
static u32 count_entries(const char *dir, bool temporary) {
  DIR *folder = opendir(dir);
  struct dirent *entry;
  u32 count = 0;

  if (!folder) return 0;
  while ((entry = readdir(folder))) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    count += (*entry->d_name == '.') == temporary;
  }
  closedir(folder);
  return count;
}

static void begin(const char *dir, struct findings_temp *temp) {
  char err[256];

  if (!findings_begin(dir, temp, err, sizeof(err))) fail_msg("%s", err);
}

static void add(struct findings_temp *temp, const char *name, const char *content) {
  char err[256];

  if (!findings_add(temp, name, content, strlen(content), err, sizeof(err))) fail_msg("%s", err);
}

// Nothing has the name before commit; all is there after it, in folders made on the way.
static void committed_folder_is_whole(void **state) {
  char *dir = in_base("a/b/c"), err[256];
  struct findings_temp temp;

  begin(dir, &temp);
  add(&temp, "key", "k\n");
  add(&temp, "empty", "");
  assert_int_equal(count_entries(dir, false), 0);
  assert_int_equal(count_entries(dir, true), 1);
  assert_int_equal(findings_commit(&temp, "one", err, sizeof(err)), FINDINGS_COMMITTED);
  assert_int_equal(count_entries(dir, false), 1);
  assert_int_equal(count_entries(dir, true), 0);
  expect_file("a/b/c/one", "key", "k\n");
  expect_file("a/b/c/one", "empty", "");
  free(dir);
}

// A name is given once; the one who comes second still has his folder.
static void second_commit_finds_the_name_taken(void **state) {
  struct findings_temp first, second;
  char err[256];

  begin(base, &first);
  begin(base, &second);
  add(&first, "key", "1");
  add(&second, "key", "2");
  assert_int_equal(findings_commit(&first, "same", err, sizeof(err)), FINDINGS_COMMITTED);
  assert_int_equal(findings_commit(&second, "same", err, sizeof(err)), FINDINGS_EXISTS);
  expect_file("same", "key", "1");
  assert_int_equal(findings_commit(&second, "other", err, sizeof(err)), FINDINGS_COMMITTED);
  expect_file("other", "key", "2");
}

static void aborted_folder_is_gone(void **state) {
  struct findings_temp temp;

  begin(base, &temp);
  add(&temp, "key", "1");
  findings_abort(&temp);
  assert_int_equal(count_entries(base, true), 0);
}

static void replaced_folder_holds_the_new(void **state) {
  struct findings_temp temp;
  char err[256];

  begin(base, &temp);
  add(&temp, "key", "old");
  add(&temp, "only-old", "x");
  assert_int_equal(findings_commit(&temp, "replaced", err, sizeof(err)), FINDINGS_COMMITTED);
  begin(base, &temp);
  add(&temp, "key", "new");
  add(&temp, "only-new", "y");
  assert_true(findings_replace(&temp, "replaced", err, sizeof(err)));
  expect_file("replaced", "key", "new");
  expect_file("replaced", "only-new", "y");
  assert_int_equal(count_entries(base, true), 0);
}

static void replacing_nothing_is_an_error(void **state) {
  struct findings_temp temp;
  char err[256];

  begin(base, &temp);
  assert_false(findings_replace(&temp, "missing", err, sizeof(err)));
  findings_abort(&temp);
  assert_int_equal(count_entries(base, true), 0);
}

// What a dead process left goes; what a living one fills stays.
static void cleaning_spares_the_living(void **state) {
  char *dir = in_base("cleaned"), *live_path, *stale_path;
  struct findings_temp live, stale;
  int status;
  pid_t pid;

  begin(dir, &live);
  add(&live, "key", "live");
  live_path = xasprintf("%s/%s", dir, live.name);
  pid = fork();
  if (!pid) {
    begin(dir, &stale);
    add(&stale, "key", "stale");
    _exit(0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  stale_path = xasprintf("%s/.tmp.%ld.%u", dir, (long)pid, 0u);
  assert_int_equal(count_entries(dir, true), 2);
  findings_clean(dir);
  assert_int_equal(count_entries(dir, true), 1);
  assert_int_equal(access(live_path, F_OK), 0);
  findings_abort(&live);
  findings_clean(dir);
  assert_int_equal(count_entries(dir, true), 0);
  findings_clean("/nowhere/at/all");
  free(live_path);
  free(stale_path);
  free(dir);
}

static void unusable_folders_are_refused(void **state) {
  char *file = in_base("plain-file"), *below = in_base("plain-file/x"), err[256];
  struct findings_temp temp;
  FILE *out = fopen(file, "w");

  fclose(out);
  assert_false(findings_check(file, err, sizeof(err)));
  assert_non_null(strstr(err, "Not a directory"));
  assert_false(findings_check(below, err, sizeof(err)));
  assert_false(findings_check("/proc/nothing", err, sizeof(err)));
  assert_false(findings_begin(below, &temp, err, sizeof(err)));
  assert_false(findings_begin("/proc/nothing", &temp, err, sizeof(err)));
  free(file);
  free(below);
}

// Looking changes nothing, relative or absolute.
static void usable_folders_are_not_made_by_looking(void **state) {
  char *dir = in_base("new/deep/er"), err[256], *cwd = getcwd(NULL, 0);

  assert_true(findings_check(dir, err, sizeof(err)));
  assert_int_equal(access(dir, F_OK), -1);
  assert_int_equal(chdir(base), 0);
  assert_true(findings_check("not-there", err, sizeof(err)));
  assert_true(findings_check(".", err, sizeof(err)));
  assert_int_equal(count_entries(".", true), 0);
  assert_int_equal(access("not-there", F_OK), -1);
  assert_int_equal(chdir(cwd), 0);
  free(cwd);
  free(dir);
}

// A limit on the size of files acts as a full disk does: a write ends before its end.
static void full_disk_leaves_nothing(void **state) {
  pid_t pid = fork();
  int status;

  if (!pid) {
    struct rlimit limit = {1000, 1000};
    char *dir = in_base("full"), *file = in_base("big-file"), *big = xcalloc(1, 5000), err[256];
    struct findings_temp temp;
    bool good;

    memset(big, 'x', 4999);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (!findings_begin(dir, &temp, err, sizeof(err))) _exit(1);
    good = findings_add(&temp, "big", big, 4999, err, sizeof(err));
    findings_abort(&temp);
    if (good || !strstr(err, "big")) _exit(2);
    big[0] = 'y';
    if (write_file(file, big, 4999, err, sizeof(err)) || access(file, F_OK) == 0) _exit(3);
    _exit(count_entries(dir, true) || count_entries(dir, false) ? 4 : 0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void files_are_checked_before_they_are_written(void **state) {
  char *path = in_base("checked"), err[256];

  assert_true(write_file_check(path, err, sizeof(err)));
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(count_entries(base, true), 0);
  assert_false(write_file_check("/nowhere/x", err, sizeof(err)));
  assert_non_null(strstr(err, "No such file"));
  assert_false(write_file_check(base, err, sizeof(err)));
  free(path);
}

static SIM_NORETURN void write_for_ever(const char *dir) {
  char content[4096], err[256], name[32];
  u32 i;

  memset(content, 'x', sizeof(content));
  for (i = 0;; i++) {
    struct findings_temp temp;

    if (!findings_begin(dir, &temp, err, sizeof(err)) ||
        !findings_add(&temp, "a", content, sizeof(content), err, sizeof(err)) ||
        !findings_add(&temp, "b", content, sizeof(content), err, sizeof(err)))
      _exit(1);
    snprintf(name, sizeof(name), "f%ld.%u", (long)getpid(), i);
    if (i % 2 || !i) {
      if (findings_commit(&temp, name, err, sizeof(err)) != FINDINGS_COMMITTED) _exit(2);
    } else {
      snprintf(name, sizeof(name), "f%ld.%u", (long)getpid(), i - 1);
      if (!findings_replace(&temp, name, err, sizeof(err))) _exit(3);
    }
  }
}

static void expect_all_whole(const char *dir) {
  DIR *folder = opendir(dir);
  struct dirent *entry;

  assert_non_null(folder);
  while ((entry = readdir(folder))) {
    struct stat a, b;
    char *path;

    if (*entry->d_name == '.') continue;
    path = xasprintf("%s/%s/a", dir, entry->d_name);
    assert_int_equal(stat(path, &a), 0);
    path[strlen(path) - 1] = 'b';
    assert_int_equal(stat(path, &b), 0);
    assert_int_equal(a.st_size, 4096);
    assert_int_equal(b.st_size, 4096);
    free(path);
  }
  closedir(folder);
}

// Waits until process `pid` has had `ns` of a processor, or has ended. On a busy machine time
// by the clock says little of how far it has come.
static void wait_for_cpu_ns(pid_t pid, u64 ns) {
  clockid_t clock;
  struct timespec now;

  assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
  while (clock_gettime(clock, &now) == 0 && (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec < ns)
    usleep(200);
}

// A writer that is killed at any moment leaves whole folders, and what is cleaned up.
static void kills_at_any_moment_leave_whole_folders(void **state) {
  char *dir = in_base("killed");
  u32 i, status_kills = 0;

  for (i = 0; i < 50; i++) {
    pid_t pid = fork();
    int status;

    if (!pid) write_for_ever(dir);
    wait_for_cpu_ns(pid, 500000 + sim_mix64(i + 1) % 10000000);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    status_kills += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
  assert_int_equal(status_kills, 50);
  expect_all_whole(dir);
  assert_true(count_entries(dir, false) > 0);
  findings_clean(dir);
  assert_int_equal(count_entries(dir, true), 0);
  free(dir);
}

static void files_are_read_up_to_a_bound(void **state) {
  char *path = in_base("bounded"), err[256];
  struct text text = {0};

  assert_true(write_file(path, "12345", 5, err, sizeof(err)));
  assert_true(read_file(path, 5, &text));
  assert_string_equal(text_str(&text), "12345");
  text_free(&text);
  assert_false(read_file(path, 4, &text));
  assert_int_equal(errno, EFBIG);
  assert_int_equal(text.len, 0);
  assert_false(read_file("/nowhere", 4, &text));
  assert_int_equal(errno, ENOENT);
  assert_false(read_file(base, 4, &text));
  assert_int_equal(errno, EISDIR);
  free(path);
}

// A file keeps its mode and is found behind a link; a pipe is written to, and stays one.
static void files_are_replaced_and_others_written_to(void **state) {
  char *file = in_base("mode"), *link = in_base("link"), *pipe = in_base("pipe"), err[256], got[8];
  struct stat stat_buffer;
  int fd;

  assert_true(write_file(file, "1", 1, err, sizeof(err)));
  assert_int_equal(chmod(file, 0600), 0);
  assert_int_equal(symlink(file, link), 0);
  assert_true(write_file_check(link, err, sizeof(err)));
  assert_true(write_file(link, "22", 2, err, sizeof(err)));
  assert_int_equal(lstat(link, &stat_buffer), 0);
  assert_true(S_ISLNK(stat_buffer.st_mode));
  assert_int_equal(stat(file, &stat_buffer), 0);
  assert_int_equal(stat_buffer.st_mode & 07777, 0600);
  assert_int_equal(stat_buffer.st_size, 2);

  assert_int_equal(mkfifo(pipe, 0600), 0);
  fd = open(pipe, O_RDWR | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_true(write_file_check(pipe, err, sizeof(err)));
  assert_true(write_file(pipe, "333", 3, err, sizeof(err)));
  assert_int_equal(read(fd, got, sizeof(got)), 3);
  close(fd);
  assert_int_equal(lstat(pipe, &stat_buffer), 0);
  assert_true(S_ISFIFO(stat_buffer.st_mode));
  free(file);
  free(link);
  free(pipe);
}

// Nothing can be made where a link leads nowhere.
static void dangling_link_is_no_folder(void **state) {
  char *link = in_base("nowhere"), err[256];

  assert_int_equal(symlink("not-there", link), 0);
  assert_false(findings_check(link, err, sizeof(err)));
  free(link);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(committed_folder_is_whole),
      cmocka_unit_test(second_commit_finds_the_name_taken),
      cmocka_unit_test(aborted_folder_is_gone),
      cmocka_unit_test(replaced_folder_holds_the_new),
      cmocka_unit_test(replacing_nothing_is_an_error),
      cmocka_unit_test(cleaning_spares_the_living),
      cmocka_unit_test(unusable_folders_are_refused),
      cmocka_unit_test(usable_folders_are_not_made_by_looking),
      cmocka_unit_test(full_disk_leaves_nothing),
      cmocka_unit_test(files_are_checked_before_they_are_written),
      cmocka_unit_test(kills_at_any_moment_leave_whole_folders),
      cmocka_unit_test(files_are_read_up_to_a_bound),
      cmocka_unit_test(files_are_replaced_and_others_written_to),
      cmocka_unit_test(dangling_link_is_no_folder),
  };

  return cmocka_run_group_tests(tests, enter, leave);
}
