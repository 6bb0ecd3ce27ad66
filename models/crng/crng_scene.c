// SPDX-License-Identifier: GPL-2.0-or-later
//
// See crng_scene.h.
#include "models/crng/crng_scene.h"

#include <string.h>

#include "models/crng/crng_subject.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

const char *const crng_scene_versions[] = {"7.2", "6.12", "6.1", NULL};
const char *const crng_scene_versions_vdso[] = {"7.2", "6.12", NULL};

const char *const crng_scene_trips_credit[] = {"crng-credit", NULL};
const char *const crng_scene_trips_notify[] = {"crng-ready-notified", NULL};
const char *const crng_scene_trips_vdso[] = {"crng-vdso-generation", NULL};
const char *const crng_scene_trips_provenance[] = {"crng-provenance", NULL};
const char *const crng_scene_trips_sleep[] = {"sleep-in-atomic", NULL};
const char *const crng_scene_trips_mixed[] = {"crng-interrupts-mixed", NULL};

void crng_scene_quirks(struct crng_quirks *out_quirks) {
  *out_quirks = (struct crng_quirks){
      .bug_2 = sim_bug("2"),
      .bug_4 = sim_bug("4"),
      .bug_5 = sim_bug("5"),
      .bug_6 = sim_bug("6"),
      .bug_7 = sim_bug("7"),
      .bug_10 = sim_bug("10"),
      .bug_12 = sim_bug("12"),
      .bug_13 = sim_bug("13"),
      .bug_14 = sim_bug("14"),
      .bug_15 = sim_bug("15"),
      .bug_16 = sim_bug("16"),
      .bug_21 = sim_bug("21"),
      .bug_seed_early = sim_bug("seed-early-only"),
      .bug_seed_string = sim_bug("seed-as-string"),
      .bug_unmarked = sim_bug("unmarked"),
      .bug_generation_unordered = sim_bug("generation-unordered"),
      .bug_ready_unordered = sim_bug("ready-unordered"),
      .bug_generation_early = sim_bug("generation-early"),
      .bug_batch_position = sim_bug("batch-position"),
      .bug_batch_end = sim_bug("batch-end"),
      .bug_early_unchecked = sim_bug("early-unchecked"),
      .bug_prepare_keeps_key = sim_bug("prepare-keeps-key"),
      .bug_prepare_keeps_batches = sim_bug("prepare-keeps-batches"),
      .bug_resume_no_reseed = sim_bug("resume-no-reseed"),
      .bug_pool_key_kept = sim_bug("pool-key-kept"),
      .bug_fork_told_early = sim_bug("fork-told-early"),
      .bug_reseed_not_queued = sim_bug("reseed-not-queued"),
      .suspect_is_ready_unordered = sim_suspect("vdso_is_ready"),
      .suspect_ready_notifier = sim_suspect("ready_notifier"),
      .suspect_reseed_overtaken = sim_suspect("reseed_overtaken"),
      .suspect_vmfork_unready = sim_suspect("vmfork_unready"),
      .suspect_jitter_unmixed = sim_suspect("jitter_unmixed"),
      .suspect_hotplug_timer = sim_suspect("hotplug_timer"),
  };
}

void crng_scene_init(struct crng_scene *scene) {
  struct crng_platform platform = {
      .version = (enum crng_version)sim_param("version"),
      .arch_longs = (u32)sim_param("arch_longs"),
      .trust_cpu = sim_param("trust_cpu"),
      .trust_boot = sim_param("trust_boot"),
      .jitter_samples_per_bit = (u32)sim_param("jitter"),
      .uptime_s = (u64)sim_param("uptime_s"),
  };

  crng_scene_quirks(&scene->rng.quirks);
  // The suspect brings the source that it is about.
  if (scene->rng.quirks.suspect_jitter_unmixed && !platform.jitter_samples_per_bit)
    platform.jitter_samples_per_bit = 1;
  crng_watch_init(&scene->watch, &scene->rng, (u64)sim_param("wake_ms") * SIM_NSEC_PER_MSEC);
  // crng_watch_execute_when_ready waits for it.
  sim_heal_budget_grow(CRNG_WATCH_NOTIFY_MAX * (u64)sim_param("wake_ms") * SIM_NSEC_PER_MSEC);
  crng_subject_setup(&scene->rng, &platform);
  crng_watch_start(&scene->watch);
}

void *crng_scene_setup(size_t size) {
  struct crng_scene *scene = sim_alloc_static(size, "scene");

  SIM_ASSERT(size >= sizeof(*scene));
  sim_set_private(scene);
  crng_scene_init(scene);
  return scene;
}

void crng_scene_work(u32 pauses, u32 gifts) {
  // 300 ms, and CRNG_RESEED_MAX_S, each with the timer wheel's rounding (an eighth at most) and a
  // tick.
  enum { PAUSE_MS = 350, GIFT_S = 70 };

  sim_heal_budget_grow(pauses * (u64)PAUSE_MS * SIM_NSEC_PER_MSEC);
  sim_heal_budget_grow(gifts * (u64)GIFT_S * SIM_NSEC_PER_SEC);
}

