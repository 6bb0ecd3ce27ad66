// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bcm2835's registers.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/bcm2835_dev.h"

enum { WORD_NS = 29000, RBGEN = 1, WARM_UP = 0x40000 };

struct state {
  struct hwrng_scene scene;
  struct bcm2835_dev dev;
  // Of cold_body.
  u32 warm_up;
  bool reset, again, after;
};

static void prepare_config(struct state *state, const struct bcm2835_dev_config *config) {
  bcm2835_dev_init(&state->dev, "bcm2835", 1, config);
}

static void prepare(struct state *state) {
  struct bcm2835_dev_config config;

  bcm2835_dev_config_default(&config);
  prepare_config(state, &config);
}

static void prepare_warm(struct state *state) {
  struct bcm2835_dev_config config;

  bcm2835_dev_config_default(&config);
  config.warm = true;
  prepare_config(state, &config);
}

static u32 readl(struct state *state, u32 offset) { return bcm2835_dev_readl(&state->dev, offset); }

static void writel(struct state *state, u32 value, u32 offset) {
  bcm2835_dev_writel(&state->dev, value, offset);
}

static u32 count(struct state *state) { return readl(state, BCM2835_RNG_STATUS) >> 24; }

static void clock_on(struct state *state) { SIM_EXPECT_EQ(clk_prepare_enable(&state->dev.clk), 0); }

// Warmed up, and on.
static void start(struct state *state) {
  writel(state, WARM_UP, BCM2835_RNG_STATUS);
  writel(state, RBGEN, BCM2835_RNG_CTRL);
}

#define CASE(name_, prepare_)                                                    \
  static void name_##_body(void *arg);                                           \
  ALONE(name_##_alone, struct state, prepare_, name_##_body);                    \
  static void name_(void **unused) { alone_passes(&name_##_alone, NULL, NULL); } \
  static void name_##_body(void *arg)

// Offsets are the hardware's.
static void offsets_are_those_of_the_driver(void **unused) {
  assert_int_equal(BCM2835_RNG_CTRL, 0x0);
  assert_int_equal(BCM2835_RNG_STATUS, 0x4);
  assert_int_equal(BCM2835_RNG_DATA, 0x8);
  assert_int_equal(BCM2835_RNG_INT_MASK, 0x10);
}

// Five words at 29 us each, then nothing more until one is taken.
CASE(fifo_of_five_words_at_29_us, prepare_warm) {
  struct state *state = arg;

  clock_on(state);
  start(state);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_CTRL), RBGEN);
  SIM_EXPECT_EQ(count(state), 0);
  sim_elapse(WORD_NS);
  SIM_EXPECT_EQ(count(state), 1);
  sim_elapse(3 * WORD_NS);
  SIM_EXPECT_EQ(count(state), 4);
  sim_elapse(100 * WORD_NS);
  SIM_EXPECT_EQ(count(state), 5);
  for (u32 i = 0; i < 5; i++) SIM_EXPECT_EQ(readl(state, BCM2835_RNG_DATA), hw_word_value(i));
  SIM_EXPECT_EQ(count(state), 0);
  sim_elapse(WORD_NS);
  SIM_EXPECT_EQ(count(state), 1);
}

// Bits are discarded first: 0x40000 of them take 0.2376 s, and STATUS counts them down.
CASE(warm_up_discards_bits, prepare) {
  struct state *state = arg;
  const u64 warm_up_ns = 0x40000ull * WORD_NS / 32;

  clock_on(state);
  writel(state, 0x40000, BCM2835_RNG_STATUS);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_STATUS), 0x40000);
  sim_elapse(warm_up_ns);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_STATUS), 0x40000);  // not while it is off
  writel(state, RBGEN, BCM2835_RNG_CTRL);
  sim_elapse(warm_up_ns / 2);
  u32 half = readl(state, BCM2835_RNG_STATUS);
  SIM_EXPECT(half > 0x20000 - 64 && half <= 0x20000);  // ticks take time too
  sim_elapse(warm_up_ns / 2 - 2 * WORD_NS);
  SIM_EXPECT_EQ(count(state), 0);
  sim_elapse(3 * WORD_NS);
  SIM_EXPECT(count(state) > 0);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_STATUS) & 0xfffff, 0);
  SIM_EXPECT_EQ(warm_up_ns, 237568000);
  // Written while it runs, it begins again.
  writel(state, 0x40000, BCM2835_RNG_STATUS);
  sim_elapse(WORD_NS * 10);
  SIM_EXPECT(readl(state, BCM2835_RNG_STATUS) > 0x3ff00);
}

