// SPDX-License-Identifier: GPL-2.0-or-later
//
// The life of a world and of a run: phases and healing, budgets, failing and reporting,
// keys, suspects, set-up, sinks and stops. Memory and reset are in memory_test.c.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/sched.h"
#include "sim/task.h"
#include "sim/trace.h"
#include "sim/wait.h"

struct shared {
  struct sim_completion done;
  struct sim_hw_event event;
  struct sim_mutex mutex[2];
  u32 heals, after[5], before[5];
  u64 healed_ns;
  u32 line;
  bool stuck;
};
static struct shared *sh(void) { return sim_private(); }
static u32 choice;

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_init_completion(&s->done, "done");
  sim_mutex_init(&s->mutex[0], "a");
  sim_mutex_init(&s->mutex[1], "b");
}
static const struct sim_oracle *const no_oracles[] = {NULL};
#define CASE(name_, main_, ...)              \
  static void name_##_setup(void) {          \
    make_shared();                           \
    sim_task_new("main", main_, sh(), 0);    \
  }                                          \
  static const struct sim_scenario name_ = { \
      .name = #name_, .oracles = no_oracles, .setup = name_##_setup, ##__VA_ARGS__};

static void step(void) { SIM_POINT("step", NULL); }

// ---- Phases ----

static void healed(void) {
  struct shared *s = sh();
  SIM_EXPECT(sim_healed());
  s->heals++;
  s->healed_ns = sim_clock_ns();
}
static u32 draw(u32 kind) {
  switch (kind) {
    case 0:
      return sim_choose(sim_w, SIM_SITE_DRAW("w-fault", SIM_SITE_FAULT, 1, 2), 5);
    case 1:
      return sim_choose(sim_w, SIM_SITE_DRAW("w-irq", SIM_SITE_IRQ, 1, 2), 5);
    case 2:
      return sim_choose(sim_w, SIM_SITE_DRAW("w-time", SIM_SITE_TIME, 0, 0), 5);
    default:
      return sim_choose(sim_w, SIM_SITE_DRAW("w-work", SIM_SITE_WORK, 0, 0), 5);
  }
}
static void phases_main(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 400; i++) {
    for (u32 kind = 0; kind < 4; kind++) (sim_healed() ? s->after : s->before)[kind] += draw(kind);
    sim_elapse(100000);
  }
}
static void phases_check(void) {
  const struct shared *s = sh();
  SIM_EXPECT_EQ(s->heals, 1);
  u64 chaos = sim_world_config(sim_w)->chaos_ns;
  SIM_EXPECT(s->healed_ns >= sim_w->start_clock_ns + chaos);
  SIM_EXPECT(s->healed_ns < sim_w->start_clock_ns + chaos + 100000);
  for (u32 kind = 0; kind < 3; kind++) SIM_EXPECT_EQ(s->after[kind], 0);
  SIM_EXPECT(s->after[3] > 0);
  for (u32 kind = 0; kind < 4 && chaos; kind++) SIM_EXPECT(s->before[kind] > 0);
}
CASE(phases, phases_main, .heal = healed, .check = phases_check)

static void run_random(struct sim_test *t, u64 seed) {
  struct sim_input in = {
      .backend = SIM_BACKEND_SEED, .seed = seed, .strategy = SIM_STRATEGY_RANDOM};
  sim_world_run(t->world, &in, &t->result);
}
static void clean_random(const struct sim_scenario *scenario, const char *const *set, u64 seeds) {
  struct sim_test t;
  sim_test_open(&t, scenario, set);
  for (u64 seed = 0; seed < seeds; seed++) {
    run_random(&t, seed);
    sim_test_show(&t, "seed", seed);
    assert_int_equal(t.result.status, SIM_OK);
  }
  sim_test_close(&t);
}

// Phase one lasts for chaos_ns. Then heal is called, once, and nothing is drawn but what the
// workload does next.
static void chaos_then_healing(void **state) {
  (void)state;
  clean_random(&phases, (const char *const[]){"chaos_ns", "10000000", NULL}, 100);
  clean_random(&phases, (const char *const[]){"chaos_ns", "0", NULL}, 100);
  // Nor are points draws.
  struct sim_test t;
  sim_test_open(&t, &phases, (const char *const[]){"chaos_ns", "0", NULL});
  run_random(&t, 1);
  assert_true(t.result.healed);
  assert_int_equal(t.result.draws, 400);
  u32 n;
  const struct sim_draw *d = sim_world_draws(t.world, &n);
  for (u32 i = 0; i < n; i++) assert_int_equal(sim_site_at(d[i].site)->kind, SIM_SITE_WORK);
  sim_test_close(&t);
}

