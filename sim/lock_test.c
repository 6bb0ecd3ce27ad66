// SPDX-License-Identifier: GPL-2.0-or-later
//
// Spinlocks and local locks: exclusion, what they do to preemption and interrupts, and
// what counts as misuse.
#include "sim/testing/runs.h"

#include "sim/lock.h"
#include "sim/task.h"

static struct sim_test t;  // of the case that runs

struct shared {
  struct sim_spinlock lock;
  struct sim_spinlock other;
  struct sim_local_lock *local;
  u32 inside, count;
  u64 last_end_ns;
  bool go;
};

static struct shared *shared(void) { return sim_private(); }

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_spin_lock_init(&s->lock, "lock");
  sim_spin_lock_init(&s->other, "other");
  s->local = sim_alloc_percpu(struct sim_local_lock, "local");
  for (u32 i = 0; i < sim_nr_cpus(); i++) sim_local_lock_init(&s->local[i], "local");
  sim_set_private(s);
}

// ---- Exclusion ----

static void section(struct shared *s) {
  SIM_EXPECT_EQ(s->inside, 0);
  s->inside = 1;
  SIM_EXPECT(sim_clock_ns() >= s->last_end_ns);
  u32 was = sim_read_once(s->count);
  sim_elapse(300);
  sim_write_once(s->count, was + 1);
  s->inside = 0;
  s->last_end_ns = sim_clock_ns();
}

static void lock_loop(void *arg) {
  struct shared *s = shared();
  (void)arg;
  for (u32 i = 0; i < 3; i++) {
    sim_spin_lock(&s->lock);
    SIM_EXPECT_EQ(sim_preempt_count(), 1);
    section(s);
    sim_spin_unlock(&s->lock);
    SIM_EXPECT_EQ(sim_preempt_count(), 0);
  }
}

static void expect_nine(void) { SIM_EXPECT_EQ(shared()->count, 9); }

static void exclusion_setup(void) {
  make_shared();
  for (u32 i = 0; i < 3; i++) sim_task_new("locker", lock_loop, NULL, i % sim_nr_cpus());
}
static const struct sim_scenario exclusion = {
    .name = "exclusion", .setup = exclusion_setup, .check = expect_nine};

// One CPU at a time is inside, and never before the one before it was out.
static void spinlock_excludes(void **state) {
  (void)state;
  sim_test_clean(&exclusion, NULL, 3000);
  sim_test_clean(&exclusion, (const char *const[]){"num_cpus", "3", NULL}, 3000);
  sim_test_clean(&exclusion, (const char *const[]){"preempt", "0", "num_cpus", "1", NULL}, 1000);
}

static void no_lock_loop(void *arg) {
  struct shared *s = shared();
  (void)arg;
  for (u32 i = 0; i < 3; i++) {
    u32 was = sim_read_once(s->count);
    sim_write_once(s->count, was + 1);
  }
}
static void no_lock_setup(void) {
  make_shared();
  for (u32 i = 0; i < 3; i++) sim_task_new("racer", no_lock_loop, NULL, i % sim_nr_cpus());
}
static const struct sim_scenario no_lock = {
    .name = "no-lock", .setup = no_lock_setup, .check = expect_nine};

// Without the lock the same test fails: it can.
static void no_spinlock_loses_updates(void **state) {
  (void)state;
  assert_true(sim_test_count(&no_lock, NULL, 300, "expect", NULL) > 30);
}

// Both orders of two critical sections, and nothing else, in every interleaving.
static void lock_once(void *arg) {
  struct shared *s = shared();
  u32 *seen = arg;
  sim_spin_lock(&s->lock);
  *seen = ++s->count;
  sim_spin_unlock(&s->lock);
}
static void pair_setup(void) {
  make_shared();
  u32 *seen = sim_alloc_static(2 * sizeof(u32), "seen");
  sim_task_new("a", lock_once, &seen[0], 0);
  sim_task_new("b", lock_once, &seen[1], 1);
}
static void expect_two(void) { SIM_EXPECT_EQ(shared()->count, 2); }
static const struct sim_scenario pair = {.name = "pair", .setup = pair_setup, .check = expect_two};

static void spinlock_in_all_interleavings(void **state) {
  (void)state;
  u64 runs = sim_test_exhaust(&pair, NULL, 0, 20000);
  assert_true(runs >= 10);
}

// ---- trylock ----

