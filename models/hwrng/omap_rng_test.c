// SPDX-License-Identifier: GPL-2.0-or-later
//
// The EIP76 of OMAP: 16 bytes in 500 to 900 us, and a driver that waits long enough.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/omap_rng.h"

struct state {
  struct hwrng_scene scene;
  struct omap_rng_hw hw;
  struct omap_rng_dev *priv;
};

static void prepare(struct state *state) { omap_rng_hw_init(&state->hw, "omap", 1); }

static int read(struct state *state, void *buf, size_t max, bool wait) {
  return state->priv->rng.read(&state->priv->rng, buf, max, wait);
}

#define BODY(name_)                                  \
  static void name_##_body(void *arg);               \
  ALONE(name_, struct state, prepare, name_##_body); \
  static void name_##_body(void *arg)

BODY(waiting) {
  struct state *state = arg;
  u64 begin_ns;
  u8 buf[64];

  SIM_EXPECT(state->hw.hw.is_off(&state->hw.hw));
  SIM_EXPECT_EQ(omap_rng_probe(&state->hw, 0, false, &state->priv), 0);
  SIM_EXPECT(!state->hw.hw.is_off(&state->hw.hw));
  SIM_EXPECT_EQ(read(state, buf, 64, false), 0);
  for (u32 i = 0; i < 50; i++) {
    begin_ns = sim_clock_ns();
    SIM_EXPECT_EQ(read(state, buf, 64, true), 16);
    SIM_EXPECT_EQ(buf[0], hw_word_byte(4 * i, 0));
    SIM_EXPECT(sim_clock_ns() - begin_ns < 950000);
  }
  sim_elapse(1000000);
  SIM_EXPECT_EQ(read(state, buf, 15, false), 0);  // too small for 16 bytes
  SIM_EXPECT_EQ(read(state, buf, 64, false), 16);
  omap_rng_remove(state->priv);
  SIM_EXPECT(state->hw.hw.is_off(&state->hw.hw));
}

// Whatever the device draws, a read with wait gets its 16 bytes.
static void read_waits_as_long_as_the_device_takes(void **unused) {
  sim_test_clean(&waiting, NULL, 50);
}

BODY(buggy) {
  struct state *state = arg;
  u8 buf[64];

  SIM_EXPECT_EQ(omap_rng_probe(&state->hw, 0, true, &state->priv), 0);
  read(state, buf, 64, true);
}

// Bug 72 gives up after 200 us.
static void bug_72_is_found(void **unused) {
  alone_trips(&buggy, NULL, NULL, "hwrng-read-gives-up");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(read_waits_as_long_as_the_device_takes),
      cmocka_unit_test(bug_72_is_found),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
