// SPDX-License-Identifier: GPL-2.0-or-later
//
// Exhaustive search by the odometer: on one CPU the number of executions, and of those that
// lose an update, must be what a model of the scheduler says that is written here anew.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"

// ---- The model ----
// Tasks of one CPU that run a sequence of operations, each after a scheduling point at
// which any other task may go first; a task that was preempted comes last in the queue,
// and its operation happens when it is back.

enum { TASKS_MAX = 4, OPS_MAX = 16 };

struct model {
  u32 tasks, ops;  // operations of each: even ones read, odd ones write
  u32 bound;       // switches allowed; ~0: no bound
  u64 executions, lost;
};

struct state {
  u32 counter;
  u32 value[TASKS_MAX];  // what each read
  u32 done[TASKS_MAX];   // operations that happened
  bool at_point[TASKS_MAX];
  u32 queue[TASKS_MAX], queued;
};

static void explore(struct model *m, struct state s, u32 cur, u32 used);

static void operate(struct state *s, u32 task) {
  if (s->done[task] % 2 == 0)
    s->value[task] = s->counter;
  else
    s->counter = s->value[task] + 1;
  s->done[task]++;
  s->at_point[task] = false;
}

// Goes on with the queued task at `i`, after the current one went behind the others
// (unless it has ended).
static void switch_to(struct model *m, struct state s, u32 i, u32 cur, bool ended, u32 used) {
  u32 next = s.queue[i];
  s.queued--;
  for (; i < s.queued; i++) s.queue[i] = s.queue[i + 1];
  if (!ended) s.queue[s.queued++] = cur;
  explore(m, s, next, used);
}

static void explore(struct model *m, struct state s, u32 cur, u32 used) {
  if (s.at_point[cur]) operate(&s, cur);
  if (s.done[cur] == m->ops) {
    if (s.queued == 0) {
      m->executions++;
      m->lost += s.counter != m->tasks * m->ops / 2;
      return;
    }
    // Who comes first is calm.
    for (u32 i = 0; i < s.queued; i++)
      if (i == 0 || used < m->bound) switch_to(m, s, i, cur, true, used + (i != 0));
    return;
  }
  s.at_point[cur] = true;
  explore(m, s, cur, used);  // goes on
  for (u32 i = 0; i < s.queued && used < m->bound; i++) switch_to(m, s, i, cur, false, used + 1);
}

static struct model model_of(u32 tasks, u32 adds, u32 bound) {
  struct model m = {.tasks = tasks, .ops = 2 * adds, .bound = bound ? bound : ~0u};
  struct state s = {.queued = tasks};
  for (u32 i = 0; i < tasks; i++) s.queue[i] = i;
  // The start is a choice among all, as after an end.
  for (u32 i = 0; i < tasks; i++)
    if (i == 0 || m.bound > 0) switch_to(&m, s, i, 0, true, i != 0);
  return m;
}

// ---- The search ----

static struct model search(u32 tasks, u32 adds, u32 bound) {
  struct sim_test h;
  struct model found = {0};
  struct sim_odometer odometer = {.bound = bound};
  struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};
  char settings[100];
  snprintf(settings, sizeof(settings), "num_cpus=1 bug=race tasks=%u adds=%u", tasks, adds);
  sim_test_open_with(&h, &testing_lost_update, settings);
  do {
    sim_test_run(&h, &input);
    found.executions++;
    found.lost += h.result.status == SIM_SAFETY;
    assert_int_equal(h.result.draws, odometer.len);
  } while (sim_odometer_next(&odometer));
  assert_false(odometer.diverged);
  sim_odometer_free(&odometer);
  sim_test_close(&h);
  return found;
}

// Two tasks of two operations: 20 executions, counted by hand. At a point a task goes on or
// the other comes; let c(i, j) be the executions when the current task has i points ahead
// and the other j: c(0, j) = 1, c(i, j) = c(i-1, j) + c(j, i-1), so c(2, 2) = 10; and two
// ways to begin.
static void two_tasks_by_hand(void **state) {
  struct model found = search(2, 1, 0);
  assert_int_equal(found.executions, 20);
  assert_in_range(found.lost, 1, 19);
}

// Every execution runs once, and those that lose an update are as many as the model's.
static void every_execution(void **state) {
  static const u32 rows[][3] = {{1, 1, 0}, {2, 1, 0}, {2, 2, 0}, {3, 1, 0}, {2, 1, 1},
                                {2, 1, 2}, {2, 2, 1}, {2, 2, 2}, {3, 1, 1}, {3, 1, 2},
                                {3, 2, 2}, {4, 1, 2}, {2, 5, 2}};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    struct model expected = model_of(rows[i][0], rows[i][1], rows[i][2]);
    struct model found = search(rows[i][0], rows[i][1], rows[i][2]);
    if (found.executions != expected.executions || found.lost != expected.lost)
      fail_msg("row %u: %llu executions, %llu lost; the model has %llu and %llu", i,
               (unsigned long long)found.executions, (unsigned long long)found.lost,
               (unsigned long long)expected.executions, (unsigned long long)expected.lost);
    assert_int_equal(found.lost > 0, rows[i][0] > 1);
  }
}

// With the lock there are executions, and none loses anything; on two CPUs too.
static void lock_holds_exhaustively(void **state) {
  static const char *const settings[] = {"num_cpus=1 adds=2", "num_cpus=2"};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(settings); i++) {
    struct sim_test h;
    struct sim_odometer odometer = {.bound = 3};
    struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};
    u64 runs = 0;
    sim_test_open_with(&h, &testing_lost_update, settings[i]);
    do {
      sim_test_run(&h, &input);
      assert_int_equal(h.result.status, SIM_OK);
      runs++;
    } while (sim_odometer_next(&odometer));
    assert_true(runs >= 25);
    sim_odometer_free(&odometer);
    sim_test_close(&h);
  }
}

// The depth bound: the first draws are searched, the rest is calm. Two tokens deadlock in
// the one order in which each task has taken its first.
static void depth_bound_finds_deadlock(void **state) {
  struct sim_test h;
  u64 runs[3] = {0};
  sim_test_open_with(&h, &testing_two_tokens, "num_cpus=1");
  for (u32 depth = 1; depth <= 3; depth++) {
    struct sim_odometer odometer = {.depth_max = depth};
    struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};
    u32 deadlocks = 0;
    do {
      sim_test_run(&h, &input);
      deadlocks += h.result.status == SIM_LIVENESS;
      runs[depth - 1]++;
    } while (sim_odometer_next(&odometer));
    assert_int_equal(runs[depth - 1], 1u << depth);  // each of the first draws has two ways
    // Draws: who begins, the first point (before a token is taken), the second (after it).
    assert_int_equal(deadlocks > 0, depth == 3);
    sim_odometer_free(&odometer);
  }
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_tasks_by_hand),
      cmocka_unit_test(every_execution),
      cmocka_unit_test(lock_holds_exhaustively),
      cmocka_unit_test(depth_bound_finds_deadlock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
