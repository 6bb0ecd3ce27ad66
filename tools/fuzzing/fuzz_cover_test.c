// SPDX-License-Identifier: GPL-2.0-or-later
//
// A few inputs that reach the most, from libFuzzer's control file.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/fuzzing/fuzz_cover.h"
#include "tools/text.h"

static const char control[] =
    "5\n0\n/a/corpus/one\n/a/corpus/two\n/a/corpus/three\n/a/corpus/four\n/a/corpus/five\n"
    "STARTED 0 10\nFT 0 1 2 3\nCOV 0 1\n"
    "STARTED 1 5\nFT 1 3 4\nCOV 1 1\n"
    "STARTED 2 5\nFT 2 4 3\nCOV 2 1\n"
    "STARTED 3 1\n"  // it ended the process
    "STARTED 4 2000\nFT 4 1 2 3 4 5 6\nCOV 4 9\n";

static void choose(const char *text, u32 num_max, u64 bytes_max, const char *expected) {
  struct fuzz_cover cover;
  struct text names = {0};
  u32 num = 0;

  fuzz_cover_read(text, &cover);
  num = fuzz_cover_choose(&cover, num_max, bytes_max);
  for (u32 i = 0; i < cover.count; i++) {
    if (cover.input[i].chosen) text_addf(&names, "%s ", cover.input[i].name);
    num -= cover.input[i].chosen;
  }
  assert_string_equal(text_str(&names), expected);
  assert_int_equal(num, 0);
  text_free(&names);
  fuzz_cover_free(&cover);
}

static void what_reaches_most_comes_first(void **state) {
  choose(control, 9, 1 << 20, "five ");   // it has all
  choose(control, 9, 100, "one three ");  // too long; of two alike the first by name
  choose(control, 1, 100, "one ");        // a bound of number
  choose(control, 9, 9, "three ");        // of bytes
  choose(control, 0, 100, "");
}

static void a_file_that_is_cut_or_none_at_all(void **state) {
  char cut[sizeof(control)];

  for (size_t len = 0; len < sizeof(control); len++) {
    struct fuzz_cover cover;

    memcpy(cut, control, len);
    cut[len] = '\0';
    fuzz_cover_read(cut, &cover);
    (void)fuzz_cover_choose(&cover, 9, 100);
    fuzz_cover_free(&cover);
  }
  choose("", 9, 100, "");
  choose("99999999999999999999\n0\na\n", 9, 100, "");
  choose("1\n0\na\nFT 7 1\nFT 0 4294967295 99999999999 x\nSTARTED 9 9\n", 9, 100, "");
  choose("1\n0\na\nFT 0 1 2\nFT 0 3\n", 9, 100, "a ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_reaches_most_comes_first),
      cmocka_unit_test(a_file_that_is_cut_or_none_at_all),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
