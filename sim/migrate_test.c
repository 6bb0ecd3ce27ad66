// SPDX-License-Identifier: GPL-2.0-or-later
//
// Moving tasks to another CPU, and what preemption notifiers hear of it.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"

struct shared {
  struct sim_task *task;
  struct sim_preempt_notifier notifier;
  u32 ins, outs, cpu_in, done;
  bool on, sleeper_woke;
  struct sim_spinlock lock;
  struct sim_local_lock *local_lock;
  struct sim_task *users[3];
};
static struct shared *sh(void) { return sim_private(); }

static void make_shared(void) {
  sim_set_private(sim_alloc_static(sizeof(struct shared), "shared"));
}
#define CASE(name_, fn_)                \
  static void name_##_setup(void) {     \
    make_shared();                      \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

// ---- Moving ----

// The caller goes on where it asked to, later than where it came from.
static void move_self(void *arg) {
  u64 before = sim_clock_ns();

  SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 0), 0);
  SIM_EXPECT_EQ(sim_smp_processor_id(), 0);
  SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 1), 0);
  SIM_EXPECT_EQ(sim_smp_processor_id(), 1);
  SIM_EXPECT_EQ(sim_task_cpu(sim_current()), 1);
  SIM_EXPECT(sim_clock_ns() > before);
  SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 0), 0);
  SIM_EXPECT_EQ(sim_smp_processor_id(), 0);
}
CASE(self, move_self)

static void sleep_then_look(void *arg) {
  sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  sim_schedule();
  SIM_EXPECT_EQ(sim_smp_processor_id(), 1);
  sh()->sleeper_woke = true;
}
// A task that sleeps wakes up on its new CPU.
static void move_sleeper(void *arg) {
  struct sim_task *task = sim_task_new("sleeper", sleep_then_look, NULL, 0);

  while (sim_task_state(task) == SIM_TASK_RUNNING) sim_yield();
  SIM_EXPECT_EQ(sim_migrate_task_to(task, 1), 0);
  while (!sim_wake_up_process(task)) sim_cpu_relax();
  sim_task_join(task);
  SIM_EXPECT(sh()->sleeper_woke);
}
CASE(sleeper, move_sleeper)

static void look(void *arg) { SIM_EXPECT_EQ(sim_smp_processor_id(), 1); }
// A task that waits for its CPU, behind the caller who keeps it, gets another.
static void move_queued(void *arg) {
  struct sim_task *task = sim_task_new("queued", look, NULL, 0);

  sim_preempt_disable();
  if (sim_task_state(task) != SIM_TASK_DEAD) {
    SIM_EXPECT_EQ(sim_migrate_task_to(task, 1), 0);
    SIM_EXPECT_EQ(sim_task_cpu(task), 1);
  }
  sim_preempt_enable();
  sim_task_join(task);
}
CASE(queued, move_queued)

static void spin_until_done(void *arg) {
  sh()->on = true;
  while (!sh()->done) sim_cpu_relax();
}
static int bound(void *arg) { return 0; }
static void refusals(void *arg) {
  struct sim_task *task = sim_task_new("runs", spin_until_done, NULL, 1), *thread;

  while (!sh()->on) sim_cpu_relax();
  SIM_EXPECT_EQ(sim_migrate_task_to(task, 0), -SIM_EAGAIN);
  SIM_EXPECT_EQ(sim_migrate_task_to(task, 1), 0);
  SIM_EXPECT_EQ(sim_migrate_task_to(task, 2), -SIM_EINVAL);
  SIM_EXPECT_EQ(sim_migrate_task_to(task, 1000), -SIM_EINVAL);
  sh()->done = 1;
  sim_task_join(task);
  SIM_EXPECT_EQ(sim_migrate_task_to(task, 0), -SIM_EINVAL);
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 1), -SIM_EINVAL);
  SIM_EXPECT_EQ(sim_cpu_up(1), 0);
  // A kthread that is bound to no CPU in particular may move.
  thread = sim_kthread_create(bound, NULL, "thread", 0);
  SIM_EXPECT_EQ(sim_migrate_task_to(thread, 1), 0);
  (void)sim_kthread_stop(thread);
}
CASE(refused, refusals)

static void in_atomic(void *arg) {
  sim_preempt_disable();
  (void)sim_migrate_task_to(sim_current(), 1);
}
CASE(atomic, in_atomic)

static void with_lock(void *arg) {
  struct shared *s = sh();

  sim_spin_lock(&s->lock);
  SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 1), -SIM_EAGAIN);
  sim_spin_unlock(&s->lock);
  SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 1), 0);
}
static void locked_setup(void) {
  make_shared();
  sim_spin_lock_init(&sh()->lock, "lock");
  sim_task_new("main", with_lock, NULL, 0);
}
static const struct sim_scenario locked = {.name = "locked", .setup = locked_setup};

