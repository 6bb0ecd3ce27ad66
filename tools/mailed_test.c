// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decision files that went through a mail come out as they were sent; what is no decision
// file is left alone; and a fault that is left has its line of the file as it came.

#include "tools/mailed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/prng.h"

#define SUM "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEADER           \
  "scenario test-lost\n" \
  "subject model " SUM "\n"
#define REST    \
  "seed 0x12\n" \
  "draws 2\n"
#define DRAWS                          \
  "adder:mutex_lock adder#0 1 >cpu1\n" \
  "late cpu0 0 3\n"

static const char sent[] = "seedbed-decisions 1\n" HEADER REST "\n" DRAWS;

// What is found in these bytes; the caller frees. Exact in length, so that ASan sees a read
// beyond them.
static bool find(const char *bytes, size_t len, struct mailed *out) {
  struct text text = {malloc(len + !len), len, len};
  bool found;

  memcpy(text.s, bytes, len);
  found = mailed_find(&text, out);
  free(text.s);
  return found;
}

static void expect(const char *came, const char *expected) {
  struct mailed mailed;

  if (!find(came, strlen(came), &mailed)) fail_msg("nothing found in\n%s", came);
  assert_string_equal(text_str(&mailed.text), expected);
  mailed_free(&mailed);
}

// Every line of `sent` between two texts.
static char *around(const char *before, const char *after) {
  struct text text = {0};
  const char *at = sent;

  for (; *at; at += strcspn(at, "\n") + 1)
    text_addf(&text, "%s%.*s%s", before, (int)strcspn(at, "\n"), at, after);
  return text.s;
}

static void mails_are_undone(void **state) {
  static const char *const lines[][2] = {
      {"", "\n"},     {"", "\r\n"}, {"", "  \n"},      {"> ", "\n"},    {">", "\n"},
      {"> > ", "\n"}, {"\t", "\n"}, {"    ", " \r\n"}, {">\t", "\t\n"}, {" >> ", "\r\n"},
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(lines); i++) {
    char *came = around(lines[i][0], lines[i][1]);
    char *longer =
        xasprintf("Hello,\n\nthis fails:\n%s%s-- \n>Me\n1 2 3\n", came, i % 2 ? "\n" : "");

    expect(came, sent);
    expect(longer, sent);
    free(came);
    free(longer);
  }
  // The last blank of a quote is lost where nothing follows it.
  expect("> seedbed-decisions 1\n> draws 1\n>\n> late cpu0 0 3\n",
         "seedbed-decisions 1\ndraws 1\n\nlate cpu0 0 3\n");
  expect("\xef\xbb\xbfseedbed-decisions 1\r\n", "seedbed-decisions 1\n");
}

static void lost_lines_come_back(void **state) {
  expect("seedbed-decisions 1\n" HEADER REST DRAWS, sent);
  expect("seedbed-decisions 1\n" HEADER REST DRAWS "\nSo it is.\n", sent);
  expect("seedbed-decisions 1\nscenario test-lost\nsubject model\n" SUM "\n" REST "\n" DRAWS, sent);
  expect("> seedbed-decisions 1\n> scenario test-lost\n> subject model \n" SUM "\n> " REST,
         "seedbed-decisions 1\n" HEADER REST);
  // Of a list without draws only an empty line is to come.
  expect("seedbed-decisions 1\ndraws 0\n", "seedbed-decisions 1\ndraws 0\n\n");
  expect("seedbed-decisions 1\ndraws 0\n\nBye\n", "seedbed-decisions 1\ndraws 0\n\n");
}

