// SPDX-License-Identifier: GPL-2.0-or-later
//
// The iProc RNG200's registers.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/iproc_rng200_dev.h"

enum { WORD_NS = 32000 };

struct state {
  struct hwrng_scene scene;
  struct iproc_rng200_dev dev;
};

static void prepare(struct state *state) {
  struct iproc_rng200_dev_config config;

  iproc_rng200_dev_config_default(&config);
  iproc_rng200_dev_init(&state->dev, "iproc", 1, &config);
}

static u32 get(struct state *state, u32 offset) {
  return iproc_rng200_dev_ioread32(&state->dev, offset);
}

static void set(struct state *state, u32 offset, u32 value) {
  iproc_rng200_dev_iowrite32(&state->dev, value, offset);
}

#define BODY(name_)                                  \
  static void name_##_body(void *arg);               \
  ALONE(name_, struct state, prepare, name_##_body); \
  static void name_##_body(void *arg)

BODY(fifo) {
  struct state *state = arg;

  SIM_EXPECT(state->dev.hw.is_off(&state->dev.hw));
  set(state, IPROC_RNG_CTRL, 1);
  SIM_EXPECT(!state->dev.hw.is_off(&state->dev.hw));
  SIM_EXPECT_EQ(get(state, IPROC_RNG_CTRL), 1);
  sim_elapse(2 * WORD_NS);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 2);
  sim_elapse(100 * WORD_NS);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 16);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_DATA), hw_word_value(0));
  SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 15);
  set(state, IPROC_RNG_CTRL, 0);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 0);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_DATA), 0);
}

BODY(resets) {
  struct state *state = arg;
  static const u32 offsets[] = {IPROC_RNG_SOFT_RESET, IPROC_RBG_SOFT_RESET};

  set(state, IPROC_RNG_CTRL, 1);
  for (u32 i = 0; i < 2; i++) {
    sim_elapse(5 * WORD_NS);
    set(state, offsets[i], 1);
    SIM_EXPECT_EQ(get(state, offsets[i]), 1);
    sim_elapse(5 * WORD_NS);
    SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 0);
    set(state, offsets[i], 0);
    sim_elapse(WORD_NS);
    SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 1);
  }
  SIM_EXPECT_EQ(get(state, 0x30), 0);
}

BODY(failures) {
  struct state *state = arg;

  set(state, IPROC_RNG_CTRL, 1);
  sim_elapse(5 * WORD_NS);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_INT_STATUS), IPROC_INT_NIST_FAIL);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 0);
  sim_elapse(5 * WORD_NS);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 0);
  set(state, IPROC_RNG_INT_STATUS, 0xffffffff);
  sim_elapse(WORD_NS);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 1);
  // A lockout that comes back until it is healed.
  SIM_EXPECT_EQ(get(state, IPROC_RNG_INT_STATUS), IPROC_INT_LOCKOUT);
  set(state, IPROC_RNG_INT_STATUS, 0xffffffff);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_INT_STATUS), IPROC_INT_LOCKOUT);
  iproc_rng200_dev_heal(&state->dev);
  sim_elapse(WORD_NS);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_INT_STATUS), 0);
  SIM_EXPECT_EQ(get(state, IPROC_RNG_COUNT), 1);
}

// Sixteen words, as fast as they are made, until CTRL stops it.
static void fifo_of_sixteen_words(void **unused) { alone_passes(&fifo, NULL, NULL); }

// Either reset holds the generator and drops its words.
static void resets_hold_the_generator(void **unused) { alone_passes(&resets, NULL, NULL); }

// A failed health test stops production until it is cleared; a lockout may stay.
static void failures_stop_production(void **unused) {
  const struct alone_draw draws[] = {
      {"iproc-fail", "alone#0", 0, 1}, {"iproc-fail", "alone#0", 1, 3}, {NULL}};

  alone_passes(&failures, NULL, draws);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fifo_of_sixteen_words),
      cmocka_unit_test(resets_hold_the_generator),
      cmocka_unit_test(failures_stop_production),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
