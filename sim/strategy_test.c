// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strategies: each keeps its promise at points made by hand. Seeds are fixed, so that a
// share that is counted here is the same in every build.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/choice.h"
#include "sim/prng.h"
#include "sim/strategy.h"

static struct sim_alt alt(u32 actor, u32 slot, u32 obj) {
  return (struct sim_alt){.actor = (u16)actor, .slot = (u8)slot, .cpu = 0, .obj = obj};
}

// `n` tasks with slot = actor; object 0.
static void tasks(struct sim_alt *alts, u32 n) {
  for (u32 i = 0; i < n; i++) alts[i] = alt(i, i, 0);
}

// Names, lines and numbers belong together.
static void names(void **state) {
  for (int i = 0; i < SIM_STRATEGY_COUNT; i++) {
    assert_int_equal(sim_strategy_by_name(sim_strategy_name((u32)i)), i);
    assert_true(strlen(sim_strategy_line((u32)i)) > 10);
  }
  assert_int_equal(sim_strategy_by_name("pct2"), SIM_STRATEGY_PCT2);
  assert_int_equal(sim_strategy_by_name("pct"), -1);
  assert_int_equal(sim_strategy_by_name(""), -1);
}

// Folds the picks of a run over points that change from pick to pick.
static u64 picks_digest(struct sim_strategy_state *s, u32 strategy, u64 seed) {
  struct sim_alt alts[8];
  u64 h = sim_strategy_begin(s, strategy, seed);
  for (u32 i = 0; i < 500; i++) {
    u32 n = 2 + i * 7 % 6;
    for (u32 j = 0; j < n; j++) {
      u32 slot = (i * 3 + j * 5) % 11;
      alts[j] = alt(slot + i / 100 * 11, slot, (i + j) % 3);
    }
    u32 pick = sim_strategy_pick(s, alts, n);
    assert_true(pick < n);
    if (i % 50 == 7) sim_strategy_yielded(s, alts[pick].slot);
    h = sim_mix64(h ^ pick);
  }
  return h;
}

// A run's picks depend on its strategy, its seed and what it is shown: not on what the
// state ran before.
static void pure_function_of_the_seed(void **state) {
  struct sim_strategy_state *a = sim_strategy_new(), *b = sim_strategy_new();
  for (u32 strategy = 0; strategy < SIM_STRATEGY_COUNT; strategy++) {
    u32 differing = 0;
    u64 last = 0;
    for (u64 seed = 0; seed < 50; seed++) {
      u64 first = picks_digest(a, strategy, seed);
      picks_digest(b, (strategy + 3) % SIM_STRATEGY_COUNT, seed * 77);
      assert_int_equal(first, picks_digest(b, strategy, seed));
      differing += first != last;
      last = first;
    }
    if (strategy == SIM_STRATEGY_CALM || strategy == SIM_STRATEGY_RR)
      assert_int_equal(differing, 1);
    else
      assert_true(differing >= 35);
  }
  sim_strategy_free(a);
  sim_strategy_free(b);
}

static void calm_is_calm(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  struct sim_alt alts[5];
  tasks(alts, 5);
  sim_strategy_begin(s, SIM_STRATEGY_CALM, 1);
  for (u32 i = 0; i < 1000; i++) assert_int_equal(sim_strategy_pick(s, alts, 5), 0);
  sim_strategy_free(s);
}

// The random walk picks each alternative equally often; sticky does so at one point of 16
// and goes on at the others.
static void walks(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  struct sim_alt alts[5];
  tasks(alts, 5);
  for (int sticky = 0; sticky < 2; sticky++) {
    u32 count[5] = {0};
    sim_strategy_begin(s, sticky ? SIM_STRATEGY_STICKY : SIM_STRATEGY_RANDOM, 5);
    for (u32 i = 0; i < 160000; i++) count[sim_strategy_pick(s, alts, 5)]++;
    for (u32 i = 0; i < 5; i++) {
      u32 expected = !sticky ? 32000 : i == 0 ? 152000 : 2000;
      assert_in_range(count[i], expected - expected / 16, expected + expected / 16);
    }
  }
  sim_strategy_free(s);
}

