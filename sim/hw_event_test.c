// SPDX-License-Identifier: GPL-2.0-or-later
//
// Hardware events: on whose timeline, when, in what order among themselves and against
// timers and ticks of the same time, and their misuse.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/task.h"
#include "sim/timer.h"

enum { EVENTS = 4 };
struct event {
  struct sim_hw_event hw;
  u32 number, cpu;
  u64 due_ns, came_ns;
};
struct shared {
  struct event event[EVENTS];
  struct sim_hrtimer hrtimer;
  struct sim_timer timer;
  u32 came[32], num_came;
  u64 now_ns;
  bool resched[3];
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

static void fire(void *arg) {
  struct event *e = arg;
  SIM_EXPECT(sim_in_hardirq() && sim_irqs_disabled());
  SIM_EXPECT_EQ(sim_smp_processor_id(), e->cpu);
  SIM_EXPECT(sim_clock_ns() >= e->due_ns);
  SIM_EXPECT(!e->hw.armed);
  e->came_ns = sim_clock_ns();
  if (e->number == 0) sh()->resched[0] = sim_need_resched();
  came(e->number);
}
static void arm(u32 number, u64 at_ns, u32 cpu) {
  struct event *e = &sh()->event[number];
  e->number = number;
  e->cpu = cpu;
  e->due_ns = at_ns;
  sim_hw_event_arm(&e->hw, at_ns, fire, e, cpu);
  SIM_EXPECT(e->hw.armed);
}
static void disarm(u32 number) { sim_hw_event_disarm(&sh()->event[number].hw); }

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
}
#define CASE(name_, main_)                \
  static void name_##_setup(void) {       \
    make_shared();                        \
    sim_task_new("main", main_, sh(), 0); \
  }                                       \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static void step(void) { SIM_POINT("step", NULL); }
static u64 tick_ns(void) { return SIM_NSEC_PER_SEC / sim_hz(); }

// ---- When ----

static void order_main(void *arg) {
  u64 now = sim_clock_ns();
  arm(0, now + 5000, 0);
  arm(1, now + 3000, 0);
  arm(2, now + 5000, 0);
  arm(3, now + 3000, 0);
  sim_elapse(2990);
  SIM_EXPECT_EQ(sh()->num_came, 0);
  sim_elapse(10);
  EXPECT_CAME(1, 3);
  sim_elapse(2000);
  EXPECT_CAME(1, 3, 0, 2);
  (void)arg;
}
CASE(order, order_main)

// Each at its time; equal times in the order of arming.
static void in_order_of_time_then_arming(void **state) {
  sim_test_clean(&order, (const char *const[]){"irq_cost_ns", "0", "num_cpus", "1", NULL}, 50);
}

static void late_main(void *arg) {
  struct shared *s = arg;
  u64 now = sim_clock_ns();
  sim_local_irq_disable();
  arm(0, now + 100, 0);
  arm(1, now + 50, 0);
  arm(2, 0, 0);
  for (u32 i = 0; i < 100; i++) step();
  SIM_EXPECT_EQ(s->num_came, 0);
  sim_local_irq_enable();
  EXPECT_CAME(2, 1, 0);
  arm(3, 1, 0);  // long past: at the next step
  SIM_EXPECT_EQ(s->num_came, 3);
  step();
  EXPECT_CAME(2, 1, 0, 3);
}
CASE(late, late_main)

// What is due with interrupts off is not lost: it comes when they are on, by time.
static void due_with_irqs_off(void **state) { sim_test_clean(&late, NULL, 200); }

static void disarm_main(void *arg) {
  struct shared *s = arg;
  u64 now = sim_clock_ns();
  disarm(0);  // never armed: nothing
  arm(0, now + 1000, 0);
  arm(1, now + 1000, 0);
  arm(2, now + 1000, 0);
  disarm(1);
  SIM_EXPECT(!s->event[1].hw.armed);
  sim_elapse(2000);
  EXPECT_CAME(0, 2);
  disarm(0);
  arm(0, sim_clock_ns() + 1000, 0);  // and again
  disarm(0);
  arm(0, sim_clock_ns() + 2000, 0);
  sim_elapse(5000);
  EXPECT_CAME(0, 2, 0);
}
CASE(disarmed, disarm_main)

static void disarming(void **state) { sim_test_clean(&disarmed, NULL, 200); }

// ---- Where ----

static void far_main(void *arg) {
  struct shared *s = arg;
  u64 now = sim_clock_ns();
  arm(1, now + 50000, 1);
  arm(2, now + 70000, 1);
  disarm(2);
  sim_elapse(60000);
  EXPECT_CAME(1);
  // CPU 1 was idle: exactly at its time and the cost of the interrupt's entry.
  SIM_EXPECT_EQ(s->event[1].came_ns, now + 50000 + 1000);
}
CASE(far, far_main)

