// SPDX-License-Identifier: GPL-2.0-or-later
//
// The odometer: trees of choices whose number of leaves is known by counting another way.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/choice.h"

// A tree: the number of alternatives after the digits so far; 0 at a leaf.
typedef u32 (*tree_fn)(const u32 *digits, u32 depth);

static u32 run_once(struct sim_odometer *o, tree_fn tree, u32 *digits) {
  u32 depth = 0;
  sim_odometer_begin(o);
  for (u32 n; (n = tree(digits, depth)) > 0; depth++) {
    digits[depth] = n == 1 ? 0 : sim_odometer_draw(o, n);
    assert_true(digits[depth] < n);
  }
  return depth;
}

struct count {
  u64 leaves, sum;
  bool diverged;
};

// Runs every combination; each must come after the one before it in lexicographic order,
// so none comes twice.
static struct count count_leaves(tree_fn tree, u32 bound, u32 depth_max) {
  struct sim_odometer o = {.bound = bound, .depth_max = depth_max};
  struct count c = {0};
  u32 digits[64], last[64] = {0}, last_depth = 0;
  do {
    u32 depth = run_once(&o, tree, digits);
    if (c.leaves++) {
      u32 i = 0;
      while (i < depth && i < last_depth && digits[i] == last[i]) i++;
      assert_true(i < depth && i < last_depth);
      assert_true(digits[i] > last[i]);
    }
    memcpy(last, digits, sizeof(digits));
    last_depth = depth;
    for (u32 i = 0; i < depth; i++) c.sum += digits[i];
  } while (sim_odometer_next(&o));
  c.diverged = o.diverged;
  sim_odometer_free(&o);
  assert_null(o.digit);
  return c;
}

// Six digits of 2, 3, 1, 4, 2, 5 values.
static u32 uniform(const u32 *d, u32 depth) {
  static const u32 n[] = {2, 3, 1, 4, 2, 5};
  return depth < 6 ? n[depth] : 0;
}

// The orders of 5 things: 5! leaves.
static u32 permutations(const u32 *d, u32 depth) { return depth < 5 ? 5 - depth : 0; }

// A ragged tree: digit v at depth 0 is followed by v binary digits: 1 + 2 + 4 + 8 leaves.
static u32 ragged(const u32 *d, u32 depth) {
  if (depth == 0) return 4;
  return depth <= d[0] ? 2 : 0;
}

static u32 no_choice(const u32 *d, u32 depth) { return depth < 3 ? 1 : 0; }
static u32 ten_binary(const u32 *d, u32 depth) { return depth < 10 ? 2 : 0; }
static u32 eight_ternary(const u32 *d, u32 depth) { return depth < 8 ? 3 : 0; }
static u32 widest(const u32 *d, u32 depth) { return depth < 1 ? SIM_CHOICE_MAX : 0; }

// Each combination runs exactly once, whatever the tree's shape.
static void every_combination_once(void **state) {
  assert_int_equal(count_leaves(uniform, 0, 0).leaves, 2 * 3 * 4 * 2 * 5);
  assert_int_equal(count_leaves(permutations, 0, 0).leaves, 120);
  assert_int_equal(count_leaves(ragged, 0, 0).leaves, 15);
  assert_int_equal(count_leaves(no_choice, 0, 0).leaves, 1);
  assert_int_equal(count_leaves(ten_binary, 0, 0).leaves, 1024);
  assert_int_equal(count_leaves(ten_binary, 0, 0).sum, 10 * 512);
  struct count w = count_leaves(widest, 0, 0);
  assert_int_equal(w.leaves, 65536);
  assert_int_equal(w.sum, 65535ull * 65536 / 2);
  assert_false(w.diverged);
}