static void by_hand_main(void *arg) {
  struct shared *s = arg;
  step();
  SIM_EXPECT(!sim_healed());
  sim_heal();
  SIM_EXPECT(sim_healed());
  sim_heal();
  SIM_EXPECT_EQ(s->heals, 1);
}
CASE(by_hand, by_hand_main, .heal = healed)
static void heal_in_setup(void) {
  by_hand_setup();
  sim_heal();
  SIM_EXPECT(!sim_healed());
}
static const struct sim_scenario by_hand_in_setup = {
    .name = "by_hand_in_setup", .setup = heal_in_setup, .heal = healed};

static void completes(void *arg) { sim_complete(&((struct shared *)arg)->done); }
static void heal_arms(void) {
  struct shared *s = sh();
  healed();
  sim_hw_event_arm(&s->event, sim_clock_ns() + 1000, completes, s, sim_nr_cpus() - 1);
}
static void heal_raises(void) {
  healed();
  sim_irq_raise(sh()->line);
}
static void waits_main(void *arg) {
  struct shared *s = arg;
  sim_wait_for_completion(&s->done);
  SIM_EXPECT(sim_healed());
}
CASE(waits_for_heal, waits_main, .heal = heal_arms)
static void waits_irq_setup(void) {
  make_shared();
  sh()->line = sim_irq_register("line", completes, sh(), sim_nr_cpus() - 1, false);
  sim_task_new("main", waits_main, sh(), 0);
}
static const struct sim_scenario waits_irq = {
    .name = "waits_irq", .setup = waits_irq_setup, .heal = heal_raises};

// When nothing is left to happen the run heals; what healing brings about goes on.
static void healing_by_quiescence(void **state) {
  (void)state;
  sim_test_clean(&by_hand, NULL, 20);
  sim_test_clean(&by_hand_in_setup, NULL, 20);
  sim_test_clean(&waits_for_heal, NULL, 20);
  sim_test_clean(&waits_irq, NULL, 20);
  sim_test_clean(&waits_irq, (const char *const[]){"num_cpus", "1", NULL}, 20);
}

static void stuck_main(void *arg) { sim_wait_for_completion(&((struct shared *)arg)->done); }
CASE(stuck, stuck_main)
static void for_ever_main(void *arg) {
  for (;;) sim_elapse(50000);
  (void)arg;
}
CASE(for_ever, for_ever_main)
static void draws_for_ever_main(void *arg) {
  for (;;) step();
  (void)arg;
}
CASE(steps_for_ever, draws_for_ever_main)

static void fails_with(const struct sim_scenario *scenario, const char *const *set,
                       enum sim_status status, const char *oracle, u64 vtime_min, u64 vtime_max) {
  struct sim_test t;
  sim_test_open(&t, scenario, set);
  for (u64 seed = 0; seed < 10; seed++) {
    sim_test_seed(&t, seed);
    assert_int_equal(t.result.status, status);
    assert_int_equal(t.result.num_failures, 1);
    assert_string_equal(t.result.failures[0].oracle, oracle);
    assert_int_equal(t.result.failures[0].step, t.result.steps);
    assert_true(t.result.vtime_ns >= vtime_min && t.result.vtime_ns <= vtime_max);
  }
  sim_test_close(&t);
}

// Healed, a run that waits for ever is a deadlock; one that goes on for longer than the
// budget does not converge; one that takes too many steps exceeds its budget.
static void runs_that_do_not_end(void **state) {
  (void)state;
  fails_with(&stuck, NULL, SIM_LIVENESS, "deadlock", 0, 1000000);
  static const char *const times[] = {"chaos_ns", "10000000", "heal_budget_ns", "20000000", NULL};
  fails_with(&for_ever, times, SIM_LIVENESS, "no-convergence", 30000000, 30100000);
  fails_with(&steps_for_ever, (const char *const[]){"steps_max", "5000", NULL}, SIM_BUDGET,
             "budget", 50000, 100000);
}