static void on_an_idle_cpus_timeline(void **state) { sim_test_clean(&far, NULL, 200); }

static void past_main(void *arg) {
  struct shared *s = arg;
  sim_elapse(1000000);  // CPU 1 idles: its clock is far behind
  u64 now = sim_clock_ns();
  arm(1, now - 900000, 1);
  s->event[1].due_ns = now;
  sim_elapse(10000);
  EXPECT_CAME(1);
}
CASE(past, past_main)

// Armed for a time that is over: not before it was armed, though that CPU's clock is.
static void not_before_it_was_armed(void **state) { sim_test_clean(&past, NULL, 200); }

// ---- Against timers and ticks of the same time ----

static void hr(struct sim_hrtimer *timer) {
  sh()->resched[1] = sim_need_resched();
  came(20);
  (void)timer;
}
static void wheel(struct sim_timer *timer) {
  sh()->resched[2] = sim_need_resched();
  came(30);
  (void)timer;
}
static void other_main(void *arg) {
  came(40);
  (void)arg;
}
static void equal_main(void *arg) {
  struct shared *s = arg;
  u64 jiffy = sim_jiffies() + 2;
  u64 at = jiffy * tick_ns();
  sim_timer_setup(&s->timer, wheel);
  sim_hrtimer_setup(&s->hrtimer, hr);
  sim_elapse(at - tick_ns() + 1000 - sim_clock_ns());  // the tick before has come
  sim_task_new("other", other_main, s, 0);
  sim_mod_timer(&s->timer, jiffy - 1);
  sim_hrtimer_start(&s->hrtimer, at, at);
  arm(0, at, 0);
  SIM_EXPECT(!sim_need_resched());
  sim_elapse(at - sim_clock_ns());
  // First all of the interrupt, then its softirq, then the other task is due.
  EXPECT_CAME(0, 20, 30, 40);
  SIM_EXPECT(!s->resched[0] && !s->resched[1]);  // the tick came after these,
  SIM_EXPECT(s->resched[2]);                     // and before that
}
CASE(equal, equal_main)

// Of one time: events, hrtimers, the tick; then the wheel's softirq; then who is next.
static void equal_times(void **state) {
  sim_test_clean(&equal, (const char *const[]){"num_cpus", "1", NULL}, 1);
}

static void apart_main(void *arg) {
  struct shared *s = arg;
  u64 now = sim_clock_ns();
  sim_hrtimer_setup(&s->hrtimer, hr);
  sim_hrtimer_start(&s->hrtimer, now + 10000, now + 90000);
  arm(0, now + 50000, 0);
  sim_elapse(60000);
  EXPECT_CAME(0);
  sim_elapse(40000);
  EXPECT_CAME(0, 20);
}
CASE(apart, apart_main)

// A device's interrupt is none of the hrtimers': it takes none along.
static void no_hrtimer_taken_along(void **state) { sim_test_clean(&apart, NULL, 100); }

// ---- Misuse, and no end ----

static u32 misuse;
static void for_ever(void *arg) {
  sim_hw_event_arm(&sh()->event[0].hw, sim_clock_ns(), for_ever, arg, 0);
}
static void bad_main(void *arg) {
  struct shared *s = arg;
  switch (misuse) {
    case 0:
      arm(0, sim_clock_ns() + 1000, 0);
      arm(0, sim_clock_ns() + 2000, 0);
      break;
    case 1:
      arm(0, sim_clock_ns() + 1000, sim_nr_cpus());
      break;
    case 2: {
      struct sim_hw_event *e = sim_zalloc(sizeof(*e), "event");
      sim_hw_event_arm(e, sim_clock_ns() + 1000, fire, s, 1);
      sim_free(e);
      break;
    }
    case 3: {
      struct sim_hw_event *e = sim_zalloc(sizeof(*e), "event");
      sim_free(e);
      sim_hw_event_arm(e, sim_clock_ns() + 1000, fire, s, 0);
      break;
    }
    default:
      for_ever(NULL);
      break;
  }
  step();
}
CASE(bad, bad_main)

static void misuse_is_reported(void **state) {
  static const char *const oracle[] = {"api-misuse", "api-misuse", "use-after-free",
                                       "use-after-free", "budget"};
  for (misuse = 0; misuse < SIM_ARRAY_SIZE(oracle); misuse++)
    sim_test_always(&bad, (const char *const[]){"steps_max", "1000", NULL}, 5, oracle[misuse]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_order_of_time_then_arming),
      cmocka_unit_test(due_with_irqs_off),
      cmocka_unit_test(disarming),
      cmocka_unit_test(on_an_idle_cpus_timeline),
      cmocka_unit_test(not_before_it_was_armed),
      cmocka_unit_test(equal_times),
      cmocka_unit_test(no_hrtimer_taken_along),
      cmocka_unit_test(misuse_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
