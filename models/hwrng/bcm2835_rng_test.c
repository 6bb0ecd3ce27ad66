// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bcm2835's driver: the order of its register accesses, and how its read waits.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/bcm2835_rng.h"
#include "sim/timer.h"

enum { WORD_NS = 29000, TICK_NS = 4000000 };

struct state {
  struct hwrng_scene scene;
  struct bcm2835_dev dev;
  struct bcm2835_rng_config config;
  struct bcm2835_rng_priv *priv;
  struct sim_task *reader;
};

static void prepare(struct state *state) {
  struct bcm2835_dev_config config;

  bcm2835_dev_config_default(&config);
  config.warm = true;
  config.odd = false;
  bcm2835_dev_init(&state->dev, "bcm2835-rng", 1, &config);
  bcm2835_rng_config_from_params(&state->config);
}

static void probe(struct state *state) {
  SIM_EXPECT_EQ(bcm2835_rng_probe(&state->dev, &state->config, &state->priv), 0);
}

// As the core calls it, its mutex included.
static int read(struct state *state, void *buf, size_t max, bool wait) {
  struct hwrng *rng = &state->priv->rng;

  return rng->read(rng, buf, max, wait);
}

#define BODY(name_)                                  \
  static void name_##_body(void *arg);               \
  ALONE(name_, struct state, prepare, name_##_body); \
  static void name_##_body(void *arg)

// ---- Probe and remove ----

BODY(life) {
  struct state *state = arg;

  probe(state);
  bcm2835_rng_remove(state->priv);
}

// Clock and reset, warm-up count, enable; and off again.
static void init_writes_warm_up_then_enable(void **unused) {
  alone_says(&life, NULL,
             "writel 0x4 0x40000\n"
             "writel 0 0x1\n"
             "writel 0 0\n");
}

BODY(masked) {
  struct state *state = arg;

  state->config.mask_interrupts = true;
  probe(state);
  bcm2835_rng_remove(state->priv);
}

// nsp and 5301x mask the interrupt before.
static void init_masks_the_interrupt_where_told(void **unused) {
  alone_says(&masked, NULL,
             "readl 0x10 0\n"
             "writel 0x10 0x1\n"
             "writel 0x4 0x40000\n"
             "writel 0 0x1\n"
             "writel 0 0\n");
}

BODY(failing) {
  struct state *state = arg;

  for (u32 i = 0; i < 2; i++) {
    SIM_EXPECT_EQ(bcm2835_rng_probe(&state->dev, &state->config, &state->priv), -SIM_EIO);
    SIM_EXPECT_EQ(state->dev.clk.enabled, 0);
    SIM_EXPECT(state->priv == NULL);
  }
  probe(state);
  bcm2835_rng_remove(state->priv);
  SIM_EXPECT_EQ(state->dev.clk.enabled, 0);
}

// A clock or a reset that fails is probe's error, and leaves the clock off.
static void probe_returns_errors_of_clock_and_reset(void **unused) {
  const struct alone_draw draws[] = {
      {"clk-fail", "alone#0", 0, 1}, {"reset-fail", "alone#0", 0, 1}, {NULL}};

  alone_passes(&failing, NULL, draws);
}

BODY(twice) {
  struct state *state = arg;
  struct bcm2835_rng_priv *other = NULL;

  probe(state);
  SIM_EXPECT_EQ(bcm2835_rng_probe(&state->dev, &state->config, &other), -SIM_EEXIST);
  SIM_EXPECT(other == NULL);
  bcm2835_rng_remove(state->priv);
}

// ---- Reading ----

BODY(nowait) {
  struct state *state = arg;
  u32 words[16];

  probe(state);
  SIM_EXPECT_EQ(read(state, words, sizeof(words), false), 0);
  sim_elapse(2 * WORD_NS);
  SIM_EXPECT_EQ(read(state, words, sizeof(words), false), 8);
  SIM_EXPECT_EQ(words[0], hw_word_value(0));
  SIM_EXPECT_EQ(words[1], hw_word_value(1));
  sim_elapse(10 * WORD_NS);
  SIM_EXPECT_EQ(read(state, words, 11, false), 8);  // whole words only
  SIM_EXPECT_EQ(read(state, words, sizeof(words), false), 12);
  bcm2835_rng_remove(state->priv);
}

BODY(yields) {
  struct state *state = arg;
  u32 words[16];
  u64 begin_ns;

  probe(state);
  begin_ns = sim_clock_ns();
  SIM_EXPECT_EQ(read(state, words, sizeof(words), true), 20);
  // One or two ticks, by the wheel's rounding.
  SIM_EXPECT(sim_clock_ns() - begin_ns > TICK_NS);
  SIM_EXPECT(sim_clock_ns() - begin_ns < 2 * TICK_NS + 30000);
  begin_ns = sim_clock_ns();
  SIM_EXPECT_EQ(read(state, words, sizeof(words), true), 20);
  SIM_EXPECT(sim_clock_ns() - begin_ns > 2 * TICK_NS - 30000);
  bcm2835_rng_remove(state->priv);
}

BODY(idle) {
  struct state *state = arg;
  u64 begin_ns;
  u32 words[16];

  probe(state);
  state->dev.fifo.dead = true;
  begin_ns = sim_clock_ns();
  SIM_EXPECT_EQ(read(state, words, sizeof(words), true), 0);
  SIM_EXPECT(sim_clock_ns() - begin_ns >= SIM_NSEC_PER_SEC - TICK_NS);
  SIM_EXPECT(sim_clock_ns() - begin_ns < SIM_NSEC_PER_SEC + 4 * TICK_NS);
  state->dev.fifo.dead = false;
  bcm2835_rng_remove(state->priv);
}

static void signalled_reader(void *arg) {
  struct state *state = arg;
  u32 words[16];
  u64 begin_ns = sim_clock_ns();

  SIM_EXPECT_EQ(read(state, words, sizeof(words), true), -SIM_ERESTARTSYS);
  SIM_EXPECT(sim_clock_ns() - begin_ns < 60 * TICK_NS);
}

BODY(signalled) {
  struct state *state = arg;

  probe(state);
  state->dev.fifo.dead = true;
  state->reader = sim_task_new("reader", signalled_reader, state, 1);
  sim_schedule_timeout_uninterruptible(50);
  sim_send_signal(state->reader);
  sim_task_join(state->reader);
  state->dev.fifo.dead = false;
  bcm2835_rng_remove(state->priv);
}

static void dying_reader(void *arg) {
  struct hwrng_file file;
  u8 buf[32];

  SIM_EXPECT_EQ(rng_dev_open(&file, false, false), 0);
  SIM_EXPECT_EQ(rng_dev_read(&file, buf, sizeof(buf)), -SIM_ENODEV);
}

BODY(dying) {
  struct state *state = arg;
  u64 begin_ns;

  probe(state);
  state->dev.fifo.dead = true;
  state->reader = sim_task_new("reader", dying_reader, state, 1);
  sim_schedule_timeout_uninterruptible(50);
  begin_ns = sim_clock_ns();
  bcm2835_rng_remove(state->priv);
  SIM_EXPECT(sim_clock_ns() - begin_ns < 20 * TICK_NS);
  sim_task_join(state->reader);
}

// Without wait, what is there; whole words; at most max.
static void read_without_wait_takes_what_is_there(void **unused) {
  alone_passes(&nowait, NULL, NULL);
}

static void read_with_wait_yields_for_a_jiffy(void **unused) { alone_passes(&yields, NULL, NULL); }

static void read_gives_up_after_a_second(void **unused) { alone_passes(&idle, NULL, NULL); }

static void signal_ends_the_read(void **unused) { alone_passes(&signalled, NULL, NULL); }

static void dying_ends_the_read(void **unused) { alone_passes(&dying, NULL, NULL); }

static void probe_of_a_taken_name_keeps_nothing(void **unused) { alone_passes(&twice, NULL, NULL); }

// Each policy waits as long as it says, at HZ 250; the time of the second read, which
// begins when a wait has just ended.
BODY(policies) {
  static const struct {
    enum bcm2835_policy policy;
    u64 wait_us;
  } rows[] = {
      {BCM2835_POLICY_CPU_RELAX, 29},       {BCM2835_POLICY_MSLEEP_1000, 1024000},
      {BCM2835_POLICY_USLEEP_100_200, 200}, {BCM2835_POLICY_USLEEP_200_400, 400},
      {BCM2835_POLICY_MSLEEP_20, 28000},    {BCM2835_POLICY_YIELD, 8000},
  };
  struct state *state = arg;

  _Static_assert(SIM_ARRAY_SIZE(rows) == BCM2835_POLICY_COUNT, "every policy");
  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    u64 begin_ns, wait_us;
    u32 words[16];

    state->config.policy = rows[i].policy;
    probe(state);
    SIM_EXPECT(read(state, words, sizeof(words), true) > 0);
    begin_ns = sim_clock_ns();
    SIM_EXPECT(read(state, words, sizeof(words), true) > 0);
    wait_us = (sim_clock_ns() - begin_ns) / 1000;
    SIM_EXPECT(wait_us + 30 >= rows[i].wait_us);
    SIM_EXPECT(wait_us <= rows[i].wait_us + 30);
    bcm2835_rng_remove(state->priv);
  }
}

static void policies_wait_as_long_as_they_say(void **unused) {
  alone_passes(&policies, NULL, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(init_writes_warm_up_then_enable),
      cmocka_unit_test(init_masks_the_interrupt_where_told),
      cmocka_unit_test(probe_returns_errors_of_clock_and_reset),
      cmocka_unit_test(probe_of_a_taken_name_keeps_nothing),
      cmocka_unit_test(read_without_wait_takes_what_is_there),
      cmocka_unit_test(read_with_wait_yields_for_a_jiffy),
      cmocka_unit_test(read_gives_up_after_a_second),
      cmocka_unit_test(signal_ends_the_read),
      cmocka_unit_test(dying_ends_the_read),
      cmocka_unit_test(policies_wait_as_long_as_they_say),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
