// SPDX-License-Identifier: GPL-2.0-or-later
//
// Litmus tests of weak memory: two or four CPUs, a task each, every execution by the
// odometer; the outcomes that occur are compared with those that the kernel's memory model
// allows and forbids (tools/memory-model/litmus-tests names the shapes).
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "sim/choice_impl.h"
#include "sim/lock.h"
#include "sim/testing/runs.h"

// ---- Programs ----

enum op {
  END,
  W,      // x[a] = b
  W_REL,  // smp_store_release(&x[a], b)
  R,      // r[a] = x[b]
  R_ACQ,  // r[a] = smp_load_acquire(&x[b])
  MB,
  WMB,
  RMB,
  XCHG,      // r[a] = cmpxchg(&x[b], 0, 1)
  LOCKED_W,  // lock; x[a] = b; unlock
  LOCKED_R,  // lock; r[a] = x[b]; unlock
};

struct step {
  enum op op;
  u32 a, b;
};

enum { CPUS_MAX = 4, STEPS_MAX = 8, VARS = 4, REGS = 4 };

struct litmus {
  const char *name;
  u32 cpus;
  struct step step[CPUS_MAX][STEPS_MAX];
  bool final_memory;  // r[2], r[3] are x[0], x[1] at the end
};

static const struct litmus *litmus;

struct shared {
  u32 x[VARS];
  u32 r[REGS];
  u32 idle;
  struct sim_spinlock lock;
};

static void program(void *arg) {
  struct shared *s = sim_private();
  const struct step *step = litmus->step[(uintptr_t)arg];
  for (; step->op != END; step++) {
    switch (step->op) {
      case W:
        sim_write_once(s->x[step->a], step->b);
        break;
      case W_REL:
        sim_smp_store_release(&s->x[step->a], step->b);
        break;
      case R:
        s->r[step->a] = sim_read_once(s->x[step->b]);
        break;
      case R_ACQ:
        s->r[step->a] = sim_smp_load_acquire(&s->x[step->b]);
        break;
      case MB:
        sim_smp_mb();
        break;
      case WMB:
        sim_smp_wmb();
        break;
      case RMB:
        sim_smp_rmb();
        break;
      case XCHG:
        s->r[step->a] = sim_cmpxchg(&s->x[step->b], 0, 1);
        break;
      case LOCKED_W:
        sim_spin_lock(&s->lock);
        sim_write_once(s->x[step->a], step->b);
        sim_spin_unlock(&s->lock);
        break;
      case LOCKED_R:
        sim_spin_lock(&s->lock);
        s->r[step->a] = sim_read_once(s->x[step->b]);
        sim_spin_unlock(&s->lock);
        break;
      case END:
        break;
    }
  }
  // A task that ends empties its CPU's buffer: others may come before.
  (void)sim_read_once(s->idle);
}

static void setup(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_spin_lock_init(&s->lock, "litmus");
  for (u32 cpu = 0; cpu < litmus->cpus; cpu++)
    sim_task_new("cpu", program, (void *)(uintptr_t)cpu, cpu);
}

static const struct sim_param params[] = {
    {.name = "skew_ns", .def = 1000000000},
    {.name = "preempt", .def = 0},
    {.name = NULL},
};

static bool seen[16 * 16 * 16];  // outcomes by their registers

static u32 outcome(u32 r0, u32 r1, u32 r2, u32 r3) { return r0 + 4 * r1 + 16 * r2 + 64 * r3; }

static void check(void) {
  struct shared *s = sim_private();
  if (litmus->final_memory) {
    s->r[2] = s->x[0];
    s->r[3] = s->x[1];
  }
  seen[outcome(s->r[0], s->r[1], s->r[2], s->r[3])] = true;
}

static const struct sim_scenario scenario = {
    .name = "litmus", .claim = "", .params = params, .setup = setup, .check = check};

// Runs every execution of `test`; at most `bound` draws that are not calm (0: no bound).
// Returns their number.
static u64 run_all(const struct litmus *test, bool weak, u32 bound) {
  struct sim_test h;
  struct sim_odometer odometer = {.bound = bound};
  struct sim_input input = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};
  char settings[64];
  u64 runs = 0;
  litmus = test;
  memset(seen, 0, sizeof(seen));
  snprintf(settings, sizeof(settings), "num_cpus=%u weak=%d", test->cpus, weak);
  sim_test_open_with(&h, &scenario, settings);
  do {
    sim_test_run(&h, &input);
    if (h.result.status != SIM_OK) fail_msg("%s: %s", test->name, h.result.failures[0].text);
    runs++;
  } while (sim_odometer_next(&odometer));
  assert_false(odometer.diverged);
  sim_odometer_free(&odometer);
  sim_test_close(&h);
  return runs;
}

