// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sweep: it is clean near every so-manieth boundary, finds what it must, and its cases are the
// runs that their decisions make.
#include "models/testing/bulk.h"

#include "models/vdso/vdso_sweep.h"

struct count {
  u64 cases, failed;
  struct vdso_case first;  // that failed
  char oracle[64];
};

static bool always(void *arg) { return true; }

static bool look(void *arg, const struct vdso_case *done) {
  struct count *count = arg;

  count->cases++;
  if (!done->verdict->oracle) return true;
  if (!count->failed++) {
    count->first = *done;
    snprintf(count->oracle, sizeof(count->oracle), "%s", done->verdict->oracle->id);
  }
  return false;
}

static void open_bug(struct bulk *bulk, const char *arch, const char *bug) {
  const struct sim_scenario *scenario = seedbed_scenario_by_name("vdso-getrandom");
  char err[160];

  bulk->world = sim_world_new();
  bulk->params = sim_params_new(scenario);
  assert_true(sim_params_set(bulk->params, "arch", arch, err, sizeof(err)));
  if (bug) assert_true(sim_params_set_bug(bulk->params, bug));
  assert_int_equal(sim_world_setup(bulk->world, scenario, bulk->params, &bulk->result), SIM_OK);
}

// Single events and pairs at one boundary: 5 + 25 cases; with a window of 2, 5 + 75.
static void cases_are_counted_and_clean(void **state) {
  static const char *const archs[] = {"ppc32", "ppc64", "ppc64le", "arm64"};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct count count = {0};
    struct vdso_sweep *sweep;
    struct bulk bulk;
    u64 at, num = 0;

    open_bug(&bulk, archs[i], NULL);
    sweep = vdso_sweep_new();
    // A block by vectors has a third of the instructions.
    assert_true(vdso_sweep_boundaries(sweep) > (strcmp(archs[i], "arm64") ? 5000u : 3000u));
    for (at = 0; at < vdso_sweep_boundaries(sweep); at += 211, num++)
      vdso_sweep_at(sweep, at, 0, always, look, &count);
    assert_int_equal(count.failed, 0);
    assert_int_equal(count.cases, 30 * num);
    count.cases = 0;
    vdso_sweep_at(sweep, 100, 2, always, look, &count);
    assert_int_equal(count.cases, 80);
    bulk_close(&bulk);
  }
}

// A planted bug is found, and the decisions of the case make the same finding in a world.
static void decisions_make_the_case(void **state) {
  struct sim_decision items[8];
  struct sim_decisions list = {.item = items, .cap = SIM_ARRAY_SIZE(items)};
  struct sim_input input = {.backend = SIM_BACKEND_LIST, .list = &list};
  struct count count = {0};
  struct vdso_sweep *sweep;
  struct bulk bulk;
  u64 at = 0;

  open_bug(&bulk, "ppc64le", "generation-compared-early");
  sweep = vdso_sweep_new();
  for (; !count.failed && at < vdso_sweep_boundaries(sweep); at += 7)
    vdso_sweep_at(sweep, at, 0, always, look, &count);
  assert_true(count.failed > 0);
  assert_string_equal(count.oracle, "vdso-fresh");
  vdso_case_decisions(&count.first, &list);
  sim_world_run(bulk.world, &input, &bulk.result);
  assert_int_equal(bulk.result.num_failures, 1);
  assert_string_equal(bulk.result.failures[0].oracle, "vdso-fresh");
  assert_int_equal(sim_world_unmatched(bulk.world, NULL, 0), 0);
  bulk_close(&bulk);
}

// What the merged algorithm hands out when its page is wiped and a handler uses the state.
static void wipe_and_signal_are_found_in_the_merged_algorithm(void **state) {
  const struct sim_scenario *scenario = seedbed_scenario_by_name("vdso-getrandom");
  struct count count = {0};
  struct vdso_sweep *sweep;
  struct bulk bulk;

  bulk_open(&bulk, scenario, NULL, "state_trusted");
  sweep = vdso_sweep_new();
  for (u64 at = 0; !count.failed && at < vdso_sweep_boundaries(sweep); at += 3)
    vdso_sweep_at(sweep, at, 0, always, look, &count);
  assert_true(count.failed > 0);
  assert_int_equal(count.first.num_events, 2);
  bulk_close(&bulk);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cases_are_counted_and_clean),
      cmocka_unit_test(decisions_make_the_case),
      cmocka_unit_test(wipe_and_signal_are_found_in_the_merged_algorithm),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