static void holder(void *arg) {
  struct shared *s = shared();
  (void)arg;
  sim_spin_lock(&s->lock);
  SIM_EXPECT(sim_spin_is_locked(&s->lock));
  sim_assert_spin_held(&s->lock);
  sim_elapse(100);
  sim_spin_unlock(&s->lock);
}
static u32 try_won, try_lost;
static void tryer(void *arg) {
  struct shared *s = shared();
  (void)arg;
  if (sim_spin_trylock(&s->lock)) {
    try_won++;
    SIM_EXPECT_EQ(sim_preempt_count(), 1);
    sim_spin_unlock(&s->lock);
  } else {
    try_lost++;
  }
  SIM_EXPECT_EQ(sim_preempt_count(), 0);
}
static void trylock_setup(void) {
  make_shared();
  sim_task_new("holder", holder, NULL, 0);
  sim_task_new("tryer", tryer, NULL, 1);
}
static const struct sim_scenario trylock = {.name = "trylock", .setup = trylock_setup};

// trylock takes a free lock, returns false at once from one that is held, and leaves the
// preemption count as it was.
static void trylock_never_waits(void **state) {
  (void)state;
  try_won = try_lost = 0;
  sim_test_clean(&trylock, NULL, 300);
  assert_true(try_won > 0);
  assert_true(try_lost > 0);
}

// ---- Interrupts ----

static void irq_handler(void *arg) {
  struct shared *s = shared();
  (void)arg;
  unsigned long flags;
  sim_spin_lock_irqsave(&s->lock, flags);
  section(s);
  sim_spin_unlock_irqrestore(&s->lock, flags);
  SIM_EXPECT(sim_irqs_disabled());
  shared()->count--;
}
static void irqsave_loop(void *arg) {
  struct shared *s = shared();
  (void)arg;
  for (u32 i = 0; i < 3; i++) {
    unsigned long flags;
    sim_spin_lock_irqsave(&s->lock, flags);
    SIM_EXPECT(sim_irqs_disabled());
    section(s);
    sim_spin_unlock_irqrestore(&s->lock, flags);
    SIM_EXPECT(!sim_irqs_disabled());
  }
}
static void irqsave_setup(void) {
  make_shared();
  sim_irq_drawn("noise", irq_handler, NULL, 3, 1, 4);
  for (u32 i = 0; i < 3; i++) sim_task_new("locker", irqsave_loop, NULL, i % sim_nr_cpus());
}
static const struct sim_scenario irqsave = {
    .name = "irqsave", .setup = irqsave_setup, .check = expect_nine};

// irqsave excludes interrupts of its CPU and of others, and restores the flag.
static void irqsave_excludes_interrupts(void **state) {
  (void)state;
  sim_test_clean(&irqsave, NULL, 3000);
}

static void nested_flags(void *arg) {
  struct shared *s = shared();
  unsigned long outer, inner;
  (void)arg;
  sim_spin_lock_irqsave(&s->lock, outer);
  sim_spin_lock_irqsave(&s->other, inner);
  sim_spin_unlock_irqrestore(&s->other, inner);
  SIM_EXPECT(sim_irqs_disabled());
  SIM_EXPECT_EQ(sim_preempt_count(), 1);
  sim_spin_unlock_irqrestore(&s->lock, outer);
  SIM_EXPECT(!sim_irqs_disabled());
}
static void nested_setup(void) {
  make_shared();
  sim_task_new("nest", nested_flags, NULL, 0);
}
static const struct sim_scenario nested = {.name = "nested", .setup = nested_setup};

static void irqsave_nests(void **state) {
  (void)state;
  sim_test_clean(&nested, NULL, 50);
}

// ---- Misuse ----

static void release_others(void *arg) {
  struct shared *s = shared();
  if (arg) {
    sim_spin_lock(&s->lock);
    s->go = true;
    sim_elapse(5000);
    sim_spin_unlock(&s->lock);
  } else {
    while (!sim_read_once(s->go)) sim_cpu_relax();
    sim_preempt_disable();
    sim_spin_unlock(&s->lock);
  }
}
static void release_others_setup(void) {
  make_shared();
  sim_task_new("owner", release_others, shared(), 0);
  sim_task_new("thief", release_others, NULL, 1);
}
static const struct sim_scenario release_other = {.name = "release-other",
                                                  .setup = release_others_setup};

static void one_task(void (*fn)(void *arg)) {
  make_shared();
  sim_task_new("task", fn, NULL, 0);
}
static void unlock_free(void *arg) {
  (void)arg;
  sim_preempt_disable();
  sim_spin_unlock(&shared()->lock);
}
static void unlock_free_setup(void) { one_task(unlock_free); }
static const struct sim_scenario release_free = {.name = "release-free",
                                                 .setup = unlock_free_setup};
