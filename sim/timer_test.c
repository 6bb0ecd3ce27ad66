// SPDX-License-Identifier: GPL-2.0-or-later
//
// The timer wheel against a slow oracle, the order and place of callbacks, hrtimers, and
// the conversions of jiffies. Sleeps are in sleep_test.c, deletion in timer_sync_test.c.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/prng.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/trace.h"

// ---- The wheel ----

// kernel/time/timer.c in words: level n holds 64 buckets of 8^n jiffies; a timer goes to
// the lowest level whose span, 63 buckets, is more than its distance, into the first bucket
// that begins after it expires. By counting, not by shifting.
static u64 slow_bucket(u64 expires, u64 now) {
  u64 granularity = 1;
  if (expires < now) expires = now;
  for (u32 level = 0; level < 8 && expires - now >= 63 * granularity; level++) granularity *= 8;
  if (expires - now >= 63 * granularity) expires = now + 62 * granularity;
  u64 bucket = 0;
  while (bucket <= expires) {
    u64 jump = granularity;
    while (bucket + 64 * jump <= expires) jump *= 64;
    bucket += jump;
  }
  return bucket;
}

static void wheel_agrees_with_oracle(void **state) {
  (void)state;
  for (u64 now = 0; now < 600; now += 7)
    for (u64 delta = 0; delta < 5000; delta++)
      if (sim_timer_wheel_bucket(now + delta, now) != slow_bucket(now + delta, now))
        fail_msg("now %llu, delta %llu: %llu, not %llu", (unsigned long long)now,
                 (unsigned long long)delta,
                 (unsigned long long)sim_timer_wheel_bucket(now + delta, now),
                 (unsigned long long)slow_bucket(now + delta, now));
  struct sim_stream rng;
  sim_stream_seed(&rng, 1);
  for (u32 i = 0; i < 20000; i++) {
    u64 now = sim_stream_u64(&rng) >> (24 + sim_stream_below(&rng, 40));
    u64 delta = sim_stream_u64(&rng) >> (24 + sim_stream_below(&rng, 40));
    u64 bucket = sim_timer_wheel_bucket(now + delta, now);
    assert_int_equal(bucket, slow_bucket(now + delta, now));
    // Never early, but at the wheel's end: there it is cut.
    assert_true(bucket > now && (bucket > now + delta || delta >= 63ull << 24));
  }
  // Edges of levels.
  for (u32 level = 0; level < 9; level++)
    for (u64 d = 0; d < 5; d++)
      for (u64 now = 0; now < 70; now++) {
        u64 delta = (63ull << (3 * level)) + d - 2;
        assert_int_equal(sim_timer_wheel_bucket(now + delta, now), slow_bucket(now + delta, now));
      }
  // What has expired comes next.
  assert_int_equal(sim_timer_wheel_bucket(0, 1000), 1001);
  assert_int_equal(sim_timer_wheel_bucket(1000, 1000), 1001);
}

// ---- State ----

enum { TIMERS = 8 };
struct numbered {
  struct sim_timer timer;
  u32 number, cpu;
};
struct numbered_hr {
  struct sim_hrtimer timer;
  u32 number;
  u64 came_ns;
};
struct shared {
  struct numbered timer[TIMERS];
  struct numbered_hr hr[TIMERS];
  u32 came[64], num_came;
  u32 left;
  u64 earliest[TIMERS];
};
static struct shared *sh(void) { return sim_private(); }

static void came(u32 number) {
  struct shared *s = sh();
  SIM_EXPECT(s->num_came < SIM_ARRAY_SIZE(s->came));
  s->came[s->num_came++] = number;
}
static void expect_came(const u32 *numbers, u32 n) {
  struct shared *s = sh();
  for (u32 i = 0; i < n && i < s->num_came; i++) SIM_EXPECT_EQ(s->came[i], numbers[i]);
  SIM_EXPECT_EQ(s->num_came, n);
}
#define EXPECT_CAME(...) \
  expect_came((const u32[]){__VA_ARGS__}, (u32)SIM_ARRAY_SIZE(((const u32[]){__VA_ARGS__})))

