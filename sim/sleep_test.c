// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sleeping for a time: how long it takes, by the wheel's rounding and by hrtimers, and
// what comes back. Times are virtual, so every bound is exact.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/timer.h"

struct shared {
  struct sim_task *task;
  struct sim_hrtimer other;
  s64 rc;
  bool woken;
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

static u64 tick(void) { return sim_jiffies_to_nsecs(1); }

// Waits until just after a tick, with the CPU busy.
static void align(void) {
  u64 now = sim_clock_ns();
  sim_elapse((now / tick() + 1) * tick() - now);
}
// The jiffy is a multiple of `n`, and just begun.
static void align_to(u64 n) {
  align();
  while (sim_jiffies() % n) align();
}

// ---- The wheel ----

// The levels of the wheel, as the bucket that a timer set at jiffy 0 runs at.
static void wheel_rounds_up(void **state) {
  (void)state;
  static const struct {
    u64 expires, bucket;
  } row[] = {
      /*  1 */ {0, 1},  // for now: at the next jiffy
      /*  2 */ {1, 2},  // below 63: one later
      /*  3 */ {62, 63},
      /*  4 */ {63, 64},  // level 1: to the next multiple of 8
      /*  5 */ {64, 72},
      /*  6 */ {250, 256},
      /*  7 */ {251, 256},
      /*  8 */ {256, 264},
      /*  9 */ {503, 504},
      /* 10 */ {504, 512},  // level 2: of 64
      /* 11 */ {4031, 4032},
      /* 12 */ {4032, 4096},  // level 3: of 512
  };
  for (u32 i = 0; i < SIM_ARRAY_SIZE(row); i++)
    assert_int_equal(sim_timer_wheel_bucket(row[i].expires, 0), row[i].bucket);
  // The same from another jiffy that is a multiple of the granularity, and never early.
  assert_int_equal(sim_timer_wheel_bucket(8192 + 251, 8192), 8192 + 256);
  for (u64 now = 0; now < 70; now++)
    for (u64 d = 1; d < 5000; d += 7) assert_true(sim_timer_wheel_bucket(now + d, now) > now + d);
  // In the past: as soon as a timer can.
  assert_int_equal(sim_timer_wheel_bucket(5, 100), 101);
}

static void one_jiffy(void *arg) {
  (void)arg;
  align();
  u64 start = sim_clock_ns();
  SIM_EXPECT_EQ(sim_schedule_timeout_uninterruptible(1), 0);
  u64 took = sim_clock_ns() - start;
  SIM_EXPECT(took >= 2 * tick());
  SIM_EXPECT(took < 2 * tick() + 50000);
  // In the middle of a jiffy the first one is cut short.
  align();
  sim_elapse(tick() / 2);
  start = sim_clock_ns();
  SIM_EXPECT_EQ(sim_schedule_timeout_interruptible(1), 0);
  took = sim_clock_ns() - start;
  SIM_EXPECT(took >= 3 * tick() / 2 - 50000);
  SIM_EXPECT(took < 3 * tick() / 2 + 50000);
}
CASE(jiffy, one_jiffy)

static void long_ones(void *arg) {
  (void)arg;
  align_to(8);
  u64 start = sim_jiffies();
  SIM_EXPECT_EQ(sim_schedule_timeout_uninterruptible(251), 0);
  SIM_EXPECT_EQ(sim_jiffies() - start, 256);
  align_to(8);
  start = sim_jiffies();
  sim_msleep(20);  // 5 jiffies at 250 HZ, and one
  SIM_EXPECT_EQ(sim_jiffies() - start, 6);
  align_to(8);
  start = sim_jiffies();
  sim_msleep(1000);
  SIM_EXPECT_EQ(sim_jiffies() - start, 256);
  start = sim_jiffies();
  sim_msleep(0);
  SIM_EXPECT_EQ(sim_jiffies() - start, 0);
}
CASE(lengths, long_ones)

// 1 jiffy takes 2 from a tick; 251 take 256; msleep(20) takes 6 at 250 HZ.
static void timeouts_take_what_the_wheel_gives(void **state) {
  (void)state;
  sim_test_clean(&jiffy, NULL, 100);
  sim_test_clean(&jiffy, (const char *const[]){"hz", "1000", NULL}, 20);
  sim_test_clean(&jiffy, (const char *const[]){"hz", "100", NULL}, 20);
  sim_test_clean(&lengths, NULL, 100);
}

static void other_ran(void *arg) {
  (void)arg;
  sh()->woken = true;
}
static void zero_timeout(void *arg) {
  (void)arg;
  align();
  u64 start = sim_clock_ns();
  SIM_EXPECT_EQ(sim_schedule_timeout_uninterruptible(0), 0);
  SIM_EXPECT(sim_clock_ns() - start >= tick() - 50000);
  SIM_EXPECT(sim_clock_ns() - start < tick() + 50000);
  // A negative one does not sleep.
  start = sim_clock_ns();
  sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  SIM_EXPECT_EQ(sim_schedule_timeout(-1), 0);
  SIM_EXPECT_EQ(sim_task_state(sim_current()), SIM_TASK_RUNNING);
  SIM_EXPECT(sim_clock_ns() - start < 1000);
  // Nor does one in the running state, but it lets others go first.
  sim_task_new("other", other_ran, NULL, 0);
  SIM_EXPECT_EQ(sim_schedule_timeout(3), 3);
  SIM_EXPECT(sh()->woken);
  SIM_EXPECT(sim_clock_ns() - start < 10000);
}
CASE(zero, zero_timeout)

static void timeout_zero_is_the_next_tick(void **state) {
  (void)state;
  sim_test_clean(&zero, NULL, 20);
}

// ---- Ends before its time ----

static void sleeper(void *arg) {
  (void)arg;
  sh()->rc = sim_schedule_timeout_interruptible(100);
}
static void wake_early(void *arg) {
  struct shared *s = sh();
  (void)arg;
  align_to(8);
  s->task = sim_task_new("sleeper", sleeper, NULL, 0);
  sim_msleep(40);  // 11 jiffies
  SIM_EXPECT(sim_wake_up_process(s->task));
  sim_task_join(s->task);
  SIM_EXPECT_EQ(s->rc, 100 - 11);
  SIM_EXPECT(!sim_wake_up_process(s->task));
}
CASE(woken, wake_early)

static void signal_early(void *arg) {
  struct shared *s = sh();
  (void)arg;
  align_to(8);
  s->task = sim_task_new("sleeper", sleeper, NULL, 0);
  sim_msleep(40);
  sim_send_signal(s->task);
  sim_task_join(s->task);
  SIM_EXPECT_EQ(s->rc, 100 - 11);
}
CASE(signalled, signal_early)

static void no_bound(void *arg) {
  (void)arg;
  sim_set_current_state(SIM_TASK_INTERRUPTIBLE);
  sh()->rc = sim_schedule_timeout(SIM_MAX_SCHEDULE_TIMEOUT);
  SIM_EXPECT(sh()->woken);
}
static void wake_no_bound(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->task = sim_task_new("sleeper", no_bound, NULL, 0);
  sim_msleep(100);
  s->woken = true;
  sim_wake_up_process(s->task);
  sim_task_join(s->task);
  SIM_EXPECT(s->rc == SIM_MAX_SCHEDULE_TIMEOUT);
}
CASE(max, wake_no_bound)

static void pending_first(void *arg) {
  (void)arg;
  sim_send_signal(sim_current());
  u64 start = sim_clock_ns();
  SIM_EXPECT_EQ(sim_schedule_timeout_interruptible(50), 50);
  SIM_EXPECT(sim_clock_ns() - start < 10000);
  align_to(8);
  u64 jiffies = sim_jiffies();
  SIM_EXPECT_EQ(sim_schedule_timeout_uninterruptible(5), 0);
  SIM_EXPECT_EQ(sim_jiffies() - jiffies, 6);
}
CASE(pending, pending_first)

// A wake-up or a signal ends it with what was left; msleep goes on after a wake-up.
static void timeouts_end_early(void **state) {
  (void)state;
  sim_test_clean(&woken, NULL, 200);
  sim_test_clean(&signalled, NULL, 200);
  sim_test_clean(&max, NULL, 50);
  sim_test_clean(&pending, NULL, 50);
}

static void msleeper(void *arg) {
  (void)arg;
  align_to(8);
  u64 start = sim_jiffies();
  sim_msleep(80);
  SIM_EXPECT(sim_jiffies() - start >= 20);
}
static void disturb(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->task = sim_task_new("sleeper", msleeper, NULL, 1);
  for (u32 i = 0; i < 10; i++) {
    sim_msleep(8);
    sim_wake_up_process(s->task);
  }
}
CASE(disturbed, disturb)

static void msleep_is_not_cut_short(void **state) {
  (void)state;
  sim_test_clean(&disturbed, NULL, 200);
}

// ---- usleep_range ----

static void at_upper_bound(void *arg) {
  (void)arg;
  align();
  sim_elapse(100000);
  u64 start = sim_clock_ns();
  sim_usleep_range(100, 200);
  u64 took = sim_clock_ns() - start;
  SIM_EXPECT(took >= 200000);
  SIM_EXPECT(took < 200000 + 30000);
}
CASE(upper, at_upper_bound)

static void other_fired(struct sim_hrtimer *timer) { (void)timer; }
static void taken_along(void *arg) {
  struct shared *s = sh();
  (void)arg;
  align();
  sim_elapse(100000);
  u64 start = sim_clock_ns();
  sim_hrtimer_setup(&s->other, other_fired);
  sim_hrtimer_start(&s->other, start + 150000, start + 150000);
  sim_usleep_range(100, 200);
  u64 took = sim_clock_ns() - start;
  SIM_EXPECT(took >= 150000);
  SIM_EXPECT(took < 150000 + 30000);
  // One that comes before the lower bound does not take it along.
  start = sim_clock_ns();
  sim_hrtimer_start(&s->other, start + 50000, start + 50000);
  sim_usleep_range(100, 200);
  took = sim_clock_ns() - start;
  SIM_EXPECT(took >= 200000);
  SIM_EXPECT(took < 200000 + 50000);
}
CASE(along, taken_along)

static void usleeper(void *arg) {
  (void)arg;
  u64 start = sim_clock_ns();
  sim_usleep_range(500, 600);
  SIM_EXPECT(sim_clock_ns() - start >= 500000);
}
static void disturb_usleep(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->task = sim_task_new("sleeper", usleeper, NULL, 1);
  for (u32 i = 0; i < 5; i++) {
    sim_elapse(30000);
    sim_wake_up_process(s->task);
  }
  sim_task_join(s->task);
}
CASE(udisturbed, disturb_usleep)

// At its upper bound; earlier with another hrtimer interrupt between the bounds; never
// before the lower one, whoever wakes it.
static void usleep_range_bounds(void **state) {
  (void)state;
  sim_test_clean(&upper, NULL, 100);
  sim_test_clean(&along, NULL, 100);
  sim_test_clean(&udisturbed, NULL, 300);
}

// ---- Misuse ----

static void holder(void *arg) {
  sim_mutex_lock(arg);
  sim_msleep(20);
  sim_mutex_unlock(arg);
}
static void waiter(void *arg) {
  struct sim_mutex *mutex = sim_alloc_static(sizeof(*mutex), "mutex");
  struct sim_task *self = sim_current();
  (void)arg;
  sim_mutex_init(mutex, "m");
  sim_task_new("holder", holder, mutex, 1);
  SIM_EXPECT_EQ(sim_task_waits(self), 0);
  sim_elapse(1000000);
  sim_mutex_lock(mutex);  // which holder has
  sim_mutex_unlock(mutex);
  SIM_EXPECT_EQ(sim_task_waits(self), 0);
  sim_msleep(1);
  SIM_EXPECT_EQ(sim_task_waits(self), 1);
  sim_usleep_range(50, 60);
  SIM_EXPECT_EQ(sim_task_waits(self), 2);
  sim_schedule_timeout_interruptible(1);
  SIM_EXPECT_EQ(sim_task_waits(self), 3);
  sim_schedule();  // running: it does not sleep
  SIM_EXPECT_EQ(sim_task_waits(self), 3);
}
CASE(waits, waiter)

// Sleeps for a time are counted, and those for a lock are not.
static void waits_are_counted(void **state) {
  (void)state;
  sim_test_clean(&waits, NULL, 20);
}

static void sleeps_in_irq(void *arg) {
  (void)arg;
  sim_msleep(1);
}
static void raise_line(void *arg) {
  sim_irq_raise(*(u32 *)arg);
  sim_elapse(100);
}
static void in_irq_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("line", sleeps_in_irq, NULL, 0, false);
  sim_task_new("main", raise_line, irq, 0);
}
static const struct sim_scenario in_irq = {.name = "in-irq", .setup = in_irq_setup};
static void reversed(void *arg) {
  (void)arg;
  sim_usleep_range(200, 100);
}
CASE(backwards, reversed)

static void sleep_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&in_irq, NULL, 5, "sleep-in-atomic");
  sim_test_always(&backwards, NULL, 5, "api-misuse");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wheel_rounds_up),
      cmocka_unit_test(timeouts_take_what_the_wheel_gives),
      cmocka_unit_test(timeout_zero_is_the_next_tick),
      cmocka_unit_test(timeouts_end_early),
      cmocka_unit_test(msleep_is_not_cut_short),
      cmocka_unit_test(usleep_range_bounds),
      cmocka_unit_test(waits_are_counted),
      cmocka_unit_test(sleep_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
