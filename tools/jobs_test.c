// SPDX-License-Identifier: GPL-2.0-or-later
//
// Many runs on many processes: the result does not depend on how many, and deaths have
// their place in it.

#include "tools/jobs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/checker.h"
#include "tools/keep.h"
#include "tools/known.h"
#include "tools/registry.h"

static void run_item(struct jobs_worker *worker, struct sim_world *world, u64 item, void *arg) {
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = item};
  struct sim_result result;

  jobs_run_one(worker, world, &input, &input.seed, &result);
}

// cmocka catches signals that a worker is to die by.
static void let_signals_kill(void) {
  static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(signals); i++) signal(signals[i], SIG_DFL);
}

static void make_spec(struct run_spec *spec, const char *scenario, const char *bug) {
  const struct sim_scenario *s = registry_find(scenario);

  assert_non_null(s);
  run_spec_init(spec, s);
  if (bug) assert_true(sim_params_set_bug(spec->params, bug));
}

static void set(struct run_spec *spec, const char *key, const char *value) {
  char err[256];

  if (!sim_params_set(spec->params, key, value, err, sizeof(err))) fail_msg("%s", err);
}

static struct jobs_plan plan_of(const struct run_spec *spec, u64 items, u32 jobs) {
  return (struct jobs_plan){
      .spec = spec,
      .items_last = items - 1,
      .jobs = jobs,
      .watchdog_ms = 60000,
      .item = run_item,
  };
}

static void expect_equal(const struct jobs_result *a, const struct jobs_result *b) {
  u32 i;

  assert_int_equal(a->runs, b->runs);
  assert_int_equal(distinct_count(&a->distinct), distinct_count(&b->distinct));
  assert_int_equal(a->completed, b->completed);
  assert_int_equal(a->num_marks, b->num_marks);
  for (i = 0; i < a->num_marks; i++) assert_int_equal(a->mark_hits[i], b->mark_hits[i]);
  assert_int_equal(a->num_suspects, b->num_suspects);
  for (i = 0; i < a->num_suspects; i++) assert_int_equal(a->suspect_hits[i], b->suspect_hits[i]);
  assert_int_equal(a->num_findings, b->num_findings);
  for (i = 0; i < a->num_findings; i++) {
    assert_string_equal(a->finding[i].key, b->finding[i].key);
    assert_int_equal(a->finding[i].run.item, b->finding[i].run.item);
    assert_int_equal(a->finding[i].run.digest, b->finding[i].run.digest);
    assert_int_equal(a->finding[i].count, b->finding[i].count);
    assert_int_equal(a->finding[i].death, b->finding[i].death);
    assert_int_equal(a->finding[i].decisions_len, b->finding[i].decisions_len);
    if (a->finding[i].decisions)
      assert_string_equal(a->finding[i].decisions, b->finding[i].decisions);
  }
}

// Runs the same plan with several numbers of processes.
static void expect_same_for_all_jobs(struct jobs_plan plan) {
  static const u32 jobs[] = {2, 5};
  struct jobs_result one, many;
  u32 i;

  plan.jobs = 1;
  jobs_run(&plan, &one);
  for (i = 0; i < SIM_ARRAY_SIZE(jobs); i++) {
    plan.jobs = jobs[i];
    jobs_run(&plan, &many);
    expect_equal(&one, &many);
    jobs_result_free(&many);
  }
  jobs_result_free(&one);
}

static void clean_runs_are_the_same_for_all_jobs(void **state) {
  struct run_spec spec;

  make_spec(&spec, "test-lost", NULL);
  expect_same_for_all_jobs(plan_of(&spec, 2000, 1));
  run_spec_free(&spec);
}

static void first_finding_is_the_same_for_all_jobs(void **state) {
  struct run_spec spec;
  struct jobs_result result;
  struct jobs_plan plan;

  // Rare enough that several workers are under way: 1 seed in 50 or so.
  make_spec(&spec, "test-deaths", NULL);
  plan = plan_of(&spec, 10000, 4);
  jobs_run(&plan, &result);
  assert_int_equal(result.num_findings, 1);
  assert_int_equal(result.runs, result.finding[0].run.item + 1);
  assert_int_equal(result.finding[0].status, SIM_LIVENESS);
  assert_non_null(result.finding[0].decisions);
  assert_false(result.completed);
  jobs_result_free(&result);
  expect_same_for_all_jobs(plan);
  run_spec_free(&spec);
}

static void keeping_going_is_the_same_for_all_jobs(void **state) {
  struct run_spec spec;
  struct jobs_plan plan;

  make_spec(&spec, "test-lost", "901");
  plan = plan_of(&spec, 3000, 1);
  plan.keep_going = true;
  expect_same_for_all_jobs(plan);
  run_spec_free(&spec);
}