// The outcome is seen under weak=1 exactly if `allowed`, and never without.
static void judge(const struct litmus *test, u32 at, bool allowed, u32 bound) {
  u64 runs = run_all(test, true, bound);
  print_message("%s: %llu executions, %s\n", test->name, (unsigned long long)runs,
                seen[at] ? "seen" : "not seen");
  if (seen[at] != allowed)
    fail_msg("%s: the outcome is %s", test->name, allowed ? "due" : "forbidden");
  run_all(test, false, bound);
  if (seen[at]) fail_msg("%s: the outcome is seen without weak=1", test->name);
}

// ---- Store buffering ----

static void store_buffering(void **state) {
  static const struct litmus bare = {
      "SB", 2, {{{W, 0, 1}, {R, 0, 1}}, {{W, 1, 1}, {R, 1, 0}}}, false};
  static const struct litmus one_mb = {
      "SB+mb+po", 2, {{{W, 0, 1}, {MB}, {R, 0, 1}}, {{W, 1, 1}, {R, 1, 0}}}, false};
  static const struct litmus mbs = {
      "SB+mbs", 2, {{{W, 0, 1}, {MB}, {R, 0, 1}}, {{W, 1, 1}, {MB}, {R, 1, 0}}}, false};
  static const struct litmus rel_acq = {
      "SB+rel+acq", 2, {{{W_REL, 0, 1}, {R_ACQ, 0, 1}}, {{W_REL, 1, 1}, {R_ACQ, 1, 0}}}, false};
  static const struct litmus cmpxchg = {
      "SB+cmpxchg",
      2,
      {{{W, 0, 1}, {XCHG, 2, 2}, {R, 0, 1}}, {{W, 1, 1}, {XCHG, 2, 3}, {R, 1, 0}}},
      false};
  u32 zeros = outcome(0, 0, 0, 0);
  judge(&bare, zeros, true, 0);
  judge(&one_mb, zeros, true, 0);
  judge(&mbs, zeros, false, 0);
  judge(&rel_acq, zeros, true, 0);
  judge(&cmpxchg, zeros, false, 6);
}

// ---- Message passing ----

#define WRITER_BARE        \
  {                        \
    {W, 0, 1}, { W, 1, 1 } \
  }
#define WRITER_WMB                \
  {                               \
    {W, 0, 1}, {WMB}, { W, 1, 1 } \
  }
#define WRITER_REL             \
  {                            \
    {W, 0, 1}, { W_REL, 1, 1 } \
  }
#define READER_BARE        \
  {                        \
    {R, 0, 1}, { R, 1, 0 } \
  }
#define READER_RMB                \
  {                               \
    {R, 0, 1}, {RMB}, { R, 1, 0 } \
  }
#define READER_ACQ             \
  {                            \
    {R_ACQ, 0, 1}, { R, 1, 0 } \
  }

static void message_passing(void **state) {
  static const struct {
    struct litmus test;
    bool allowed;
  } rows[] = {
      {{"MP", 2, {WRITER_BARE, READER_BARE}, false}, true},
      {{"MP+wmb+po", 2, {WRITER_WMB, READER_BARE}, false}, true},
      {{"MP+rel+po", 2, {WRITER_REL, READER_BARE}, false}, true},
      {{"MP+po+rmb", 2, {WRITER_BARE, READER_RMB}, false}, true},
      {{"MP+po+acq", 2, {WRITER_BARE, READER_ACQ}, false}, true},
      {{"MP+wmb+rmb", 2, {WRITER_WMB, READER_RMB}, false}, false},
      {{"MP+rel+acq", 2, {WRITER_REL, READER_ACQ}, false}, false},
      {{"MP+rel+rmb", 2, {WRITER_REL, READER_RMB}, false}, false},
      {{"MP+wmb+acq", 2, {WRITER_WMB, READER_ACQ}, false}, false},
  };
  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++)
    judge(&rows[i].test, outcome(1, 0, 0, 0), rows[i].allowed, 0);
}

// ---- Load buffering: a load never sees what comes later ----

static void load_buffering(void **state) {
  static const struct litmus bare = {
      "LB", 2, {{{R, 0, 0}, {W, 1, 1}}, {{R, 1, 1}, {W, 0, 1}}}, false};
  judge(&bare, outcome(1, 1, 0, 0), false, 0);
}

// ---- Coherence ----

