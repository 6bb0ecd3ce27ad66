// SPDX-License-Identifier: GPL-2.0-or-later
//
// Comparing without a tree: the model with itself, which shows no difference, and with a planted
// bug, each of which does; shrinking; and that nothing but the list decides what is noted.
#include "tools/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct compare_pair pair;
static struct compare_list list;

static void open_pair(const struct compare_family *family, u32 linux_version, const char *bug) {
  memset(&pair, 0, sizeof(pair));
  pair.family = family;
  pair.linux_version = linux_version;
  pair.side[0].name = "model";
  pair.side[1] = (struct compare_side){.name = "bug", .bug = bug};
  compare_open(&pair);
}

// The key of the first seed up to `last` that shows a difference; "" if none does.
static u64 find_key(u64 last, char key[COMPARE_KEY_LEN]) {
  struct compare_outcome outcome;

  for (u64 seed = 1; seed <= last; seed++) {
    compare_make(&pair, seed, &list);
    compare_run(&pair, &list, &outcome);
    compare_key(&pair, &list, &outcome, key);
    if (*key) return seed;
  }
  return 0;
}

static void expect_same(const struct compare_family *family, u32 linux_version) {
  char key[COMPARE_KEY_LEN];

  open_pair(family, linux_version, NULL);
  if (find_key(60, key)) fail_msg("%s differs from itself", key);
  compare_close(&pair);
}

static void a_model_is_as_itself(void **state) {
  static const u32 versions[] = {7002, 6012, 6001};

  (void)state;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(versions); i++) {
    expect_same(&compare_crng, versions[i]);
    expect_same(&compare_hwrng, versions[i]);
  }
}

// Each shows where it is: what happened, and what it did.
static void a_bug_is_told(void **state) {
  static const struct {
    const struct compare_family *family;
    const char *bug, *key;
  } bugs[] = {
      {&compare_crng, "10", "add_interrupt_randomness/bytes-mixed-since-an-extraction"},
      {&compare_crng, "12", "cpu_up/"},
      {&compare_crng, "13", "get_random_uN/blocks-of-key-stream"},
      {&compare_crng, "14", "add_interrupt_randomness/"},
      {&compare_crng, "15", "add_interrupt_randomness/"},
      {&compare_crng, "16", "add_interrupt_randomness/credit-given"},
      {&compare_crng, "seed-early-only", "add_bootloader_randomness/credit-given"},
      {&compare_crng, "seed-as-string", "add_bootloader_randomness/"},
      {&compare_crng, "batch-end", "get_random_uN/bytes"},
      {&compare_crng, "prepare-keeps-key", "cpu_up/generation-of-the-CPU"},
      {&compare_crng, "prepare-keeps-batches", "cpu_up/batch-position"},
      {&compare_crng, "pool-key-kept", ""},
      {&compare_crng, "fork-told-early", "add_vmfork_randomness/generation-when-told-of-a-fork"},
      {&compare_crng, "reseed-not-queued", ""},
      {&compare_crng, "resume-no-reseed", "random_pm_notification/"},
      {&compare_hwrng, "55", ""},
      {&compare_hwrng, "56", ""},
      {&compare_hwrng, "57", ""},
  };
  char key[COMPARE_KEY_LEN], start[COMPARE_KEY_LEN];

  (void)state;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(bugs); i++) {
    open_pair(bugs[i].family, 7002, bugs[i].bug);
    if (!find_key(600, key)) fail_msg("bug %s makes no difference", bugs[i].bug);
    snprintf(start, sizeof(start), "compare-%s/%s", bugs[i].family->name, bugs[i].key);
    if (strncmp(key, start, strlen(start)))
      fail_msg("bug %s: %s, which does not begin with %s", bugs[i].bug, key, start);
    compare_close(&pair);
  }
}

static u32 num_left(void) {
  u32 num = 0;

  for (u32 i = 0; i < list.num; i++) num += !list.event[i].left_out;
  return num;
}

// What is left shows the same, and no event of it can be spared; its numbers bring it back.
static void a_list_is_shrunk(void **state) {
  char key[COMPARE_KEY_LEN], now[COMPARE_KEY_LEN];
  struct compare_outcome outcome;
  struct text only = {0};
  const char *why;
  u64 seed;

  (void)state;
  open_pair(&compare_crng, 7002, "batch-end");
  seed = find_key(600, key);
  assert_true(seed > 0);
  compare_shrink(&pair, &list, key);
  assert_true(num_left() > 0 && num_left() < 8);
  for (u32 i = 0; i < list.num; i++) {
    if (list.event[i].left_out) continue;
    list.event[i].left_out = true;
    compare_run(&pair, &list, &outcome);
    compare_key(&pair, &list, &outcome, now);
    assert_string_not_equal(now, key);
    list.event[i].left_out = false;
  }
  compare_tell_only(&list, &only);
  compare_make(&pair, seed, &list);
  assert_true(compare_only(&list, text_str(&only), &why));
  compare_run(&pair, &list, &outcome);
  compare_key(&pair, &list, &outcome, now);
  assert_string_equal(now, key);
  text_free(&only);
  compare_close(&pair);
}