static void suspects_are_counted_by_name(void **state) {
  struct run_spec spec;
  struct jobs_plan plan;
  struct jobs_result result;

  make_spec(&spec, "test-lost", NULL);
  set(&spec, "suspect.unlocked", "1");
  plan = plan_of(&spec, 1000, 2);
  jobs_run(&plan, &result);
  assert_int_equal(result.num_findings, 0);
  assert_int_equal(result.num_suspects, 1);
  assert_in_range(result.suspect_hits[0], 1, 1000);
  jobs_result_free(&result);
  expect_same_for_all_jobs(plan);
  run_spec_free(&spec);
}

// A run that kills its worker is a finding, with the lowest seed, however many there are.
static void deaths_are_findings(void **state) {
  static const struct {
    const char *how;
    enum jobs_death death;
    int code;
    enum sim_status status;
  } cases[] = {
      {"segv", JOBS_SIGNAL, SIGSEGV, SIM_CRASH},
      {"abort", JOBS_SIGNAL, SIGABRT, SIM_CRASH},
      {"exit", JOBS_EXIT, 3, SIM_CRASH},
      {"assert", JOBS_EXIT, SIM_OURS, SIM_OURS},
  };
  u32 i;

  let_signals_kill();
  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    struct jobs_result result;
    struct jobs_plan plan;
    struct run_spec spec;

    make_spec(&spec, "test-deaths", NULL);
    set(&spec, "how", cases[i].how);
    plan = plan_of(&spec, 1000, 3);
    jobs_run(&plan, &result);
    assert_int_equal(result.num_findings, 1);
    assert_int_equal(result.finding[0].death, cases[i].death);
    assert_int_equal(result.finding[0].code, cases[i].code);
    assert_int_equal(result.finding[0].status, cases[i].status);
    assert_int_equal(result.runs, result.finding[0].run.item + 1);
    jobs_result_free(&result);
    run_spec_free(&spec);
  }
}

static void deaths_are_the_same_for_all_jobs(void **state) {
  struct run_spec spec;
  struct jobs_plan plan;

  let_signals_kill();
  make_spec(&spec, "test-deaths", NULL);
  set(&spec, "how", "segv");
  expect_same_for_all_jobs(plan_of(&spec, 1000, 1));
  plan = plan_of(&spec, 300, 1);
  plan.keep_going = true;
  expect_same_for_all_jobs(plan);
  run_spec_free(&spec);
}

// A worker that somebody kills changes nothing: in a run, between two, at a chunk's start.
enum { KILL_IN_RUN = 300, KILL_BETWEEN = 700, KILL_AT_START = 256 };

static void run_item_killed_once(struct jobs_worker *worker, struct sim_world *world, u64 item,
                                 void *arg) {
  u32 *killed = arg;  // shared with those who come after
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = item};
  struct sim_result result;

  if (item == KILL_IN_RUN && !(*killed & 1)) {
    *killed |= 1;
    assert_int_equal(jobs_run_begin(worker), JOBS_RAN);
    raise(SIGKILL);
  }
  if (item == KILL_BETWEEN && !(*killed & 2)) {
    *killed |= 2;
    raise(SIGTERM);
  }
  if (item == KILL_AT_START && !(*killed & 4)) {
    *killed |= 4;
    raise(SIGKILL);
  }
  jobs_run_one(worker, world, &input, &input.seed, &result);
}

