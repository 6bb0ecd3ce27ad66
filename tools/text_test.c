// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text for the command: numbers, ranges, times, quoting.

#include "tools/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// Numbers are decimal or 0x, whole, and at most 2^64-1; nothing else is one.
static void numbers_are_parsed_strictly(void **state) {
  static const struct {
    const char *text;
    bool good;
    u64 value;
  } cases[] = {
      /* 1 */ {"0", true, 0},
      /* 2 */ {"12", true, 12},
      /* 3 */ {"007", true, 7},
      /* 4 */ {"0x12", true, 18},
      /* 5 */ {"0XfF", true, 255},
      /* 6 */ {"18446744073709551615", true, UINT64_MAX},
      /* 7 */ {"0xffffffffffffffff", true, UINT64_MAX},
      /* 8 */ {"18446744073709551616", false, 0},
      /* 9 */ {"0x10000000000000000", false, 0},
      /* 10 */ {"99999999999999999999999", false, 0},
      /* 11 */ {"", false, 0},
      /* 12 */ {"-1", false, 0},
      /* 13 */ {"+1", false, 0},
      /* 14 */ {" 1", false, 0},
      /* 15 */ {"1 ", false, 0},
      /* 16 */ {"1x", false, 0},
      /* 17 */ {"0x", false, 0},
      /* 18 */ {"0xg", false, 0},
      /* 19 */ {"1e3", false, 0},
      /* 20 */ {"1.0", false, 0},
      /* 21 */ {"0x1 2", false, 0},
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    const char *why = NULL;
    u64 value = 77;

    if (text_parse_u64(cases[i].text, &value, &why) != cases[i].good ||
        value != (cases[i].good ? cases[i].value : 77) || !cases[i].good != (why != NULL))
      fail_msg("case %u: %s", i + 1, cases[i].text);
  }
}

static void ranges_have_two_ends(void **state) {
  static const struct {
    const char *text;
    bool good;
    u64 first, last;
  } cases[] = {
      /* 1 */ {"1..5", true, 1, 5},
      /* 2 */ {"5..5", true, 5, 5},
      /* 3 */ {"7", true, 7, 7},
      /* 4 */ {"7..", true, 7, UINT64_MAX},
      /* 5 */ {"0x10..0x1f", true, 16, 31},
      /* 6 */ {"0..18446744073709551615", true, 0, UINT64_MAX},
      /* 7 */ {"5..1", false, 0, 0},
      /* 8 */ {"..5", false, 0, 0},
      /* 9 */ {"..", false, 0, 0},
      /* 10 */ {"1..5..9", false, 0, 0},
      /* 11 */ {"1...5", false, 0, 0},
      /* 12 */ {"1-5", false, 0, 0},
      /* 13 */ {"1..18446744073709551616", false, 0, 0},
      /* 14 */ {"", false, 0, 0},
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    const char *why = NULL;
    u64 first = 3, last = 4;

    if (text_parse_range(cases[i].text, &first, &last, &why) != cases[i].good ||
        first != (cases[i].good ? cases[i].first : 3) ||
        last != (cases[i].good ? cases[i].last : 4))
      fail_msg("case %u: %s", i + 1, cases[i].text);
  }
}

static void times_are_seconds(void **state) {
  static const struct {
    const char *text;
    u64 ms;  // 0: wrong
  } cases[] = {
      /* 1 */ {"60", 60000},     /* 2 */ {"0.5", 500},
      /* 3 */ {"1.25s", 1250},
      /* 4 */ {"10m", 600000},   /* 5 */ {"2h", 7200000},
      /* 6 */ {"1.5m", 90000},
      /* 7 */ {"0.001", 1},      /* 8 */ {"0", 0},
      /* 9 */ {"0.0001", 0},
      /* 10 */ {"", 0},          /* 11 */ {"s", 0},
      /* 12 */ {".5", 0},
      /* 13 */ {"1.", 0},        /* 14 */ {"-1", 0},
      /* 15 */ {"1d", 0},
      /* 16 */ {"1 s", 0},       /* 17 */ {"99999999999999", 0},
      /* 18 */ {"999999999", 0},
      /* 19 */ {"1e3", 0},       /* 20 */ {"0x10", 0},
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    const char *why = NULL;
    u64 ms = 0;

    if (text_parse_time(cases[i].text, &ms, &why) != (cases[i].ms != 0) || ms != cases[i].ms)
      fail_msg("case %u: %s", i + 1, cases[i].text);
  }
}

