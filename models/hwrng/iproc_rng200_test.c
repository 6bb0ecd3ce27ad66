// SPDX-License-Identifier: GPL-2.0-or-later
//
// The iProc RNG200's driver: reading, restarting, and system sleep.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/iproc_rng200.h"
#include "sim/timer.h"

enum { WORD_NS = 32000, TICK_NS = 4000000 };

struct state {
  struct hwrng_scene scene;
  struct iproc_rng200_dev dev;
  struct iproc_rng200_config config;
  struct iproc_rng200_priv *priv;
};

static void prepare(struct state *state) {
  struct iproc_rng200_dev_config config;

  iproc_rng200_dev_config_default(&config);
  iproc_rng200_dev_init(&state->dev, "iproc", 1, &config);
}

static void probe(struct state *state) {
  SIM_EXPECT_EQ(iproc_rng200_probe(&state->dev, &state->config, &state->priv), 0);
}

static int read(struct state *state, void *buf, size_t max, bool wait) {
  struct hwrng *rng = &state->priv->rng;

  return rng->read(rng, buf, max, wait);
}

#define BODY(name_)                                  \
  static void name_##_body(void *arg);               \
  ALONE(name_, struct state, prepare, name_##_body); \
  static void name_##_body(void *arg)

BODY(life) {
  struct state *state = arg;
  struct iproc_rng200_priv *other = NULL;

  probe(state);
  SIM_EXPECT_EQ(iproc_rng200_probe(&state->dev, &state->config, &other), -SIM_EEXIST);
  SIM_EXPECT(other == NULL);
  iproc_rng200_remove(state->priv);
  SIM_EXPECT(state->dev.hw.is_off(&state->dev.hw));
}

static void probe_enables_and_remove_disables(void **unused) { alone_passes(&life, NULL, NULL); }

BODY(reading) {
  struct state *state = arg;
  u64 begin_ns;
  u8 buf[64];

  probe(state);
  SIM_EXPECT_EQ(read(state, buf, 64, false), 0);
  sim_elapse(2 * WORD_NS);
  SIM_EXPECT_EQ(read(state, buf, 64, false), 8);
  // With wait all that is wanted, by sleeps of up to 500 us; the last word in part.
  begin_ns = sim_clock_ns();
  SIM_EXPECT_EQ(read(state, buf, 64, true), 64);
  SIM_EXPECT(sim_clock_ns() - begin_ns > 400000);
  SIM_EXPECT(sim_clock_ns() - begin_ns < 1200000);
  SIM_EXPECT_EQ(read(state, buf, 7, true), 7);
  iproc_rng200_remove(state->priv);
}

static void read_with_wait_fills_the_buffer(void **unused) { alone_passes(&reading, NULL, NULL); }

BODY(idle) {
  struct state *state = arg;
  u64 begin_ns;
  u8 buf[64];

  probe(state);
  sim_elapse(3 * WORD_NS);
  hw_fifo_advance(&state->dev.fifo);
  state->dev.fifo.next_ns = UINT64_MAX;
  state->dev.fifo.stuck_until_ns = UINT64_MAX;
  begin_ns = sim_clock_ns();
  SIM_EXPECT_EQ(read(state, buf, 64, true), 12);
  SIM_EXPECT(sim_clock_ns() - begin_ns > SIM_NSEC_PER_SEC - 2 * TICK_NS);
  SIM_EXPECT(sim_clock_ns() - begin_ns < SIM_NSEC_PER_SEC + 2 * TICK_NS);
  iproc_rng200_dev_heal(&state->dev);
  iproc_rng200_remove(state->priv);
}

BODY(trickle) {
  struct state *state = arg;
  u8 buf[64];

  // A word each 400 ms: slow, and never idle for a second.
  state->dev.fifo.word_ns = 400000000;
  probe(state);
  SIM_EXPECT_EQ(read(state, buf, 16, true), 16);
  iproc_rng200_remove(state->priv);
}

static void each_word_begins_the_idle_second_anew(void **unused) {
  alone_passes(&trickle, NULL, NULL);
}

// A second without a word ends it, with what there is.
static void read_gives_up_after_an_idle_second(void **unused) { alone_passes(&idle, NULL, NULL); }

BODY(restarting) {
  struct state *state = arg;
  u8 buf[64];

  probe(state);
  sim_elapse(3 * WORD_NS);
  SIM_EXPECT_EQ(read(state, buf, 8, true), 8);   // through one restart
  SIM_EXPECT_EQ(read(state, buf, 64, true), 0);  // two failures are one too many
  iproc_rng200_dev_heal(&state->dev);
  iproc_rng200_remove(state->priv);
}

static void read_restarts_once(void **unused) {
  const struct alone_draw draws[] = {
      {"iproc-fail", "alone#0", 0, 1}, {"iproc-fail", "alone#0", 3, 3}, {NULL}};

  alone_passes(&restarting, NULL, draws);
}

static void suspend_and_resume(struct state *state) {
  iproc_rng200_suspend(state->priv);
  SIM_EXPECT(state->dev.hw.is_off(&state->dev.hw));
  iproc_rng200_resume(state->priv);
}

BODY(sleeping) {
  struct state *state = arg;

  probe(state);
  suspend_and_resume(state);
  SIM_EXPECT(!state->dev.hw.is_off(&state->dev.hw));
  SIM_EXPECT_EQ(rng_current_store("none"), 0);
  sim_schedule_timeout_uninterruptible(2);
  suspend_and_resume(state);
  SIM_EXPECT(state->dev.hw.is_off(&state->dev.hw));  // nobody uses it
  iproc_rng200_suspend(state->priv);
  SIM_EXPECT_EQ(rng_current_store("iproc"), 0);  // chosen while suspended
  SIM_EXPECT(state->dev.hw.is_off(&state->dev.hw));
  iproc_rng200_resume(state->priv);
  SIM_EXPECT(!state->dev.hw.is_off(&state->dev.hw));
  iproc_rng200_remove(state->priv);
}

// Resume switches on what is in use, and only that.
static void resume_knows_of_use(void **unused) { alone_passes(&sleeping, NULL, NULL); }

BODY(as_shipped) {
  struct state *state = arg;

  state->config.suspect_pm = true;
  probe(state);
  SIM_EXPECT_EQ(rng_current_store("none"), 0);
  sim_schedule_timeout_uninterruptible(2);
  suspend_and_resume(state);
  SIM_EXPECT(!state->dev.hw.is_off(&state->dev.hw));
  iproc_rng200_remove(state->priv);
}

// As 7.2 does it, the device runs for ever after.
static void resume_as_shipped_is_found(void **unused) {
  alone_trips(&as_shipped, NULL, NULL, "hwrng-balance");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(probe_enables_and_remove_disables),
      cmocka_unit_test(read_with_wait_fills_the_buffer),
      cmocka_unit_test(read_gives_up_after_an_idle_second),
      cmocka_unit_test(each_word_begins_the_idle_second_anew),
      cmocka_unit_test(read_restarts_once),
      cmocka_unit_test(resume_knows_of_use),
      cmocka_unit_test(resume_as_shipped_is_found),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
