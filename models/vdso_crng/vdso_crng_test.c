// SPDX-License-Identifier: GPL-2.0-or-later
//
// vDSO readers on the CRNG: each architecture is served and judged, what the page says is
// followed, each oracle trips on what it is there for, and runs know nothing of each other.
#include "sim/testing/runs.h"

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_scene.h"
#include "models/vdso/vdso_scenarios.h"
#include "models/vdso_crng/vdso_crng_scenarios.h"
#include "models/vdso_crng/vdso_reader.h"
#include "sim/task.h"

// ---- A world of one reader and a script ----

struct state {
  struct crng_scene scene;
  struct vdso_readers readers;
  char variant[48];
};

static void (*act)(struct state *state);  // constant in a run

static void alone(void *arg) { act(arg); }

static void setup(void) {
  static const struct sim_bug none[] = {{.id = NULL}};
  struct state *state = crng_scene_setup(sizeof(*state));
  struct vdso_setting setting;
  char err[160];

  vdso_setting_from_params(&setting, state->variant, sizeof(state->variant), none);
  SIM_ASSERT(vdso_readers_setup(&state->readers, 2, &setting, false, &state->scene.watch, err,
                                sizeof(err)));
  crng_workqueue_init(&state->scene.rng);
  sim_task_new("alone", alone, state, 0);
}

static const struct sim_param params[] = {
    VDSO_PARAM_ARCH,
    VDSO_PARAM_KEY_ORDER,
    CRNG_SCENE_PARAMS,
};
static const struct sim_scenario script = {
    .name = "vdso-crng-script", .claim = "a test's", .params = params, .setup = setup};

static const char *const archs[] = {"arch=ppc32", "arch=ppc64", "arch=ppc64le", "arch=arm64"};

static void passes(void (*fn)(struct state *state)) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct sim_test t;

    act = fn;
    sim_test_open_with(&t, &script, archs[i]);
    sim_test_calm(&t);
    sim_test_show(&t, archs[i], 0);
    assert_int_equal(t.result.status, SIM_OK);
    sim_test_close(&t);
  }
}

static void trips(void (*fn)(struct state *state), const char *oracle) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct sim_test t;

    act = fn;
    sim_test_open_with(&t, &script, archs[i]);
    sim_test_calm(&t);
    if (t.result.num_failures == 0) fail_msg("%s: nothing fired, %s was to", archs[i], oracle);
    if (strcmp(t.result.failures[0].oracle, oracle) != 0) sim_test_show(&t, archs[i], 0);
    assert_string_equal(t.result.failures[0].oracle, oracle);
    sim_test_close(&t);
  }
}

// ---- Silent ----

// Before READY the system call serves, and says what it says; then keys come, one for many
// calls, and another after each reseed.
static void served(struct state *state) {
  struct vdso_readers *all = &state->readers;
  const struct vdso_reader *reader = &all->reader[0];

  vdso_reader_call(all, 0, 32, CRNG_GRND_NONBLOCK);
  SIM_EXPECT_EQ(reader->fell_back_result, -SIM_EAGAIN);
  vdso_reader_call(all, 0, 32, CRNG_GRND_INSECURE);
  SIM_EXPECT_EQ(reader->fell_back_result, 32);
  crng_scene_make_ready(&state->scene);
  vdso_reader_call(all, 0, 16, 0);
  SIM_EXPECT(!reader->fell_back);
  SIM_EXPECT_EQ(reader->num_keys, 1);
  vdso_reader_call(all, 0, 16, 0);
  SIM_EXPECT_EQ(reader->num_keys, 0);
  vdso_reader_call(all, 1, 200, 0);
  SIM_EXPECT_EQ(all->reader[1].num_keys, 1);
  crng_reseed(&state->scene.rng);
  for (u32 i = 0; i < 2; i++) {
    vdso_reader_call(all, i, 16, 0);
    SIM_EXPECT_EQ(all->reader[i].num_keys, 1);
    vdso_reader_call(all, i, 96, 0);
    SIM_EXPECT_EQ(all->reader[i].num_keys, 0);
  }
}

static void calls_are_served(void **state) { passes(served); }

// ---- Tripped ----