static const struct sim_oracle cause = {"w-cause", SIM_LIVENESS, "s", "t"};
static void tell_cause(void) { sim_fail(&cause, "", "told"); }
CASE(told_stuck, stuck_main, .stuck = tell_cause)
CASE(told_for_ever, for_ever_main, .stuck = tell_cause)
static void tell_nothing(void) {}
CASE(untold, stuck_main, .stuck = tell_nothing)

// A scenario that can tell the cause of either is asked first.
static void cause_is_told_before(void **state) {
  (void)state;
  static const char *const times[] = {"chaos_ns", "10000000", "heal_budget_ns", "20000000", NULL};
  sim_test_always(&told_stuck, NULL, 5, "w-cause");
  sim_test_always(&told_for_ever, times, 5, "w-cause");
  sim_test_always(&untold, NULL, 5, "deadlock");
}

static void long_setup(void) {
  make_shared();
  for (u32 i = 0; i < 100; i++) step();
  sim_task_new("main", draws_for_ever_main, sh(), 0);
}
static const struct sim_scenario sets_up_long = {.name = "sets_up_long", .setup = long_setup};

// The smallest budget is a run's: set-up took none of it, and the run has a digest.
static void budget_is_of_the_run(void **state) {
  struct sim_test t;
  sim_test_open(&t, &sets_up_long, (const char *const[]){"steps_max", "1", NULL});
  sim_test_seed(&t, 1);
  assert_int_equal(t.result.status, SIM_BUDGET);
  assert_int_equal(t.result.steps, 1);
  assert_true(t.result.digest != 0);
  sim_test_close(&t);
}

static void irqs_off_main(void *arg) {
  unsigned long flags;
  sim_local_irq_save(flags);
  for (u32 i = 0; i < 15; i++) sim_mdelay(1);
  sim_local_irq_restore(flags);
}
static void grows_main(void *arg) {
  irqs_off_main(arg);
  sim_preempt_disable();
  for (u32 i = 0; i < 25; i++) sim_mdelay(1);
  sim_preempt_enable();
  sim_msleep(70);
}
CASE(too_slow, irqs_off_main)
static void grows_setup(void) {
  make_shared();
  sim_heal_budget_grow(100 * SIM_NSEC_PER_MSEC);
  sim_atomic_bounds_grow(6 * SIM_NSEC_PER_MSEC);
  sim_task_new("main", grows_main, sh(), 0);
}
static const struct sim_scenario grows = {.name = "grows", .setup = grows_setup};
static void half_grows_setup(void) {
  make_shared();
  sim_atomic_bounds_grow(6 * SIM_NSEC_PER_MSEC);
  sim_task_new("main", grows_main, sh(), 0);
}
static const struct sim_scenario half_grows = {.name = "half_grows", .setup = half_grows_setup};

// By what a set-up has said, for its runs, and not for those of another.
static void bounds_grow(void **state) {
  static const char *const set[] = {"chaos_ns", "0", "heal_budget_ns", "40000000", NULL};
  sim_test_always(&too_slow, NULL, 3, "irq-off-too-long");
  sim_test_clean(&grows, set, 3);
  sim_test_always(&half_grows, set, 3, "no-convergence");
  sim_test_always(&too_slow, NULL, 3, "irq-off-too-long");
}

// ---- Heal and check are no place for primitives ----

static void bad_callback(void) {
  struct shared *s = sh();
  switch (choice) {
    case 0:
      step();
      break;
    case 1:
      sim_mutex_lock(&s->mutex[0]);
      break;
    case 2:
      sim_complete(&s->done);
      break;
    case 3:
      sim_elapse(10);
      break;
    case 4:
      sim_msleep(1);
      break;
    case 5:
      sim_yield();
      break;
    default:
      break;
  }
}
static void heal_main(void *arg) {
  step();
  sim_heal();
  for (u32 i = 0; i < 100; i++) step();
  (void)arg;
}
CASE(bad_heal, heal_main, .heal = bad_callback)
CASE(bad_quiescent, stuck_main, .heal = bad_callback)
CASE(bad_check, heal_main, .check = bad_callback)