static void uses_own_locks(void *arg) {
  struct shared *s = sh();

  for (u32 i = 0; i < 3; i++) {
    sim_local_lock(s->local_lock);
    sim_elapse(500);
    sim_local_unlock(s->local_lock);
    sim_local_bh_disable();
    sim_elapse(500);
    sim_local_bh_enable();
  }
}
static void moves_users(void *arg) {
  struct shared *s = sh();

  for (u32 i = 0; i < 20; i++) {
    int rc = sim_migrate_task_to(s->users[sim_test_draw(3)], sim_test_draw(2));

    SIM_EXPECT(rc == 0 || rc == -SIM_EAGAIN || rc == -SIM_EINVAL);
    sim_elapse(sim_test_draw(2) * 700);
  }
}
static void own_locks_setup(void) {
  struct shared *s;

  make_shared();
  s = sh();
  s->local_lock = sim_alloc_percpu(struct sim_local_lock, "local lock");
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++)
    sim_local_lock_init(&s->local_lock[cpu], "local lock");
  for (u32 i = 0; i < 3; i++) s->users[i] = sim_task_new("user", uses_own_locks, NULL, 0);
  sim_task_new("mover", moves_users, NULL, 1);
}
static const struct sim_scenario own_locks = {.name = "own-locks", .setup = own_locks_setup};

// ---- Notifiers ----

static void heard_in(struct sim_preempt_notifier *notifier) {
  struct shared *s = sim_container_of(notifier, struct shared, notifier);

  if (s->on || sim_current() != s->task) s->done = 100;
  s->on = true;
  s->ins++;
  s->cpu_in = sim_smp_processor_id();
}

static void heard_out(struct sim_preempt_notifier *notifier) {
  struct shared *s = sim_container_of(notifier, struct shared, notifier);

  // What happens between in and out is on one CPU.
  if (!s->on || sim_current() != s->task || s->cpu_in != sim_smp_processor_id()) s->done = 100;
  s->on = false;
  s->outs++;
}

static void watched(void *arg) {
  struct shared *s = sh();

  for (u32 i = 0; i < 6; i++) {
    SIM_EXPECT(s->on);
    SIM_EXPECT_EQ(s->cpu_in, sim_smp_processor_id());
    if (i == 3) SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 1 - s->cpu_in), 0);
    if (i == 4) sim_schedule_timeout_uninterruptible(1);
  }
}

static void mover(void *arg) {
  struct shared *s = sh();

  for (u32 i = 0; i < 4; i++) {
    int rc = sim_migrate_task_to(s->task, sim_test_draw(2));

    SIM_EXPECT(rc == 0 || rc == -SIM_EAGAIN || rc == -SIM_EINVAL);
    // Off its CPU, nobody has it.
    if (rc == 0 && sim_task_state(s->task) != SIM_TASK_RUNNING) SIM_EXPECT(!s->on);
  }
  sim_task_join(s->task);
  SIM_EXPECT_EQ(s->done, 0);
  SIM_EXPECT_EQ(s->ins, s->outs);
  SIM_EXPECT(s->ins >= 3);
}

static void rival(void *arg) {
  for (u32 i = 0; i < 6; i++) sim_yield();
}

static void notified_setup(void) {
  struct shared *s;

  make_shared();
  s = sh();
  s->notifier = (struct sim_preempt_notifier){heard_in, heard_out};
  s->task = sim_task_new("watched", watched, NULL, 0);
  sim_preempt_notifier_register(s->task, &s->notifier);
  sim_task_new("mover", mover, NULL, 1);
  sim_task_new("rival", rival, NULL, 0);
}
static const struct sim_scenario notified = {.name = "notified", .setup = notified_setup};

static void two_notifiers(void *arg) {
  struct shared *s = sh();

  sim_preempt_notifier_register(sim_current(), &s->notifier);
  sim_preempt_notifier_register(sim_current(), &s->notifier);
}
CASE(twice, two_notifiers)

// ---- Tests ----

static void migrate_moves_the_caller(void **state) {
  sim_test_clean(&self, NULL, 100);
  sim_test_exhaust(&self, NULL, 3, 100000);
}

static void migrate_moves_a_sleeper(void **state) { sim_test_clean(&sleeper, NULL, 300); }

static void migrate_moves_who_waits(void **state) { sim_test_clean(&queued, NULL, 300); }

static void migrate_refuses(void **state) { sim_test_clean(&refused, NULL, 100); }

// With rt=1 a lock keeps its owner on the CPU; else it may not even ask.
static void migrate_with_a_lock(void **state) {
  sim_test_clean(&locked, (const char *const[]){"rt", "1", NULL}, 100);
  sim_test_always(&locked, NULL, 5, "sleep-in-atomic");
}

// Nor does it leave the CPU whose local lock, or whose softirqs' lock, it waits for: it would
// release another CPU's.
static void migrate_keeps_who_waits_for_its_cpu(void **state) {
  sim_test_clean(&own_locks, (const char *const[]){"rt", "1", NULL}, 2000);
}

static void migrate_of_oneself_may_sleep(void **state) {
  sim_test_always(&atomic, NULL, 5, "sleep-in-atomic");
}

// In and out alternate, on one CPU each time, and nothing is missed: by preemption, sleep,
// migration by itself and by others, and the end.
static void notifier_hears_every_switch(void **state) { sim_test_clean(&notified, NULL, 2000); }

static void one_notifier_a_task(void **state) { sim_test_always(&twice, NULL, 5, "api-misuse"); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(migrate_moves_the_caller),
      cmocka_unit_test(migrate_moves_a_sleeper),
      cmocka_unit_test(migrate_moves_who_waits),
      cmocka_unit_test(migrate_refuses),
      cmocka_unit_test(migrate_keeps_who_waits_for_its_cpu),
      cmocka_unit_test(migrate_with_a_lock),
      cmocka_unit_test(migrate_of_oneself_may_sleep),
      cmocka_unit_test(notifier_hears_every_switch),
      cmocka_unit_test(one_notifier_a_task),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
