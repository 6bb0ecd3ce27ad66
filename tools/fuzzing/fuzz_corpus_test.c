// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folders of inputs: names are hashes, files and folders are whole.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/findings.h"
#include "tools/fuzzing/fuzz_corpus.h"

static char err[512];

// SHA-1 of the empty string and of "abc", from FIPS 180.
#define HASH_EMPTY "da39a3ee5e6b4b0d3255bfef95601890afd80709"
#define HASH_ABC "a9993e364706816aba3e25717850c26c9cd0d89d"

static int clean(void **state) {
  const char *temp = getenv("TEST_TMPDIR");

  if (chdir(temp ? temp : "/tmp")) return 1;
  fuzz_folder_remove("corpus_test");
  return !fuzz_folder_make("corpus_test/set", err, sizeof(err)) || chdir("corpus_test");
}

// "NAME NAME ...", of a folder.
static const char *names(const char *dir) {
  static struct text text;
  struct fuzz_files files;

  text.len = 0;
  text_add(&text, "");
  if (text.s) text.s[0] = '\0';
  fuzz_files_list(dir, &files);
  for (u32 i = 0; i < files.count; i++) text_addf(&text, "%s ", files.name[i]);
  fuzz_files_free(&files);
  return text_str(&text);
}

static void names_are_hashes(void **state) {
  char hash[FUZZ_HASH_LEN];

  assert_int_equal(fuzz_corpus_add_bytes("set", "abc", 3, err, sizeof(err)), FUZZ_ADDED);
  assert_int_equal(fuzz_corpus_add_bytes("set", "abc", 3, err, sizeof(err)), FUZZ_ADDED_BEFORE);
  assert_int_equal(fuzz_corpus_add_bytes("set", "", 0, err, sizeof(err)), FUZZ_ADDED);
  assert_string_equal(names("set"), HASH_ABC " " HASH_EMPTY " ");
  assert_true(fuzz_hash_file("set/" HASH_ABC, hash));
  assert_string_equal(hash, HASH_ABC);
  assert_false(fuzz_hash_file("gone", hash));
  assert_false(fuzz_hash_file("set", hash));
  // Beside the folder nothing is left.
  assert_string_equal(names("."), "");
}

static void what_can_never_be_an_input_is_passed_over(void **state) {
  assert_int_equal(fuzz_corpus_add("set", "gone", err, sizeof(err)), FUZZ_ADDED_BEFORE);
  assert_int_equal(fuzz_corpus_add("set", "set", err, sizeof(err)), FUZZ_ADDED_BEFORE);
  assert_int_equal(truncate("set", 1), -1);
  assert_true(write_file("long", "", 0, err, sizeof(err)));
  assert_int_equal(truncate("long", FUZZ_INPUT_LEN_MAX + 1), 0);
  assert_int_equal(fuzz_corpus_add("set", "long", err, sizeof(err)), FUZZ_ADDED_BEFORE);
  assert_string_equal(names("set"), "");
}

static void a_full_disk_adds_nothing(void **state) {
  struct rlimit limit, before;
  char bytes[64] = "";

  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  limit = (struct rlimit){10, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_int_equal(fuzz_corpus_add_bytes("set", bytes, sizeof(bytes), err, sizeof(err)),
                   FUZZ_ADDED_NOT);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_non_null(strstr(err, "cannot write set/"));
  assert_string_equal(names("set"), "");
  assert_string_equal(names("."), "");
  assert_int_equal(fuzz_corpus_add_bytes("gone", bytes, 1, err, sizeof(err)), FUZZ_ADDED_NOT);
}

static void make_sets(void) {
  assert_true(fuzz_folder_make("set", err, sizeof(err)));
  assert_true(fuzz_folder_make("made", err, sizeof(err)));
  assert_true(write_file("set/old", "", 0, err, sizeof(err)));
  assert_true(write_file("made/new", "", 0, err, sizeof(err)));
}

static void a_set_is_replaced(void **state) {
  make_sets();
  assert_true(fuzz_corpus_replace("made", "set", err, sizeof(err)));
  assert_string_equal(names("set"), "new ");
  assert_int_equal(access("made", F_OK), -1);
  assert_int_equal(access("set.before", F_OK), -1);
  // There need not have been one.
  fuzz_folder_remove("set");
  assert_true(fuzz_folder_make("made", err, sizeof(err)));
  assert_true(fuzz_corpus_replace("made", "set", err, sizeof(err)));
  assert_int_equal(access("set", F_OK), 0);
  assert_false(fuzz_corpus_replace("gone", "set", err, sizeof(err)));
  assert_int_equal(access("set", F_OK), 0);
}

// Each state that a kill can leave is mended.
static void what_a_kill_left_is_mended(void **state) {
  make_sets();
  fuzz_corpus_mend("made", "set");  // before the exchange
  assert_string_equal(names("set"), "old ");
  assert_int_equal(access("made", F_OK), -1);
  make_sets();
  assert_int_equal(rename("set", "set.before"), 0);  // between two renames
  fuzz_corpus_mend("made", "set");
  assert_string_equal(names("set"), "old ");
  make_sets();
  assert_int_equal(rename("set", "set.before"), 0);
  assert_int_equal(rename("made", "set"), 0);  // behind both
  fuzz_corpus_mend("made", "set");
  assert_string_equal(names("set"), "new ");
  assert_int_equal(access("set.before", F_OK), -1);
}

static void lists_are_sorted_and_of_files(void **state) {
  assert_true(write_file("set/b", "", 0, err, sizeof(err)));
  assert_true(write_file("set/a", "", 0, err, sizeof(err)));
  assert_true(write_file("set/.hidden", "", 0, err, sizeof(err)));
  assert_true(fuzz_folder_make("set/folder", err, sizeof(err)));
  assert_int_equal(symlink("a", "set/link"), 0);
  assert_string_equal(names("set"), "a b ");
  assert_string_equal(names("gone"), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(names_are_hashes, clean),
      cmocka_unit_test_setup(what_can_never_be_an_input_is_passed_over, clean),
      cmocka_unit_test_setup(a_full_disk_adds_nothing, clean),
      cmocka_unit_test_setup(a_set_is_replaced, clean),
      cmocka_unit_test_setup(what_a_kill_left_is_mended, clean),
      cmocka_unit_test_setup(lists_are_sorted_and_of_files, clean),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
