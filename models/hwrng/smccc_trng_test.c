// SPDX-License-Identifier: GPL-2.0-or-later
//
// The TRNG of Arm firmware: the order of its registers, and how often it is asked.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/smccc_trng.h"

struct state {
  struct hwrng_scene scene;
  struct smccc_trng_dev dev;
  struct smccc_trng *trng;
};

static void prepare(struct state *state) { smccc_trng_dev_init(&state->dev, "smccc", 1); }

static int read(struct state *state, void *buf, size_t max, bool wait) {
  return state->trng->trng.read(&state->trng->trng, buf, max, wait);
}

static void check_words(const u8 *buf, u32 len, u32 first) {
  for (u32 i = 0; i < len; i++) SIM_EXPECT_EQ(buf[i], hw_word_byte(first + i / 4, i % 4));
}

#define BODY(name_)                                  \
  static void name_##_body(void *arg);               \
  ALONE(name_, struct state, prepare, name_##_body); \
  static void name_##_body(void *arg)

BODY(sizes) {
  struct state *state = arg;
  u32 first = 0;

  SIM_EXPECT_EQ(smccc_trng_probe(&state->dev, 0, false, &state->trng), 0);
  for (u32 size = 1; size <= 64; size++) {
    u8 buf[64];

    SIM_EXPECT_EQ(read(state, buf, size, true), size);
    // Whole calls of 24 bytes first; the last call hands out 8 at a time.
    check_words(buf, size, first);
    first = state->scene.world.words.count;
  }
  smccc_trng_remove(state->trng);
}

// Every size, with the bytes in the firmware's order: a3, a2, a1.
static void read_of_every_size(void **unused) { alone_passes(&sizes, NULL, NULL); }

BODY(patient) {
  struct state *state = arg;
  u8 buf[64];

  SIM_EXPECT_EQ(smccc_trng_probe(&state->dev, 0, false, &state->trng), 0);
  SIM_EXPECT_EQ(read(state, buf, 64, true), 64);   // 19 in a row on the way
  SIM_EXPECT_EQ(read(state, buf, 64, false), 24);  // does not wait: what it has
  state->dev.no_entropy_seen = state->dev.no_entropy_left = 0;
  SIM_EXPECT_EQ(read(state, buf, 64, true), 48);  // 20 in a row are enough: what it has
  state->dev.no_entropy_seen = state->dev.no_entropy_left = 0;
  smccc_trng_remove(state->trng);
}

static void no_entropy_is_asked_again(void **unused) {
  // Draws of class smccc-no-entropy are one a call that follows a success.
  const struct alone_draw draws[] = {{"smccc-no-entropy", "alone#0", 1, 3},
                                     {"smccc-no-entropy", "alone#0", 4, 1},
                                     {"smccc-no-entropy", "alone#0", 7, 4},
                                     {NULL}};

  alone_passes(&patient, NULL, draws);
}

BODY(buggy) {
  struct state *state = arg;
  u8 buf[64];

  SIM_EXPECT_EQ(smccc_trng_probe(&state->dev, 0, true, &state->trng), 0);
  read(state, buf, 64, true);
}

// Bug 71 returns the error where another try would have brought data.
static void bug_71_is_found(void **unused) {
  const struct alone_draw draws[] = {{"smccc-no-entropy", "alone#0", 1, 1}, {NULL}};

  alone_trips(&buggy, NULL, draws, "hwrng-read-gives-up");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(read_of_every_size),
      cmocka_unit_test(no_entropy_is_asked_again),
      cmocka_unit_test(bug_71_is_found),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