// CTRL 0 stops and drops the words.
CASE(ctrl_stops, prepare_warm) {
  struct state *state = arg;

  clock_on(state);
  writel(state, RBGEN, BCM2835_RNG_CTRL);
  sim_elapse(10 * WORD_NS);
  writel(state, 0, BCM2835_RNG_CTRL);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_CTRL), 0);
  sim_elapse(10 * WORD_NS);
  SIM_EXPECT_EQ(count(state), 0);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_DATA), 0);
  SIM_EXPECT_EQ(state->scene.world.words.count, 0);
}

// The line is up while words are ready, unless INT_OFF masks it.
CASE(interrupt_is_masked, prepare_warm) {
  struct state *state = arg;

  clock_on(state);
  writel(state, RBGEN, BCM2835_RNG_CTRL);
  SIM_EXPECT(!bcm2835_dev_irq(&state->dev));
  sim_elapse(2 * WORD_NS);
  SIM_EXPECT(bcm2835_dev_irq(&state->dev));
  writel(state, 0xffffffff, BCM2835_RNG_INT_MASK);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_INT_MASK), 1);
  SIM_EXPECT(!bcm2835_dev_irq(&state->dev));
  writel(state, 0, BCM2835_RNG_INT_MASK);
  SIM_EXPECT(bcm2835_dev_irq(&state->dev));
}

// A reset pulse clears every register and what is wrong.
CASE(reset_clears, prepare_warm) {
  struct state *state = arg;

  clock_on(state);
  writel(state, 1, BCM2835_RNG_INT_MASK);
  writel(state, RBGEN, BCM2835_RNG_CTRL);
  sim_elapse(5 * WORD_NS);
  state->dev.fifo.dead = true;
  SIM_EXPECT_EQ(reset_control_reset(&state->dev.reset), 0);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_CTRL), 0);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_STATUS), 0);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_INT_MASK), 0);
  writel(state, RBGEN, BCM2835_RNG_CTRL);
  sim_elapse(WORD_NS);
  SIM_EXPECT_EQ(count(state), 1);
}

// An offset that does not exist reads 0 and ignores writes.
CASE(unknown_offset_reads_0, prepare_warm) {
  struct state *state = arg;

  clock_on(state);
  writel(state, 0xffffffff, 0xc);
  writel(state, 0xffffffff, 0x20);
  SIM_EXPECT_EQ(readl(state, 0xc), 0);
  SIM_EXPECT_EQ(readl(state, 0x20), 0);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_CTRL), 0);
}

// An access costs what the configuration says.
CASE(access_costs_time, prepare_warm) {
  struct state *state = arg;
  u64 begin_ns;

  clock_on(state);
  begin_ns = sim_clock_ns();
  readl(state, BCM2835_RNG_CTRL);
  SIM_EXPECT_EQ(sim_clock_ns(), begin_ns + 200);
}

// What onlookers may ask of the hardware.
CASE(device_states_when_a_word_is_due, prepare_warm) {
  struct state *state = arg;
  struct hw_device *hw = &state->dev.hw;

  SIM_EXPECT(hw->is_off(hw));
  SIM_EXPECT_EQ(hw->word_due_ns(hw), UINT64_MAX);
  SIM_EXPECT_EQ(hw->word_ns_max, 20000000 + WORD_NS);  // warm, and up to 20 ms late
  clock_on(state);
  SIM_EXPECT(!hw->is_off(hw));
  writel(state, RBGEN, BCM2835_RNG_CTRL);
  SIM_EXPECT_EQ(hw->word_due_ns(hw), sim_clock_ns() + WORD_NS);
  writel(state, 0, BCM2835_RNG_CTRL);
  clk_disable_unprepare(&state->dev.clk);
  SIM_EXPECT(hw->is_off(hw));
}

