// SPDX-License-Identifier: GPL-2.0-or-later
//
// A module: its statics are the beginning of a world's arena and what a run did to them is undone;
// its sites count beside the program's. Here it is memory of this program; loaded ones are tried in
// tools/kernel_tests.
#include "sim/module.h"

#include "sim/testing/runs.h"

#include "sim/sched.h"

struct statics {
  u64 runs, sum;
  u64 *to_sum;  // as a relocation leaves it
};

static _Alignas(4096) char room[SIM_ARENA_SIZE];
static struct sim_site sites[] = {{.prim = "one", .func = "module_test_code"},
                                  {.prim = "read", .func = "module_test_code"}};
static struct sim_module module = {.site = sites,
                                   .num_sites = SIM_ARRAY_SIZE(sites),
                                   .data = room,
                                   .data_len = sizeof(struct statics),
                                   .room = sizeof(room)};

static struct statics *statics(void) { return (struct statics *)room; }

static void adder(void *arg) {
  sim_point(&sites[0], statics(), SIM_COST_ACCESS);
  SIM_EXPECT_EQ(statics()->runs, 7);
  *statics()->to_sum += 1 + sim_test_draw(4);
  sim_point(&sites[1], statics(), SIM_COST_ACCESS);
}

static void setup(void) {
  SIM_EXPECT_EQ(statics()->runs, 7);
  SIM_EXPECT(sim_arena_holds(&sim_w->arena, statics()));
  SIM_EXPECT((char *)sim_alloc_static(8, "behind") >= room + sizeof(struct statics));
  SIM_EXPECT(!sim_arena_is_freed(&sim_w->arena, statics()));
  for (u32 i = 0; i < 3; i++) sim_task_new("adder", adder, NULL, 0);
}

static void check(void) {
  if (statics()->sum < 103 || statics()->sum > 112)
    sim_fail(&sim_test_oracle, "", "the sum is %llu", (unsigned long long)statics()->sum);
  statics()->runs = 99;  // of this run alone
}

static const struct sim_oracle *const oracles[] = {NULL};
static const struct sim_scenario scenario = {
    .name = "module", .claim = "", .oracles = oracles, .setup = setup, .check = check};

// Runs, and set-ups, each begin with the statics as they were loaded.
static void statics_are_of_a_run(void **state) {
  struct sim_test t;

  sim_test_clean(&scenario, NULL, 300);
  sim_test_open(&t, &scenario, NULL);
  sim_test_seed(&t, 1);
  assert_int_equal(sim_world_setup(t.world, &scenario, t.params, &t.result), SIM_OK);
  sim_test_seed(&t, 1);
  assert_int_equal(t.result.status, SIM_OK);
  sim_test_close(&t);
}

// A world that was set up before the module came, with fewer sites, is set up on it and off it.
static void worlds_come_and_go(void **state) {
  struct sim_test t;
  u32 own;

  sim_module_use(NULL);
  own = sim_sites_count();
  t.scenario = &scenario;
  t.world = sim_world_new();
  t.params = sim_params_new(&scenario);
  sim_module_use(&module);
  assert_int_equal(sim_sites_count(), own + 2);
  assert_int_equal(sim_world_setup(t.world, &scenario, t.params, &t.result), SIM_OK);
  sim_test_seed(&t, 3);
  assert_int_equal(t.result.status, SIM_OK);
  sim_module_use(NULL);
  assert_int_equal(sim_sites_count(), own);
  sim_module_use(&module);
  sim_test_close(&t);
}

// Sites of a module have labels, streams and numbers like all, and one label is one number.
static void sites_are_found(void **state) {
  struct sim_site *site = sim_site_by_label("module_test_code:one");

  assert_ptr_equal(site, &sites[0]);
  assert_int_equal(site->stream, sim_point_stream());
  assert_ptr_equal(sim_site_at(site->canon), site);
  assert_int_equal(sim_site_index(site), site->canon);
  assert_true(site->hash == sim_hash_str("module_test_code:one"));
}

// Two worlds on one module take turns, and give each other's digests.
static void worlds_take_turns(void **state) {
  struct sim_test a, b;
  u64 digest;

  sim_test_open(&a, &scenario, NULL);
  sim_test_seed(&a, 5);
  digest = a.result.digest;
  sim_test_open(&b, &scenario, NULL);
  sim_test_seed(&b, 5);
  assert_true(b.result.digest == digest);
  assert_int_equal(sim_world_setup(a.world, &scenario, a.params, &a.result), SIM_OK);
  sim_test_seed(&a, 5);
  assert_true(a.result.digest == digest);
  sim_test_close(&b);
  sim_test_close(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statics_are_of_a_run),
      cmocka_unit_test(worlds_come_and_go),
      cmocka_unit_test(sites_are_found),
      cmocka_unit_test(worlds_take_turns),
  };

  *statics() = (struct statics){.runs = 7, .sum = 100, .to_sum = &statics()->sum};
  sim_module_use(&module);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