// What the parser is to see: one draw more than stated, and an end that was cut off.
static void faults_stay(void **state) {
  static const char *const same[] = {
      "seedbed-decisions ",
      "seedbed-decisions \n",
      "seedbed-decisions 1",
      "seedbed-decisions 1\ndraws 1\n\nlate cpu0 0 3\nlate cpu0 1 3\n",
      "seedbed-decisions 1\ndraws 2\n\nlate cpu0 0 3\n",
      "seedbed-decisions 1\ndraws 1\n\nlate cpu0 0 3",
      "seedbed-decisions 1\ndraws 0",
      "seedbed-decisions 1\ndraws x\n\nlate cpu0 0 3\nand\n",
      "seedbed-decisions 1\nsubject model\ncommit " SUM "\n",
      "seedbed-decisions 1\nsubject a b 3 4\ndraws 1\nsubject a 3 4\n\nlate cpu0 0 3\n",
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(same); i++) expect(same[i], same[i]);
}

static void others_are_none(void **state) {
  static const char *const others[] = {
      "",
      "\n\n",
      "seedbed-decisions",
      "seedbed-decisions\n",
      "a seedbed-decisions 1\n",
      "> a\n> b",
      "\r\n\t >",
      "seedbed-decision 1\n",
  };
  struct mailed mailed;
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(others); i++)
    if (find(others[i], strlen(others[i]), &mailed)) fail_msg("row %u was taken", i);
  assert_false(find("\0seedbed-decisions 1\n", 21, &mailed));
  assert_true(find("\0\n\0> x\n> seedbed-decisions 1\n", 29, &mailed));
  assert_string_equal(text_str(&mailed.text), "seedbed-decisions 1\n");
  mailed_free(&mailed);
}

static void lines_are_those_of_the_file(void **state) {
  static const char came[] = "Hello\nseedbed-decisions 1\nscenario x\nsubject model\n" SUM
                             "\ndraws 1\nlate cpu0 0 3\nBye\n";
  static const u32 expected[] = {2, 3, 4, 6, 7, 7};
  struct mailed mailed;
  u32 i;

  assert_true(find(came, strlen(came), &mailed));
  assert_int_equal(mailed.num_lines, SIM_ARRAY_SIZE(expected));
  for (i = 0; i < SIM_ARRAY_SIZE(expected); i++)
    assert_int_equal(mailed_line(&mailed, i + 1), expected[i]);
  assert_int_equal(mailed_line(&mailed, 7), 8);
  mailed_free(&mailed);
}

// Whatever comes: no crash, one number a line, and what was found once is found again.
static void random_files(void **state) {
  static const char *const parts[] = {
      "seedbed-decisions 1\n",
      HEADER,
      "subject model\n",
      SUM "\n",
      REST,
      "\n",
      DRAWS,
      "> ",
      "\r\n",
      "draws 0\n",
      "draws 99999999999\n",
      ">",
      " ",
      "\t",
      "x",
      "Bye\n",
  };
  struct sim_stream rng;
  u32 i, j, lines;

  sim_stream_seed(&rng, 1);
  for (i = 0; i < 20000; i++) {
    struct text text = {0};
    struct mailed mailed, again;

    for (j = sim_stream_below(&rng, 16); j; j--)
      text_add(&text, parts[sim_stream_below(&rng, SIM_ARRAY_SIZE(parts))]);
    if (text.len && sim_stream_below(&rng, 2))
      text.s[sim_stream_below(&rng, (u32)text.len)] = (char)sim_stream_u64(&rng);
    if (find(text_str(&text), text.len, &mailed)) {
      for (lines = j = 0; j < mailed.text.len; j++) lines += mailed.text.s[j] == '\n';
      assert_in_range(mailed.num_lines, lines, lines + 1);
      assert_true(find(mailed.text.s, mailed.text.len, &again));
      if (again.text.len != mailed.text.len)
        fail_msg("found first\n%s\nand then\n%s", mailed.text.s, again.text.s);
      assert_memory_equal(again.text.s, mailed.text.s, mailed.text.len);
      mailed_free(&again);
      mailed_free(&mailed);
    }
    text_free(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mails_are_undone), cmocka_unit_test(lost_lines_come_back),
      cmocka_unit_test(faults_stay),      cmocka_unit_test(others_are_none),
      cmocka_unit_test(random_files),     cmocka_unit_test(lines_are_those_of_the_file),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
