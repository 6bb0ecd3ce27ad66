// SPDX-License-Identifier: GPL-2.0-or-later
//
// Access hooks: plain accesses are points, drawn, recorded and replayed like any other; what
// they promise of freed memory, of waiting, and of their labels.
#include "sim/hook.h"

#include "sim/testing/runs.h"

#include "sim/choice_impl.h"
#include "sim/testing/hooked.h"

enum { SEEDS = 3000 };

static const char *const off[] = {"hooks", "0", NULL};
static const char *const points[] = {"hooks", "1", NULL};
static const char *const with_irq[] = {"hooks", "1", "irq", "1", "num_cpus", "1", NULL};

// Runs and what they ended with, of one oracle of testing_plain.
static u64 count(const char *const *set, const char *id, u64 seeds) {
  struct sim_test t;
  u64 found = 0;
  sim_test_open(&t, &testing_plain, set);
  for (u64 seed = 0; seed < seeds; seed++) {
    sim_test_seed(&t, seed);
    for (u32 i = 0; i < t.result.num_failures; i++)
      found += strcmp(t.result.failures[i].oracle, id) == 0;
    if (seed % 10 == 0) sim_test_again(&t, seed);
  }
  sim_test_close(&t);
  return found;
}

// Between the load and the store of a plain addition another task may come: only with hooks.
// The runs are those of their seeds and of their lists, whatever lay about.
static void plain_additions_are_lost(void **state) {
  assert_true(count(points, "testing-lost-update", SEEDS) > 0);
  sim_test_clean(&testing_plain, off, 300);
}

// A memcpy of 32 bytes goes by pieces, a memset too.
static void copies_are_torn(void **state) {
  assert_true(count(points, "testing-torn-copy", SEEDS) > 0);
}

// On one CPU tasks preempt each other there, and interrupts land.
static void interrupts_land_at_accesses(void **state) {
  static const char *const calm_points[] = {"hooks",   "1", "irq",  "1",   "num_cpus", "1",
                                            "preempt", "0", "adds", "200", NULL};
  struct sim_test t;
  u32 landed = 0;
  assert_true(count(with_irq, "testing-lost-update", SEEDS) > 0);
  // Nothing but accesses to land at: all 400 additions are made between two primitives.
  sim_test_open(&t, &testing_plain, calm_points);
  for (u64 seed = 0; seed < 100; seed++) {
    u32 num;
    sim_test_seed(&t, seed);
    const struct sim_draw *draw = sim_world_draws(t.world, &num);
    for (u32 i = 0; i < num; i++) landed += draw[i].value >= SIM_DRAW_LINE;
    if (seed % 10 == 0) sim_test_again(&t, seed);
  }
  sim_test_close(&t);
  assert_true(landed > 10);
}

// Every strategy reaches accesses, and is replayed.
static void strategies_pick_at_accesses(void **state) {
  struct sim_test t;
  sim_test_open(&t, &testing_plain, points);
  for (u32 strategy = SIM_STRATEGY_RANDOM; strategy < SIM_STRATEGY_CALM; strategy++) {
    u32 taken = 0;
    for (u64 seed = 0; seed < 2000; seed++) {
      sim_test_strategy(&t, strategy, seed);
      u64 digest = t.result.digest;
      u32 num;
      const struct sim_draw *draw = sim_world_draws(t.world, &num);
      for (u32 i = 0; i < num; i++)
        taken += strcmp(sim_site_at(draw[i].site)->prim, "load.0") >= 0 &&
                 strchr(sim_site_at(draw[i].site)->prim, '.') != NULL;
      if (seed % 20) continue;
      struct sim_decisions list = {0};
      sim_decisions_from_world(&list, t.world);
      sim_test_list(&t, &list);
      assert_true(t.result.digest == digest);
      sim_decisions_free(&list);
    }
    print_message("%s: %u\n", sim_strategy_name(strategy), taken);
    // Priorities alone, without a change point, switch where a task ends, if at all.
    if (strategy != SIM_STRATEGY_PCT1) assert_true(taken > 0);
  }
  sim_test_close(&t);
}