static void coherence(void **state) {
  static const struct litmus corr = {"CoRR", 2, {{{W, 0, 1}}, {{R, 0, 0}, {R, 1, 0}}}, false};
  static const struct litmus corr2 = {
      "CoRR two stores", 2, {{{W, 0, 1}, {W, 0, 2}}, {{R, 0, 0}, {R, 1, 0}}}, false};
  static const struct litmus coww = {"CoWW", 2, {{{W, 0, 1}, {W, 0, 2}}, {{R, 0, 0}}}, true};
  static const struct litmus cowr = {"CoWR", 2, {{{W, 0, 1}, {R, 0, 0}}, {{W, 0, 2}}}, false};
  static const struct litmus corw = {"CoRW", 2, {{{R, 0, 0}, {W, 0, 1}}, {{W, 0, 2}}}, true};
  judge(&corr, outcome(1, 0, 0, 0), false, 0);
  judge(&corr2, outcome(2, 1, 0, 0), false, 0);
  judge(&corr2, outcome(1, 0, 0, 0), false, 0);
  for (u32 r0 = 0; r0 < 3; r0++) judge(&coww, outcome(r0, 0, 1, 0), false, 0);
  judge(&cowr, outcome(0, 0, 0, 0), false, 0);
  // Who read 2 writes behind it.
  judge(&corw, outcome(2, 0, 2, 0), false, 0);
}

// ---- Locks, four CPUs ----

static void locks(void **state) {
  static const struct litmus test = {
      "SB under a lock",
      2,
      {{{LOCKED_W, 0, 1}, {LOCKED_R, 0, 1}}, {{LOCKED_W, 1, 1}, {LOCKED_R, 1, 0}}},
      false};
  static const struct litmus mp = {
      "MP under a lock",
      2,
      {{{LOCKED_W, 0, 1}, {LOCKED_W, 1, 1}}, {{LOCKED_R, 0, 1}, {LOCKED_R, 1, 0}}},
      false};
  judge(&test, outcome(0, 0, 0, 0), false, 4);
  judge(&mp, outcome(1, 0, 0, 0), false, 4);
}

// Independent reads of independent writes: all CPUs see a store at the same moment.
static void independent_reads(void **state) {
  static const struct litmus rmbs = {
      "IRIW+rmbs",
      4,
      {{{W, 0, 1}}, {{W, 1, 1}}, {{R, 0, 0}, {RMB}, {R, 1, 1}}, {{R, 2, 1}, {RMB}, {R, 3, 0}}},
      false};
  static const struct litmus bare = {
      "IRIW", 4, {{{W, 0, 1}}, {{W, 1, 1}}, {{R, 0, 0}, {R, 1, 1}}, {{R, 2, 1}, {R, 3, 0}}}, false};
  judge(&rmbs, outcome(1, 0, 1, 0), false, 5);
  judge(&bare, outcome(1, 0, 1, 0), true, 5);
}

// ---- Delays end ----

static struct { u64 longest_ns; } delays;

struct flag {
  u32 flag;
  u64 written_ns;
};

static void delay_writer(void *arg) {
  struct flag *f = arg;
  f->written_ns = sim_clock_ns();
  sim_write_once(f->flag, 1);
  for (u32 i = 0; i < 2000; i++) (void)sim_read_once(f->written_ns);
}

static void delay_reader(void *arg) {
  struct flag *f = arg;
  while (!sim_smp_load_acquire(&f->flag)) sim_cpu_relax();
  u64 took = sim_clock_ns() - f->written_ns;
  if ((s64)took > 0 && took > delays.longest_ns) delays.longest_ns = took;
}

static void delay_setup(void) {
  struct flag *f = sim_alloc_static(sizeof(*f), "flag");
  sim_task_new("writer", delay_writer, f, 0);
  sim_task_new("reader", delay_reader, f, 1);
}

static const struct sim_scenario delay_scenario = {
    .name = "delay", .claim = "", .setup = delay_setup};

// A store is seen within its bound even if its CPU passes no barrier, and a run of a seed is
// what its replay by decisions is.
static void stores_are_seen(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &delay_scenario, "weak=1 hz=100");
  for (u64 seed = 1; seed <= 300; seed++) {
    sim_test_seed(&h, seed);
    assert_int_equal(h.result.status, SIM_OK);
    sim_test_again(&h, seed);
  }
  assert_true(delays.longest_ns > 500);  // some waited
  assert_true(delays.longest_ns < 20000);
  sim_test_close(&h);
}

// Calm runs are sequentially consistent, with the same digest for each input.
static void calm_is_consistent(void **state) {
  static const struct litmus bare = {
      "SB", 2, {{{W, 0, 1}, {R, 0, 1}}, {{W, 1, 1}, {R, 1, 0}}}, false};
  struct sim_test h;
  litmus = &bare;
  sim_test_open_with(&h, &scenario, "num_cpus=2 weak=1");
  memset(seen, 0, sizeof(seen));
  sim_test_calm(&h);
  assert_int_equal(h.result.status, SIM_OK);
  assert_false(seen[outcome(0, 0, 0, 0)]);
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(store_buffering), cmocka_unit_test(message_passing),
      cmocka_unit_test(load_buffering),  cmocka_unit_test(coherence),
      cmocka_unit_test(locks),           cmocka_unit_test(independent_reads),
      cmocka_unit_test(stores_are_seen), cmocka_unit_test(calm_is_consistent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
