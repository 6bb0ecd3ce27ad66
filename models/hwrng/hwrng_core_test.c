// SPDX-License-Identifier: GPL-2.0-or-later
//
// The hwrng core with drivers that do what the test says: registration, choice, reading,
// the fill thread's credit, and the end of a device.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/hwrng_core.h"
#include "sim/timer.h"

enum { TICK_NS = 4000000 };

// A driver whose read gives up to `avail` bytes at once, or `rc`.
struct fake {
  struct hw_device hw;
  struct hwrng rng;
  int rc, init_err;
  u32 avail, inits, cleanups, reads;
};

struct state {
  struct hwrng_scene scene;
  struct fake a, b, c;
};

static struct fake *to_fake(struct hwrng *rng) { return sim_container_of(rng, struct fake, rng); }

static int fake_init(struct hwrng *rng) {
  struct fake *fake = to_fake(rng);

  if (!fake->init_err) fake->inits++;
  return fake->init_err;
}

static void fake_cleanup(struct hwrng *rng) { to_fake(rng)->cleanups++; }

static int fake_read(struct hwrng *rng, void *data, size_t max, bool wait) {
  struct fake *fake = to_fake(rng);
  u32 n = 0;

  fake->reads++;
  hw_access(&fake->hw, 100);
  if (fake->rc) return fake->rc;
  for (; 4 * (n + 1) <= max && 4 * (n + 1) <= fake->avail; n++) {
    u32 word = hw_words_take(&hwrng_world()->words, fake->hw.id);

    memcpy((u8 *)data + 4 * n, &word, sizeof(word));
  }
  fake->avail -= 4 * n;
  return (int)(4 * n);
}

static u64 never(const struct hw_device *hw) { return UINT64_MAX; }

static bool always_off(const struct hw_device *hw) { return true; }

static void make_fake(struct fake *fake, const char *name, u8 id, u16 quality) {
  fake->hw = (struct hw_device){
      .name = name, .kind = "fake", .id = id, .word_due_ns = never, .is_off = always_off};
  fake->rng = (struct hwrng){.name = name,
                             .init = fake_init,
                             .cleanup = fake_cleanup,
                             .read = fake_read,
                             .quality = quality};
  fake->avail = 1000;
}

static void prepare(struct state *state) {
  make_fake(&state->a, "a", 1, 100);
  make_fake(&state->b, "b", 2, 700);
  make_fake(&state->c, "c", 3, 0);
}

static void add(struct fake *fake) { SIM_EXPECT_EQ(devm_hwrng_register(&fake->hw, &fake->rng), 0); }

static void drop(struct fake *fake) { devm_hwrng_unregister(&fake->hw, &fake->rng); }

static bool current_is(const char *name) { return strcmp(rng_current_show(), name) == 0; }

static s64 read_dev(bool nonblock, u8 *buf, size_t size) {
  struct hwrng_file file;

  SIM_EXPECT_EQ(rng_dev_open(&file, nonblock, false), 0);
  return rng_dev_read(&file, buf, size);
}

