// SPDX-License-Identifier: GPL-2.0-or-later
//
// See scene.h.
#include "models/hwrng/scene.h"

#include "sim/choice.h"
#include "sim/task.h"
#include "sim/world.h"

const char *const scene_trips_init_twice[] = {"hwrng-balance", "hwrng-callback-after-unregister",
                                              "use-after-free", NULL};
const char *const scene_trips_current_device[] = {"hwrng-current-device", NULL};
const char *const scene_trips_credit[] = {"hwrng-credit", NULL};
const char *const scene_trips_fill_quality[] = {"hwrng-credit", "data-race", NULL};
const char *const scene_trips_busy_loop[] = {"hwrng-busy-loop", NULL};
const char *const scene_trips_yield_ignored[] = {"hwrng-busy-loop",        "hwrng-signal-bound",
                                                 "hwrng-unregister-bound", "hwrng-choose-bound",
                                                 "hwrng-suspend-bound",    NULL};
const char *const scene_trips_gives_up[] = {"hwrng-read-gives-up", NULL};

void *scene_setup(size_t size) {
  struct hwrng_scene *scene = sim_alloc_static(size, "scene");
  struct watch_config watch_config;

  SIM_ASSERT(size >= sizeof(*scene));
  sim_set_private(scene);
  crng_standin_init(&scene->world.crng, sim_param("crng_ready"), (u32)sim_param("uptime_s"));
  watch_config_default(&watch_config);
  watch_config.cancel_ns_max = (u64)sim_param("cancel_ms") * SIM_NSEC_PER_MSEC;
  if (sim_param("poll_us"))
    watch_config.poll_ns_max = (u64)sim_param("poll_us") * SIM_NSEC_PER_USEC;
  watch_init(&scene->watch, &watch_config);
  hwrng_subject_start(sim_world_config(sim_w)->num_cpus - 1, !sim_param("fill"));
  return scene;
}

void scene_pause(u32 max_ms) {
  static const u32 pause_ms[] = {1, 5, 9, 100, 1100, 2500, 6000, 9000};
  u32 n = 2;

  while (n < 2 + SIM_ARRAY_SIZE(pause_ms) && pause_ms[n - 2] <= max_ms) n++;
  u32 how = sim_choose(sim_w, SIM_SITE_DRAW("pause", SIM_SITE_WORK, 0, 0), n);

  if (how == 1)
    sim_udelay(30);
  else if (how > 1)
    sim_schedule_timeout_interruptible((s64)sim_msecs_to_jiffies(pause_ms[how - 2]));
}

u32 scene_draw_size(void) {
  static const u8 sizes[] = {20, 4, 1, 7, 33, 64, 100};

  return sizes[sim_choose(sim_w, SIM_SITE_DRAW("size", SIM_SITE_WORK, 0, 0),
                          SIM_ARRAY_SIZE(sizes))];
}

bool scene_draw(struct sim_site *site, u32 den) { return sim_choose(sim_w, site, den) == 1; }
