// SPDX-License-Identifier: GPL-2.0-or-later
//
// The virtio entropy device: one request ahead, short answers, and its removal.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/virtio_rng.h"
#include "sim/timer.h"

struct state {
  struct hwrng_scene scene;
  struct virtio_rng_dev vdev;
  struct virtrng_config config;
  struct virtrng_info *vi;
};

static void prepare(struct state *state) { virtio_rng_dev_init(&state->vdev, "virtio", 1); }

static void probe(struct state *state) {
  SIM_EXPECT_EQ(virtrng_probe(&state->vdev, &state->config, &state->vi), 0);
}

static int read(struct state *state, void *buf, size_t size, bool wait) {
  struct hwrng *rng = &state->vi->hwrng;

  return rng->read(rng, buf, size, wait);
}

#define BODY(name_)                                  \
  static void name_##_body(void *arg);               \
  ALONE(name_, struct state, prepare, name_##_body); \
  static void name_##_body(void *arg)

BODY(reading) {
  struct state *state = arg;
  u8 buf[64];

  probe(state);
  SIM_EXPECT(state->vdev.driver_ok);
  SIM_EXPECT_EQ(read(state, buf, 64, false), 0);
  SIM_EXPECT_EQ(read(state, buf, 64, true), 64);
  for (u32 i = 0; i < 64; i++) SIM_EXPECT_EQ(buf[i], hw_word_byte(i / 4, i % 4));
  sim_schedule_timeout_uninterruptible(1);  // the next answer is there
  SIM_EXPECT_EQ(read(state, buf, 10, false), 10);
  SIM_EXPECT_EQ(read(state, buf, 64, true), 64);  // 54 that are left, and 10 of the next
  virtrng_remove(state->vi);
  SIM_EXPECT(!state->vdev.driver_ok);
}

static void request_is_kept_ahead(void **unused) { alone_passes(&reading, NULL, NULL); }

BODY(short_answers) {
  struct state *state = arg;
  u8 buf[64];

  probe(state);
  for (u32 i = 0; i < 4; i++) SIM_EXPECT_EQ(read(state, buf, 64, true), 64);
  virtrng_remove(state->vi);
}

// Whatever the host answers and when, a read with wait is filled.
static void short_answers_are_joined(void **unused) { sim_test_clean(&short_answers, NULL, 500); }

static void blocked_reader(void *arg) {
  struct hwrng_file file;
  u8 buf[64];
  s64 rc;

  SIM_EXPECT_EQ(rng_dev_open(&file, false, false), 0);
  rc = rng_dev_read(&file, buf, sizeof(buf));
  SIM_EXPECT(rc == -SIM_ENODEV || (rc > 0 && rc <= 64));
}

BODY(removal) {
  struct state *state = arg;
  u64 begin_ns;

  probe(state);
  sim_task_new("reader", blocked_reader, state, 1);
  // The reader takes the first answer after some 70 us and asks for the next, which comes
  // 50 us later on the reader's CPU.
  sim_elapse(110000 + sim_test_draw(30000));
  begin_ns = sim_clock_ns();
  virtrng_remove(state->vi);
  // remove's wake-up may be lost to a request that begins at that moment, as in the kernel:
  // then it is the host's next answer that ends the read.
  SIM_EXPECT(sim_clock_ns() - begin_ns < 600000000);
}

// A driver that goes wakes its reader.
static void remove_wakes_readers(void **unused) { sim_test_clean(&removal, NULL, 3000); }

BODY(answered) {
  struct state *state = arg;
  struct sim_hw_event *answer = &state->vdev.answer;

  probe(state);
  SIM_EXPECT_EQ(rng_current_store("none"), 0);
  sim_schedule_timeout_uninterruptible(2);
  // Another request, whose answer lands on the other CPU about when the device is reset: a
  // grace period and a wake-up after the driver begins to go.
  sim_hw_event_disarm(answer);
  state->vdev.num_requests = 1;
  sim_hw_event_arm(answer, sim_clock_ns() + 8021000, answer->fn, &state->vdev, 1);
  sim_elapse(sim_test_draw(5000));
  virtrng_remove(state->vi);
  sim_schedule_timeout_uninterruptible(1);  // what the interrupt does after that counts
}

// What the host's interrupt still uses is not freed.
static void remove_waits_for_the_interrupt(void **unused) { sim_test_clean(&answered, NULL, 5000); }

BODY(again) {
  struct state *state = arg;
  u8 buf[64 + WATCH_GUARD];

  probe(state);
  SIM_EXPECT_EQ(read(state, buf, 64, true), 64);  // and the next answer takes 500 ms
  SIM_EXPECT_EQ(rng_current_store("none"), 0);
  sim_schedule_timeout_uninterruptible(2);  // cleaned up: a wake-up is left
  SIM_EXPECT_EQ(rng_current_store("virtio"), 0);
  SIM_EXPECT_EQ(read(state, buf, 64, true), 64);
  virtrng_remove(state->vi);
}

static void prepare_stale(struct state *state) {
  prepare(state);
  state->config.suspect_stale_wake = true;
}
ALONE(again_stale, struct state, prepare_stale, again_body);

// A wake-up that is left over ends no read, but under the suspect.
static void stale_wake_up_is_ignored(void **unused) {
  const struct alone_draw draws[] = {{"virtio-host", "alone#0", 1, 3}, {NULL}};

  alone_passes(&again, NULL, draws);
  alone_trips(&again_stale, NULL, draws, "hwrng-read-gives-up");
}

BODY(pieces) {
  struct state *state = arg;
  u8 buf[64];

  probe(state);
  SIM_EXPECT_EQ(read(state, buf, 24, true), 24);
  SIM_EXPECT_EQ(read(state, buf, 64, true), 64);
  virtrng_remove(state->vi);
}

static void prepare_clamp(struct state *state) {
  prepare(state);
  state->config.suspect_clamp = true;
}
ALONE(pieces_clamped, struct state, prepare_clamp, pieces_body);

BODY(dropped) {
  struct state *state = arg;
  u8 buf[64];

  probe(state);
  sim_schedule_timeout_uninterruptible(1);
  SIM_EXPECT_EQ(read(state, buf, 40, true), 40);
  SIM_EXPECT_EQ(read(state, buf, 24, true), 24);
  virtrng_remove(state->vi);
}
ALONE(dropped_clamped, struct state, prepare_clamp, dropped_body);

// What a read leaves of an answer goes to the next ones; under the suspect it is dropped, or, where
// its end is never reached, waited for without a request.
static void rest_of_an_answer_is_kept(void **unused) {
  alone_passes(&pieces, NULL, NULL);
  alone_passes(&dropped, NULL, NULL);
  alone_trips(&dropped_clamped, NULL, NULL, "hwrng-driver-loses");
  alone_trips(&pieces_clamped, NULL, NULL, "deadlock");
}

static void eager_reader(void *arg) {
  struct hwrng_file file;
  u8 buf[64];

  (void)arg;
  SIM_EXPECT_EQ(rng_dev_open(&file, true, false), 0);
  for (u32 i = 0; i < 50; i++) rng_dev_read(&file, buf, sizeof(buf));
}

static void prepare_buggy(struct state *state) {
  prepare(state);
  state->config.bug_67 = true;
  sim_task_new("reader", eager_reader, state, 1);
}

static void buggy_body(void *arg);
ALONE(buggy, struct state, prepare_buggy, buggy_body);
static void buggy_body(void *arg) {
  struct state *state = arg;

  probe(state);
  virtrng_remove(state->vi);
}

// Bug 67: somebody reads what is not ready.
static void bug_67_is_found(void **unused) {
  sim_test_finds(&buggy, NULL, 300, "virtio-rng-before-ready");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(request_is_kept_ahead),    cmocka_unit_test(short_answers_are_joined),
      cmocka_unit_test(remove_wakes_readers),     cmocka_unit_test(remove_waits_for_the_interrupt),
      cmocka_unit_test(stale_wake_up_is_ignored), cmocka_unit_test(rest_of_an_answer_is_kept),
      cmocka_unit_test(bug_67_is_found),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
