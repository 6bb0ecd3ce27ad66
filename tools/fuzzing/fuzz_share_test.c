// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rule that shares time out.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/fuzzing/fuzz_share.h"
#include "tools/fuzzing/fuzz_supervise.h"

enum { PAIRS = 4 };

static struct fuzz_shares shares;

static int begin(void **state) {
  for (u32 i = 0; i < PAIRS; i++) fuzz_shares_add(&shares);
  return 0;
}

static int end(void **state) {
  fuzz_shares_free(&shares);
  return 0;
}

// One slice of the pair that is next; each finds so many a second.
static u32 slice(u64 ms, const u64 found_per_s[PAIRS]) {
  u32 next = fuzz_shares_next(&shares);

  fuzz_shares_begin(&shares, next, ms);
  fuzz_shares_end(&shares, next, ms, ms, found_per_s[next] * ms / 1000);
  return next;
}

static void each_has_a_first_slice_in_order(void **state) {
  const u64 found[PAIRS] = {50, 0, 0, 0};

  for (u32 i = 0; i < PAIRS; i++) assert_int_equal(slice(1000, found), i);
  // While all are running at once, too.
  fuzz_shares_free(&shares);
  for (u32 i = 0; i < PAIRS; i++) fuzz_shares_add(&shares);
  for (u32 i = 0; i < PAIRS; i++) {
    assert_int_equal(fuzz_shares_next(&shares), i);
    fuzz_shares_begin(&shares, i, 1000);
  }
  assert_int_equal(fuzz_shares_next(&shares), 0);
}

static void nothing_found_is_equal_shares(void **state) {
  const u64 found[PAIRS] = {0};

  for (u32 i = 0; i < 5 * PAIRS; i++) assert_int_equal(slice(1000, found), i % PAIRS);
}

// Half goes to all alike, half by what is found: 1/8 + 1/2 * 3/4, 1/8 + 1/2 * 1/4, 1/8, 1/8.
static void what_finds_has_more_and_nothing_starves(void **state) {
  const u64 found[PAIRS] = {30, 10, 0, 0};
  u32 count[PAIRS] = {0};

  for (u32 i = 0; i < 800; i++) count[slice(1000, found)]++;
  assert_in_range(count[0], 380, 420);
  assert_in_range(count[1], 190, 210);
  assert_in_range(count[2], 95, 105);
  assert_in_range(count[3], 95, 105);
}

// Only the last four slices count.
static void what_found_long_ago_counts_no_more(void **state) {
  const u64 early[PAIRS] = {90, 0, 0, 0}, late[PAIRS] = {0};
  double part;

  for (u32 i = 0; i < 100; i++) slice(1000, early);
  part = fuzz_shares_part(&shares, 0);
  assert_true(part > 0.62 && part < 0.63);
  for (u32 i = 0; i < 40; i++) slice(1000, late);
  assert_true(fuzz_shares_part(&shares, 0) == 0.25);
}

// One whose slices end early is not charged for time that it did not use, its first slice
// included. With equal shares, one slice at a time, no two pairs ever differ by more than the
// longest slice: the next is one that has used the least, so it ends at most a slice above the
// least, and the least only grows.
static void time_counts_and_not_slices(void **state) {
  u64 used[PAIRS] = {0};

  for (u32 i = 0; i < 3000; i++) {
    u32 next = fuzz_shares_next(&shares);
    u64 ms = next == 2 ? 100 : 1000;

    fuzz_shares_begin(&shares, next, 1000);
    fuzz_shares_end(&shares, next, 1000, ms, 0);
    used[next] += ms;
    for (u32 k = 0; k < PAIRS; k++)
      assert_true(used[k] <= used[next] + 1000 && used[next] <= used[k] + 1000);
  }
}

// A target that comes to an old campaign has no time to make up for.
static void a_new_pair_begins_where_the_youngest_is(void **state) {
  const u64 none[PAIRS + 1] = {0};
  u32 count = 0;

  for (u32 i = 0; i < 400; i++) slice(1000, none);
  fuzz_shares_add(&shares);
  for (u32 i = 0; i < 50; i++) {
    u32 next = fuzz_shares_next(&shares);

    if (!i) assert_int_equal(next, PAIRS);
    count += next == PAIRS;
    fuzz_shares_begin(&shares, next, 1000);
    fuzz_shares_end(&shares, next, 1000, 1000, 0);
  }
  assert_in_range(count, 9, 12);
}

static void running_slices_count_as_used(void **state) {
  const u64 found[PAIRS] = {0};

  for (u32 i = 0; i < PAIRS; i++) slice(1000, found);
  fuzz_shares_begin(&shares, 0, 1000);
  assert_int_equal(fuzz_shares_next(&shares), 1);
  fuzz_shares_begin(&shares, 1, 1000);
  assert_int_equal(fuzz_shares_next(&shares), 2);
}

// The same records, whoever made them, give the same order.
static void a_resumed_campaign_goes_on_in_the_same_order(void **state) {
  const u64 found[PAIRS] = {3, 9, 0, 1};
  struct fuzz_shares resumed = {0};
  u32 order[60];

  for (u32 i = 0; i < PAIRS; i++) fuzz_shares_add(&resumed);
  for (u32 i = 0; i < 60; i++) {
    order[i] = slice(1000 + i, found);
    fuzz_shares_end(&resumed, order[i], 0, 1000 + i, found[order[i]] * (1000 + i) / 1000);
    assert_int_equal(fuzz_shares_next(&resumed), fuzz_shares_next(&shares));
  }
  fuzz_shares_free(&resumed);
}

static void slices_grow_and_fit(void **state) {
  const struct fuzz_plan plan = {.jobs = 2, .slice_ms = 30000};

  assert_int_equal(fuzz_slice_length(&plan, 0, 0, 5), 30000);
  assert_int_equal(fuzz_slice_length(&plan, 1, 0, 0), 60000);
  assert_int_equal(fuzz_slice_length(&plan, 3, 0, 0), 240000);
  assert_int_equal(fuzz_slice_length(&plan, 90, 0, 0), 240000);
  // Twenty pairs within a minute of two cores: six seconds each.
  assert_int_equal(fuzz_slice_length(&plan, 0, 60000, 20), 6000);
  assert_int_equal(fuzz_slice_length(&plan, 0, 60000, 2), 30000);
  assert_int_equal(fuzz_slice_length(&plan, 3, 5000, 0), 5000);
  assert_int_equal(fuzz_slice_length(&plan, 0, 10, 9), FUZZ_SLICE_MS_MIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_has_a_first_slice_in_order, begin, end),
      cmocka_unit_test_setup_teardown(nothing_found_is_equal_shares, begin, end),
      cmocka_unit_test_setup_teardown(what_finds_has_more_and_nothing_starves, begin, end),
      cmocka_unit_test_setup_teardown(what_found_long_ago_counts_no_more, begin, end),
      cmocka_unit_test_setup_teardown(time_counts_and_not_slices, begin, end),
      cmocka_unit_test_setup_teardown(a_new_pair_begins_where_the_youngest_is, begin, end),
      cmocka_unit_test_setup_teardown(running_slices_count_as_used, begin, end),
      cmocka_unit_test_setup_teardown(a_resumed_campaign_goes_on_in_the_same_order, begin, end),
      cmocka_unit_test(slices_grow_and_fit),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