// Round robin comes to each of those that can run in turn, by slot.
static void round_robin_order(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  struct sim_alt alts[3] = {alt(10, 7, 0), alt(11, 2, 0), alt(12, 40, 0)};
  sim_strategy_begin(s, SIM_STRATEGY_RR, 1);
  for (u32 i = 0; i < 5; i++) {
    assert_int_equal(sim_strategy_pick(s, alts, 3), 1);
    assert_int_equal(sim_strategy_pick(s, alts, 3), 0);
    assert_int_equal(sim_strategy_pick(s, alts, 3), 2);
  }
  assert_int_equal(sim_strategy_pick(s, alts, 3), 1);
  assert_int_equal(sim_strategy_pick(s, &alts[1], 2), 1);  // slot 7 cannot run: 40 is next
  struct sim_alt last[2] = {alt(4000, SIM_TASKS_MAX + SIM_CPUS_MAX - 1, 0), alt(1, 0, 0)};
  assert_int_equal(sim_strategy_pick(s, last, 2), 0);
  assert_int_equal(sim_strategy_pick(s, last, 2), 1);
  sim_strategy_free(s);
}

// From 1 to 3 delays a run, each to another alternative; each number and each of the
// alternatives occurs.
static void delays(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  struct sim_alt alts[4];
  u32 runs_with[4] = {0}, to[4] = {0};
  tasks(alts, 4);
  for (u64 seed = 0; seed < 300; seed++) {
    u32 num = 0;
    sim_strategy_begin(s, SIM_STRATEGY_DELAY, seed);
    for (u32 i = 0; i < 65536; i++) {
      u32 pick = sim_strategy_pick(s, alts, 4);
      num += pick != 0;
      to[pick]++;
    }
    assert_in_range(num, 1, 3);
    runs_with[num]++;
  }
  for (u32 i = 1; i < 4; i++) {
    assert_in_range(runs_with[i], 70, 130);
    assert_in_range(to[i], 150, 250);
  }
  sim_strategy_free(s);
}

// PCT keeps one order but for its change points, of which pct1, 2, 3, 5 have 0, 1, 2, 4
// in the first 65536 picks.
static void pct_change_points(void **state) {
  static const struct {
    u32 strategy, changes;
  } rows[] = {{SIM_STRATEGY_PCT1, 0},
              {SIM_STRATEGY_PCT2, 1},
              {SIM_STRATEGY_PCT3, 2},
              {SIM_STRATEGY_PCT5, 4}};
  struct sim_strategy_state *s = sim_strategy_new();
  struct sim_alt alts[8];
  tasks(alts, 8);
  for (u32 row = 0; row < SIM_ARRAY_SIZE(rows); row++) {
    u32 first[8] = {0}, early = 0;
    for (u64 seed = 0; seed < 200; seed++) {
      u32 changes = 0, seen = 0;
      sim_strategy_begin(s, rows[row].strategy, seed);
      u32 last = sim_strategy_pick(s, alts, 8);
      // A change point at the very first pick is seen only as another first task.
      first[last]++;
      for (u32 i = 1; i < 65536; i++) {
        u32 pick = sim_strategy_pick(s, alts, 8);
        changes += pick != last;
        early += pick != last && i < 64;
        // Who fell is below all others: none runs again while eight are there.
        if (pick != last) seen |= 1u << last;
        assert_false(seen >> pick & 1);
        last = pick;
      }
      assert_true(changes <= rows[row].changes);
      // Two at one pick, or one at the first, are the only ones not seen.
      if (changes < rows[row].changes) assert_true(rows[row].changes - changes <= 2);
    }
    for (u32 i = 0; i < 8; i++) assert_in_range(first[i], 10, 40);
    if (rows[row].changes) assert_true(early >= 20);
  }
  sim_strategy_free(s);
}

// The order is by task, not by place among the alternatives.
static void pct_order_is_by_task(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  struct sim_alt alts[6], some[6];
  for (u64 seed = 0; seed < 100; seed++) {
    tasks(alts, 6);
    sim_strategy_begin(s, SIM_STRATEGY_PCT1, seed);
    u32 rank[6], n = 6;
    while (n > 1) {  // the order, by taking the winner away
      u32 pick = sim_strategy_pick(s, alts, n);
      rank[alts[pick].actor] = n;
      alts[pick] = alts[--n];
    }
    rank[alts[0].actor] = 1;
    for (u32 set = 3; set < 64; set++) {
      u32 num = 0, best = 0;
      for (u32 i = 0; i < 6; i++) {
        if (!(set >> (5 - i) & 1)) continue;
        some[num++] = alt(5 - i, 5 - i, 0);
        if (rank[5 - i] > best) best = rank[5 - i];
      }
      if (num < 2) continue;
      assert_int_equal(rank[some[sim_strategy_pick(s, some, num)].actor], best);
    }
  }
  sim_strategy_free(s);
}