static void fire(struct sim_timer *timer) {
  struct numbered *n = sim_container_of(timer, struct numbered, timer);
  SIM_EXPECT(sim_in_serving_softirq() && !sim_in_hardirq() && !sim_irqs_disabled());
  SIM_EXPECT_EQ(sim_smp_processor_id(), n->cpu);
  SIM_EXPECT(sim_jiffies() >= timer->bucket && !sim_timer_pending(timer));
  SIM_POINT("callback", timer);
  came(n->number);
}
static void hr_fire(struct sim_hrtimer *timer) {
  struct numbered_hr *n = sim_container_of(timer, struct numbered_hr, timer);
  SIM_EXPECT(sim_in_hardirq() && sim_irqs_disabled());
  SIM_EXPECT(sim_clock_ns() >= timer->soft_ns && !timer->pending);
  n->came_ns = sim_clock_ns();
  came(n->number);
}
static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  for (u32 i = 0; i < TIMERS; i++) {
    s->timer[i].number = s->hr[i].number = i;
    sim_timer_setup(&s->timer[i].timer, fire);
    sim_hrtimer_setup(&s->hr[i].timer, hr_fire);
  }
}
#define CASE(name_, main_)                \
  static void name_##_setup(void) {       \
    make_shared();                        \
    sim_task_new("main", main_, sh(), 0); \
  }                                       \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static u64 tick_ns(void) { return SIM_NSEC_PER_SEC / sim_hz(); }
static void elapse_to(u64 ns) {
  if (sim_clock_ns() < ns) sim_elapse(ns - sim_clock_ns());
}
static void mod(u32 i, u64 expires) {
  sh()->timer[i].cpu = sim_smp_processor_id();
  sim_mod_timer(&sh()->timer[i].timer, expires);
}

// ---- Timers of the wheel ----

static void order_main(void *arg) {
  struct shared *s = arg;
  u64 j = sim_jiffies();
  mod(0, j + 5);
  mod(1, j + 3);
  mod(2, j + 5);
  mod(3, j + 4);
  mod(4, j + 3);
  SIM_EXPECT(sim_mod_timer(&s->timer[0].timer, j + 5));  // the same: keeps its place
  SIM_EXPECT(sim_mod_timer(&s->timer[1].timer, j + 4));  // another: behind the others
  elapse_to((j + 4) * tick_ns() - 50000);                // ticks on the way take their time too
  SIM_EXPECT_EQ(s->num_came, 0);
  elapse_to((j + 7) * tick_ns());
  EXPECT_CAME(4, 3, 1, 0, 2);
  // In steps: 70 and 71 jiffies ahead are one bucket, in the order of adding.
  j = (sim_jiffies() + 8) / 8 * 8;
  elapse_to(j * tick_ns() + 100);
  mod(1, j + 71);
  mod(0, j + 70);
  elapse_to((j + 72) * tick_ns() - 500000);
  SIM_EXPECT_EQ(s->num_came, 5);
  elapse_to((j + 72) * tick_ns() + 5000);
  EXPECT_CAME(4, 3, 1, 0, 2, 1, 0);
}
CASE(order, order_main)

// By bucket, then by adding. Busy or idle, a bucket runs at its jiffy.
static void in_order_of_adding(void **state) {
  sim_test_clean(&order, (const char *const[]){"num_cpus", "1", NULL}, 30);
  sim_test_clean(&order, NULL, 30);
}

static void on_main(void *arg) {
  struct shared *s = arg;
  u64 j = sim_jiffies();
  s->timer[0].cpu = 1;
  sim_add_timer_on(&s->timer[0].timer, j + 2, 1);
  SIM_EXPECT(sim_timer_pending(&s->timer[0].timer));
  s->timer[1].cpu = 1;
  sim_add_timer_on(&s->timer[1].timer, j, 1);  // expired: not before the next jiffy
  sim_elapse(100);
  SIM_EXPECT_EQ(s->num_came, 0);
  sim_msleep(30);
  EXPECT_CAME(1, 0);
  // Moved from there to here.
  sim_add_timer_on(&s->timer[0].timer, sim_jiffies() + 2, 1);
  mod(0, sim_jiffies() + 1);
  sim_msleep(30);
  EXPECT_CAME(1, 0, 0);
}
CASE(on, on_main)