// With a bound of b digits that are not calm, a run of m digits of n values has
// sum over i <= b of C(m, i) * (n-1)^i combinations.
static void bound_on_digits_that_are_not_calm(void **state) {
  assert_int_equal(count_leaves(ten_binary, 1, 0).leaves, 1 + 10);
  assert_int_equal(count_leaves(ten_binary, 2, 0).leaves, 1 + 10 + 45);
  assert_int_equal(count_leaves(ten_binary, 3, 0).leaves, 1 + 10 + 45 + 120);
  assert_int_equal(count_leaves(ten_binary, 10, 0).leaves, 1024);
  assert_int_equal(count_leaves(ten_binary, 99, 0).leaves, 1024);
  assert_int_equal(count_leaves(eight_ternary, 2, 0).leaves, 1 + 8 * 2 + 28 * 4);
}

// Draws beyond depth_max are calm: as many combinations as the tree has at that depth.
static void bound_on_depth(void **state) {
  assert_int_equal(count_leaves(ten_binary, 0, 4).leaves, 16);
  assert_int_equal(count_leaves(ten_binary, 0, 4).sum, 4 * 8);
  assert_int_equal(count_leaves(uniform, 0, 2).leaves, 6);
  assert_int_equal(count_leaves(ten_binary, 1, 4).leaves, 5);
  assert_int_equal(count_leaves(ten_binary, 0, 10).leaves, 1024);
  assert_int_equal(count_leaves(ten_binary, 0, 11).leaves, 1024);
}

// Long runs: the digits grow with the run.
static void long_run(void **state) {
  struct sim_odometer o = {.bound = 1};
  u64 runs = 0;
  do {
    sim_odometer_begin(&o);
    u32 ones = 0;
    for (u32 i = 0; i < 3000; i++) ones += sim_odometer_draw(&o, 2);
    assert_true(ones <= 1);
    runs++;
  } while (sim_odometer_next(&o));
  assert_int_equal(runs, 3001);
  sim_odometer_free(&o);
}

// A run that is not a function of its digits is noticed: other alternatives, or fewer
// draws, than the digits before led to.
static void divergence_is_noticed(void **state) {
  struct sim_odometer o = {0};
  sim_odometer_begin(&o);
  assert_int_equal(sim_odometer_draw(&o, 3), 0);
  assert_int_equal(sim_odometer_draw(&o, 3), 0);
  assert_true(sim_odometer_next(&o));
  assert_true(sim_odometer_next(&o));
  sim_odometer_begin(&o);
  assert_int_equal(sim_odometer_draw(&o, 3), 0);
  assert_false(o.diverged);
  assert_int_equal(sim_odometer_draw(&o, 2), 0);  // the digit 2 does not fit
  assert_true(o.diverged);
  sim_odometer_free(&o);

  sim_odometer_begin(&o);
  for (u32 i = 0; i < 3; i++) assert_int_equal(sim_odometer_draw(&o, 2), 0);
  assert_true(sim_odometer_next(&o));
  sim_odometer_begin(&o);
  (void)sim_odometer_draw(&o, 2);
  assert_false(o.diverged);
  assert_true(sim_odometer_next(&o));
  assert_true(o.diverged);
  sim_odometer_free(&o);
}

// A caller may write the digits: what is beyond them is calm.
static void digits_written_by_hand(void **state) {
  struct sim_odometer o = {0};
  u32 digits[64];
  assert_int_equal(run_once(&o, uniform, digits), 6);
  assert_int_equal(o.len, 5);  // the digit with one value is no draw
  static const u16 tops[] = {1, 2, 3, 1, 4};
  assert_memory_equal(o.top, tops, sizeof(tops));
  o.digit[1] = 2;
  o.digit[2] = 3;
  o.len = 3;
  run_once(&o, uniform, digits);
  static const u32 expected[] = {0, 2, 0, 3, 0, 0};
  assert_memory_equal(digits, expected, sizeof(expected));
  assert_false(o.diverged);
  sim_odometer_free(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination_once), cmocka_unit_test(bound_on_digits_that_are_not_calm),
      cmocka_unit_test(bound_on_depth),         cmocka_unit_test(long_run),
      cmocka_unit_test(divergence_is_noticed),  cmocka_unit_test(digits_written_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