void crng_scene_data(struct crng_scene *scene, void *buf, size_t len) {
  for (size_t at = 0; at < len; at += 8) {
    u64 word = sim_mix64(0x5eedull << 48 | ++scene->words);

    memcpy((u8 *)buf + at, &word, len - at < 8 ? len - at : 8);
  }
}

void crng_scene_make_ready(struct crng_scene *scene) {
  u8 seed[32];

  crng_scene_data(scene, seed, sizeof(seed));
  crng_watch_user_entropy(&scene->watch, seed, sizeof(seed), 256);
}

void crng_scene_pause(void) {
  static const u16 pause_ms[] = {1, 4, 20, 300};
  u32 how = sim_choose(sim_w, SIM_SITE_DRAW("crng-pause", SIM_SITE_WORK, 0, 0),
                       2 + SIM_ARRAY_SIZE(pause_ms));

  if (how == 1)
    sim_udelay(3);
  else if (how > 1)
    sim_schedule_timeout_interruptible((s64)sim_msecs_to_jiffies(pause_ms[how - 2]));
}

void crng_scene_read(struct crng_scene *scene) {
  static const u8 lengths[] = {32, 8, 96, 40, 4};
  u32 how = sim_choose(sim_w, SIM_SITE_DRAW("crng-read", SIM_SITE_WORK, 0, 0),
                       CRNG_BATCH_KINDS + SIM_ARRAY_SIZE(lengths));
  u8 buf[96];

  if (how < CRNG_BATCH_KINDS)
    crng_watch_batched(&scene->watch, CRNG_U64 - how);
  else
    crng_watch_get_random_bytes(&scene->watch, buf, lengths[how - CRNG_BATCH_KINDS]);
}

void crng_scene_getrandom(struct crng_scene *scene) {
  static const u8 lengths[] = {32, 16, 100, 200};
  static const u8 flags[] = {
      0,  // calm: waits
      CRNG_GRND_NONBLOCK,
      CRNG_GRND_RANDOM,
      CRNG_GRND_INSECURE,
      CRNG_GRND_RANDOM | CRNG_GRND_NONBLOCK,
      CRNG_GRND_RANDOM | CRNG_GRND_INSECURE,
      0x10,
  };
  u8 buf[200];
  u32 len =
      sim_choose(sim_w, SIM_SITE_DRAW("crng-length", SIM_SITE_WORK, 0, 0), SIM_ARRAY_SIZE(lengths));
  u32 flag =
      sim_choose(sim_w, SIM_SITE_DRAW("crng-flags", SIM_SITE_WORK, 0, 0), SIM_ARRAY_SIZE(flags));

  (void)crng_watch_getrandom(&scene->watch, buf, lengths[len], flags[flag]);
}

// ---- A device ----

static void device_arm(struct crng_scene_device *device);

static void device_interrupt(void *arg) {
  struct crng_scene_device *device = arg;
  // Interrupts that come back to back, before any softirq can run.
  static const u16 bursts[] = {1, 4, 70, 1100, 9000};
  u32 burst = 0, kind = 0;

  if (!device->gap_ms) {
    burst = sim_choose(sim_w, SIM_SITE_DRAW("crng-burst", SIM_SITE_WORK, 1, 4), 3);
    kind = sim_choose(sim_w, SIM_SITE_DRAW("crng-device", SIM_SITE_WORK, 1, 3), 3);
  }
  if (burst == 2) burst += sim_choose(sim_w, SIM_SITE_DRAW("crng-storm", SIM_SITE_WORK, 1, 32), 3);
  if (kind == 2) crng_watch_key(&device->scene->watch, ++device->key);
  crng_watch_interrupts(&device->scene->watch, 16 + device->cpu, bursts[burst],
                        kind == 1 ? &device->disk : NULL);
  if (--device->left) device_arm(device);
}

static void device_arm(struct crng_scene_device *device) {
  static const u32 gap_us[] = {5000, 10, 200, 1000, 30000, 300000, 1100000};
  u32 gap = device->gap_ms * 1000;

  if (!gap)
    gap = gap_us[sim_choose(sim_w, SIM_SITE_DRAW("crng-gap", SIM_SITE_WORK, 0, 0),
                            SIM_ARRAY_SIZE(gap_us))];

  // Its interrupts are moved when the CPU goes, and back at the next when it has come.
  sim_hw_event_arm(&device->event, sim_clock_ns() + (u64)gap * 1000, device_interrupt, device,
                   sim_cpu_online(device->cpu) ? device->cpu : 0);
}

void crng_scene_device_start(struct crng_scene_device *device, struct crng_scene *scene, u32 cpu,
                             u32 times) {
  device->scene = scene;
  device->cpu = cpu;
  device->left = times;
  if (times) device_arm(device);
}