// The page goes on showing the generation of a key that was replaced.
static void page_that_lags(struct state *state) {
  struct vdso_readers *all = &state->readers;

  crng_scene_make_ready(&state->scene);
  vdso_reader_call(all, 0, 16, 0);
  state->scene.watch.page = NULL;
  crng_reseed(&state->scene.rng);
  vdso_reader_call(all, 0, 16, 0);
}

// The guest finds is_ready set, and the kernel has not set it.
static void page_that_is_early(struct state *state) {
  crng_scene_make_ready(&state->scene);
  vdso_reader_call(&state->readers, 0, 16, 0);
  state->scene.rng.vdso.is_ready = 0;
  vdso_reader_call(&state->readers, 0, 16, 0);
}

// A state is copied to another process, which goes on with its batch.
static void state_that_is_shared(struct state *state) {
  struct vdso_readers *all = &state->readers;

  crng_scene_make_ready(&state->scene);
  for (u32 i = 0; i < 2; i++) vdso_reader_call(all, i, 16, 0);
  memcpy(all->reader[1].m->fast.state[0], all->reader[0].m->fast.state[0], VDSO_STATE_LEN);
  for (u32 i = 0; i < 2; i++) vdso_reader_call(all, i, 16, 0);
}

static void oracles_trip(void **state) {
  trips(page_that_lags, "vdso-crng-fresh");
  trips(page_that_is_early, "vdso-crng-ready");
  trips(state_that_is_shared, "vdso-keystream-once");
}

// ---- Runs ----

enum { SEEDS = 400 };

// On each architecture a few runs are clean, have the digest they had before, whatever ran in
// between, and reach what the scenario is for.
static void runs_are_their_own(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    u64 digests[SEEDS];
    struct sim_test t;
    u32 reached = 0;

    sim_test_open_with(&t, &scenario_vdso_crng, archs[i]);
    for (u64 seed = 0; seed < SEEDS; seed++) {
      sim_test_seed(&t, seed);
      sim_test_show(&t, archs[i], seed);
      assert_int_equal(t.result.num_failures, 0);
      digests[seed] = t.result.digest;
    }
    for (u64 seed = SEEDS; seed-- > 0;) {
      sim_test_seed(&t, seed);
      assert_int_equal(t.result.digest, digests[seed]);
    }
    for (u32 m = 0; m < sim_marks_count(); m++) {
      const struct sim_mark *mark = sim_mark_at(m);

      if (strcmp(mark->scenario, "vdso-crng") == 0) reached += mark->hits > 0;
    }
    assert_int_equal(reached, 4);
    sim_test_close(&t);
  }
}

// With locks that sleep, and softirqs in threads, too.
static void clean_under_rt(void **state) {
  struct sim_test t;

  sim_test_open_with(&t, &scenario_vdso_crng, "rt=1");
  for (u64 seed = 0; seed < SEEDS; seed++) {
    sim_test_seed(&t, seed);
    sim_test_show(&t, "rt", seed);
    assert_int_equal(t.result.num_failures, 0);
  }
  sim_test_close(&t);
}

// A kernel that has no page for the vDSO is not offered: nothing would be looked at.
// Each fork is judged by its own identity: once it was by that of the one that began last.
static void forks_at_once_are_told_apart(void **state) {
  struct sim_test t;

  sim_test_open_with(&t, &scenario_vdso_crng, "reseeders=3");
  for (u64 seed = 1; seed <= 100; seed++) {
    sim_test_seed(&t, seed);
    sim_test_show(&t, "seed", seed);
    assert_int_equal(t.result.status, SIM_OK);
  }
  sim_test_close(&t);
}

static void kernels_without_a_page_are_refused(void **state) {
  struct sim_params *given = sim_params_new(&scenario_vdso_crng);
  char err[160];

  assert_true(sim_params_set(given, "version", "7.2", err, sizeof(err)));
  assert_true(sim_params_set(given, "version", "6.12", err, sizeof(err)));
  assert_false(sim_params_set(given, "version", "6.1", err, sizeof(err)));
  sim_params_free(given);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_are_served),
      cmocka_unit_test(oracles_trip),
      cmocka_unit_test(runs_are_their_own),
      cmocka_unit_test(clean_under_rt),
      cmocka_unit_test(forks_at_once_are_told_apart),
      cmocka_unit_test(kernels_without_a_page_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
