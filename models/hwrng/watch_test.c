// SPDX-License-Identifier: GPL-2.0-or-later
//
// The onlooker: each oracle trips on a double that does the wrong, and is silent on the
// same double without it.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/watch.h"
#include "sim/timer.h"

// What the double does wrong.
enum fault {
  FAULT_NONE,
  // A driver's read.
  FAULT_WORD_TWICE,
  FAULT_WORDS_SWAPPED,
  FAULT_WORD_LOST,
  FAULT_JUNK,
  FAULT_NOT_WRITTEN,
  FAULT_TOO_LONG,
  FAULT_NO_ERRNO,
  FAULT_BEHIND_BUFFER,
  FAULT_GIVES_UP,
  FAULT_GIVES_UP_BY_ERROR,
  FAULT_POLLS,
  FAULT_NEVER_ENDS,
  FAULT_SLEEPS,
  // A driver's other callbacks.
  FAULT_INIT_POSITIVE,
  FAULT_INIT_SLEEPS,
  FAULT_STAYS_ON,
  // A core.
  FAULT_INIT_TWICE,
  FAULT_CLEANUP_TWICE,
  FAULT_READ_WITHOUT_INIT,
  FAULT_NO_CLEANUP,
  FAULT_REFERENCE_LEFT,
  FAULT_CALLBACK_LATE,
  FAULT_JUNK_DELIVERED,
  FAULT_DELIVERED_TWICE,
  FAULT_POOL_DELIVERED,
  FAULT_STALE_DELIVERED,
  FAULT_WRONG_ERRNO,
  FAULT_USER_BUFFER,
  FAULT_CREDIT_TOO_HIGH,
  FAULT_CREDIT_TWICE,
  FAULT_CREDIT_OF_JUNK,
  // Whoever suspends.
  FAULT_SUSPEND_SLEEPS,
  FAULT_SUSPEND_LEAVES_ON,
  FAULT_ON_WHILE_SUSPENDED,
  // Too slow.
  FAULT_SLOW,
  FAULT_COUNT,
};

static enum fault fault;  // of the case that runs; constant in a run

struct state {
  struct hwrng_scene scene;
  struct hw_device hw, hw2;
  struct hwrng rng, rng2;
  bool on;
  u64 idle_since_ns;
  u32 reads;
  u8 *user;  // a reader's buffer
};

static struct state *the_state(void) { return sim_private(); }

// ---- The double ----

static int double_init(struct hwrng *rng) {
  if (fault == FAULT_INIT_POSITIVE) return 1;
  if (fault == FAULT_INIT_SLEEPS && the_state()->reads)
    sim_schedule_timeout_uninterruptible(6 * sim_hz());
  the_state()->on = true;
  return 0;
}

static void double_cleanup(struct hwrng *rng) {
  if (fault != FAULT_STAYS_ON) the_state()->on = false;
}

static void take(u8 *data) {
  u32 word = hw_words_take(&hwrng_world()->words, 1);

  memcpy(data, &word, sizeof(word));
}

static int double_read(struct hwrng *rng, void *buf, size_t max, bool wait) {
  struct state *state = the_state();
  u64 begin_ns = sim_clock_ns();
  u8 *data = buf;

  state->reads++;
  hw_access(&state->hw, 200);
  switch (fault) {
    case FAULT_NO_ERRNO:
      return -5000;
    case FAULT_GIVES_UP:
      return 0;
    case FAULT_GIVES_UP_BY_ERROR:
      return -SIM_EIO;
    case FAULT_WRONG_ERRNO:
      return -SIM_EAGAIN;
    case FAULT_POLLS:
      while (sim_clock_ns() < begin_ns + 9000000) hw_access(&state->hw, 5000);
      break;
    case FAULT_NEVER_ENDS:
      for (;;) {
        hw_access(&state->hw, 5000);
        take(data);
      }
    case FAULT_SLEEPS:
      sim_schedule_timeout_uninterruptible(6 * sim_hz());
      break;
    case FAULT_SLOW:
      sim_schedule_timeout_uninterruptible(sim_hz());
      break;
    default:
      break;
  }
  for (u32 i = 0; i < 5; i++) take(data + 4 * i);
  if (fault == FAULT_WORD_LOST) take(data + 16);
  if (fault == FAULT_WORD_TWICE) memcpy(data + 4, data, 4);
  if (fault == FAULT_WORDS_SWAPPED) {
    u8 word[4];

    memcpy(word, data, 4);
    memcpy(data, data + 4, 4);
    memcpy(data + 4, word, 4);
  }
  if (fault == FAULT_JUNK) data[19] ^= 1;
  if (fault == FAULT_NOT_WRITTEN) return 24;
  if (fault == FAULT_TOO_LONG) return (int)max + 4;
  if (fault == FAULT_BEHIND_BUFFER) data[max] = 0;
  if (fault == FAULT_USER_BUFFER && state->user) state->user[22] = 0;
  return 20;
}