// A trace names device and register.
struct named {
  struct sim_trace_sink sink;
  char text[200];
};
static void note_name(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct named *named = sim_container_of(sink, struct named, sink);
  size_t len = strlen(named->text);

  if (event->kind == SIM_EVENT_MODEL)
    snprintf(named->text + len, sizeof(named->text) - len, "%s;", event->text);
}

static void names_body(void *arg) {
  struct state *state = arg;

  clock_on(state);
  start(state);
  readl(state, BCM2835_RNG_INT_MASK);
  readl(state, 0x44);
  sim_elapse(2 * WORD_NS);
  readl(state, BCM2835_RNG_DATA);
}
ALONE(names, struct state, prepare_warm, names_body);

static void trace_names_registers(void **unused) {
  struct named named = {.sink = {note_name}};
  struct sim_test t;

  sim_test_open(&t, &names, NULL);
  sim_world_set_sink(t.world, &named.sink);
  sim_test_calm(&t);
  assert_string_equal(named.text,
                      "bcm2835 STATUS;bcm2835 CTRL;bcm2835 INT_MASK;bcm2835 (no register);"
                      "bcm2835 DATA;");
  sim_test_close(&t);
}

static void unclocked_body(void *arg) { readl(arg, BCM2835_RNG_CTRL); }
ALONE(unclocked, struct state, prepare, unclocked_body);

static void access_without_clock_is_found(void **unused) {
  alone_trips(&unclocked, NULL, NULL, "hwrng-unclocked-access");
}

// A word behind a start without the warm-up, after what seemed one.
static void cold_body(void *arg) {
  struct state *state = arg;

  clock_on(state);
  writel(state, state->warm_up, BCM2835_RNG_STATUS);
  if (state->reset) SIM_EXPECT_EQ(reset_control_reset(&state->dev.reset), 0);
  writel(state, RBGEN, BCM2835_RNG_CTRL);
  if (state->again) {
    writel(state, 0, BCM2835_RNG_CTRL);
    writel(state, RBGEN, BCM2835_RNG_CTRL);
  }
  if (state->after) {
    sim_elapse(2 * WORD_NS);
    writel(state, WARM_UP, BCM2835_RNG_STATUS);
  }
  readl(state, BCM2835_RNG_DATA);
}

#define COLD(name_, ...)                             \
  static void prepare_##name_(struct state *state) { \
    prepare_warm(state);                             \
    __VA_ARGS__;                                     \
  }                                                  \
  ALONE(name_, struct state, prepare_##name_, cold_body)
COLD(warmed, state->warm_up = WARM_UP);
COLD(too_short, state->warm_up = WARM_UP - 1);
COLD(reset_between, state->warm_up = WARM_UP; state->reset = true);
COLD(off_between, state->warm_up = WARM_UP; state->again = true);
COLD(words_kept, state->after = true);

static void cold_word_is_found(void **unused) {
  alone_passes(&warmed, NULL, NULL);
  alone_trips(&too_short, NULL, NULL, "hwrng-cold-words");
  alone_trips(&reset_between, NULL, NULL, "hwrng-cold-words");
  alone_trips(&off_between, NULL, NULL, "hwrng-cold-words");
  alone_trips(&words_kept, NULL, NULL, "hwrng-cold-words");
}

static void below_zero_body(void *arg) {
  struct state *state = arg;

  clock_on(state);
  clk_disable_unprepare(&state->dev.clk);
  clk_disable_unprepare(&state->dev.clk);
}
ALONE(below_zero, struct state, prepare, below_zero_body);

static void clock_below_zero_is_found(void **unused) {
  alone_trips(&below_zero, NULL, NULL, "hwrng-balance");
}

static void failing_body(void *arg) {
  struct state *state = arg;

  SIM_EXPECT_EQ(clk_prepare_enable(NULL), 0);
  SIM_EXPECT_EQ(reset_control_reset(NULL), 0);
  SIM_EXPECT_EQ(clk_prepare_enable(&state->dev.clk), -SIM_EIO);
  SIM_EXPECT_EQ(state->dev.clk.enabled, 0);
  clock_on(state);
  writel(state, RBGEN, BCM2835_RNG_CTRL);
  SIM_EXPECT_EQ(reset_control_reset(&state->dev.reset), -SIM_EIO);
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_CTRL), RBGEN);
}
ALONE(failing, struct state, prepare, failing_body);