static void callbacks_call_no_primitive(void **state) {
  struct sim_test t;
  (void)state;
  for (choice = 0; choice < 6; choice++) {
    sim_test_always(&bad_heal, NULL, 5, "api-misuse");
    sim_test_always(&bad_quiescent, NULL, 5, "api-misuse");
    sim_test_always(&bad_check, NULL, 5, "api-misuse");
  }
  sim_test_clean(&bad_heal, NULL, 5);
  sim_test_clean(&bad_check, NULL, 5);
  // And the world is none the worse for it.
  sim_test_open(&t, &bad_heal, NULL);
  sim_test_calm(&t);
  struct sim_result good = t.result;
  for (u32 i = 0; i < 12; i++) {
    choice = i % 2 ? 6 : 1;
    sim_test_calm(&t);
    assert_int_equal(t.result.num_failures, i % 2 ? 0 : 1);
    if (i % 2) assert_int_equal(t.result.digest, good.digest);
  }
  sim_test_close(&t);
  choice = 0;
}

// ---- Failing and reporting ----

static const struct sim_oracle safety = {"w-safety", SIM_SAFETY, "s", "t"};
static const struct sim_oracle liveness = {"w-liveness", SIM_LIVENESS, "s", "t"};
static const struct sim_oracle *const two_oracles[] = {&safety, &liveness, NULL};

static void reports_main(void *arg) {
  step();
  sim_report(&liveness, "same", "first, CPU %u at %llu", sim_smp_processor_id(),
             (unsigned long long)sim_clock_ns());
  sim_report(&liveness, "same", "again");
  sim_report(&liveness, "other", "another key");
  step();
  if (choice == 1) sim_fail(&safety, "end", "the end");
  if (choice == 2)
    for (u32 i = 0; i < 20; i++) {
      char stable[8];
      snprintf(stable, sizeof(stable), "%u", i);
      sim_report(&safety, stable, "one of many");
    }
  sh()->stuck = true;
  (void)arg;
}
static void reports_check(void) {
  SIM_EXPECT(sh()->stuck);
  if (choice == 3) {
    sim_report(&safety, "check", "goes on");
    sim_fail(&safety, "check2", "ends");
  }
}
CASE(reports, reports_main, .check = reports_check)

// One failure for each key and run, in order; the status is the smallest. What fails ends
// the run, what reports goes on; in check, too.
static void failures_by_key(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &reports, NULL);
  char key[SIM_KEY_LEN];
  for (u64 seed = 0; seed < 5; seed++) {
    choice = 0;
    sim_test_seed(&t, seed);
    assert_int_equal(t.result.status, SIM_LIVENESS);
    assert_int_equal(t.result.num_failures, 2);
    const struct sim_failure *f = t.result.failures;
    assert_non_null(strstr(f[0].text, "first, CPU 0"));
    assert_string_equal(f[0].oracle, "w-liveness");
    assert_true(strcmp(f[0].key, f[1].key) != 0);
    // scenario/oracle/8 digits, the same in each run.
    assert_int_equal(strncmp(f[0].key, "reports/w-liveness/", 19), 0);
    assert_int_equal(strlen(f[0].key), 19 + 8);
    assert_int_equal(strspn(f[0].key + 19, "0123456789abcdef"), 8);
    if (seed) assert_string_equal(f[0].key, key);
    memcpy(key, f[0].key, sizeof(key));
    choice = 1;
    sim_test_seed(&t, seed);
    assert_int_equal(t.result.status, SIM_SAFETY);
    assert_int_equal(t.result.num_failures, 3);
    assert_string_equal(t.result.failures[0].key, key);
    choice = 2;
    sim_test_seed(&t, seed);
    assert_int_equal(t.result.num_failures, SIM_FAILURES_MAX);
    choice = 3;
    sim_test_seed(&t, seed);
    assert_int_equal(t.result.status, SIM_SAFETY);
    assert_int_equal(t.result.num_failures, 4);
  }
  sim_test_close(&t);
  choice = 0;
}

static void locks_and_waits(void *arg) {
  struct shared *s = arg;
  sim_mutex_lock(&s->mutex[0]);
  sim_wait_for_completion(&s->done);
}
static void tangled_setup(void) {
  make_shared();
  for (u32 i = 0; i <= choice; i++) sim_task_new("t", locks_and_waits, sh(), i % 2);
}
static const struct sim_scenario tangled = {.name = "tangled", .setup = tangled_setup};

// A deadlock's key says who waits for what, not how many and which of them.
static void deadlock_keys_are_stable(void **state) {
  char key[4][SIM_KEY_LEN];
  (void)state;
  for (choice = 0; choice < 4; choice++)
    assert_int_equal(sim_test_count(&tangled, NULL, 30, "deadlock", key[choice]), 30);
  assert_string_equal(key[1], key[2]);
  assert_string_equal(key[1], key[3]);
  assert_true(strcmp(key[0], key[1]) != 0);  // alone it waits for no mutex
  choice = 0;
}