static void numbers_of_events_are_parsed_strictly(void **state) {
  static const char *const wrong[] = {"", "1,", ",1", "x", "1,x", "1000", "-1", "1 "};
  const char *why;

  (void)state;
  open_pair(&compare_crng, 7002, NULL);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(wrong); i++) {
    compare_make(&pair, 1, &list);
    why = NULL;
    assert_false(compare_only(&list, wrong[i], &why));
    assert_non_null(why);
  }
  compare_make(&pair, 1, &list);
  assert_true(compare_only(&list, "0,2", &why));
  assert_true(num_left() == 2 && !list.event[0].left_out && !list.event[2].left_out);
  compare_close(&pair);
}

// A list leaves nothing behind: run before another, and again after it, the log is the same.
static void a_list_alone_decides(void **state) {
  static struct compare_log first;
  struct compare_outcome outcome;

  (void)state;
  open_pair(&compare_hwrng, 7002, NULL);
  for (u64 seed = 1; seed <= 8; seed++) {
    compare_make(&pair, seed, &list);
    compare_run(&pair, &list, &outcome);
    first = pair.log[0];
    compare_make(&pair, seed + 1000, &list);
    compare_run(&pair, &list, &outcome);
    compare_make(&pair, seed, &list);
    compare_run(&pair, &list, &outcome);
    assert_int_equal(first.num, pair.log[0].num);
    assert_memory_equal(first.note, pair.log[0].note, first.num * sizeof(*first.note));
  }
  compare_close(&pair);
}

// What a busy loop does is not compared: among these lists some end where one begins, and most do
// not.
static void a_busy_loop_cuts_the_list(void **state) {
  struct compare_outcome outcome;
  u32 cut = 0, seeds = 60;

  (void)state;
  open_pair(&compare_hwrng, 7002, NULL);
  for (u64 seed = 1; seed <= seeds; seed++) {
    compare_make(&pair, seed, &list);
    compare_run(&pair, &list, &outcome);
    cut += outcome.cut;
    if (!outcome.cut) continue;
    for (u32 i = 0; i < pair.log[0].num; i++)
      assert_true(pair.log[0].note[i].moment <= pair.log[0].cut_moment);
  }
  assert_true(cut > 0 && cut < seeds / 4);
  compare_close(&pair);
}

// What has one value in whatever a good model does: a fast pool's timer has run when the world has
// settled.
static bool is_constant(const char *field) {
  return !strcmp(field, "works queued before there are queues") ||
         !strcmp(field, "stage when told of readiness") ||
         !strcmp(field, "timer of the fast pool pending");
}

// Every kind of event happens, every field is seen, and by some list each changes.
static void all_is_exercised(void **state) {
  static const struct compare_family *const families[] = {&compare_crng, &compare_hwrng};
  // Of the kernel that has all of it.
  static const u32 versions[] = {7002, 6001};
  struct compare_outcome outcome;

  (void)state;
  for (u32 f = 0; f < SIM_ARRAY_SIZE(families); f++) {
    u64 value[COMPARE_FIELDS_MAX] = {0};
    bool seen[COMPARE_FIELDS_MAX] = {0}, changed[COMPARE_FIELDS_MAX] = {0};
    bool ran[COMPARE_FIELDS_MAX] = {0};

    open_pair(families[f], versions[f], NULL);
    for (u64 seed = 1; seed <= 60; seed++) {
      compare_make(&pair, seed, &list);
      compare_run(&pair, &list, &outcome);
      for (u32 i = 0; i < list.num; i++) ran[list.event[i].kind] = true;
      for (u32 i = 0; i < pair.log[0].num; i++) {
        const struct compare_note *note = &pair.log[0].note[i];

        changed[note->field] |= seen[note->field] && value[note->field] != note->value;
        seen[note->field] = true;
        value[note->field] = note->value;
      }
    }
    for (u32 i = 0; i < families[f]->num_kinds; i++)
      if (!ran[i]) fail_msg("%s never happens", families[f]->kinds[i].name);
    for (u32 i = 0; i < families[f]->num_fields; i++)
      if (!seen[i] || changed[i] == is_constant(families[f]->fields[i].name))
        fail_msg("%s: seen %d, changed %d", families[f]->fields[i].name, seen[i], changed[i]);
    compare_close(&pair);
  }
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_is_as_itself),
      cmocka_unit_test(a_bug_is_told),
      cmocka_unit_test(a_list_is_shrunk),
      cmocka_unit_test(numbers_of_events_are_parsed_strictly),
      cmocka_unit_test(a_list_alone_decides),
      cmocka_unit_test(a_busy_loop_cuts_the_list),
      cmocka_unit_test(all_is_exercised),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
