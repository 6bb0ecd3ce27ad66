// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an input sets, and where its base seed and its draws begin.
#include "sim/testing/runs.h"

#include "fuzz/fuzz_input.h"

static const struct sim_param params[] = {
    {"tasks", 3, 1, 9, "", "counts", NULL},
    {"wait_ns", 5, 0, 100, "ns", "a time, which no input sets", NULL},
    {"doomed", 1, 0, 1, "", "which no input sets either", NULL, .provokes = true},
    {"odd", 0, 0, 1, "", "refused", NULL},
    {.name = NULL},
};
static bool refuses_odd(const struct sim_params *p, char *err, size_t len) {
  s64 odd = 0;

  return sim_params_get(p, "odd", &odd) && odd;
}
static const struct sim_scenario scenario = {
    .name = "case", .claim = "-", .params = params, .refuses = refuses_odd};

static s64 after(const u8 *bytes, size_t len, const char *key) {
  struct sim_params *p = sim_params_new(&scenario);
  s64 value = -1;

  fuzz_settings_apply(bytes, len, p);
  assert_true(sim_params_get(p, key, &value));
  sim_params_free(p);
  return value;
}

static void settings(void **state) {
  // num_cpus, hz, preempt, tasks: 1 + 2 CPUs; then tasks at its third value; the later one holds.
  static const u8 cpus[] = {1, 0, 2, 0}, tasks[] = {2, 3, 1, 0, 3, 2, 0}, same[] = {1, 8, 11, 0};
  static const u8 fifth[] = {1, 4, 1, 0}, odd_then_tasks[] = {2, 4, 1, 0, 3, 2, 0};
  u8 one[6], two[6];

  assert_int_equal(after(cpus, 0, "num_cpus"), 2);
  assert_int_equal(after(cpus, sizeof(cpus), "num_cpus"), 3);
  assert_int_equal(after(cpus, sizeof(cpus) - 1, "num_cpus"), 2);  // no whole setting
  assert_int_equal(after(tasks, sizeof(tasks), "tasks"), 3);
  assert_int_equal(after(tasks, sizeof(tasks), "wait_ns"), 5);
  // What the scenario refuses stays as it is, and costs no other setting.
  assert_int_equal(after(fifth, sizeof(fifth), "odd"), 0);
  assert_int_equal(after(odd_then_tasks, sizeof(odd_then_tasks), "tasks"), 3);
  for (u32 param = 0; param < 256; param++)
    for (u8 choice = 0; choice < 5; choice++) {
      const u8 bytes[] = {1, (u8)param, choice, 0};

      assert_int_equal(after(bytes, sizeof(bytes), "doomed"), 1);
    }
  // Numbers are taken modulo what there is.
  assert_int_equal(after(same, sizeof(same), "tasks"), 3);
  assert_int_equal(fuzz_settings_key(tasks, sizeof(tasks), &scenario, one), 2);
  assert_int_equal(fuzz_settings_key(same, sizeof(same), &scenario, two), 2);
  assert_memory_equal(one, two, 2);
}

static void base_and_draws(void **state) {
  static const u8 bytes[] = {5, 0, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 77, 0, 0, 0};
  struct sim_input input = fuzz_sim_input(bytes, sizeof(bytes));

  assert_true(input.based && input.seed == 0x0807060504030201);
  assert_ptr_equal(input.bytes, bytes + 12);
  assert_int_equal(input.len, 4);
  assert_false(fuzz_sim_input(bytes, 11).based);  // a seed that is cut is none
  assert_int_equal(fuzz_sim_input(bytes, 0).len, 0);
  assert_int_equal(fuzz_sim_input(NULL, 0).len, 0);
}

static void turns(void **state) {
  static const u8 bytes[] = {2 << FUZZ_TURNS_SHIFT | FUZZ_BASED,
                             1,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,  // the base
                             1,
                             2,
                             3,
                             4,
                             5,
                             6,
                             7,
                             8,
                             9,
                             10,
                             11,
                             12,
                             77,
                             0,
                             0,
                             0};
  static const u8 calm[] = {2 << FUZZ_TURNS_SHIFT, 77, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0};
  struct sim_input input = fuzz_sim_input(bytes, sizeof(bytes));
  struct fuzz_head head = fuzz_head(bytes, sizeof(bytes));

  assert_int_equal(input.num_turns, 2);
  assert_int_equal(input.turns[0].draws, 0x0201);
  assert_int_equal(input.turns[0].seed, 0x06050403);
  assert_int_equal(input.turns[1].draws, 0x0807);
  assert_int_equal(input.turns[1].seed, 0x0c0b0a09);
  assert_ptr_equal(input.bytes, bytes + 21);
  assert_int_equal(input.len, 4);
  assert_int_equal(fuzz_head_len(head), 21);
  assert_int_equal(fuzz_head_byte(head), bytes[0]);
  // What is cut is none, and without a base seed there is none.
  assert_int_equal(fuzz_sim_input(bytes, 20).num_turns, 1);
  assert_int_equal(fuzz_sim_input(bytes, 9).num_turns, 0);
  assert_int_equal(fuzz_sim_input(calm, sizeof(calm)).num_turns, 0);
  assert_int_equal(fuzz_sim_input(calm, sizeof(calm)).len, sizeof(calm) - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings),
      cmocka_unit_test(base_and_draws),
      cmocka_unit_test(turns),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
