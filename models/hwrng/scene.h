// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the hwrng scenarios share: the models of a world with an onlooker, their
// parameters and suspects, and how their tasks draw what to do.
#ifndef SEEDBED_MODELS_HWRNG_SCENE_H_
#define SEEDBED_MODELS_HWRNG_SCENE_H_

#include "models/hwrng/hwrng_world.h"
#include "models/hwrng/watch.h"
#include "sim/scenario.h"

// The beginning of such a scenario's private state.
struct hwrng_scene {
  struct hwrng_world world;
  struct watch watch;
};

// scene_setup allocates a zeroed scene of `size` bytes that begins with struct
// hwrng_scene, makes it the world's private state and prepares core, pool and onlooker
// by the parameters. In set-up.
void *scene_setup(size_t size);

// Parameters that scene_setup reads, for a scenario's list.
#define HWRNG_SCENE_PARAMS                                                                \
  {.name = "crng_ready",                                                                  \
   .def = 0,                                                                              \
   .min = 0,                                                                              \
   .max = 1,                                                                              \
   .unit = "",                                                                            \
   .line = "the pool is ready from the beginning, so that the fill thread is throttled"}, \
      {.name = "uptime_s",                                                                \
       .def = 0,                                                                          \
       .min = 0,                                                                          \
       .max = 100000,                                                                     \
       .unit = "s",                                                                       \
       .line = "uptime of the machine when the world begins"},                            \
      {.name = "fill",                                                                    \
       .def = 1,                                                                          \
       .min = 0,                                                                          \
       .max = 1,                                                                          \
       .unit = "",                                                                        \
       .line = "the core has its fill thread"},                                           \
      {.name = "cancel_ms",                                                               \
       .def = 5000,                                                                       \
       .min = 1,                                                                          \
       .max = 100000,                                                                     \
       .unit = "ms",                                                                      \
       .line = "bound of unregister, choose, suspend and signal"},                        \
  {                                                                                       \
    .name = "chaos_ns", .def = 3000000000, .min = 0, .max = 1000000000000, .unit = "ns",  \
    .line = "virtual length of phase one"                                                 \
  }

// Suspects of the core and of the pool.
#define HWRNG_SCENE_SUSPECTS                                                                   \
  {.name = "init_twice",                                                                       \
   .line = "a device chosen again before its cleanup_work ran is initialised twice",           \
   .oracles = (const char *const[]){"hwrng-balance", "hwrng-callback-after-unregister",        \
                                    "use-after-free", NULL}},                                  \
      {.name = "stale_buffer",                                                                 \
       .line = "bytes of a device that is gone are delivered under the next",                  \
       .oracles = (const char *const[]){"hwrng-current-device", NULL}},                        \
      {.name = "fill_quality",                                                                 \
       .line = "the fill thread credits by the quality of the device that is current by then", \
       .oracles = (const char *const[]){"hwrng-credit", NULL}},                                \
      {.name = "credit_kept",                                                                  \
       .line = "a fraction of a bit, once kept, is credited again and again",                  \
       .oracles = (const char *const[]){"hwrng-credit", NULL}},                                \
  {                                                                                            \
    .name = "dying_spin",                                                                      \
    .line = "a read that dying has ended is tried again at once until the device is gone",     \
    .oracles = (const char *const[]) {                                                         \
      "hwrng-busy-loop", NULL                                                                  \
    }                                                                                          \
  }

// Suspects of the bcm2835 driver.
#define BCM2835_SUSPECTS                                                                         \
  {.name = "bcm2835_yield_ignored",                                                              \
   .line = "the read's wait goes on, without sleeping, when dying or a signal has ended it",     \
   .oracles =                                                                                    \
       (const char *const[]){"hwrng-busy-loop", "hwrng-signal-bound", "hwrng-unregister-bound",  \
                             "hwrng-choose-bound", "hwrng-suspend-bound", "soft-lockup", NULL}}, \
  {                                                                                              \
    .name = "bcm2835_status_twice",                                                              \
    .line = "the count is read again after the wait, and may be 0",                              \
    .oracles = (const char *const[]) {                                                           \
      "hwrng-read-gives-up", NULL                                                                \
    }                                                                                            \
  }

// Bugs of the core.
#define HWRNG_BUG_55 \
  { .id = "55", .line = "kthread_stop of a fill thread that ended by itself; cc2f39d6ac48" }
#define HWRNG_BUG_56 \
  { .id = "56", .line = "unregister waits for a 10 s sleep; 36cb6494429b" }
#define HWRNG_BUG_57 \
  { .id = "57", .line = "unregister returns while a read is in flight; a027f30d72f2" }

// Does nothing (calm), executes for 30 us, or sleeps for 1, 5, 9, ... up to `max_ms` (at most
// 9000) milliseconds: a draw of the workload. A signal ends the sleep.
void scene_pause(u32 max_ms);
// A size of a read, 1..100; calm 20.
u32 scene_draw_size(void);
// Whether an event of the workload that has the chance 1 in `den` happens; calm: not.
bool scene_draw(struct sim_site *site, u32 den);

// Buffers of readers.
enum { SCENE_SIZE_MAX = 128 };

#endif  // SEEDBED_MODELS_HWRNG_SCENE_H_