// A task that spins falls below all others; two that spin take turns.
static void spinner_falls(void **state) {
  static const u32 strategies[] = {SIM_STRATEGY_PCT1, SIM_STRATEGY_POS};
  struct sim_strategy_state *s = sim_strategy_new();
  struct sim_alt alts[4];
  tasks(alts, 4);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(strategies); i++) {
    for (u64 seed = 0; seed < 50; seed++) {
      sim_strategy_begin(s, strategies[i], seed);
      u32 first = sim_strategy_pick(s, alts, 4);
      sim_strategy_yielded(s, alts[first].slot);
      assert_int_not_equal(sim_strategy_pick(s, alts, 4), first);
      for (u32 turn = 0; turn < 20; turn++) {
        u32 a = sim_strategy_pick(s, alts, 2);
        sim_strategy_yielded(s, alts[a].slot);
        u32 b = sim_strategy_pick(s, alts, 2);
        assert_int_equal(b, 1 - a);
        sim_strategy_yielded(s, alts[b].slot);
      }
    }
  }
  sim_strategy_free(s);
}

// A task in the slot of one that ended draws a priority of its own.
static void new_task_in_old_slot(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  u32 newcomer = 0;
  for (u64 seed = 0; seed < 200; seed++) {
    struct sim_alt alts[2] = {alt(0, 0, 0), alt(1, 1, 0)};
    sim_strategy_begin(s, SIM_STRATEGY_PCT1, seed);
    u32 loser = 1 - sim_strategy_pick(s, alts, 2);
    alts[loser].actor = 9;
    newcomer += sim_strategy_pick(s, alts, 2) == loser;
  }
  // It beats the winner of two with 1/3.
  assert_in_range(newcomer, 50, 85);
  sim_strategy_free(s);
}

// A task keeps its priority when it is shown as another CPU's current task; the idle CPUs
// have one each.
static void pct_task_shown_as_cpu(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  u32 first_wins = 0;
  for (u64 seed = 0; seed < 200; seed++) {
    struct sim_alt here[2] = {alt(0, 0, 0), alt(SIM_ACTOR_CPU0 + 1, 1, 0)};
    struct sim_alt there[2] = {alt(1, 1, 0), alt(SIM_ACTOR_CPU0, 0, 0)};
    sim_strategy_begin(s, SIM_STRATEGY_PCT1, seed);
    u32 winner = sim_strategy_pick(s, here, 2);
    first_wins += winner == 0;
    for (u32 i = 0; i < 5; i++) {
      assert_int_equal(sim_strategy_pick(s, there, 2), 1 - winner);
      assert_int_equal(sim_strategy_pick(s, here, 2), winner);
    }
    struct sim_alt idle[2] = {alt(SIM_ACTOR_CPU0, SIM_TASKS_MAX, 0),
                              alt(SIM_ACTOR_CPU0 + 1, SIM_TASKS_MAX + 1, 0)};
    winner = sim_strategy_pick(s, idle, 2);
    for (u32 i = 0; i < 5; i++) assert_int_equal(sim_strategy_pick(s, idle, 2), winner);
  }
  assert_in_range(first_wins, 80, 120);
  sim_strategy_free(s);
}

// PCT's guarantee: a bug that needs one task to be stopped at one exact place of a run of k
// picks, and the other to run to its end then, is found by pct2.
static void pct_finds_one_preemption(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  u32 found = 0;
  for (u64 seed = 0; seed < 20000; seed++) {
    u32 done[2] = {0, 0};
    struct sim_alt alts[2] = {alt(0, 0, 0), alt(1, 1, 0)};
    bool hit = false;
    sim_strategy_begin(s, SIM_STRATEGY_PCT2, seed);
    while (done[0] < 100 && done[1] < 100) {
      u32 pick = sim_strategy_pick(s, alts, 2);
      // Task 1 does its 100 steps while task 0 stands between its 57th and 58th.
      done[pick]++;
      if (done[1] == 100) hit = done[0] == 57;
    }
    found += hit;
  }
  // 1/2 that task 0 comes first, and a change at one place of k, k drawn: about 1/600.
  assert_in_range(found, 20, 90);
  sim_strategy_free(s);
}

// POS draws anew for operations that race and for no others: task 1's one operation comes
// after all n operations of task 0 with 1/(n+1) if they are on other objects (a walk needs
// 2^n runs), and with about 1/2^n if all are on one.
static void pos_orders_partially(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  enum { N = 12, RUNS = 20000 };
  for (int same = 0; same < 2; same++) {
    u32 last = 0;
    for (u64 seed = 0; seed < RUNS; seed++) {
      sim_strategy_begin(s, SIM_STRATEGY_POS, seed);
      u32 done = 0;
      while (done < N) {
        struct sim_alt alts[2] = {alt(0, 0, same ? 99 : 100 + done), alt(1, 1, 99)};
        if (sim_strategy_pick(s, alts, 2) == 1) break;
        done++;
      }
      last += done == N;
    }
    if (same)
      assert_true(last <= 20);  // expected: 5
    else
      assert_in_range(last, RUNS / (N + 1) - 200, RUNS / (N + 1) + 200);
  }
  sim_strategy_free(s);
}

