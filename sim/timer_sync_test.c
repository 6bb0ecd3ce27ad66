// SPDX-License-Identifier: GPL-2.0-or-later
//
// Timers and deleting them: order, who pends, and waiting for a callback that runs.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/timer.h"

struct shared {
  struct sim_timer timer, second;
  u32 fired, order[4], num_order;
  bool inside, deleted, rearm, self_delete, returned;
  u32 cpu;
};
static struct shared *sh(void) { return sim_private(); }

static void note(u32 n) { sh()->order[sh()->num_order++] = n; }

static void callback(struct sim_timer *timer) {
  struct shared *s = sh();
  SIM_EXPECT(!s->deleted);
  SIM_EXPECT(sim_in_serving_softirq());
  SIM_EXPECT(!sim_timer_pending(timer));
  s->inside = true;
  s->cpu = sim_smp_processor_id();
  if (s->self_delete) sim_timer_delete_sync(timer);
  sim_elapse(10000);
  if (s->rearm && s->fired < 3) sim_mod_timer(timer, sim_jiffies() + 1);
  s->inside = false;
  s->fired++;
  note(1);
}
static void second_callback(struct sim_timer *timer) {
  (void)timer;
  note(2);
}

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_timer_setup(&s->timer, callback);
  sim_timer_setup(&s->second, second_callback);
}
#define CASE(name_, fn_)                \
  static void name_##_setup(void) {     \
    make_shared();                      \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

// ---- Arming ----

static void arm(void *arg) {
  struct shared *s = sh();
  (void)arg;
  SIM_EXPECT(!sim_timer_pending(&s->timer));
  SIM_EXPECT(!sim_mod_timer(&s->timer, sim_jiffies() + 5));
  SIM_EXPECT(sim_timer_pending(&s->timer));
  SIM_EXPECT(sim_mod_timer(&s->timer, sim_jiffies() + 2));  // was pending
  sim_msleep(40);
  SIM_EXPECT_EQ(s->fired, 1);
  SIM_EXPECT(!sim_timer_pending(&s->timer));
  SIM_EXPECT(!sim_timer_delete(&s->timer));
  sim_mod_timer(&s->timer, sim_jiffies() + 2);
  SIM_EXPECT(sim_timer_delete(&s->timer));
  sim_msleep(40);
  SIM_EXPECT_EQ(s->fired, 1);
}
CASE(arming, arm)

static void ties(void *arg) {
  struct shared *s = sh();
  (void)arg;
  u64 at = sim_jiffies() + 3;
  sim_mod_timer(&s->second, at);
  sim_mod_timer(&s->timer, at);
  sim_msleep(40);
  SIM_EXPECT_EQ(s->num_order, 2);
  SIM_EXPECT_EQ(s->order[0], 2);
  SIM_EXPECT_EQ(s->order[1], 1);
  // A later expiry that lies in the same bucket keeps its turn.
  at = (sim_jiffies() / 8 + 20) * 8;
  sim_mod_timer(&s->timer, at + 2);
  sim_mod_timer(&s->second, at + 1);
  sim_msleep(2000);
  SIM_EXPECT_EQ(s->order[2], 1);
  SIM_EXPECT_EQ(s->order[3], 2);
}
CASE(tie, ties)

static void on_other_cpu(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_add_timer_on(&s->timer, sim_jiffies() + 2, 1);
  sim_msleep(40);
  SIM_EXPECT_EQ(s->fired, 1);
  SIM_EXPECT_EQ(s->cpu, 1);
  sim_mod_timer(&s->timer, sim_jiffies() + 2);
  sim_msleep(40);
  SIM_EXPECT_EQ(s->cpu, 0);
}
CASE(other_cpu, on_other_cpu)

// Armed again, deleted; timers of one bucket in the order of adding; on their CPU.
static void timer_arming(void **state) {
  (void)state;
  sim_test_clean(&arming, NULL, 100);
  sim_test_clean(&tie, NULL, 100);
  sim_test_clean(&other_cpu, NULL, 100);
}

// ---- Deleting while it runs ----

static u32 deleted_running, deleted_pending, deleted_after, deleted_rearmed;
// Arms the timer on CPU 1 and goes on until about the time at which it fires there.
static void arm_and_meet(void) {
  struct shared *s = sh();
  u64 expires = sim_jiffies() + 1;
  sim_add_timer_on(&s->timer, expires, 1);
  u64 at = sim_jiffies_to_nsecs(expires + 1) - 10000 + sim_test_draw(30) * 1000;
  sim_elapse(at - sim_clock_ns());
}

static void deleter(void *arg) {
  struct shared *s = sh();
  (void)arg;
  arm_and_meet();
  bool was_inside = s->inside;
  u32 fired = s->fired;
  bool pended = sim_timer_delete_sync(&s->timer);
  SIM_EXPECT(!s->inside);
  SIM_EXPECT(!sim_timer_pending(&s->timer));
  SIM_EXPECT_EQ(s->fired + pended, 1);
  s->deleted = true;
  if (pended)
    deleted_pending++;
  else if (was_inside || fired == 0)
    deleted_running++;
  else
    deleted_after++;
  sim_msleep(40);
}
CASE(running, deleter)

// Whether it pends, runs or has run: afterwards it does not run.
static void delete_sync_waits_for_the_callback(void **state) {
  (void)state;
  deleted_running = deleted_pending = deleted_after = 0;
  sim_test_clean(&running, NULL, 2000);
  assert_true(deleted_running > 10);
  assert_true(deleted_pending > 10);
  assert_true(deleted_after > 10);
}