static void on_its_cpu(void **state) { sim_test_clean(&on, NULL, 200); }

static void bh_main(void *arg) {
  struct shared *s = arg;
  u64 j = sim_jiffies();
  sim_local_bh_disable();
  mod(0, j);
  mod(1, j + 1);
  elapse_to((j + 3) * tick_ns());
  SIM_EXPECT_EQ(s->num_came, 0);
  sim_local_bh_enable();
  EXPECT_CAME(0, 1);
  sim_local_irq_disable();
  mod(2, sim_jiffies());
  sim_elapse(2 * tick_ns());
  SIM_EXPECT_EQ(s->num_came, 2);
  sim_local_irq_enable();
  EXPECT_CAME(0, 1, 2);
}
CASE(bh, bh_main)

// Softirqs or interrupts off: the timers wait for the end of that, and none is lost.
static void wait_for_softirqs(void **state) { sim_test_clean(&bh, NULL, 200); }

static void slow_fire(struct sim_timer *timer) {
  sim_elapse(tick_ns());
  came(99);
  (void)timer;
}
static void served_main(void *arg) {
  struct shared *s = arg;
  u64 j = sim_jiffies() + 4;
  for (u32 i = 0; i < 4; i++) {
    s->timer[i].cpu = 1;
    if (i == 1) s->timer[i].timer.fn = slow_fire;
    sim_add_timer_on(&s->timer[i].timer, j + (i == 3), 1);
  }
  sim_msleep(60);
  EXPECT_CAME(0, 99, 2, 3);
}
CASE(served, served_main)

struct irq_counter {
  struct sim_trace_sink sink;
  u32 count;
};
static void count_irq(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct irq_counter *c = (struct irq_counter *)sink;
  if (event->kind == SIM_EVENT_IRQ_ENTER && event->cpu == 1) c->count++;
}

// What becomes due while the wheel is served is served too, without another interrupt.
static void one_interrupt_serves_all(void **state) {
  struct sim_test t;
  struct irq_counter c = {.sink.event = count_irq};
  (void)state;
  sim_test_open(&t, &served, NULL);
  sim_world_set_sink(t.world, &c.sink);
  sim_test_calm(&t);
  sim_test_show(&t, "calm", 0);
  assert_int_equal(t.result.status, SIM_OK);
  assert_int_equal(c.count, 1);
  sim_test_close(&t);
}

static void never_early_main(void *arg) {
  struct shared *s = arg;
  for (u32 round = 0; round < 4; round++) {
    for (u32 i = 0; i < TIMERS; i++) {
      u64 now = sim_jiffies(), expires = now + sim_test_draw(5) * (1 + 20 * (i % 2));
      if (sim_test_draw(4) == 1) continue;
      mod(i, expires);
      SIM_EXPECT_EQ(s->timer[i].timer.bucket, slow_bucket(expires, sim_jiffies()));
      if (sim_test_draw(3) == 1) sim_elapse(sim_test_draw(7000) * 1000);
    }
    u32 before = s->num_came;
    sim_schedule_timeout_uninterruptible(120);
    SIM_EXPECT(s->num_came - before <= 2 * TIMERS);
    for (u32 i = 0; i < TIMERS; i++) SIM_EXPECT(!sim_timer_pending(&s->timer[i].timer));
    s->num_came = 0;
  }
}
CASE(never_early, never_early_main)

static void timers_come_in_their_bucket(void **state) {
  sim_test_clean(&never_early, NULL, 200);
  sim_test_clean(&never_early, (const char *const[]){"hz", "1000", NULL}, 50);
  sim_test_clean(&never_early, (const char *const[]){"hz", "100", NULL}, 50);
}

// ---- hrtimers ----

static void start(u32 i, u64 soft, u64 hard) { sim_hrtimer_start(&sh()->hr[i].timer, soft, hard); }