// All that two additions of two tasks can come to, by the odometer: 1 lost, or none.
static void odometer_goes_through_accesses(void **state) {
  static const char *const one_each[] = {"hooks", "1", "adds", "1", NULL};
  struct sim_odometer o = {.bound = 2};
  struct sim_input in = {.backend = SIM_BACKEND_ODOMETER, .odometer = &o};
  struct sim_test t;
  u32 lost = 0, kept = 0, runs = 0;
  sim_test_open(&t, &testing_plain, one_each);
  do {
    sim_test_run(&t, &in);
    bool is_lost = false;
    for (u32 i = 0; i < t.result.num_failures; i++)
      is_lost |= strcmp(t.result.failures[i].oracle, "testing-lost-update") == 0;
    lost += is_lost;
    kept += !is_lost;
    assert_true(++runs < 20000);
  } while (sim_odometer_next(&o));
  assert_false(o.diverged);
  sim_odometer_free(&o);
  sim_test_close(&t);
  assert_true(lost > 0 && kept > 0);
}

// Fuzzer bytes reach accesses too.
static void bytes_reach_accesses(void **state) {
  struct sim_test t;
  u32 lost = 0;
  sim_test_open(&t, &testing_plain, points);
  // Every class, and the first places of each.
  for (u32 gap = 0; gap < 256; gap++)
    for (u32 again = 0; again < 4; again++) {
      const u8 bytes[] = {(u8)gap, (u8)again, 0, 0};
      struct sim_input in = {.backend = SIM_BACKEND_BYTES, .bytes = bytes, .len = sizeof(bytes)};
      sim_test_run(&t, &in);
      lost += t.result.num_failures > 0;
      if (again % 7) continue;
      u64 digest = t.result.digest;
      struct sim_decisions list = {0};
      sim_decisions_from_world(&list, t.world);
      sim_test_list(&t, &list);
      assert_true(t.result.digest == digest);
      sim_decisions_free(&list);
    }
  sim_test_close(&t);
  assert_true(lost > 0);
}

// Whoever waits for a plain variable waits in every back-end, calmly too, and gets it.
static void time_passes_in_a_loop_of_plain_loads(void **state) {
  sim_test_clean(&testing_spin, points, 200);
}

// A plain load of what was freed is a use after free; without hooks nobody sees it.
static void plain_use_after_free_is_found(void **state) {
  sim_test_finds(&testing_freed, points, SEEDS, "use-after-free");
  sim_test_clean(&testing_freed, off, 300);
}

// The twin's sites have labels of their own and those of the others with them.
static void accesses_have_labels(void **state) {
  u32 loads = 0, stores = 0, copies = 0;
  struct sim_world *w = sim_world_new();
  for (u32 i = 0; i < sim_sites_count(); i++) {
    const struct sim_site *site = sim_site_at(i);
    if (!site->func || strcmp(site->func, "plain_task") != 0) continue;
    loads += strncmp(site->prim, "load.", 5) == 0;
    stores += strncmp(site->prim, "store.", 6) == 0;
    copies += strncmp(site->prim, "memcpy.", 7) == 0;
  }
  sim_world_free(w);
  assert_true(loads > 0 && stores > 0 && copies == 1);
  assert_true(sim_hook_build() != 0);
}

// A scenario without a twin has no such parameter; one with a twin has it, within bounds.
static void parameter_is_of_scenarios_with_a_twin(void **state) {
  struct sim_scenario without = testing_plain;
  char err[128];
  without.hooked = NULL;
  struct sim_params *params = sim_params_new(&without);
  assert_false(sim_params_set(params, "hooks", "1", err, sizeof(err)));
  assert_non_null(strstr(err, "has no parameter 'hooks'"));
  sim_params_free(params);
  params = sim_params_new(&testing_plain);
  assert_true(sim_params_set(params, "hooks", "2", err, sizeof(err)));
  assert_false(sim_params_set(params, "hooks", "3", err, sizeof(err)));
  sim_params_free(params);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_additions_are_lost),
      cmocka_unit_test(copies_are_torn),
      cmocka_unit_test(interrupts_land_at_accesses),
      cmocka_unit_test(strategies_pick_at_accesses),
      cmocka_unit_test(odometer_goes_through_accesses),
      cmocka_unit_test(bytes_reach_accesses),
      cmocka_unit_test(time_passes_in_a_loop_of_plain_loads),
      cmocka_unit_test(plain_use_after_free_is_found),
      cmocka_unit_test(accesses_have_labels),
      cmocka_unit_test(parameter_is_of_scenarios_with_a_twin),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