static void rearming_deleter(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->rearm = true;
  while (s->fired < 2) {
    // Until after it has fired, or about when it does.
    sim_add_timer_on(&s->timer, sim_jiffies() + 1, 1);
    u64 at = sim_jiffies_to_nsecs(s->timer.bucket) + 20000 - sim_test_draw(30) * 1000;
    sim_elapse(at - sim_clock_ns());
    deleted_rearmed += s->inside;
    sim_timer_delete_sync(&s->timer);
    SIM_EXPECT(!s->inside);
    SIM_EXPECT(!sim_timer_pending(&s->timer));  // though the callback may have rearmed it
  }
  sim_timer_delete_sync(&s->timer);
  u32 fired = s->fired;
  sim_msleep(40);
  SIM_EXPECT_EQ(s->fired, fired);
}
CASE(rearming, rearming_deleter)

static void delete_sync_catches_one_that_rearms(void **state) {
  (void)state;
  deleted_rearmed = 0;
  sim_test_clean(&rearming, NULL, 500);
  assert_true(deleted_rearmed > 50);
}

static u32 try_busy;
static void trier(void *arg) {
  struct shared *s = sh();
  (void)arg;
  SIM_EXPECT_EQ(sim_timer_delete_sync_try(&s->timer), 0);
  sim_add_timer_on(&s->timer, sim_jiffies() + 1, 1);
  SIM_EXPECT_EQ(sim_timer_delete_sync_try(&s->timer), 1);
  arm_and_meet();
  for (;;) {
    int rc = sim_timer_delete_sync_try(&s->timer);
    if (rc < 0) {
      SIM_EXPECT_EQ(rc, -1);
      try_busy++;
      sim_cpu_relax();
      continue;
    }
    SIM_EXPECT(!s->inside);
    break;
  }
}
CASE(trying, trier)

// The try form says -1 instead of waiting.
static void delete_sync_try_does_not_wait(void **state) {
  (void)state;
  try_busy = 0;
  sim_test_clean(&trying, NULL, 300);
  assert_true(try_busy > 10);
}

// ---- Order of locks ----

static struct sim_spinlock lock;
static void takes_lock(struct sim_timer *timer) {
  (void)timer;
  sim_spin_lock(&lock);
  sim_spin_unlock(&lock);
}
static void delete_under_lock(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_spin_lock_init(&lock, "lock");
  sim_timer_setup(&s->timer, takes_lock);
  sim_mod_timer(&s->timer, sim_jiffies());
  sim_msleep(20);
  sim_local_bh_disable();
  sim_spin_lock(&lock);
  sim_timer_delete_sync(&s->timer);  // on this CPU nothing can run now
  sim_spin_unlock(&lock);
  sim_local_bh_enable();
}
CASE(under_lock, delete_under_lock)
static void delete_without_lock(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_spin_lock_init(&lock, "lock");
  sim_timer_setup(&s->timer, takes_lock);
  sim_mod_timer(&s->timer, sim_jiffies());
  sim_msleep(20);
  sim_local_bh_disable();
  sim_spin_lock(&lock);
  sim_timer_delete(&s->timer);
  sim_spin_unlock(&lock);
  sim_local_bh_enable();
  sim_timer_delete_sync(&s->timer);
}
CASE(without_lock, delete_without_lock)

// Waiting for a callback under a lock that it takes is found, whether or not it deadlocks.
static void delete_sync_under_its_lock(void **state) {
  (void)state;
  sim_test_always(&under_lock, NULL, 50, "lock-order");
  sim_test_clean(&without_lock, NULL, 50);
}

// ---- Misuse ----

static void deletes_itself(void *arg) {
  (void)arg;
  sh()->self_delete = true;
  sim_mod_timer(&sh()->timer, sim_jiffies() + 1);
  sim_msleep(40);
}
CASE(itself, deletes_itself)

static void delete_in_irq(void *arg) {
  (void)arg;
  sim_timer_delete_sync(&sh()->timer);
}
static void raise_line(void *arg) {
  sim_irq_raise(*(u32 *)arg);
  sim_elapse(100);
}
static void in_irq_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("line", delete_in_irq, NULL, 0, false);
  sim_task_new("main", raise_line, irq, 0);
}
static const struct sim_scenario in_irq = {.name = "in-irq", .setup = in_irq_setup};

static void freed_armed(void *arg) {
  struct sim_timer *timer = sim_alloc(sizeof(*timer), "timer");
  (void)arg;
  sim_timer_setup(timer, second_callback);
  sim_mod_timer(timer, sim_jiffies() + 1);
  sim_free(timer);
  sim_msleep(40);
}
CASE(freed, freed_armed)
static void add_twice(void *arg) {
  (void)arg;
  sim_add_timer_on(&sh()->timer, sim_jiffies() + 1, 0);
  sim_add_timer_on(&sh()->timer, sim_jiffies() + 1, 0);
}
CASE(twice, add_twice)
static void not_set_up(void *arg) {
  (void)arg;
  sh()->timer.fn = NULL;
  sim_mod_timer(&sh()->timer, 1);
}
CASE(no_setup, not_set_up)

static void timer_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&itself, NULL, 5, "context-misuse");
  sim_test_always(&in_irq, NULL, 5, "context-misuse");
  sim_test_always(&freed, NULL, 5, "use-after-free");
  sim_test_always(&twice, NULL, 5, "api-misuse");
  sim_test_always(&no_setup, NULL, 5, "api-misuse");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(timer_arming),
      cmocka_unit_test(delete_sync_waits_for_the_callback),
      cmocka_unit_test(delete_sync_catches_one_that_rearms),
      cmocka_unit_test(delete_sync_try_does_not_wait),
      cmocka_unit_test(delete_sync_under_its_lock),
      cmocka_unit_test(timer_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
