// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pool's stand-in: readiness, intervals, and when it makes its caller sleep.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/crng_standin.h"
#include "sim/timer.h"

struct state {
  struct hwrng_scene scene;
};

static void prepare(struct state *state) { state->scene.world.hooks.credited = NULL; }

#define BODY(name_)                                  \
  static void name_##_body(void *arg);               \
  ALONE(name_, struct state, prepare, name_##_body); \
  static void name_##_body(void *arg)

BODY(intervals) {
  struct crng_standin *crng = &((struct state *)arg)->scene.world.crng;
  // Uptime in seconds, and the interval in jiffies at HZ 250. The clock is past 1 s.
  static const struct {
    u32 uptime_s;
    u64 jiffies;
  } rows[] = {
      /* 0 */ {0, 250},      /* 1 */ {1, 250},        /* 2 */ {3, 2 * 250},
      /* 3 */ {9, 5 * 250},  /* 4 */ {118, 59 * 250}, /* 5 */ {119, 60 * 250},
      /* 6 */ {0, 60 * 250},  // latched
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    crng->uptime_offset_s = rows[i].uptime_s;
    SIM_EXPECT_EQ(crng_standin_interval(crng), rows[i].jiffies);
  }
}

// Half the uptime, at least a second, a minute from 120 s on and then for ever.
static void interval_is_half_the_uptime_up_to_a_minute(void **unused) {
  alone_passes(&intervals, NULL, NULL);
}

static u64 jiffies_of(size_t bits, bool sleep_after) {
  u64 begin = sim_jiffies();
  u8 data[4] = {0};

  add_hwgenerator_randomness(data, sizeof(data), bits, sleep_after);
  return sim_jiffies() - begin;
}

BODY(sleeping) {
  struct crng_standin *crng = &((struct state *)arg)->scene.world.crng;

  // Not ready: it sleeps only if nothing was credited. 250 jiffies last 256 by the wheel,
  // or one more for the phase.
  SIM_EXPECT_EQ(jiffies_of(200, true), 0);
  SIM_EXPECT(jiffies_of(0, true) >= 250);
  SIM_EXPECT_EQ(jiffies_of(0, false), 0);
  SIM_EXPECT_EQ(crng->init_bits, 200);
  // Ready, by the 256th bit, and no further.
  SIM_EXPECT(jiffies_of(1000, true) >= 250);
  SIM_EXPECT_EQ(crng->init_bits, CRNG_POOL_READY_BITS);
  SIM_EXPECT(jiffies_of(1, true) >= 250);
  SIM_EXPECT_EQ(jiffies_of(1, false), 0);
  SIM_EXPECT_EQ(crng->credited_bits, 1202);
  SIM_EXPECT_EQ(crng->mixed_bytes, 6 * 4);
  // A signal ends the sleep.
  sim_send_signal(sim_current());
  SIM_EXPECT_EQ(jiffies_of(1, true), 0);
}

static void sleeps_when_ready_or_nothing_is_credited(void **unused) {
  alone_passes(&sleeping, NULL, NULL);
}

static int stopped_thread(void *arg) {
  u64 begin = sim_jiffies();

  while (!sim_kthread_should_stop()) jiffies_of(1, true);
  // Also when the stop came before the sleep, or between look and sleep.
  SIM_EXPECT(jiffies_of(0, true) == 0);
  SIM_EXPECT(sim_jiffies() - begin < 100);
  return 0;
}

BODY(stopping) {
  struct state *state = arg;
  struct sim_task *thread;

  crng_standin_init(&state->scene.world.crng, true, 1000);
  thread = sim_kthread_run(stopped_thread, NULL, "fill", 1);
  sim_elapse(sim_choose(sim_w, SIM_SITE_DRAW("when", SIM_SITE_WORK, 0, 0), 3000));
  int rc = sim_kthread_stop(thread);
  SIM_EXPECT(rc == 0 || rc == -SIM_EINTR);  // stopped before it ran
}

// A stop is never slept through, whenever it comes.
static void stop_ends_the_sleep(void **unused) { sim_test_clean(&stopping, NULL, 3000); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interval_is_half_the_uptime_up_to_a_minute),
      cmocka_unit_test(sleeps_when_ready_or_nothing_is_credited),
      cmocka_unit_test(stop_ends_the_sleep),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
