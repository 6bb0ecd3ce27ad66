// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inputs: what each mixes, credits and waits for.
#include "models/crng/testing/crng_alone.h"

static u32 burst;  // of the case that runs

static void interrupts(struct crng_scene *scene) {
  crng_watch_interrupts(&scene->watch, 5, burst, NULL);
}

// ---- Interrupts ----

// The first is mixed, since none ever was; then a second passes, or 1024 come.
static void mixed_by_time_and_number(struct crng_scene *scene) {
  const struct crng_fast_pool *fast = &scene->rng.irq_randomness[0];
  const struct crng_watch_irqs *irqs = &scene->watch.irqs[0];

  burst = 1;
  crng_alone_in_hardirq(scene, interrupts);
  sim_msleep(20);
  SIM_EXPECT_EQ(fast->count, 0);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 1);
  burst = 1022;
  crng_alone_in_hardirq(scene, interrupts);
  sim_msleep(20);
  SIM_EXPECT_EQ(fast->count, 1022);
  SIM_EXPECT(!sim_timer_pending(&fast->mix));
  burst = 2;
  crng_alone_in_hardirq(scene, interrupts);
  sim_msleep(20);
  SIM_EXPECT_EQ(fast->count, 0);
  SIM_EXPECT_EQ(irqs->counts, irqs->mixed);
  // 1024 / 64.
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 1 + 16);
  burst = 1;
  crng_alone_in_hardirq(scene, interrupts);
  sim_msleep(1100);
  SIM_EXPECT_EQ(fast->count, 1);
  crng_alone_in_hardirq(scene, interrupts);
  sim_msleep(20);
  SIM_EXPECT_EQ(fast->count, 0);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 1 + 16 + 1);
}

// 16 bytes are worth 128 bits at most.
static void credit_is_limited(struct crng_scene *scene) {
  burst = 9000;
  crng_alone_in_hardirq(scene, interrupts);
  sim_msleep(20);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 128);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_EARLY);
}

static void interrupts_are_taken_in(void **state) {
  crng_alone_passes(mixed_by_time_and_number, NULL);
  crng_alone_passes(credit_is_limited, NULL);
}

// ---- Timings ----

// A key held down tells nothing; intervals that change tell half a logarithm.
static void keys(struct crng_scene *scene) {
  struct crng *rng = &scene->rng;
  u32 bits;

  crng_watch_key(&scene->watch, 1);
  bits = rng->input_pool.init_bits;
  sim_msleep(400);
  crng_watch_key(&scene->watch, 1);
  SIM_EXPECT_EQ(rng->input_pool.init_bits, bits);
  sim_msleep(900);
  crng_watch_key(&scene->watch, 2);
  SIM_EXPECT(rng->input_pool.init_bits > bits);
  SIM_EXPECT(rng->input_pool.init_bits <= bits + 11);
}

static struct crng_timer_state disk;

static void disk_interrupt(struct crng_scene *scene) {
  crng_add_disk_randomness(&scene->rng, &disk, 3);
}
// In hardirq a timing is counted with the interrupts, 64 for a bit; one is the interrupt's.
static void disks(struct crng_scene *scene) {
  const struct crng_fast_pool *fast = &scene->rng.irq_randomness[0];

  disk = (struct crng_timer_state){0};
  crng_alone_in_hardirq(scene, disk_interrupt);
  SIM_EXPECT_EQ((fast->count + 1) % 64, 0);
  SIM_EXPECT(fast->count <= 11 * 64 - 1);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 0);
}

static void timings_are_taken_in(void **state) {
  crng_alone_passes(keys, NULL);
  crng_alone_passes(disks, NULL);
}

// ---- Buffers ----

static void boot_loader_trusted(struct crng_scene *scene) {
  u8 seed[32];

  crng_scene_data(scene, seed, sizeof(seed));
  crng_watch_bootloader(&scene->watch, seed, 16);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_EARLY);
  crng_scene_data(scene, seed, sizeof(seed));
  crng_watch_bootloader(&scene->watch, seed, 16);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_READY);
}
static void boot_loader_not_trusted(struct crng_scene *scene) {
  u8 seed[32];

  crng_scene_data(scene, seed, sizeof(seed));
  crng_watch_bootloader(&scene->watch, seed, sizeof(seed));
  crng_watch_device(&scene->watch, seed, sizeof(seed));
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 0);
}

static int generator(void *arg) {
  struct crng_scene *scene = arg;
  u8 buf[32];

  while (!sim_kthread_should_stop()) {
    crng_scene_data(scene, buf, sizeof(buf));
    crng_watch_hwgenerator(&scene->watch, buf, sizeof(buf), 64, true);
  }
  return 0;
}
// Not throttled until READY, then a reseed interval; a stop ends that.
static void generator_sleeps(struct crng_scene *scene) {
  struct sim_task *task = sim_kthread_run(generator, scene, "hwrng", 0);
  u64 words;

  sim_msleep(10);
  words = scene->words;
  SIM_EXPECT_EQ(words, 4 * 4);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_READY);
  sim_msleep(500);
  SIM_EXPECT_EQ(scene->words, words);
  sim_msleep(600);
  SIM_EXPECT_EQ(scene->words, words + 4);
  u64 before_ns = sim_clock_ns();
  sim_kthread_stop(task);
  SIM_EXPECT(sim_clock_ns() - before_ns < 10 * SIM_NSEC_PER_MSEC);
}
// Without credit it is throttled from the beginning.
static int poor_generator(void *arg) {
  struct crng_scene *scene = arg;
  u8 buf[32];

  while (!sim_kthread_should_stop()) {
    crng_scene_data(scene, buf, sizeof(buf));
    crng_watch_hwgenerator(&scene->watch, buf, sizeof(buf), 0, true);
  }
  return 0;
}
static void poor_generator_sleeps(struct crng_scene *scene) {
  struct sim_task *task = sim_kthread_run(poor_generator, scene, "hwrng", 0);

  sim_msleep(500);
  SIM_EXPECT_EQ(scene->words, 4);
  sim_kthread_stop(task);
}

static void buffers_are_taken_in(void **state) {
  crng_alone_passes(boot_loader_trusted, NULL);
  crng_alone_passes(boot_loader_not_trusted, "trust_boot=0");
  crng_alone_passes(generator_sleeps, NULL);
  crng_alone_passes(poor_generator_sleeps, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interrupts_are_taken_in),
      cmocka_unit_test(timings_are_taken_in),
      cmocka_unit_test(buffers_are_taken_in),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
