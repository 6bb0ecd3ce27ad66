// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Qualcomm PRNG: every size, for the core and for the crypto layer.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/qcom_rng.h"

enum { SIZE_MAX_TRIED = 64 };

struct state {
  struct hwrng_scene scene;
  struct qcom_rng_hw hw;
  struct qcom_rng *rng;
};

static void prepare(struct state *state) { qcom_rng_hw_init(&state->hw, "qcom", 1); }

static const struct qcom_rng_config good = {0}, buggy_config = {.bug_75 = true},
                                    waiting = {.suspect_waits = true};

static int generate(struct state *state, u8 *buf, size_t size) {
  int err;

  watch_generate_begin(&state->hw.hw, buf, size);
  err = qcom_rng_generate(state->rng, buf, size);
  watch_generate_end(&state->hw.hw, buf, size, err);
  return err;
}

#define BODY(name_)                                  \
  static void name_##_body(void *arg);               \
  ALONE(name_, struct state, prepare, name_##_body); \
  static void name_##_body(void *arg)

BODY(sizes) {
  struct state *state = arg;
  u8 buf[SIZE_MAX_TRIED + WATCH_GUARD];

  // The watch counts a clock that does not come on as an error, which is legal.
  SIM_EXPECT_EQ(qcom_rng_probe(&state->hw, &good, &state->rng), 0);
  for (size_t size = 1; size <= SIZE_MAX_TRIED; size++) {
    SIM_EXPECT_EQ(generate(state, buf, size), 0);
    SIM_EXPECT_EQ(state->rng->hwrng.read(&state->rng->hwrng, buf, size, true), (s64)size);
  }
  qcom_rng_remove(state->rng);
  SIM_EXPECT_EQ(state->hw.clk.enabled, 0);
}

// Sizes 1 to 64 end, with every byte written.
static void every_size_ends_and_is_filled(void **unused) { alone_passes(&sizes, NULL, NULL); }

BODY(clocked) {
  struct state *state = arg;
  u8 buf[8 + WATCH_GUARD];

  SIM_EXPECT_EQ(qcom_rng_probe(&state->hw, &good, &state->rng), 0);
  SIM_EXPECT_EQ(rng_current_store("none"), 0);
  sim_schedule_timeout_uninterruptible(2);
  SIM_EXPECT_EQ(state->hw.clk.enabled, 0);
  SIM_EXPECT_EQ(generate(state, buf, 8), -SIM_EIO);  // no clock: nothing was read
  SIM_EXPECT_EQ(state->hw.clk.enabled, 0);
  SIM_EXPECT_EQ(generate(state, buf, 8), 0);
  SIM_EXPECT_EQ(state->hw.clk.enabled, 0);
  qcom_rng_remove(state->rng);
}

// The crypto side has the clock on while it reads, and only then.
static void generate_balances_the_clock(void **unused) {
  const struct alone_draw draws[] = {{"clk-fail", "alone#0", 1, 1}, {NULL}};

  alone_passes(&clocked, NULL, draws);
}

BODY(not_waiting) {
  struct state *state = arg;
  u8 buf[16];

  SIM_EXPECT_EQ(qcom_rng_probe(&state->hw, &good, &state->rng), 0);
  SIM_EXPECT_EQ(state->rng->hwrng.read(&state->rng->hwrng, buf, 16, true), 16);
  // Nothing is there, then one word.
  SIM_EXPECT_EQ(state->rng->hwrng.read(&state->rng->hwrng, buf, 16, false), 0);
  sim_udelay(15);
  SIM_EXPECT_EQ(state->rng->hwrng.read(&state->rng->hwrng, buf, 16, false), 4);
  qcom_rng_remove(state->rng);
}

BODY(waits_anyhow) {
  struct state *state = arg;
  u8 buf[16];

  SIM_EXPECT_EQ(qcom_rng_probe(&state->hw, &waiting, &state->rng), 0);
  SIM_EXPECT_EQ(state->rng->hwrng.read(&state->rng->hwrng, buf, 16, false), 16);
}

// A read without wait takes what is there; under the suspect it sleeps until it has all.
static void read_without_wait_takes_what_is_there(void **unused) {
  alone_passes(&not_waiting, NULL, NULL);
  alone_trips(&waits_anyhow, NULL, NULL, "hwrng-read-blocks");
}

BODY(buggy_tail) {
  struct state *state = arg;
  u8 buf[SIZE_MAX_TRIED + WATCH_GUARD];

  SIM_EXPECT_EQ(qcom_rng_probe(&state->hw, &buggy_config, &state->rng), 0);
  generate(state, buf, 8);
}

BODY(buggy_loop) {
  struct state *state = arg;
  u8 buf[SIZE_MAX_TRIED + WATCH_GUARD];

  SIM_EXPECT_EQ(qcom_rng_probe(&state->hw, &buggy_config, &state->rng), 0);
  state->hw.fifo.word_ns = 100;  // a device that always has a word
  SIM_EXPECT_EQ(state->rng->hwrng.read(&state->rng->hwrng, buf, 4, true), 4);
  generate(state, buf, 7);
}

// Bug 75 leaves bytes unwritten where a word is not there yet, and never ends on a size
// that is no multiple of 4.
static void bug_75_is_found(void **unused) {
  alone_trips(&buggy_tail, NULL, NULL, "hwrng-driver-bytes");
  alone_trips(&buggy_loop, NULL, NULL, "hwrng-read-ends");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_size_ends_and_is_filled),
      cmocka_unit_test(generate_balances_the_clock),
      cmocka_unit_test(read_without_wait_takes_what_is_there),
      cmocka_unit_test(bug_75_is_found),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