// Whatever a word holds, the shell reads it back.
static void quoted_words_survive_the_shell(void **state) {
  static const char *const words[] = {
      "plain", "",   "two words", "it's", "$HOME `id` \\ \"q\"", "a;b&c|d>e<f", "*?[x]", "~",
      "#x",    "-x", "new\nline", "\t",   "\x7f\xc3\xa4",        "--set=a=b",   "a=b c",
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(words); i++) {
    struct text command = {0};
    char back[256];
    size_t len;
    FILE *pipe;

    text_add(&command, "printf %s ");
    text_add_quoted(&command, words[i]);
    // An option of printf is none of its words.
    if (*words[i] == '-') {
      text_free(&command);
      text_add(&command, "printf -- %s ");
      text_add_quoted(&command, words[i]);
    }
    pipe = popen(text_str(&command), "r");
    assert_non_null(pipe);
    len = fread(back, 1, sizeof(back) - 1, pipe);
    back[len] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(back, words[i]);
    text_free(&command);
  }
}

static void counts_are_short(void **state) {
  char out[TEXT_COUNT_LEN], grouped[TEXT_COUNT_LEN + 8];

  assert_string_equal(text_count(0, out), "0");
  assert_string_equal(text_count(999, out), "999");
  assert_string_equal(text_count(1000, out), "1.00k");
  assert_string_equal(text_count(12345, out), "12.3k");
  assert_string_equal(text_count(999999, out), "999k");
  assert_string_equal(text_count(4560000, out), "4.56M");
  assert_string_equal(text_count(UINT64_MAX, out), "18446P");
  assert_string_equal(text_duration(400, out), "0.4 s");
  assert_string_equal(text_duration(59999, out), "59 s");
  assert_string_equal(text_duration(185000, out), "3 min 05 s");
  assert_string_equal(text_duration(7800000, out), "2 h 10 min");
  assert_string_equal(text_grouped(1204224, grouped), "1,204,224");
  assert_string_equal(text_grouped(12, grouped), "12");
  assert_string_equal(text_grouped(UINT64_MAX, grouped), "18,446,744,073,709,551,615");
}

static void distance_counts_edits(void **state) {
  assert_int_equal(text_distance("", ""), 0);
  assert_int_equal(text_distance("abc", "abc"), 0);
  assert_int_equal(text_distance("abc", "axc"), 1);
  assert_int_equal(text_distance("abc", "abcd"), 1);
  assert_int_equal(text_distance("", "abc"), 3);
  assert_int_equal(text_distance("kitten", "sitting"), 3);
}

// Text grows from nothing, and holds bytes that are 0 too.
static void text_grows(void **state) {
  struct text text = {0};
  u32 i;

  assert_string_equal(text_str(&text), "");
  for (i = 0; i < 1000; i++) text_addf(&text, "%u,", i % 10);
  assert_int_equal(text.len, 2000);
  text_add_bytes(&text, "\0x", 2);
  assert_int_equal(text.len, 2002);
  assert_int_equal(strlen(text_str(&text)), 2000);
  text_free(&text);
  assert_int_equal(text.len, 0);
  text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_parsed_strictly),
      cmocka_unit_test(ranges_have_two_ends),
      cmocka_unit_test(times_are_seconds),
      cmocka_unit_test(quoted_words_survive_the_shell),
      cmocka_unit_test(counts_are_short),
      cmocka_unit_test(distance_counts_edits),
      cmocka_unit_test(text_grows),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