static void hr_main(void *arg) {
  struct shared *s = arg;
  // Just after a tick, so that none comes amid this.
  elapse_to((sim_jiffies() + 1) * tick_ns() + 10);
  u64 now = sim_clock_ns();
  start(0, now + 900, now + 900);
  start(1, now + 500, now + 500);
  start(2, now + 900, now + 900);
  sim_elapse(499);
  SIM_EXPECT_EQ(s->num_came, 0);
  sim_elapse(1);
  EXPECT_CAME(1);
  sim_elapse(400);
  EXPECT_CAME(1, 0, 2);
  SIM_EXPECT_EQ(s->hr[1].came_ns, now + 500);
  // One takes along those whose soft time has come; with an earlier hard time first.
  s->num_came = 0;
  now = sim_clock_ns();
  start(3, now + 100, now + 2000);
  start(4, now + 100, now + 1000);
  start(5, now + 600, now + 600);
  start(6, now + 601, now + 3000);
  sim_elapse(700);
  EXPECT_CAME(5, 4, 3);
  sim_elapse(2299);
  EXPECT_CAME(5, 4, 3);
  sim_elapse(1);
  EXPECT_CAME(5, 4, 3, 6);
  // One that waits for its soft time keeps those with later hard times waiting.
  s->num_came = 0;
  now = sim_clock_ns();
  start(0, now + 500, now + 500);
  start(1, now + 600, now + 1000);
  start(2, now + 100, now + 2000);
  sim_elapse(500);
  EXPECT_CAME(0);
  sim_elapse(500);
  EXPECT_CAME(0, 1, 2);
  // Cancelled, and started anew.
  s->num_came = 0;
  now = sim_clock_ns();
  start(0, now + 500, now + 500);
  SIM_EXPECT(sim_hrtimer_cancel(&s->hr[0].timer));
  SIM_EXPECT(!sim_hrtimer_cancel(&s->hr[0].timer));
  start(1, now + 500, now + 500);
  start(1, now + 800, now + 800);
  sim_elapse(600);
  SIM_EXPECT_EQ(s->num_came, 0);
  sim_elapse(200);
  EXPECT_CAME(1);
  // In the past: at the next step.
  start(2, 1, 2);
  SIM_POINT("step", NULL);
  EXPECT_CAME(1, 2);
  // The tick takes along, too.
  s->num_came = 0;
  u64 tick = (sim_jiffies() + 1) * tick_ns();
  start(3, tick - 100, tick + 100000);
  elapse_to(tick + 50);
  EXPECT_CAME(3);
  SIM_EXPECT_EQ(s->hr[3].came_ns, tick);
}
CASE(hr, hr_main)

static void hrtimers(void **state) {
  sim_test_clean(&hr, (const char *const[]){"irq_cost_ns", "0", "num_cpus", "1", NULL}, 20);
}

static void hr_far_main(void *arg) {
  struct shared *s = arg;
  start(0, sim_clock_ns() + 1000, sim_clock_ns() + 1000);
  s->left--;
}
static void hr_far_other(void *arg) {
  struct shared *s = arg;
  start(1, sim_clock_ns() + 1000, sim_clock_ns() + 1000);
  s->left--;
  sim_usleep_range(50, 50);
  SIM_EXPECT_EQ(s->num_came, 2);
  SIM_EXPECT_EQ(s->hr[1].timer.cpu, 1);
  // From another CPU: cancelled there.
  sim_hrtimer_cancel(&s->hr[0].timer);
}
static void hr_far_setup(void) {
  make_shared();
  sh()->left = 2;
  sim_task_new("main", hr_far_main, sh(), 0);
  sim_task_new("other", hr_far_other, sh(), 1);
}
static const struct sim_scenario hr_far = {.name = "hr_far", .setup = hr_far_setup};

static void hrtimers_on_each_cpu(void **state) { sim_test_clean(&hr_far, NULL, 200); }

// ---- Misuse ----

