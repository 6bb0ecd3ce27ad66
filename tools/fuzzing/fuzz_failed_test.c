// SPDX-License-Identifier: GPL-2.0-or-later
//
// The list of what one call's inputs failed with, and how another process is told.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/fuzzing/fuzz_failed.h"

static void none_is_there_twice_and_the_order_stays(void **state) {
  struct fuzz_failed failed = {0};

  fuzz_failed_add(&failed, "findings/b");
  fuzz_failed_add(&failed, "findings/a");
  fuzz_failed_add(&failed, "findings/b");
  assert_int_equal(failed.count, 2);
  assert_string_equal(failed.folder[0], "findings/b");
  assert_string_equal(failed.folder[1], "findings/a");
  fuzz_failed_free(&failed);
  assert_int_equal(failed.count, 0);
}

static void what_is_written_is_read_and_the_rest_is_left(void **state) {
  struct fuzz_failed failed = {0}, read = {0};
  struct text text = {0};

  fuzz_failed_add(&failed, "/a folder/with blanks");
  fuzz_failed_add(&failed, "b");
  fuzz_failed_lines(&failed, &text);
  text_add(&text, "{\"slice\":1}\n");
  assert_string_equal(fuzz_failed_read(&read, text_str(&text)), "{\"slice\":1}\n");
  assert_int_equal(read.count, 2);
  assert_string_equal(read.folder[0], "/a folder/with blanks");
  assert_string_equal(read.folder[1], "b");
  assert_string_equal(fuzz_failed_read(&read, ""), "");
  // Its writer was killed.
  assert_string_equal(fuzz_failed_read(&read, "failed c"), "failed c");
  assert_int_equal(read.count, 2);
  fuzz_failed_free(&failed);
  fuzz_failed_free(&read);
  text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(none_is_there_twice_and_the_order_stays),
      cmocka_unit_test(what_is_written_is_read_and_the_rest_is_left),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
