// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls, jitter, notifiers, and the steps of a boot, hotplug, forks and resumes.
#include "models/crng/testing/crng_alone.h"

// ---- System calls ----

static void flags_before_ready(struct crng_scene *scene) {
  struct crng_watch *watch = &scene->watch;
  u8 buf[64];

  for (u32 flags = 0; flags < 16; flags++) {
    s64 rc;

    if (!(flags & (CRNG_GRND_NONBLOCK | CRNG_GRND_INSECURE | 8))) continue;
    rc = crng_watch_getrandom(watch, buf, sizeof(buf), flags);
    if (flags >= 8 || (flags & 6) == 6)
      SIM_EXPECT_EQ(rc, -SIM_EINVAL);
    else if (flags & CRNG_GRND_INSECURE)
      SIM_EXPECT_EQ(rc, 64);
    else
      SIM_EXPECT_EQ(rc, -SIM_EAGAIN);
  }
  SIM_EXPECT_EQ(crng_watch_getrandom(watch, buf, 0, CRNG_GRND_INSECURE), 0);
  SIM_EXPECT_EQ(crng_urandom_read(&scene->rng, buf, 8), 8);
}

static void signal_ends_the_wait(struct crng_scene *scene) {
  u8 buf[8];

  sim_send_signal(sim_current());
  SIM_EXPECT_EQ(crng_getrandom(&scene->rng, buf, sizeof(buf), 0), -SIM_ERESTARTSYS);
  sim_clear_signals();
}

// At a page; a read that has begun a page ends it.
static void signal_ends_a_long_read(struct crng_scene *scene) {
  u8 *buf = sim_alloc(3 * CRNG_USER_PAGE, "buffer");

  crng_scene_make_ready(scene);
  sim_send_signal(sim_current());
  SIM_EXPECT_EQ(crng_getrandom(&scene->rng, buf, 3 * CRNG_USER_PAGE, 0), CRNG_USER_PAGE);
  SIM_EXPECT_EQ(crng_getrandom(&scene->rng, buf, CRNG_USER_PAGE, 0), CRNG_USER_PAGE);
  sim_clear_signals();
  SIM_EXPECT_EQ(crng_getrandom(&scene->rng, buf, 3 * CRNG_USER_PAGE, 0), 3 * CRNG_USER_PAGE);
  sim_free(buf);
}

static void system_calls(void **state) {
  crng_alone_passes(flags_before_ready, NULL);
  crng_alone_passes(signal_ends_the_wait, NULL);
  crng_alone_passes(signal_ends_the_wait, "jitter=2");
  crng_alone_passes(signal_ends_a_long_read, NULL);
}

// ---- Jitter ----

// One sample a tick and three for a bit: some more than 768 ticks.
static void jitter_alone(struct crng_scene *scene) {
  u64 begin = sim_jiffies();

  SIM_EXPECT_EQ(crng_wait_for_random_bytes(&scene->rng), 0);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_READY);
  SIM_EXPECT(sim_jiffies() - begin >= 768);
  SIM_EXPECT(sim_jiffies() - begin < 2000);
}

static void jitter_makes_ready(void **state) {
  crng_alone_passes(jitter_alone, "jitter=3");
  crng_alone_passes(jitter_alone, "jitter=3 num_cpus=1");
}

// ---- Boot ----

static void boot(struct crng_scene *scene) {
  unsigned long flags;

  sim_local_irq_save(flags);
  crng_random_init_early(&scene->rng, "quiet");
  sim_local_irq_restore(flags);
}
static void boot_with_arch(struct crng_scene *scene) {
  boot(scene);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_READY);
  SIM_EXPECT(!scene->rng.crng_is_ready);
  crng_random_init(&scene->rng);
  SIM_EXPECT(scene->rng.crng_is_ready);
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 2);
}
static void boot_with_two_words(struct crng_scene *scene) {
  boot(scene);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_EARLY);
}
static void boot_without_trust(struct crng_scene *scene) {
  boot(scene);
  crng_random_init(&scene->rng);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 0);
}

static void boots(void **state) {
  crng_alone_passes(boot_with_arch, "arch_longs=4 queues=0");
  crng_alone_passes(boot_with_two_words, "arch_longs=2 queues=0");
  crng_alone_passes(boot_without_trust, "arch_longs=4 trust_cpu=0 queues=0");
  crng_alone_passes(boot_without_trust, "queues=0");
}