static u32 misuse;
static void rearm_at_once(struct sim_hrtimer *timer) { sim_hrtimer_start(timer, 0, 0); }
static void bad_main(void *arg) {
  struct shared *s = arg;
  struct sim_timer *t = sim_zalloc(sizeof(*t), "timer");
  struct sim_hrtimer *h = sim_zalloc(sizeof(*h), "hrtimer");
  switch (misuse) {
    case 0:
      sim_mod_timer(t, 5);  // before timer_setup
      break;
    case 1:
      sim_hrtimer_start(h, 1, 2);
      break;
    case 2:
      start(0, 2, 1);
      break;
    case 3:
      sim_add_timer_on(&s->timer[0].timer, 5, sim_nr_cpus());
      break;
    case 4:
      mod(0, sim_jiffies() + 5);
      sim_add_timer_on(&s->timer[0].timer, 5, 0);
      break;
    case 5:
      sim_timer_setup(t, fire);
      sim_mod_timer(t, sim_jiffies() + 5);
      sim_free(t);
      break;
    case 6:
      sim_hrtimer_setup(h, hr_fire);
      sim_hrtimer_start(h, sim_clock_ns() + 5, sim_clock_ns() + 5000);
      sim_free(h);
      break;
    case 7:
      sim_timer_setup(t, fire);
      sim_free(t);
      sim_mod_timer(t, sim_jiffies() + 5);
      break;
    case 8:
      sim_hrtimer_setup(h, hr_fire);
      sim_free(h);
      sim_hrtimer_start(h, 1, 2);
      break;
    case 9:
      s->hr[0].timer.fn = rearm_at_once;
      start(0, 1, 2);
      break;
    default:
      break;
  }
  SIM_POINT("step", NULL);
  sim_free(t);
  sim_free(h);
}
CASE(bad, bad_main)

// Each is a finding, and no crash; one that comes at once for ever uses up the budget.
static void misuse_is_reported(void **state) {
  static const char *const oracle[] = {
      "api-misuse",     "api-misuse",     "api-misuse",     "api-misuse",     "api-misuse",
      "use-after-free", "use-after-free", "use-after-free", "use-after-free", "budget"};
  (void)state;
  for (misuse = 0; misuse < SIM_ARRAY_SIZE(oracle); misuse++)
    sim_test_always(&bad, (const char *const[]){"steps_max", "1000", NULL}, 5, oracle[misuse]);
  sim_test_clean(&bad, NULL, 5);
}

// ---- Conversions ----

static void convert_main(void *arg) {
  u64 hz = sim_hz();
  for (u64 ms = 0; ms < 3000; ms++) {
    u64 j = sim_msecs_to_jiffies(ms);
    SIM_EXPECT(j * 1000 >= ms * hz && (j == 0 || (j - 1) * 1000 < ms * hz));
  }
  for (u64 us = 0; us < 50000; us += 13) {
    u64 j = sim_usecs_to_jiffies(us);
    SIM_EXPECT(j * 1000000 >= us * hz && (j == 0 || (j - 1) * 1000000 < us * hz));
  }
  SIM_EXPECT_EQ(sim_jiffies_to_nsecs(hz), SIM_NSEC_PER_SEC);
  SIM_EXPECT_EQ(sim_jiffies(), sim_clock_ns() * hz / SIM_NSEC_PER_SEC);
  (void)arg;
}
CASE(convert, convert_main)

// Rounded up, at each HZ.
static void conversions(void **state) {
  static const char *const hz[] = {"100", "250", "1000"};
  (void)state;
  for (u32 i = 0; i < 3; i++) sim_test_clean(&convert, (const char *const[]){"hz", hz[i], NULL}, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wheel_agrees_with_oracle),
      cmocka_unit_test(in_order_of_adding),
      cmocka_unit_test(on_its_cpu),
      cmocka_unit_test(wait_for_softirqs),
      cmocka_unit_test(one_interrupt_serves_all),
      cmocka_unit_test(timers_come_in_their_bucket),
      cmocka_unit_test(hrtimers),
      cmocka_unit_test(hrtimers_on_each_cpu),
      cmocka_unit_test(misuse_is_reported),
      cmocka_unit_test(conversions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