// ---- Suspects ----

static const char *const names_safety[] = {"w-safety", NULL};
static const struct sim_suspect suspects[] = {{"odd", "does odd things", names_safety}, {NULL}};
static void suspect_main(void *arg) {
  sim_report(&safety, "one", "first");
  sim_report(&safety, "one", "again");
  sim_report(&safety, "two", "second");
  if (choice & 1) sim_report(&liveness, "", "not named");
  if (choice & 2) sim_fail(&safety, "three", "third");
  sh()->stuck = true;
  (void)arg;
}
static void suspect_check(void) { SIM_EXPECT(sh()->stuck); }
static void suspect_setup(void) {
  make_shared();
  if (choice & 4) sim_report(&safety, "set-up", "in set-up");
  if (choice & 8) sim_fail(&safety, "set-up", "ends set-up");
  sim_task_new("main", suspect_main, sh(), 0);
}
static const struct sim_scenario suspected = {.name = "suspected",
                                              .oracles = two_oracles,
                                              .suspects = suspects,
                                              .setup = suspect_setup,
                                              .check = suspect_check};

// What an active suspect names is counted and is no finding; the rest is. A suspect that is
// off explains nothing.
static void suspects_are_counted(void **state) {
  static const char *const on[] = {"suspect.odd", "1", NULL};
  struct sim_test t;
  (void)state;
  choice = 0;
  for (u32 active = 0; active < 2; active++) {
    sim_test_open(&t, &suspected, active ? on : NULL);
    for (choice = 0; choice < 4; choice++) {
      sim_test_calm(&t);
      u32 n = 2 + (choice >> 1), other = choice & 1;
      assert_int_equal(t.result.num_suspects, active ? n : 0);
      assert_int_equal(t.result.num_failures, active ? other : n + other);
      assert_int_equal(t.result.status, active ? other ? SIM_LIVENESS : SIM_OK : SIM_SAFETY);
      for (u32 i = 0; active && i < n; i++) {
        const struct sim_failure *explained = sim_world_explained(t.world, i);
        assert_string_equal(t.result.suspects[i], "odd");
        assert_memory_equal(explained->key, "suspected/", 10);
        assert_non_null(strstr(explained->key, explained->oracle));
        assert_true(*explained->text && explained->status == SIM_SAFETY);
      }
    }
    sim_test_close(&t);
  }
  // In set-up: counted where set-up goes on; what ends it is a failure whatever explains it.
  choice = 4;
  assert_int_equal(sim_test_try_open(&t, &suspected, on), SIM_OK);
  assert_int_equal(t.result.num_suspects, 1);
  sim_test_calm(&t);
  assert_int_equal(t.result.status, SIM_OK);
  sim_test_close(&t);
  assert_int_equal(sim_test_try_open(&t, &suspected, NULL), SIM_SAFETY);
  sim_test_close(&t);
  choice = 8;
  assert_int_equal(sim_test_try_open(&t, &suspected, on), SIM_SAFETY);
  assert_int_equal(t.result.num_failures, 1);
  sim_test_close(&t);
  choice = 0;
}

// ---- Set-up ----

static void bad_setup(void) {
  make_shared();
  switch (choice) {
    case 0:
      sim_wait_for_completion(&sh()->done);
      break;
    case 1:
      for (;;) step();
    case 2:
      sim_fail(&safety, "", "no");
    case 3:
      sim_report(&safety, "", "goes on");
      break;
    default:
      break;
  }
  sim_task_new("main", heal_main, sh(), 0);
}
static const struct sim_scenario stuck_in_setup = {.name = "stuck_in_setup", .setup = bad_setup};