static void lock_twice(void *arg) {
  (void)arg;
  sim_spin_lock(&shared()->lock);
  sim_spin_lock(&shared()->lock);
}
static void lock_twice_setup(void) { one_task(lock_twice); }
static const struct sim_scenario twice = {.name = "twice", .setup = lock_twice_setup};
static void lock_uninitialised(void *arg) {
  struct sim_spinlock lock = {0};
  (void)arg;
  sim_spin_lock(&lock);
}
static void lock_uninitialised_setup(void) { one_task(lock_uninitialised); }
static const struct sim_scenario uninitialised = {.name = "uninitialised",
                                                  .setup = lock_uninitialised_setup};
static void not_held(void *arg) {
  (void)arg;
  sim_assert_spin_held(&shared()->lock);
}
static void not_held_setup(void) { one_task(not_held); }
static const struct sim_scenario not_held_scenario = {.name = "not-held", .setup = not_held_setup};

static void raise_in_section(void *arg) {
  u32 irq = *(u32 *)arg;
  sim_spin_lock(&shared()->lock);
  sim_irq_raise(irq);
  sim_elapse(10);
  sim_spin_unlock(&shared()->lock);
}
static void release_in_irq(void *arg) {
  (void)arg;
  if (sim_spin_is_locked(&shared()->lock)) sim_spin_unlock(&shared()->lock);
}
static void release_in_irq_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("line", release_in_irq, NULL, 0, false);
  sim_task_new("task", raise_in_section, irq, 0);
}
static const struct sim_scenario release_context = {.name = "release-context",
                                                    .setup = release_in_irq_setup};

// Released by another task, by nobody's owner, in another context; taken twice; used
// before its init; expected to be held: each is lock-misuse under one key.
static void misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&release_other, NULL, 50, "lock-misuse");
  sim_test_always(&release_free, NULL, 5, "lock-misuse");
  sim_test_always(&twice, NULL, 5, "lock-misuse");
  sim_test_always(&uninitialised, NULL, 5, "lock-misuse");
  sim_test_always(&not_held_scenario, NULL, 5, "lock-misuse");
  sim_test_always(&release_context, NULL, 5, "lock-misuse");
}

static void take_in_irq(void *arg) {
  (void)arg;
  sim_spin_lock(&shared()->lock);
  sim_spin_unlock(&shared()->lock);
}
static void take_in_irq_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("line", take_in_irq, NULL, 0, false);
  sim_task_new("task", raise_in_section, irq, 0);
}
static const struct sim_scenario irq_deadlock = {.name = "irq-deadlock",
                                                 .setup = take_in_irq_setup};

// An interrupt that wants the lock of the task it interrupted: its class is reported, and
// the CPU would wait for itself.
static void interrupt_deadlock_is_found(void **state) {
  (void)state;
  sim_test_open(&t, &irq_deadlock, NULL);
  sim_test_calm(&t);
  assert_int_equal(t.result.num_failures, 2);
  assert_string_equal(t.result.failures[0].oracle, "lock-context");
  assert_string_equal(t.result.failures[1].oracle, "lock-misuse");
  assert_int_equal(t.result.status, SIM_SAFETY);
  sim_test_close(&t);
}

static void take_in_nmi(void *arg) {
  (void)arg;
  if (sim_spin_trylock(&shared()->lock)) sim_spin_unlock(&shared()->lock);
  sim_spin_lock(&shared()->other);
}
static void take_in_nmi_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("nmi", take_in_nmi, NULL, 0, true);
  sim_task_new("task", raise_in_section, irq, 0);
}
static const struct sim_scenario in_nmi = {.name = "in-nmi", .setup = take_in_nmi_setup};

// An NMI may try a lock, and must not wait for one.
static void lock_in_nmi_is_found(void **state) {
  (void)state;
  sim_test_always(&in_nmi, NULL, 5, "context-misuse");
}

static void use_after_free(void *arg) {
  struct sim_spinlock *lock = arg;
  sim_spin_lock(lock);
  sim_spin_unlock(lock);
}
static void free_lock(void *arg) { sim_free(arg); }
static void make_freed(void *arg) {
  struct sim_spinlock *lock = sim_alloc(sizeof(*lock), "lock");
  (void)arg;
  sim_spin_lock_init(lock, "heap");
  sim_task_new("user", use_after_free, lock, 0);
  sim_task_new("freer", free_lock, lock, 0);
}
static void freed_setup(void) { one_task(make_freed); }
static const struct sim_scenario freed = {.name = "freed", .setup = freed_setup};