// Clock and reset may fail, and then have done nothing.
static void clock_and_reset_may_fail(void **unused) {
  const struct alone_draw draws[] = {
      {"clk-fail", "alone#0", 0, 1}, {"reset-fail", "alone#0", 0, 1}, {NULL}};

  alone_passes(&failing, NULL, draws);
}

static void odd_body(void *arg) {
  struct state *state = arg;

  clock_on(state);
  start(state);
  SIM_EXPECT_EQ(count(state), 0);  // late by 5 ms
  sim_elapse(5000000);
  SIM_EXPECT_EQ(count(state), 0);
  sim_elapse(WORD_NS);
  SIM_EXPECT_EQ(count(state), 1);
  sim_elapse(10 * WORD_NS);
  SIM_EXPECT_EQ(count(state), 255);  // tells too many
  for (u32 i = 0; i < 9; i++) SIM_EXPECT(readl(state, BCM2835_RNG_DATA) != 0);
  sim_elapse(10 * WORD_NS);
  SIM_EXPECT_EQ(count(state), 5);  // stuck until healed; what is there can be read
  for (u32 i = 0; i < 5; i++) SIM_EXPECT(readl(state, BCM2835_RNG_DATA) != 0);
  sim_elapse(SIM_NSEC_PER_SEC);
  SIM_EXPECT_EQ(count(state), 0);
  bcm2835_dev_heal(&state->dev);
  sim_elapse(2 * WORD_NS);
  SIM_EXPECT_EQ(count(state), 0);  // dead
  SIM_EXPECT_EQ(readl(state, BCM2835_RNG_STATUS), 0);
  bcm2835_dev_heal(&state->dev);
  sim_elapse(WORD_NS);
  SIM_EXPECT_EQ(count(state), 1);
}
ALONE(odd, struct state, prepare_warm, odd_body);

// Each odd behaviour, drawn at a read of STATUS, and healed.
static void odd_behaviour_is_drawn_at_status(void **unused) {
  const struct alone_draw draws[] = {{"bcm2835-late", "alone#0", 0, 1},
                                     {"bcm2835-count", "alone#0", 3, 4},
                                     {"bcm2835-stuck", "alone#0", 4, 4},
                                     {"bcm2835-dead", "alone#0", 6, 1},
                                     {NULL}};

  alone_passes(&odd, NULL, draws);
}

static void seeds_body(void *arg) {
  struct state *state = arg;

  state->dev.clk.enabled = 1;
  start(state);
  for (u32 i = 0; i < 500; i++) {
    u32 n = count(state);

    if (n > 16) n = 16;
    for (; n; n--) SIM_EXPECT(readl(state, BCM2835_RNG_DATA) != 0);
    sim_elapse(WORD_NS);
  }
}
ALONE(seeds, struct state, prepare_warm, seeds_body);

// Whatever it tells, as many words as it told can be had: a word is never 0.
static void told_words_can_be_had(void **unused) { sim_test_clean(&seeds, NULL, 300); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(offsets_are_those_of_the_driver),
      cmocka_unit_test(fifo_of_five_words_at_29_us),
      cmocka_unit_test(warm_up_discards_bits),
      cmocka_unit_test(ctrl_stops),
      cmocka_unit_test(interrupt_is_masked),
      cmocka_unit_test(reset_clears),
      cmocka_unit_test(unknown_offset_reads_0),
      cmocka_unit_test(access_costs_time),
      cmocka_unit_test(device_states_when_a_word_is_due),
      cmocka_unit_test(trace_names_registers),
      cmocka_unit_test(access_without_clock_is_found),
      cmocka_unit_test(cold_word_is_found),
      cmocka_unit_test(clock_below_zero_is_found),
      cmocka_unit_test(clock_and_reset_may_fail),
      cmocka_unit_test(odd_behaviour_is_drawn_at_status),
      cmocka_unit_test(told_words_can_be_had),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