static u64 due_now(const struct hw_device *hw) {
  // A slow or sleeping double is a device that has nothing, and no fault by itself.
  return fault == FAULT_WRONG_ERRNO || fault == FAULT_NO_ERRNO ? UINT64_MAX : 0;
}

static bool is_off(const struct hw_device *hw) { return !the_state()->on; }

static void prepare(struct state *state) {
  state->hw = (struct hw_device){.name = "double",
                                 .kind = "double",
                                 .id = 1,
                                 .word_ns_max = 1000000,
                                 .word_due_ns = due_now,
                                 .is_off = is_off};
  state->rng = (struct hwrng){.name = "double",
                              .init = double_init,
                              .cleanup = double_cleanup,
                              .read = double_read,
                              .quality = 100};
  // A second device that has neither init nor cleanup.
  state->hw2 = state->hw;
  state->hw2.id = 2;
  state->rng2 = (struct hwrng){.name = "plain", .read = double_read};
}

// ---- A life of the double, in which every fault has its place ----

static s64 read_file(struct state *state, u32 size, bool nonblock) {
  u8 buf[SCENE_SIZE_MAX + WATCH_GUARD];
  struct hwrng_file file;
  s64 rc;

  SIM_EXPECT_EQ(rng_dev_open(&file, nonblock, false), 0);
  state->user = buf;
  rc = watch_rng_dev_read(&file, buf, size);
  state->user = NULL;
  watch_rng_dev_close(&file);
  return rc;
}

static s64 read_dev(struct state *state, u32 size) { return read_file(state, size, false); }

static void reader(void *arg) { read_dev(arg, 20); }

// What a core does that gives 20 bytes to the pool, by the driver's callback.
static void feed_pool(struct state *state) {
  const struct hw_hooks *hooks = &state->scene.world.hooks;
  u8 data[64];

  SIM_EXPECT_EQ(state->rng.read(&state->rng, data, 64, true), 20);
  if (fault == FAULT_CREDIT_OF_JUNK) data[3] ^= 1;
  // 20 bytes of quality 100/1024: 15.6 bits.
  hooks->credited(data, 20, fault == FAULT_CREDIT_TOO_HIGH ? 16 : 15);
  if (fault == FAULT_CREDIT_TWICE) hooks->credited(data, 20, 1);
}

static void suspend(struct state *state) {
  u32 op = watch_suspend_begin();

  if (fault == FAULT_SUSPEND_SLEEPS) sim_schedule_timeout_uninterruptible(6 * sim_hz());
  state->on = fault == FAULT_SUSPEND_LEAVES_ON;
  watch_suspended(op, &state->hw);
  if (fault == FAULT_ON_WHILE_SUSPENDED) state->on = true;
  watch_resuming(&state->hw);
  state->on = true;
}

static void deliver_wrongly(struct state *state) {
  struct hwrng_core *core = &state->scene.world.core;

  switch (fault) {
    case FAULT_JUNK_DELIVERED:
      SIM_EXPECT_EQ(read_dev(state, 4), 4);
      core->rng_buffer[3] ^= 4;
      read_dev(state, 16);
      break;
    case FAULT_DELIVERED_TWICE:
      SIM_EXPECT_EQ(read_dev(state, 4), 4);
      core->data_avail += 4;
      read_dev(state, 4);
      break;
    case FAULT_POOL_DELIVERED:
      // The pool's bytes in the readers' buffer.
      SIM_EXPECT_EQ(state->rng.read(&state->rng, core->rng_buffer, 64, true), 20);
      core->data_avail = 20;
      core->data_generation = state->rng.generation;
      read_dev(state, 20);
      break;
    case FAULT_STALE_DELIVERED:
      core->quirks.suspect_stale_buffer = true;
      SIM_EXPECT_EQ(read_dev(state, 4), 4);
      SIM_EXPECT_EQ(rng_current_store("plain"), 0);
      sim_schedule_timeout_uninterruptible(2);
      read_dev(state, 4);
      break;
    default:
      break;
  }
}