static void killed_workers_change_nothing(void **state) {
  u32 *killed =
      mmap(NULL, sizeof(*killed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct jobs_result undisturbed, disturbed;
  struct jobs_plan plan;
  struct run_spec spec;

  make_spec(&spec, "test-lost", "901");
  plan = plan_of(&spec, 10000, 1);
  plan.keep_going = true;
  jobs_run(&plan, &undisturbed);
  plan.item = run_item_killed_once;
  plan.arg = killed;
  jobs_run(&plan, &disturbed);
  assert_int_equal(*killed, 7);
  assert_null(disturbed.trouble);
  assert_true(disturbed.completed);
  expect_equal(&undisturbed, &disturbed);
  jobs_result_free(&undisturbed);
  jobs_result_free(&disturbed);
  munmap(killed, sizeof(*killed));
  run_spec_free(&spec);
}

// In the same run again: the job is given up, and no finding told.
static void run_that_is_killed_twice_is_trouble(void **state) {
  struct jobs_result first, result;
  struct jobs_plan plan;
  struct run_spec spec;

  make_spec(&spec, "test-deaths", NULL);
  plan = plan_of(&spec, 1000, 1);
  jobs_run(&plan, &first);
  set(&spec, "how", "kill");
  jobs_run(&plan, &result);
  assert_int_equal(result.num_findings, 0);
  assert_non_null(strstr(result.trouble, "a run was killed from outside twice"));
  assert_true(result.trouble_in_run);
  assert_int_equal(result.trouble_item, first.finding[0].run.item);
  jobs_result_free(&first);
  jobs_result_free(&result);
  set(&spec, "setup", "1");
  jobs_run(&plan, &result);
  assert_false(result.setup_failed);
  assert_non_null(strstr(result.trouble, "the set-up was killed from outside twice"));
  jobs_result_free(&result);
  run_spec_free(&spec);
}

static void run_item_late(struct jobs_worker *worker, struct sim_world *world, u64 item,
                          void *arg) {
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = item};
  struct sim_result result;

  assert_int_equal(jobs_run_begin(worker), JOBS_RAN);
  usleep(1000000);
  sim_world_run(world, &input, &result);
  jobs_run_end(worker, world, &input.seed, &result);
}

// A process that does not get to run is no hang, however long it takes.
static void waiting_is_no_hang(void **state) {
  struct jobs_result result;
  struct jobs_plan plan;
  struct run_spec spec;

  make_spec(&spec, "test-lost", NULL);
  plan = plan_of(&spec, 2, 2);
  plan.watchdog_ms = 300;
  plan.item = run_item_late;
  jobs_run(&plan, &result);
  assert_int_equal(result.num_findings, 0);
  assert_true(result.completed);
  jobs_result_free(&result);
  run_spec_free(&spec);
}

// No progress for the watchdog's time.
static void endless_loops_are_found(void **state) {
  struct run_spec spec;
  struct jobs_plan plan;
  struct jobs_result result;

  make_spec(&spec, "test-deaths", NULL);
  set(&spec, "how", "loop");
  plan = plan_of(&spec, 1000, 2);
  plan.watchdog_ms = 1000;
  jobs_run(&plan, &result);
  assert_int_equal(result.num_findings, 1);
  assert_int_equal(result.finding[0].death, JOBS_HANG);
  assert_int_equal(result.finding[0].status, SIM_BUDGET);
  assert_int_equal(result.runs, result.finding[0].run.item + 1);
  jobs_result_free(&result);
  run_spec_free(&spec);
}

static void setup_that_fails_is_told(void **state) {
  struct run_spec spec;
  struct jobs_plan plan;
  struct jobs_result result;

  make_spec(&spec, "test-deaths", NULL);
  set(&spec, "setup", "1");
  plan = plan_of(&spec, 1000, 2);
  jobs_run(&plan, &result);
  assert_true(result.setup_failed);
  assert_int_equal(result.setup_death, JOBS_ALIVE);
  assert_int_equal(result.setup.status, SIM_LIVENESS);
  assert_int_equal(result.runs, 0);
  jobs_result_free(&result);
  set(&spec, "how", "exit");
  jobs_run(&plan, &result);
  assert_true(result.setup_failed);
  assert_int_equal(result.setup_death, JOBS_EXIT);
  assert_int_equal(result.setup_code, 3);
  jobs_result_free(&result);
  run_spec_free(&spec);
}

// ---- Known findings ----

struct known_run {
  struct known_list list;
  struct subject subject;
};

static bool is_known(const char *key, void *arg) {
  const struct known_run *known = arg;

  return known_find(&known->list, &known->subject, key);
}

// What an image is known for is counted and stops nothing; the same key under the model, or
// under another image, does.
static void known_findings_do_not_stop(void **state) {
  struct known_run known = {.subject = {.kind = SUBJECT_IMAGE}};
  struct jobs_result first, result;
  struct jobs_plan plan;
  struct run_spec spec;
  char *text, err[256];

  make_spec(&spec, "test-deaths", NULL);
  plan = plan_of(&spec, 2000, 3);
  jobs_run(&plan, &first);
  assert_int_equal(first.num_findings, 1);

  memset(known.subject.sha256, 'a', 64);
  text = xasprintf("key %s\nsubject %s\nreason a test\nreplay none\n", first.finding[0].key,
                   known.subject.sha256);
  assert_true(known_parse(&known.list, text, strlen(text), err, sizeof(err)));
  plan.known = is_known;
  plan.arg = &known;
  jobs_run(&plan, &result);
  assert_int_equal(result.runs, 2000);
  assert_true(result.completed);
  assert_int_equal(result.num_findings, 1);
  assert_true(result.finding[0].known);
  assert_true(result.finding[0].count > 1);
  assert_int_equal(result.finding[0].run.item, first.finding[0].run.item);
  jobs_result_free(&result);
  expect_same_for_all_jobs(plan);

  known.subject.sha256[0] = 'b';
  jobs_run(&plan, &result);
  assert_int_equal(result.runs, first.runs);
  assert_false(result.finding[0].known);
  jobs_result_free(&result);

  known.subject.sha256[0] = 'a';
  known.subject.kind = SUBJECT_MODEL;
  jobs_run(&plan, &result);
  assert_int_equal(result.runs, first.runs);
  jobs_result_free(&result);

  known_free(&known.list);
  free(text);
  jobs_result_free(&first);
  run_spec_free(&spec);
}

// ---- Bounds ----

static void time_ends_an_endless_job(void **state) {
  struct run_spec spec;
  struct jobs_plan plan;
  struct jobs_result result;

  make_spec(&spec, "test-lost", NULL);
  plan = plan_of(&spec, 0, 2);  // to 2^64-1
  plan.time_ms = 1000;
  jobs_run(&plan, &result);
  assert_true(result.runs > 0);
  assert_false(result.completed);
  assert_false(result.interrupted);
  jobs_result_free(&result);
  run_spec_free(&spec);
}

static void few_items_need_few_workers(void **state) {
  struct run_spec spec;
  struct jobs_plan plan;
  struct jobs_result result;
  u64 items;

  make_spec(&spec, "test-lost", NULL);
  for (items = 1; items <= 5; items++) {
    plan = plan_of(&spec, items, 100);
    jobs_run(&plan, &result);
    assert_int_equal(result.runs, items);
    assert_true(result.completed);
    jobs_result_free(&result);
  }
  run_spec_free(&spec);
}

// Shrinking that is cut short leaves a list that fails with the digest it is given.
static void shrinking_has_a_bound(void **state) {
  struct sim_input seed = {.backend = SIM_BACKEND_SEED, .seed = 1}, list;
  struct sim_decision_file file = {0};
  struct sim_result result;
  struct run_spec spec;
  bool stopped;
  u32 before;
  int code;

  // Some hundred runs, of which each takes long.
  make_spec(&spec, "test-lost", "901");
  set(&spec, "rounds", "50000");
  run_decision_file(&spec, &seed.seed, "", 0, &file);
  assert_int_equal(keep_run(&spec, &seed, 60000, NULL, &file.list, &result, &code), JOBS_ALIVE);
  before = file.list.count;
  file.digest = result.digest;
  memcpy(file.key, result.failures[0].key, sizeof(file.key));
  keep_shrink(&spec, &file, 600000, 1, &stopped);
  assert_true(stopped);
  assert_in_range(file.list.count, 1, before);
  list = (struct sim_input){.backend = SIM_BACKEND_LIST, .list = &file.list};
  assert_int_equal(keep_run(&spec, &list, 60000, NULL, NULL, &result, &code), JOBS_ALIVE);
  assert_int_equal(result.digest, file.digest);
  assert_string_equal(result.failures[0].key, file.key);
  sim_decision_file_free(&file);
  run_spec_free(&spec);
}

static void finding_counts_are_told_once(struct jobs_finding *finding, void *arg) {
  u32 *told = arg;

  (*told)++;
  assert_non_null(finding->decisions);
}

static void each_key_is_told_once(void **state) {
  struct run_spec spec;
  struct jobs_plan plan;
  struct jobs_result result;
  u32 told = 0;

  make_spec(&spec, "test-lost", "901");
  plan = plan_of(&spec, 2000, 4);
  plan.keep_going = true;
  plan.finding = finding_counts_are_told_once;
  plan.arg = &told;
  jobs_run(&plan, &result);
  assert_int_equal(told, 2);
  assert_int_equal(result.num_findings, 2);
  jobs_result_free(&result);
  run_spec_free(&spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clean_runs_are_the_same_for_all_jobs),
      cmocka_unit_test(first_finding_is_the_same_for_all_jobs),
      cmocka_unit_test(keeping_going_is_the_same_for_all_jobs),
      cmocka_unit_test(suspects_are_counted_by_name),
      cmocka_unit_test(deaths_are_findings),
      cmocka_unit_test(deaths_are_the_same_for_all_jobs),
      cmocka_unit_test(killed_workers_change_nothing),
      cmocka_unit_test(run_that_is_killed_twice_is_trouble),
      cmocka_unit_test(waiting_is_no_hang),
      cmocka_unit_test(endless_loops_are_found),
      cmocka_unit_test(setup_that_fails_is_told),
      cmocka_unit_test(known_findings_do_not_stop),
      cmocka_unit_test(time_ends_an_endless_job),
      cmocka_unit_test(few_items_need_few_workers),
      cmocka_unit_test(shrinking_has_a_bound),
      cmocka_unit_test(each_key_is_told_once),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