static u64 count_oracle(const struct sim_scenario *scenario, u64 seeds, const char *id) {
  u64 n = 0;
  sim_test_open(&t, scenario, NULL);
  for (u64 seed = 0; seed < seeds; seed++) {
    sim_test_seed(&t, seed);
    if (t.result.num_failures) {
      assert_string_equal(t.result.failures[0].oracle, id);
      n++;
    }
  }
  sim_test_close(&t);
  return n;
}

// A lock that is freed while it is used is seen at the next use, in the runs where the
// free comes first, and only there.
static void lock_in_freed_memory_is_found(void **state) {
  (void)state;
  u64 n = count_oracle(&freed, 200, "use-after-free");
  assert_true(n > 20 && n < 200);
}

// ---- Local locks ----

static void local_loop(void *arg) {
  struct shared *s = shared();
  u32 *inside = arg;
  for (u32 i = 0; i < 3; i++) {
    sim_local_lock(s->local);
    u32 cpu = sim_smp_processor_id();
    SIM_EXPECT_EQ(inside[cpu], 0);
    inside[cpu] = 1;
    SIM_EXPECT_EQ(sim_preempt_count(), 1);
    sim_elapse(50);
    SIM_EXPECT_EQ(sim_smp_processor_id(), cpu);
    if (inside[0] && inside[1]) s->count = 1;
    inside[cpu] = 0;
    sim_local_unlock(s->local);
  }
}
static u32 both_inside;
static void note_both(void) { both_inside += shared()->count; }
static void local_setup(void) {
  make_shared();
  u32 *inside = sim_alloc_static(sizeof(u32) * SIM_CPUS_MAX, "inside");
  for (u32 i = 0; i < 4; i++) sim_task_new("local", local_loop, inside, i % 2);
}
static const struct sim_scenario local = {
    .name = "local", .setup = local_setup, .check = note_both};

// A local lock excludes the tasks of its CPU, and no other CPU.
static void local_lock_is_per_cpu(void **state) {
  (void)state;
  both_inside = 0;
  sim_test_clean(&local, (const char *const[]){"preempt", "0", NULL}, 1000);
  assert_true(both_inside > 100);
}

static void local_in_irq(void *arg) {
  (void)arg;
  unsigned long flags;
  sim_local_lock_irqsave(shared()->local, flags);
  SIM_EXPECT(sim_irqs_disabled());
  sim_elapse(10);
  sim_local_unlock_irqrestore(shared()->local, flags);
}
static void local_irq_task(void *arg) {
  for (u32 i = 0; i < 5; i++) local_in_irq(arg);
  SIM_EXPECT(!sim_irqs_disabled());
}
static void local_irqsave_setup(void) {
  make_shared();
  sim_irq_drawn("noise", local_in_irq, NULL, 3, 1, 4);
  sim_task_new("local", local_irq_task, NULL, 0);
  sim_task_new("local", local_irq_task, NULL, 1);
}
static const struct sim_scenario local_irqsave = {.name = "local-irqsave",
                                                  .setup = local_irqsave_setup};

static void local_irqsave_excludes_interrupts(void **state) {
  (void)state;
  sim_test_clean(&local_irqsave, NULL, 1000);
}

static void local_twice(void *arg) {
  (void)arg;
  sim_local_lock(shared()->local);
  sim_local_lock(shared()->local);
}
static void local_twice_setup(void) { one_task(local_twice); }
static const struct sim_scenario local_twice_scenario = {.name = "local-twice",
                                                         .setup = local_twice_setup};
static void local_unlock_free(void *arg) {
  (void)arg;
  sim_preempt_disable();
  sim_local_unlock(shared()->local);
}
static void local_unlock_free_setup(void) { one_task(local_unlock_free); }
static const struct sim_scenario local_release_free = {.name = "local-release-free",
                                                       .setup = local_unlock_free_setup};

static void local_lock_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&local_twice_scenario, NULL, 5, "lock-misuse");
  sim_test_always(&local_release_free, NULL, 5, "lock-misuse");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spinlock_excludes),
      cmocka_unit_test(no_spinlock_loses_updates),
      cmocka_unit_test(spinlock_in_all_interleavings),
      cmocka_unit_test(trylock_never_waits),
      cmocka_unit_test(irqsave_excludes_interrupts),
      cmocka_unit_test(irqsave_nests),
      cmocka_unit_test(misuse_is_found),
      cmocka_unit_test(interrupt_deadlock_is_found),
      cmocka_unit_test(lock_in_nmi_is_found),
      cmocka_unit_test(lock_in_freed_memory_is_found),
      cmocka_unit_test(local_lock_is_per_cpu),
      cmocka_unit_test(local_irqsave_excludes_interrupts),
      cmocka_unit_test(local_lock_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