// What goes wrong in set-up is its result; a world may be set up again, for anything.
static void setup_failures(void **state) {
  static const enum sim_status status[] = {SIM_LIVENESS, SIM_BUDGET, SIM_SAFETY, SIM_SAFETY,
                                           SIM_OK};
  static const char *const oracle[] = {"deadlock", "budget", "w-safety", "w-safety"};
  struct sim_result r;
  struct sim_world *w = sim_world_new();
  struct sim_params *p = sim_params_new(&stuck_in_setup), *q = sim_params_new(&reports);
  u64 digest[2];
  (void)state;
  for (u32 round = 0; round < 2; round++)
    for (choice = 0; choice < 5; choice++) {
      assert_int_equal(sim_world_setup(w, &stuck_in_setup, p, &r), status[choice]);
      assert_int_equal(sim_world_setup(w, &stuck_in_setup, p, NULL), status[choice]);
      if (choice < 4) {
        assert_int_equal(r.num_failures, 1);
        assert_string_equal(r.failures[0].oracle, oracle[choice]);
      }
    }
  for (u32 round = 0; round < 2; round++) {
    struct sim_input in = {.backend = SIM_BACKEND_SEED, .seed = 3};
    choice = 4;
    assert_int_equal(sim_world_setup(w, &stuck_in_setup, p, &r), SIM_OK);
    assert_int_equal(r.num_failures, 0);
    sim_world_run(w, &in, &r);
    assert_int_equal(r.status, SIM_OK);
    digest[round] = r.digest;
    choice = 0;
    assert_int_equal(sim_world_setup(w, &reports, q, &r), SIM_OK);
    sim_world_run(w, &in, &r);
    assert_int_equal(r.num_failures, 2);
  }
  assert_int_equal(digest[0], digest[1]);
  sim_params_free(p);
  sim_params_free(q);
  sim_world_free(w);
  sim_world_free(NULL);
}

static void empty_setup(void) { make_shared(); }
static void empty_check(void) { sim_report(&liveness, "", "check is called"); }
static const struct sim_scenario empty = {
    .name = "empty", .setup = empty_setup, .check = empty_check};

// A run without tasks is over at once, and judged.
static void nothing_to_run(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &empty, NULL);
  sim_test_calm(&t);
  assert_int_equal(t.result.status, SIM_LIVENESS);
  assert_int_equal(t.result.steps, 0);
  assert_int_equal(t.result.vtime_ns, 0);
  sim_test_close(&t);
}

// Worlds do not know of each other.
static void two_worlds(void **state) {
  struct sim_test a, b;
  u64 digest[2][10];
  (void)state;
  sim_test_open(&a, &phases, NULL);
  sim_test_open(&b, &waits_for_heal, (const char *const[]){"num_cpus", "4", NULL});
  for (u64 seed = 0; seed < 10; seed++) {
    sim_test_seed(&a, seed);
    digest[0][seed] = a.result.digest;
  }
  for (u64 seed = 0; seed < 10; seed++) {
    sim_test_seed(&b, seed);
    digest[1][seed] = b.result.digest;
  }
  for (u64 seed = 10; seed-- > 0;) {
    sim_test_seed(&a, seed);
    sim_test_seed(&b, seed);
    assert_int_equal(a.result.digest, digest[0][seed]);
    assert_int_equal(b.result.digest, digest[1][seed]);
  }
  sim_test_close(&b);
  sim_test_seed(&a, 5);
  assert_int_equal(a.result.digest, digest[0][5]);
  sim_test_close(&a);
}

// ---- Sinks and stops ----

struct recorder {
  struct sim_trace_sink sink;
  u64 events, steps, last_digest, digest_at[2000];
};
static void record(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct recorder *r = (struct recorder *)sink;
  r->events++;
  r->last_digest = event->digest;
  if (event->kind == SIM_EVENT_STEP) r->steps++;
  if (event->step < SIM_ARRAY_SIZE(r->digest_at)) r->digest_at[event->step] = event->digest;
}
static void noisy_task(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 20; i++) {
    sim_mutex_lock(&s->mutex[0]);
    sim_note("note %u", i);
    step();
    sim_trace_model("model", i, sim_clock_ns());
    sim_mutex_unlock(&s->mutex[0]);
    if (i % 4 == 0) sim_usleep_range(10, 30);
  }
}
static void noisy_setup(void) {
  make_shared();
  for (u32 i = 0; i < 3; i++) sim_task_new("t", noisy_task, sh(), i % sim_nr_cpus());
}
static void noisy_check(void) { sim_report(&liveness, "", "whole"); }
static const struct sim_scenario noisy = {
    .name = "noisy", .setup = noisy_setup, .check = noisy_check};