static void misuse_callbacks(struct state *state) {
  struct hwrng *rng = &state->rng;

  switch (fault) {
    case FAULT_INIT_TWICE:
      SIM_EXPECT_EQ(rng->init(rng), 0);
      break;
    case FAULT_CLEANUP_TWICE:
      rng->cleanup(rng);
      rng->cleanup(rng);
      break;
    case FAULT_READ_WITHOUT_INIT: {
      u8 data[64];

      rng->cleanup(rng);
      rng->read(rng, data, 64, true);
      break;
    }
    default:
      break;
  }
}

// A core that returns from unregister and has done nothing.
static void unregister_nothing(struct state *state, struct hw_device *hw, struct hwrng *rng) {
  const struct hw_hooks *hooks = &state->scene.world.hooks;

  hooks->unregistering(hw, rng);
  hooks->unregistered(hw, rng);
}

static void life_body(void *arg) {
  struct state *state = arg;
  struct sim_task *task;

  SIM_EXPECT_EQ(devm_hwrng_register(&state->hw, &state->rng), 0);
  SIM_EXPECT_EQ(devm_hwrng_register(&state->hw2, &state->rng2), 0);
  SIM_EXPECT_EQ(rng_current_store("double"), 0);
  // A signal in the middle of a read, if one lasts.
  task = sim_task_new("reader", reader, state, 1);
  sim_schedule_timeout_uninterruptible(2);
  if (sim_task_state(task) != SIM_TASK_DEAD) watch_send_signal(task);
  sim_task_join(task);

  if (fault != FAULT_SLEEPS) {
    read_dev(state, 7);
    feed_pool(state);
    deliver_wrongly(state);
  }
  suspend(state);
  SIM_EXPECT_EQ(watch_rng_current_store("none"), 0);
  sim_schedule_timeout_uninterruptible(2);
  SIM_EXPECT_EQ(watch_rng_current_store("double"), 0);
  misuse_callbacks(state);

  if (fault == FAULT_NO_CLEANUP) unregister_nothing(state, &state->hw, &state->rng);
  devm_hwrng_unregister(&state->hw, &state->rng);
  if (fault == FAULT_CALLBACK_LATE) {
    u8 data[64];

    state->rng.read(&state->rng, data, 64, true);
  }
  if (fault == FAULT_REFERENCE_LEFT) {
    sim_kref_get(&state->rng2.ref);
    unregister_nothing(state, &state->hw2, &state->rng2);
  }
  devm_hwrng_unregister(&state->hw2, &state->rng2);
}

static void check(void) { watch_check(&the_state()->scene.watch); }

static void life_setup(void) {
  struct state *state = scene_setup(sizeof(*state));

  prepare(state);
  sim_task_new("alone", life_body, state, 0);
}
static const struct sim_scenario life = {
    .name = "alone", .params = alone_params, .setup = life_setup, .check = check};

// ---- Cases ----

static void well_behaved_double_is_silent(void **unused) {
  fault = FAULT_NONE;
  alone_passes(&life, NULL, NULL);
  sim_test_clean(&life, NULL, 500);
}

