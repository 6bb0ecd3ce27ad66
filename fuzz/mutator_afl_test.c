// SPDX-License-Identifier: GPL-2.0-or-later
//
// The library that AFL++ loads: the same seed gives the same mutations, none is longer than the
// description or AFL++ allows, and classes are the description's and the input's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz/fuzz_input.h"
#include "fuzz/target.h"
#include "sim/bytes.h"

void *afl_custom_init(void *afl, unsigned seed);
void afl_custom_deinit(void *data);
u32 afl_custom_fuzz_count(void *data, const u8 *buf, size_t buf_size);
size_t afl_custom_fuzz(void *data, u8 *buf, size_t buf_size, u8 **out_buf, u8 *add_buf,
                       size_t add_buf_size, size_t max_size);

enum { ROUNDS = 5000, LEN_MAX = 48 };

// No setting, then a draw of class 7.
static u8 input[] = {0, 7, 0, 0, 0};
// A draw of class 9: for a cross-over.
static u8 other[] = {0, 9, 1, 2, 0};

static void *open_mutator(const char *description) {
  char path[256];
  FILE *file;

  snprintf(path, sizeof(path), "%s/description", getenv("TEST_TMPDIR"));
  file = fopen(path, "w");
  assert_non_null(file);
  fputs(description, file);
  assert_int_equal(fclose(file), 0);
  setenv("SEEDBED_FUZZ_DESCRIPTION", path, 1);
  return afl_custom_init(NULL, 1);
}

static void mutations_are_the_seeds(void **state) {
  void *a = open_mutator("max_len 48\nclass 33 4\n"), *b = afl_custom_init(NULL, 1);

  for (u32 i = 0; i < ROUNDS; i++) {
    u8 *out_a, *out_b;
    size_t len_a = afl_custom_fuzz(a, input, sizeof(input), &out_a, other, sizeof(other), 512);
    size_t len_b = afl_custom_fuzz(b, input, sizeof(input), &out_b, other, sizeof(other), 512);

    assert_int_equal(len_a, len_b);
    assert_memory_equal(out_a, out_b, len_a);
  }
  afl_custom_deinit(a);
  afl_custom_deinit(b);
}

// Grows an input from itself; the longest that comes.
static size_t longest(void *m, size_t max_size) {
  u8 buf[512];
  size_t len = sizeof(input), most = 0;

  memcpy(buf, input, len);
  for (u32 i = 0; i < ROUNDS; i++) {
    u8 *out;

    len = afl_custom_fuzz(m, buf, len, &out, NULL, 0, max_size);
    assert_true(len > 0 && len <= sizeof(buf));
    memcpy(buf, out, len);
    if (len > most) most = len;
  }
  return most;
}

static void each_input_has_its_turn(void **state) {
  void *mutator = open_mutator("");

  // AFL++ mutates an input so many times before it goes on to the next.
  assert_in_range(afl_custom_fuzz_count(mutator, (const u8 *)"", 0), 1, 1000);
  afl_custom_deinit(mutator);
}

static void length_is_bounded(void **state) {
  void *m = open_mutator("max_len 48\nclass 33 4\n");
  size_t most = longest(m, 512);

  assert_true(most <= LEN_MAX && most > LEN_MAX - SIM_BYTES_ENTRY_LEN);
  assert_true(longest(m, 20) <= 20);
  afl_custom_deinit(m);
}

static void classes_are_known(void **state) {
  void *m = open_mutator("max_len 48\nclass 33 4\n");
  u32 seen[SIM_BYTES_CLASSES] = {0};

  for (u32 i = 0; i < ROUNDS; i++) {
    u8 *out;
    size_t len = afl_custom_fuzz(m, input, sizeof(input), &out, other, sizeof(other), 512);

    for (size_t at = fuzz_head_len(fuzz_head(out, len)); at + SIM_BYTES_ENTRY_LEN <= len;
         at += SIM_BYTES_ENTRY_LEN)
      seen[out[at]]++;
  }
  for (u32 i = 0; i < SIM_BYTES_CLASSES; i++)
    if ((i == 7 || i == 9 || i == 33) != !!seen[i]) fail_msg("class %u: %u times", i, seen[i]);
  afl_custom_deinit(m);
}

// An input is mostly crossed with no other, never with one without entries; and never cut.
static void cross_overs_are_seldom_and_whole(void **state) {
  static const u8 based[] = {
      FUZZ_BASED | 1 << FUZZ_TURNS_SHIFT, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4};
  static const u8 cut[] = {FUZZ_BASED, 9, 1, 2, 0};
  u8 out[64];
  u32 num = 0;

  for (unsigned seed = 0; seed < ROUNDS; seed++) {
    size_t len = LLVMFuzzerCustomCrossOver(cut, sizeof(cut), other, sizeof(other), out, 64, seed);

    assert_int_equal(
        LLVMFuzzerCustomCrossOver(other, sizeof(other), based, sizeof(based), out + 32, 32, seed),
        0);
    assert_int_equal(
        LLVMFuzzerCustomCrossOver(NULL, 0, other, sizeof(other), out + 32, 4, seed) / 5, 0);
    if (!len) continue;
    num++;
    assert_int_equal(out[0], 0);
    assert_in_range(len, 5, 9);
    assert_int_equal(len % SIM_BYTES_ENTRY_LEN, 1);
  }
  assert_in_range(num, ROUNDS / 16, ROUNDS / 4);
}

// What comes out says of itself what it is; runs are turned, seven times at most.
static void mutations_are_whole(void **state) {
  void *m = open_mutator("max_len 512\nclass 33 40\n");
  u8 buf[512] = {FUZZ_BASED};
  size_t len = 1 + FUZZ_BASE_LEN;
  u32 turned[FUZZ_TURNS_MAX + 1] = {0};

  for (u32 i = 0; i < ROUNDS; i++) {
    struct fuzz_head head;
    u8 *out;

    len = afl_custom_fuzz(m, buf, len, &out, other, sizeof(other), 512);
    memcpy(buf, out, len);
    head = fuzz_head(buf, len);
    assert_int_equal(buf[0], fuzz_head_byte(head));
    assert_int_equal((len - fuzz_head_len(head)) % SIM_BYTES_ENTRY_LEN, 0);
    turned[head.num_turns]++;
  }
  for (u32 i = 0; i < 4; i++) assert_int_not_equal(turned[i], 0);
  afl_custom_deinit(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mutations_are_the_seeds),
      cmocka_unit_test(each_input_has_its_turn),
      cmocka_unit_test(length_is_bounded),
      cmocka_unit_test(classes_are_known),
      cmocka_unit_test(cross_overs_are_seldom_and_whole),
      cmocka_unit_test(mutations_are_whole),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