// The digest is the same with a sink and without; its last event has the run's digest; set-up
// shows nothing.
static void sinks_change_nothing(void **state) {
  struct sim_test t;
  struct recorder r = {.sink.event = record};
  (void)state;
  sim_test_open(&t, &noisy, NULL);
  for (u64 seed = 0; seed < 50; seed++) {
    sim_test_seed(&t, seed);
    struct sim_result quiet = t.result;
    r.events = r.steps = 0;
    sim_world_set_sink(t.world, &r.sink);
    sim_test_seed(&t, seed);
    sim_world_set_sink(t.world, NULL);
    assert_int_equal(t.result.digest, quiet.digest);
    assert_int_equal(t.result.steps, quiet.steps);
    assert_int_equal(t.result.draws, quiet.draws);
    assert_int_equal(r.last_digest, quiet.digest);
    assert_true(r.events > r.steps && r.steps <= quiet.steps);
  }
  u64 events = r.events;
  sim_world_set_sink(t.world, &r.sink);
  assert_int_equal(sim_world_setup(t.world, &noisy, t.params, NULL), SIM_OK);
  assert_int_equal(r.events, events);
  sim_test_close(&t);
}

// A run that is stopped is the begin of the whole one, and is not judged.
static void until_a_step(void **state) {
  struct sim_test t;
  struct recorder r = {.sink.event = record};
  (void)state;
  sim_test_open(&t, &noisy, NULL);
  sim_world_set_sink(t.world, &r.sink);
  sim_test_seed(&t, 4);
  u64 whole = t.result.steps;
  assert_int_equal(t.result.num_failures, 1);
  sim_world_set_sink(t.world, NULL);
  for (u64 stop = 2; stop < whole; stop += 7) {
    sim_world_set_until(t.world, stop);
    sim_test_seed(&t, 4);
    assert_int_equal(t.result.status, SIM_OK);
    assert_int_equal(t.result.num_failures, 0);
    assert_int_equal(t.result.steps, stop);
    if (r.digest_at[stop - 1]) assert_int_equal(t.result.digest, r.digest_at[stop - 1]);
  }
  sim_world_set_until(t.world, 0);
  sim_test_seed(&t, 4);
  assert_int_equal(t.result.steps, whole);
  sim_test_close(&t);
}

// ---- Time ----

static void elapse_main(void *arg) {
  u64 before = sim_clock_ns();
  sim_elapse(0);
  SIM_EXPECT_EQ(sim_clock_ns(), before);
  sim_elapse(12345);
  SIM_EXPECT_EQ(sim_clock_ns(), before + 12345);
  sim_udelay(3);
  SIM_EXPECT_EQ(sim_clock_ns(), before + 15345);
  SIM_EXPECT_EQ(sim_cycles(), sim_clock_ns());
  before = sim_clock_ns();
  u64 ticks = 10 * SIM_NSEC_PER_MSEC / (SIM_NSEC_PER_SEC / sim_hz());
  sim_mdelay(10);
  // Its own 10 ms of execution, and the ticks that came meanwhile.
  SIM_EXPECT(sim_clock_ns() >= before + 10000000 + ticks * 1000);
  SIM_EXPECT(sim_clock_ns() <= before + 10000000 + (ticks + 1) * 1000);
  before = sim_clock_ns();
  step();
  SIM_EXPECT_EQ(sim_clock_ns(), before + 10);
  (void)arg;
}
CASE(elapses, elapse_main)

// sim_elapse is execution time of this CPU: interrupts come on top.
static void elapse_is_execution_time(void **state) {
  (void)state;
  sim_test_clean(&elapses, (const char *const[]){"num_cpus", "1", NULL}, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chaos_then_healing),
      cmocka_unit_test(healing_by_quiescence),
      cmocka_unit_test(runs_that_do_not_end),
      cmocka_unit_test(cause_is_told_before),
      cmocka_unit_test(budget_is_of_the_run),
      cmocka_unit_test(bounds_grow),
      cmocka_unit_test(callbacks_call_no_primitive),
      cmocka_unit_test(failures_by_key),
      cmocka_unit_test(deadlock_keys_are_stable),
      cmocka_unit_test(suspects_are_counted),
      cmocka_unit_test(setup_failures),
      cmocka_unit_test(nothing_to_run),
      cmocka_unit_test(two_worlds),
      cmocka_unit_test(sinks_change_nothing),
      cmocka_unit_test(until_a_step),
      cmocka_unit_test(elapse_is_execution_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