// Every fault is one oracle's.
static void each_fault_trips_its_oracle(void **unused) {
  static const struct {
    enum fault fault;
    const char *oracle;
  } rows[] = {
      /* 1 */ {FAULT_WORD_TWICE, "hwrng-driver-bytes"},
      /* 2 */ {FAULT_WORDS_SWAPPED, "hwrng-driver-bytes"},
      /* 3 */ {FAULT_WORD_LOST, "hwrng-driver-loses"},
      /* 4 */ {FAULT_JUNK, "hwrng-driver-bytes"},
      /* 5 */ {FAULT_NOT_WRITTEN, "hwrng-driver-bytes"},
      /* 6 */ {FAULT_TOO_LONG, "hwrng-driver-rc"},
      /* 7 */ {FAULT_NO_ERRNO, "hwrng-driver-rc"},
      /* 8 */ {FAULT_BEHIND_BUFFER, "hwrng-driver-rc"},
      /* 9 */ {FAULT_GIVES_UP, "hwrng-read-gives-up"},
      /* 10 */ {FAULT_GIVES_UP_BY_ERROR, "hwrng-read-gives-up"},
      /* 11 */ {FAULT_POLLS, "hwrng-busy-loop"},
      /* 12 */ {FAULT_NEVER_ENDS, "hwrng-read-ends"},
      /* 13 */ {FAULT_SLEEPS, "hwrng-signal-bound"},
      /* 14 */ {FAULT_INIT_POSITIVE, "hwrng-driver-rc"},
      /* 15 */ {FAULT_INIT_SLEEPS, "hwrng-choose-bound"},
      /* 16 */ {FAULT_STAYS_ON, "hwrng-balance"},
      /* 17 */ {FAULT_INIT_TWICE, "hwrng-balance"},
      /* 18 */ {FAULT_CLEANUP_TWICE, "hwrng-balance"},
      /* 19 */ {FAULT_READ_WITHOUT_INIT, "hwrng-balance"},
      /* 20 */ {FAULT_NO_CLEANUP, "hwrng-balance"},
      /* 21 */ {FAULT_REFERENCE_LEFT, "hwrng-balance"},
      /* 22 */ {FAULT_CALLBACK_LATE, "hwrng-callback-after-unregister"},
      /* 23 */ {FAULT_JUNK_DELIVERED, "hwrng-reader-bytes"},
      /* 24 */ {FAULT_DELIVERED_TWICE, "hwrng-reader-bytes"},
      /* 25 */ {FAULT_POOL_DELIVERED, "hwrng-reader-bytes"},
      /* 26 */ {FAULT_STALE_DELIVERED, "hwrng-current-device"},
      /* 27 */ {FAULT_WRONG_ERRNO, "hwrng-reader-rc"},
      /* 28 */ {FAULT_USER_BUFFER, "hwrng-reader-rc"},
      /* 29 */ {FAULT_CREDIT_TOO_HIGH, "hwrng-credit"},
      /* 30 */ {FAULT_CREDIT_TWICE, "hwrng-credit"},
      /* 31 */ {FAULT_CREDIT_OF_JUNK, "hwrng-credit"},
      /* 32 */ {FAULT_SUSPEND_SLEEPS, "hwrng-suspend-bound"},
      /* 33 */ {FAULT_SUSPEND_LEAVES_ON, "hwrng-balance"},
      /* 34 */ {FAULT_ON_WHILE_SUSPENDED, "hwrng-balance"},
  };

  // FAULT_SLOW has a case of its own.
  _Static_assert(SIM_ARRAY_SIZE(rows) == FAULT_COUNT - 2, "every fault has a row");
  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    fault = rows[i].fault;
    alone_trips(&life, NULL, NULL, rows[i].oracle);
  }
}

static void slow_body(void *arg) {
  struct state *state = arg;

  SIM_EXPECT_EQ(devm_hwrng_register(&state->hw, &state->rng), 0);
  watch_throughput_begin(&state->scene.watch);
  SIM_EXPECT_EQ(read_dev(state, 100), 100);
  watch_throughput_end(&state->scene.watch, 10000);
  devm_hwrng_unregister(&state->hw, &state->rng);
}
ALONE(slow, struct state, prepare, slow_body);

// 20 bytes a second of a device that makes 10000 are 0.2 %.
static void slow_double_trips_throughput(void **unused) {
  fault = FAULT_SLOW;
  alone_trips(&slow, NULL, NULL, "hwrng-throughput");
  fault = FAULT_NONE;
  alone_passes(&slow, NULL, NULL);
}

static void unregister_body(void *arg) {
  struct state *state = arg;

  SIM_EXPECT_EQ(devm_hwrng_register(&state->hw, &state->rng), 0);
  sim_task_new("reader", reader, state, 1);
  sim_schedule_timeout_uninterruptible(2);
  devm_hwrng_unregister(&state->hw, &state->rng);
}
ALONE(unregister, struct state, prepare, unregister_body);

