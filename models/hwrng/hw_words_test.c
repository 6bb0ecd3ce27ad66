// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a byte and a word tell of their place.
#include "models/hwrng/hw_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// One byte names its place in its word, and its word among 56 neighbours.
static void byte_is_unique_among_56_words(void **state) {
  for (u32 i = 0; i < 5000; i++) {
    for (u32 lane = 0; lane < 4; lane++) {
      assert_int_equal(hw_word_byte(i, lane) & 3, lane);
      for (u32 k = i + 1; k <= i + 56; k++)
        assert_int_not_equal(hw_word_byte(i, lane), hw_word_byte(k, lane));
    }
  }
}

// A whole word is unique among 2016, and no word is 0, which an empty FIFO reads.
static void word_is_unique_among_2016(void **state) {
  for (u32 i = 0; i < 3000; i++) {
    assert_int_not_equal(hw_word_value(i), 0);
    for (u32 k = i + 1; k < i + 2016; k++) assert_int_not_equal(hw_word_value(i), hw_word_value(k));
  }
}

// The value is the bytes in memory order, little-endian.
static void value_is_its_bytes(void **state) {
  u32 value = hw_word_value(1234);

  for (u32 lane = 0; lane < 4; lane++)
    assert_int_equal(value >> (8 * lane) & 0xff, hw_word_byte(1234, lane));
}

// Words are counted over all devices, and the log says who gave each.
static void take_counts_and_logs(void **state) {
  static struct hw_words words;

  assert_int_equal(hw_words_take(&words, 7), hw_word_value(0));
  assert_int_equal(hw_words_take(&words, 9), hw_word_value(1));
  assert_int_equal(words.count, 2);
  assert_int_equal(words.source[0], 7);
  assert_int_equal(words.source[1], 9);
  for (u32 i = 2; i < HW_WORDS_LOG; i++) hw_words_take(&words, 1);
  hw_words_take(&words, 3);
  assert_int_equal(words.source[0], 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(byte_is_unique_among_56_words),
      cmocka_unit_test(word_is_unique_among_2016),
      cmocka_unit_test(value_is_its_bytes),
      cmocka_unit_test(take_counts_and_logs),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