// The portfolio takes each strategy, says which, and picks as that one does.
static void portfolio_takes_all(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  u32 count[SIM_STRATEGY_COUNT] = {0};
  for (u64 seed = 0; seed < 3200; seed++)
    count[sim_strategy_begin(s, SIM_STRATEGY_PORTFOLIO, seed)]++;
  assert_int_equal(count[SIM_STRATEGY_PORTFOLIO], 0);
  for (u32 i = 1; i < SIM_STRATEGY_COUNT; i++) assert_true(count[i] >= 60);
  assert_in_range(count[SIM_STRATEGY_STICKY], 320, 480);
  assert_in_range(count[SIM_STRATEGY_DELAY], 320, 480);
  assert_in_range(count[SIM_STRATEGY_POS], 500, 700);
  for (u64 seed = 0; seed < 100; seed++) {
    u32 chosen = sim_strategy_begin(s, SIM_STRATEGY_PORTFOLIO, seed);
    struct sim_alt alts[6];
    u32 pick[200];
    tasks(alts, 6);
    for (u32 i = 0; i < 200; i++) pick[i] = sim_strategy_pick(s, alts, 6);
    sim_strategy_begin(s, chosen, seed);
    for (u32 i = 0; i < 200; i++) assert_int_equal(pick[i], sim_strategy_pick(s, alts, 6));
  }
  sim_strategy_free(s);
}

// Swarm: in a quarter of the portfolio's runs all classes are on, in an eighth all off, and
// in the others each on by itself with 1/2; with any other strategy all are on.
static void swarm_shares(void **state) {
  struct sim_strategy_state *s = sim_strategy_new();
  static const char *const labels[] = {"irq",          "fault", "time", "bcm2835-stuck",
                                       "bcm2835-late", "a",     "b",    "c"};
  enum { N = SIM_ARRAY_SIZE(labels), RUNS = 8000 };
  u32 all_on = 0, all_off = 0, both = 0, on[N] = {0};
  for (u64 seed = 0; seed < RUNS; seed++) {
    u32 num = 0;
    sim_strategy_begin(s, SIM_STRATEGY_PORTFOLIO, seed);
    for (u32 i = 0; i < N; i++) {
      bool is_on = sim_strategy_class_on(s, sim_hash_str(labels[i]));
      assert_int_equal(is_on, sim_strategy_class_on(s, sim_hash_str(labels[i])));
      on[i] += is_on;
      num += is_on;
    }
    all_on += num == N;
    all_off += num == 0;
    both += sim_strategy_class_on(s, sim_hash_str("irq")) &&
            sim_strategy_class_on(s, sim_hash_str("time"));
  }
  // By chance all eight agree in 5/8 * 1/256 of the runs.
  assert_in_range(all_on, RUNS / 4 - 150, RUNS / 4 + 190);
  assert_in_range(all_off, RUNS / 8 - 150, RUNS / 8 + 190);
  for (u32 i = 0; i < N; i++) assert_in_range(on[i], RUNS * 9 / 16 - 200, RUNS * 9 / 16 + 200);
  assert_in_range(both, RUNS * 13 / 32 - 200, RUNS * 13 / 32 + 200);
  for (u64 seed = 0; seed < 100; seed++) {
    sim_strategy_begin(s, SIM_STRATEGY_PCT2, seed);
    for (u32 i = 0; i < N; i++) assert_true(sim_strategy_class_on(s, sim_hash_str(labels[i])));
  }
  sim_strategy_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(pure_function_of_the_seed),
      cmocka_unit_test(calm_is_calm),
      cmocka_unit_test(walks),
      cmocka_unit_test(round_robin_order),
      cmocka_unit_test(delays),
      cmocka_unit_test(pct_change_points),
      cmocka_unit_test(pct_order_is_by_task),
      cmocka_unit_test(spinner_falls),
      cmocka_unit_test(new_task_in_old_slot),
      cmocka_unit_test(pct_task_shown_as_cpu),
      cmocka_unit_test(pct_finds_one_preemption),
      cmocka_unit_test(pos_orders_partially),
      cmocka_unit_test(portfolio_takes_all),
      cmocka_unit_test(swarm_shares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