#define CASE_SET(name_, set_)                                                    \
  static void name_##_body(void *arg);                                           \
  ALONE(name_##_alone, struct state, prepare, name_##_body);                     \
  static void name_(void **unused) { alone_passes(&name_##_alone, set_, NULL); } \
  static void name_##_body(void *arg)
#define CASE(name_) CASE_SET(name_, NULL)

// ---- Registration and choice ----

// A device needs a name and a read, and a name of its own.
CASE(register_refuses_what_is_incomplete_or_taken) {
  struct state *state = arg;
  struct hwrng nameless = {.read = fake_read}, readless = {.name = "x"}, taken = state->b.rng;

  SIM_EXPECT_EQ(hwrng_register(&nameless), -SIM_EINVAL);
  SIM_EXPECT_EQ(hwrng_register(&readless), -SIM_EINVAL);
  add(&state->a);
  taken.name = "a";
  SIM_EXPECT_EQ(hwrng_register(&taken), -SIM_EEXIST);
  SIM_EXPECT_EQ(state->b.inits, 0);
  drop(&state->a);
  add(&state->a);  // free again
  drop(&state->a);
  SIM_EXPECT(current_is("none"));
}

// Not stated is 1024; what is stated is at most that and the module's default.
CASE(quality_is_made_proper) {
  struct state *state = arg;

  state->a.rng.quality = 2000;
  add(&state->a);
  SIM_EXPECT_EQ(state->a.rng.quality, 1024);
  add(&state->c);
  SIM_EXPECT_EQ(state->c.rng.quality, 1024);
  state->scene.world.core.default_quality = 500;
  add(&state->b);
  SIM_EXPECT_EQ(state->b.rng.quality, 500);
  drop(&state->a);
  drop(&state->b);
  drop(&state->c);
}

// The first becomes current, a better one takes over, a worse or equal one does not; the
// one that is left behind is cleaned up.
CASE(better_device_becomes_current) {
  struct state *state = arg;

  add(&state->a);
  SIM_EXPECT(current_is("a"));
  add(&state->b);
  SIM_EXPECT(current_is("b"));
  sim_schedule_timeout_uninterruptible(1);
  SIM_EXPECT_EQ(state->a.cleanups, 1);
  state->c.rng.quality = 700;
  add(&state->c);
  SIM_EXPECT(current_is("b"));
  SIM_EXPECT_EQ(state->c.inits, 0);
  drop(&state->b);
  SIM_EXPECT(current_is("c"));
  SIM_EXPECT_EQ(state->b.cleanups, 1);
  drop(&state->c);
  SIM_EXPECT(current_is("a"));
  drop(&state->a);
  SIM_EXPECT(current_is("none"));
  SIM_EXPECT_EQ(state->a.inits, 2);
  SIM_EXPECT_EQ(state->a.cleanups, 2);
}

// What the user chose stays when a better one comes; "" chooses the best again.
CASE(user_choice_stays) {
  struct state *state = arg;

  add(&state->a);
  SIM_EXPECT_EQ(rng_current_store("a"), 0);
  add(&state->b);
  SIM_EXPECT(current_is("a"));
  SIM_EXPECT_EQ(rng_current_store("there is none of that name"), 0);
  SIM_EXPECT(current_is("a"));
  SIM_EXPECT_EQ(rng_current_store(""), 0);
  SIM_EXPECT(current_is("b"));
  drop(&state->b);
  drop(&state->a);
}

// "none" leaves no device, also when another comes, until the user chooses.
CASE(none_stays_until_the_user_chooses) {
  struct state *state = arg;
  u8 buf[8];

  add(&state->a);
  SIM_EXPECT_EQ(rng_current_store("none"), 0);
  SIM_EXPECT(current_is("none"));
  SIM_EXPECT_EQ(read_dev(false, buf, 8), -SIM_ENODEV);
  add(&state->b);
  SIM_EXPECT(current_is("none"));
  SIM_EXPECT_EQ(rng_quality_store(5), -SIM_ENODEV);
  SIM_EXPECT_EQ(rng_current_store("a"), 0);
  SIM_EXPECT(current_is("a"));
  SIM_EXPECT_EQ(read_dev(false, buf, 8), 8);
  drop(&state->a);
  SIM_EXPECT(current_is("b"));
  drop(&state->b);
}

// An init that fails is register's error and leaves no trace; of a choice too, with the
// device as before; when the best device left fails, there is none.
CASE(init_that_fails) {
  struct state *state = arg;

  state->a.init_err = -SIM_EIO;
  SIM_EXPECT_EQ(devm_hwrng_register(&state->a.hw, &state->a.rng), -SIM_EIO);
  SIM_EXPECT(current_is("none"));
  state->a.init_err = 0;
  add(&state->a);  // the name is free
  SIM_EXPECT_EQ(rng_current_store("a"), 0);
  add(&state->b);
  state->b.init_err = -SIM_EIO;
  SIM_EXPECT_EQ(rng_current_store("b"), -SIM_EIO);
  SIM_EXPECT(current_is("a"));
  drop(&state->a);
  SIM_EXPECT(current_is("none"));
  drop(&state->b);
}

// rng_quality is 0..1024, and may make another device the best.
CASE(quality_store_may_change_the_device) {
  struct state *state = arg;

  add(&state->a);
  add(&state->b);
  SIM_EXPECT_EQ(rng_quality_store(1025), -SIM_EINVAL);
  SIM_EXPECT_EQ(rng_quality_store(50), 0);
  SIM_EXPECT(current_is("a"));
  SIM_EXPECT_EQ(state->b.rng.quality, 50);
  drop(&state->a);
  drop(&state->b);
}

// ---- Reading ----

// /dev/hwrng is for reading; without a device it has none.
CASE(open_is_for_reading_only) {
  struct hwrng_file file;
  u8 buf[8];

  (void)arg;
  SIM_EXPECT_EQ(rng_dev_open(&file, false, true), -SIM_EINVAL);
  SIM_EXPECT_EQ(read_dev(false, buf, 8), -SIM_ENODEV);
  SIM_EXPECT_EQ(read_dev(false, buf, 0), 0);
}

// One driver's read feeds several reads; the bytes are taken from its end.
CASE(buffer_is_taken_from_the_end) {
  struct state *state = arg;
  u8 buf[64], all[16];

  state->a.avail = 16;
  add(&state->a);
  for (u32 i = 0; i < 16; i++) all[i] = hw_word_byte(i / 4, i % 4);
  SIM_EXPECT_EQ(read_dev(false, buf, 5), 5);
  SIM_EXPECT(memcmp(buf, all + 11, 5) == 0);
  SIM_EXPECT_EQ(read_dev(false, buf, 7), 7);
  SIM_EXPECT(memcmp(buf, all + 4, 7) == 0);
  SIM_EXPECT_EQ(read_dev(false, buf, 4), 4);
  SIM_EXPECT(memcmp(buf, all, 4) == 0);
  SIM_EXPECT_EQ(state->a.reads, 1);
  // Many bytes take many reads, 64 at most each.
  state->a.avail = 200;
  SIM_EXPECT_EQ(read_dev(false, buf, 64), 64);
  SIM_EXPECT_EQ(state->a.reads, 2);
  drop(&state->a);
}

// O_NONBLOCK and nothing there is -EAGAIN; what a driver answers is passed on; what was
// read before an error counts.
CASE(errors_of_a_read) {
  struct state *state = arg;
  u8 buf[128];

  add(&state->a);
  state->a.avail = 0;
  SIM_EXPECT_EQ(read_dev(true, buf, 8), -SIM_EAGAIN);
  state->a.rc = -SIM_EIO;
  SIM_EXPECT_EQ(read_dev(false, buf, 8), -SIM_EIO);
  state->a.rc = 0;
  state->a.avail = 64;
  SIM_EXPECT_EQ(read_dev(true, buf, 100), 64);
  drop(&state->a);
}

static void hold_mutexes(void *arg) {
  struct hwrng_core *core = &((struct state *)arg)->scene.world.core;

  sim_mutex_lock(&core->rng_mutex);
  sim_mutex_lock(&core->reading_mutex);
  sim_schedule_timeout_uninterruptible(10);
  sim_mutex_unlock(&core->reading_mutex);
  sim_mutex_unlock(&core->rng_mutex);
}

// A pending signal ends what waits for a mutex, and a read that wants more bytes; a
// mutex that is free is taken all the same, as the kernel takes it.
CASE(signals_end_waiting) {
  struct state *state = arg;
  u8 buf[128];

  add(&state->a);
  sim_send_signal(sim_current());
  SIM_EXPECT_EQ(read_dev(false, buf, 8), 8);
  SIM_EXPECT_EQ(read_dev(false, buf, 100), 56);
  SIM_EXPECT_EQ(rng_current_store("a"), 0);
  sim_clear_signals();
  sim_task_new("holder", hold_mutexes, state, 1);
  sim_schedule_timeout_uninterruptible(1);
  sim_send_signal(sim_current());
  SIM_EXPECT_EQ(read_dev(false, buf, 8), -SIM_ERESTARTSYS);
  SIM_EXPECT_EQ(rng_current_store("a"), -SIM_ERESTARTSYS);
  SIM_EXPECT_EQ(rng_quality_store(7), -SIM_ERESTARTSYS);
  sim_clear_signals();
  drop(&state->a);
}

// What a device left in the buffer is not delivered under the next.
CASE(buffer_of_another_device_is_dropped) {
  struct state *state = arg;
  u8 buf[64];

  add(&state->a);
  SIM_EXPECT_EQ(read_dev(false, buf, 4), 4);
  add(&state->b);
  SIM_EXPECT_EQ(read_dev(false, buf, 64), 64);
  SIM_EXPECT_EQ(state->scene.world.words.source[buf[0] >> 2], 2);
  drop(&state->a);
  drop(&state->b);
}

// ---- The fill thread ----

static const char *const with_fill[] = {"fill", "1", NULL};
static const char *const with_fill_ready[] = {"fill", "1", "crng_ready", "1", NULL};

// Credit is 8 bits a byte times the quality; less than a bit is kept for the next time,
// and used once.
CASE_SET(credit_is_counted_in_1024ths, with_fill) {
  struct state *state = arg;
  const struct crng_standin *crng = &state->scene.world.crng;
  static const u32 bits_after[] = {0, 1, 1, 2, 2, 3};

  state->a.rng.quality = 1;  // 64 bytes: half a bit; nothing credited: sleeps a second
  add(&state->a);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(bits_after); i++) {
    while (crng->mixed_bytes < 64 * (i + 1)) sim_schedule_timeout_uninterruptible(1);
    SIM_EXPECT_EQ(crng->credited_bits, bits_after[i]);
  }
  drop(&state->a);
  SIM_EXPECT(state->scene.world.core.hwrng_fill == NULL);
}

// A pool that is ready throttles the thread to a read a second; a pool that is not takes
// what it can get until it is.
CASE_SET(ready_pool_throttles_the_fill_thread, with_fill_ready) {
  struct state *state = arg;

  add(&state->a);
  sim_schedule_timeout_uninterruptible(25);
  SIM_EXPECT_EQ(state->a.reads, 1);
  sim_schedule_timeout_uninterruptible(256);
  SIM_EXPECT_EQ(state->a.reads, 2);
  drop(&state->a);
}

CASE_SET(pool_that_is_not_ready_takes_256_bits, with_fill) {
  struct state *state = arg;

  add(&state->a);  // quality 100: 50 bits a read
  sim_schedule_timeout_uninterruptible(25);
  SIM_EXPECT_EQ(state->a.reads, 6);
  SIM_EXPECT_EQ(state->scene.world.crng.init_bits, CRNG_POOL_READY_BITS);
  drop(&state->a);
}

// A read that brings nothing costs the thread ten seconds, which unregister ends at once.
CASE_SET(failed_read_backs_off_until_dying, with_fill) {
  struct state *state = arg;
  u64 begin_ns;

  state->a.rc = -SIM_EIO;
  add(&state->a);
  sim_schedule_timeout_uninterruptible(500);
  SIM_EXPECT_EQ(state->a.reads, 1);
  begin_ns = sim_clock_ns();
  drop(&state->a);
  SIM_EXPECT(sim_clock_ns() - begin_ns < 10 * TICK_NS);
  SIM_EXPECT_EQ(state->a.cleanups, 1);
}

// "none" stops the thread, the next device starts one.
CASE_SET(none_stops_the_fill_thread, with_fill) {
  struct state *state = arg;

  add(&state->a);
  SIM_EXPECT(state->scene.world.core.hwrng_fill != NULL);
  rng_current_store("none");
  SIM_EXPECT(state->scene.world.core.hwrng_fill == NULL);
  rng_current_store("");
  SIM_EXPECT(state->scene.world.core.hwrng_fill != NULL);
  drop(&state->a);
}

// ---- Sleeping ----

// Both sleeps last a jiffy more than asked for by the wheel, end at once when the device
// is dying or a signal is pending, and say which.
CASE(sleeps_end_by_dying_and_signals) {
  struct state *state = arg;
  struct hwrng *rng = &state->a.rng;
  u64 begin = sim_jiffies();

  add(&state->a);
  SIM_EXPECT_EQ(hwrng_yield(rng), 0);
  SIM_EXPECT_EQ(sim_jiffies() - begin, 2);
  begin = sim_jiffies();
  SIM_EXPECT_EQ(hwrng_msleep(rng, 20), 0);
  SIM_EXPECT_EQ(sim_jiffies() - begin, 7);
  sim_send_signal(sim_current());
  begin = sim_jiffies();
  SIM_EXPECT_EQ(hwrng_yield(rng), -SIM_ERESTARTSYS);
  SIM_EXPECT_EQ(hwrng_msleep(rng, 20), -SIM_ERESTARTSYS);
  sim_clear_signals();
  drop(&state->a);
  begin = sim_jiffies();
  SIM_EXPECT(hwrng_yield(rng) >= 1);
  SIM_EXPECT(hwrng_msleep(rng, 20) >= 1);
  SIM_EXPECT_EQ(sim_jiffies(), begin);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(register_refuses_what_is_incomplete_or_taken),
      cmocka_unit_test(quality_is_made_proper),
      cmocka_unit_test(better_device_becomes_current),
      cmocka_unit_test(user_choice_stays),
      cmocka_unit_test(none_stays_until_the_user_chooses),
      cmocka_unit_test(init_that_fails),
      cmocka_unit_test(quality_store_may_change_the_device),
      cmocka_unit_test(open_is_for_reading_only),
      cmocka_unit_test(buffer_is_taken_from_the_end),
      cmocka_unit_test(errors_of_a_read),
      cmocka_unit_test(signals_end_waiting),
      cmocka_unit_test(buffer_of_another_device_is_dropped),
      cmocka_unit_test(credit_is_counted_in_1024ths),
      cmocka_unit_test(ready_pool_throttles_the_fill_thread),
      cmocka_unit_test(pool_that_is_not_ready_takes_256_bits),
      cmocka_unit_test(failed_read_backs_off_until_dying),
      cmocka_unit_test(none_stops_the_fill_thread),
      cmocka_unit_test(sleeps_end_by_dying_and_signals),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
