// SPDX-License-Identifier: GPL-2.0-or-later
//
// The example does what docs/ARCHITECTURE.md says of it.
#include "sim/testing/runs.h"

#include "models/testing/mailbox.h"

// Without the bug nothing fires, and for a small case nothing can: all combinations of
// draws with up to four that are not calm.
static void mailbox_is_clean(void **state) {
  static const char *const small[] = {"readers", "2", "words", "2", NULL};

  sim_test_clean(&scenario_mailbox, NULL, 5000);
  assert_true(sim_test_exhaust(&scenario_mailbox, small, 4, 100000) > 1000);
}

// The planted bug is found within the runs that the scenario states.
static void mailbox_unlocked_is_found(void **state) {
  struct sim_test t = {.scenario = &scenario_mailbox, .params = sim_params_new(&scenario_mailbox)};
  u64 seed, found = 0;

  assert_true(sim_params_set_bug(t.params, "unlocked"));
  t.world = sim_world_new();
  assert_non_null(t.world);
  assert_int_equal(sim_world_setup(t.world, &scenario_mailbox, t.params, NULL), SIM_OK);
  for (seed = 0; seed < scenario_mailbox.yardstick_runs; seed++) {
    sim_test_seed(&t, seed);
    if (t.result.status == SIM_OK) continue;
    assert_int_equal(t.result.status, SIM_SAFETY);
    assert_string_equal(t.result.failures[0].oracle, "mailbox-word-once");
    found++;
  }
  assert_in_range(found, 1, scenario_mailbox.yardstick_runs - 1);
  sim_test_close(&t);
}

// A late word is met, so that the mark holds.
static void mailbox_late_word_is_met(void **state) {
  u64 hits = 0;

  sim_test_clean(&scenario_mailbox, NULL, 1000);
  for (u32 i = 0; i < sim_marks_count(); i++)
    if (strcmp(sim_mark_at(i)->scenario, "mailbox") == 0) hits += sim_mark_at(i)->hits;
  assert_true(hits > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mailbox_is_clean),
      cmocka_unit_test(mailbox_unlocked_is_found),
      cmocka_unit_test(mailbox_late_word_is_met),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
