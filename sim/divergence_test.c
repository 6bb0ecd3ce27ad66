// SPDX-License-Identifier: GPL-2.0-or-later
//
// Divergence: runs that are the same are said to be; of others the first event that differs
// is the one that a comparison of whole text traces gives.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/divergence.h"
#include "sim/strategy.h"
#include "sim/task.h"
#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"
#include "sim/trace.h"

static struct sim_divergence_run seed_run(u64 seed, u8 fill) {
  return (struct sim_divergence_run){
      .input = {.backend = SIM_BACKEND_SEED, .seed = seed, .strategy = SIM_STRATEGY_RANDOM},
      .fill = fill};
}

// Same seed, other bytes in unused memory: one run.
static void same_seed(void **state) {
  const struct sim_scenario *const clean[] = {&testing_mixture, &testing_lost_update,
                                              &testing_draws};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(clean); i++) {
    struct sim_test h;
    sim_test_open_with(&h, clean[i], NULL);
    for (u64 seed = 0; seed < 20; seed++) {
      struct sim_divergence d;
      struct sim_divergence_run a = seed_run(seed, 0), b = seed_run(seed, 0xa5);
      assert_false(sim_divergence_find(h.world, &a, &b, 0, &d));
      assert_false(d.differs || d.found);
      assert_int_equal(d.digest[0], d.digest[1]);
      assert_true(d.draws[0] > 0);
    }
    sim_test_close(&h);
  }
}

static char *text_trace(struct sim_test *h, u64 seed) {
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream(&text, &len);
  struct sim_trace_text t;
  sim_trace_text_init(&t, out, 0);
  sim_world_set_sink(h->world, &t.sink);
  sim_test_strategy(h, SIM_STRATEGY_RANDOM, seed);
  sim_world_set_sink(h->world, NULL);
  fclose(out);
  return text;
}

static void expect_line(const char *expected, const char *line) {
  size_t len = strcspn(expected, "\n");
  if (strlen(line) != len || memcmp(expected, line, len) != 0)
    fail_msg("'%s' is not '%.*s'", line, (int)len, expected);
}

// Two seeds part where their text traces do.
static void first_event_that_differs(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_mixture, NULL);
  for (u64 seed = 0; seed < 20; seed++) {
    struct sim_divergence d;
    struct sim_divergence_run a = seed_run(seed, 0), b = seed_run(seed + 1, 0);
    assert_true(sim_divergence_find(h.world, &a, &b, 0, &d));
    assert_true(d.differs && d.found);
    char *trace_a = text_trace(&h, seed), *trace_b = text_trace(&h, seed + 1);
    u64 event = 0;
    const char *at_a = trace_a, *at_b = trace_b, *before = "";
    for (;;) {
      size_t len_a = strcspn(at_a, "\n"), len_b = strcspn(at_b, "\n");
      if (len_a != len_b || memcmp(at_a, at_b, len_a) != 0) break;
      before = at_a;
      at_a += len_a + 1;
      at_b += len_b + 1;
      event++;
    }
    assert_int_equal(d.event, event);
    expect_line(at_a, d.line[0]);
    expect_line(at_b, d.line[1]);
    expect_line(before, d.before);
    assert_int_equal(d.step, strtoull(at_a, NULL, 10));
    free(trace_a);
    free(trace_b);
  }
  sim_test_close(&h);
}

// A scenario that keeps something outside the world: the event that shows it is named, and
// so it is printed. From the third run on, so the first two are the same.
static void not_deterministic(void **state) {
  struct sim_test h;
  struct sim_divergence d;
  struct sim_divergence_run a = {.input = {.backend = SIM_BACKEND_CALM}}, b = a;
  sim_test_open_with(&h, &testing_not_deterministic, NULL);
  assert_false(sim_divergence_find(h.world, &a, &b, 0, &d));
  assert_true(sim_divergence_find(h.world, &a, &b, 0, &d));
  assert_true(d.found);
  assert_non_null(strstr(d.line[0], "leaky:leak"));
  assert_non_null(strstr(d.line[1], "leaky:leak"));
  assert_string_equal(strrchr(d.line[0], ' ') - 2, " 3 0");
  assert_string_equal(strrchr(d.line[1], ' ') - 2, " 4 0");
  assert_non_null(strstr(d.before, "leaky:read"));
  char *text = NULL, expected[200];
  size_t len;
  FILE *out = open_memstream(&text, &len);
  sim_divergence_print(&d, out);
  fclose(out);
  snprintf(expected, sizeof(expected), "event %llu is the first that differs, at step %llu\n",
           (unsigned long long)d.event, (unsigned long long)d.step);
  assert_non_null(strstr(text, expected));
  assert_non_null(strstr(text, d.line[0]));
  assert_non_null(strstr(text, d.line[1]));
  free(text);
  sim_test_close(&h);
}

// Fails at the end of every second run: one run's events are the beginning of the other's.
static u32 checks;
static const struct sim_oracle every_second = {"testing-every-second", SIM_SAFETY, "-", "-"};
static void prefix_task(void *arg) { SIM_POINT("only", NULL); }
static void prefix_setup(void) { sim_task_new("only", prefix_task, NULL, 0); }
static void prefix_check(void) {
  if (checks++ % 2) sim_fail(&every_second, "", "the second");
}
static const struct sim_scenario prefix = {.name = "testing-prefix",
                                           .claim = "-",
                                           .testonly = true,
                                           .setup = prefix_setup,
                                           .check = prefix_check};

// A run that has ended where the other has one more event.
static void one_run_is_longer(void **state) {
  struct sim_test h;
  struct sim_divergence d;
  struct sim_divergence_run calm = {.input = {.backend = SIM_BACKEND_CALM}};
  sim_test_open_with(&h, &prefix, NULL);
  for (u32 longer = 0; longer < 2; longer++) {
    checks = longer ? 0 : 1;
    assert_true(sim_divergence_find(h.world, &calm, &calm, 0, &d));
    assert_true(d.found);
    assert_non_null(strstr(d.line[longer], " fail "));
    assert_string_equal(d.line[1 - longer], "");
    assert_non_null(strstr(d.before, " task "));
    assert_int_equal(d.step, 1);
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    sim_divergence_print(&d, out);
    fclose(out);
    assert_non_null(strstr(text, longer ? "run 1: (has ended)\n" : "run 2: (has ended)\n"));
    free(text);
  }
  sim_test_close(&h);
}

// Where too few events are kept, the difference is still seen, but not placed.
static void too_few_kept(void **state) {
  struct sim_test h;
  struct sim_divergence d, whole;
  sim_test_open_with(&h, &testing_lost_update, "tasks=4");
  struct sim_divergence_run a, b;
  u64 seed = 0;
  do {
    a = b = seed_run(seed++, 0);
    b.input.strategy = SIM_STRATEGY_CALM;
    (void)sim_divergence_find(h.world, &a, &b, 0, &whole);
  } while (!whole.found || whole.event < 5);
  assert_true(sim_divergence_find(h.world, &a, &b, whole.event + 1, &d));
  assert_true(d.found);
  assert_int_equal(d.event, whole.event);
  assert_true(sim_divergence_find(h.world, &a, &b, whole.event, &d));
  assert_false(d.found);
  assert_true(d.differs);
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream(&text, &len);
  sim_divergence_print(&d, out);
  fclose(out);
  assert_non_null(strstr(text, "no event that was kept differs\n"));
  free(text);
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_seed),         cmocka_unit_test(first_event_that_differs),
      cmocka_unit_test(not_deterministic), cmocka_unit_test(one_run_is_longer),
      cmocka_unit_test(too_few_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