// ---- Hotplug, forks, resumes ----

static void cpu_comes(struct crng_scene *scene) {
  struct crng *rng = &scene->rng;
  u8 buf[8];

  crng_scene_make_ready(scene);
  crng_get_random_bytes(rng, buf, sizeof(buf));
  crng_get_random_batched(rng, CRNG_U8);
  rng->irq_randomness[0].count = CRNG_MIX_INFLIGHT | 5;
  SIM_EXPECT_EQ(crng_random_prepare_cpu(rng, 0), 0);
  SIM_EXPECT_EQ(rng->crngs[0].generation, CRNG_GENERATION_INVALID);
  SIM_EXPECT_EQ(rng->batch[CRNG_U8][0].position, UINT32_MAX);
  SIM_EXPECT_EQ(crng_random_online_cpu(rng, 0), 0);
  SIM_EXPECT_EQ(rng->irq_randomness[0].count, 0);
}

// A timer that is pending elsewhere when the CPU comes is not taken for its own.
static void timer_elsewhere(struct crng_scene *scene) {
  struct crng_fast_pool *fast = &scene->rng.irq_randomness[1];

  sim_add_timer_on(&fast->mix, sim_jiffies(), 0);
  SIM_EXPECT_EQ(crng_random_online_cpu(&scene->rng, 1), 0);
  SIM_EXPECT(!sim_timer_pending(&fast->mix));
}
// And one that runs elsewhere does nothing.
static void timer_runs_elsewhere(struct crng_scene *scene) {
  struct crng_fast_pool *fast = &scene->rng.irq_randomness[1];

  fast->count = CRNG_MIX_INFLIGHT | 7;
  sim_add_timer_on(&fast->mix, sim_jiffies(), 0);
  sim_msleep(20);
  SIM_EXPECT_EQ(fast->count, CRNG_MIX_INFLIGHT | 7);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 0);
}

// A device tree's seed: 32 bytes make the CRNG ready before the first task, 16 EARLY.
static void seed_of_device_tree(struct crng_scene *scene) {
  u8 seed[32];

  crng_scene_data(scene, seed, sizeof(seed));
  crng_watch_bootloader(&scene->watch, seed, 16);
  boot(scene);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_EARLY);
  crng_watch_bootloader(&scene->watch, seed + 16, 16);
  SIM_EXPECT_EQ(scene->rng.crng_init, CRNG_READY);
  crng_random_init(&scene->rng);
  SIM_EXPECT(scene->rng.crng_is_ready);
}

static u32 calls;
static int on_fork(struct sim_notifier *nb, unsigned long action, void *data) {
  sim_might_sleep("a user of the chain");
  calls++;
  return SIM_NOTIFY_DONE;
}
static void fork_and_resume(struct crng_scene *scene) {
  struct sim_notifier *nb = sim_zalloc(sizeof(*nb), "notifier");

  nb->fn = on_fork;
  calls = 0;
  SIM_EXPECT_EQ(sim_notifier_register(&scene->rng.vmfork_chain, nb), 0);
  crng_add_vmfork_randomness(&scene->rng, (const u8 *)"a new identity..", 16);
  crng_random_pm_notification(&scene->rng, CRNG_PM_POST_SUSPEND);
  // Not credited, and nothing to reseed.
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 0);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 0);
  crng_scene_make_ready(scene);
  crng_add_vmfork_randomness(&scene->rng, (const u8 *)"another identity", 16);
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 2);
  crng_random_pm_notification(&scene->rng, CRNG_PM_POST_SUSPEND);
  SIM_EXPECT_EQ(scene->rng.base_crng.generation, 3);
  SIM_EXPECT_EQ(calls, 2);
  SIM_EXPECT_EQ(sim_notifier_unregister(&scene->rng.vmfork_chain, nb), 0);
  sim_free(nb);
}

static void machines_change(void **state) {
  crng_alone_passes(cpu_comes, NULL);
  crng_alone_passes(timer_elsewhere, NULL);
  crng_alone_passes(timer_runs_elsewhere, NULL);
  crng_alone_passes(seed_of_device_tree, "queues=0");
  crng_alone_passes(fork_and_resume, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(system_calls),
      cmocka_unit_test(jitter_makes_ready),
      cmocka_unit_test(boots),
      cmocka_unit_test(machines_change),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