// A driver's read that sleeps for six seconds holds unregister up.
static void sleeping_read_trips_unregister_bound(void **unused) {
  fault = FAULT_SLEEPS;
  alone_trips(&unregister, NULL, NULL, "hwrng-unregister-bound");
  fault = FAULT_NONE;
  alone_passes(&unregister, NULL, NULL);
}

static void nonblock_body(void *arg) {
  struct state *state = arg;

  SIM_EXPECT_EQ(devm_hwrng_register(&state->hw, &state->rng), 0);
  SIM_EXPECT_EQ(read_file(state, 20, true), 20);
  devm_hwrng_unregister(&state->hw, &state->rng);
}
ALONE(nonblock, struct state, prepare, nonblock_body);

// A read that was told not to wait, and sleeps.
static void sleeping_read_without_wait_trips(void **unused) {
  fault = FAULT_SLOW;
  alone_trips(&nonblock, NULL, NULL, "hwrng-read-blocks");
  fault = FAULT_NONE;
  alone_passes(&nonblock, NULL, NULL);
}

static u64 idle_since(const struct hw_device *hw) { return the_state()->idle_since_ns; }

static void idle_body(void *arg) {
  struct state *state = arg;

  state->hw.idle_since_ns = idle_since;
  state->idle_since_ns = fault == FAULT_SLOW ? UINT64_MAX : 0;
  SIM_EXPECT_EQ(devm_hwrng_register(&state->hw, &state->rng), 0);
  sim_task_new("reader", reader, state, 1);
  sim_schedule_timeout_uninterruptible(2);
  watch_reads();
  devm_hwrng_unregister(&state->hw, &state->rng);
}
ALONE(idle, struct state, prepare, idle_body);

// Sleep in a driver's read, when its device has been asked for nothing for longer than it takes;
// that the device is at work is no fault of it.
static void waiting_for_an_idle_device_trips(void **unused) {
  fault = FAULT_SLEEPS;
  alone_trips(&idle, NULL, NULL, "hwrng-read-unasked");
  fault = FAULT_SLOW;
  alone_passes(&idle, NULL, NULL);
}

static int endless_read(struct hwrng *rng, void *buf, size_t max, bool wait) {
  sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  sim_schedule();
  return 0;
}

static void stuck_body(void *arg) {
  struct state *state = arg;

  state->hw.idle_since_ns = idle_since;
  state->rng.read = endless_read;
  SIM_EXPECT_EQ(devm_hwrng_register(&state->hw, &state->rng), 0);
  read_dev(state, 20);
}
static void stuck_setup(void) {
  struct state *state = scene_setup(sizeof(*state));

  prepare(state);
  sim_task_new("alone", stuck_body, state, 0);
}
static const struct sim_scenario stuck = {
    .name = "alone", .params = alone_params, .setup = stuck_setup, .stuck = watch_stuck};

// And where it is the end of everything.
static void endless_wait_for_an_idle_device_trips(void **unused) {
  fault = FAULT_NONE;
  alone_trips(&stuck, NULL, NULL, "hwrng-read-unasked");
}

// The list names every oracle once, and each says on whose word.
static void oracles_are_listed(void **unused) {
  u32 n = 0;

  for (; hwrng_oracles[n]; n++) {
    assert_true(hwrng_oracles[n]->id[0] && hwrng_oracles[n]->sentence[0]);
    assert_true(hwrng_oracles[n]->source[0]);
    for (u32 k = 0; k < n; k++) assert_string_not_equal(hwrng_oracles[k]->id, hwrng_oracles[n]->id);
  }
  assert_int_equal(n, 22);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(well_behaved_double_is_silent),
      cmocka_unit_test(each_fault_trips_its_oracle),
      cmocka_unit_test(slow_double_trips_throughput),
      cmocka_unit_test(sleeping_read_trips_unregister_bound),
      cmocka_unit_test(sleeping_read_without_wait_trips),
      cmocka_unit_test(waiting_for_an_idle_device_trips),
      cmocka_unit_test(endless_wait_for_an_idle_device_trips),
      cmocka_unit_test(oracles_are_listed),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
