// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the hwrng scenarios share: the models of a world with an onlooker, their
// parameters and suspects, and how their tasks draw what to do.
#ifndef SEEDBED_MODELS_HWRNG_SCENE_H_
#define SEEDBED_MODELS_HWRNG_SCENE_H_

#include "models/hwrng/bcm2835_rng.h"
#include "models/hwrng/hwrng_subject.h"
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

// Parameters that scene_setup reads; a scenario's list names them all.
#define SCENE_PARAM_CRNG_READY \
  { "crng_ready", 0, 0, 1, "", "the pool is ready from the beginning: the fill thread throttled" }
#define SCENE_PARAM_UPTIME \
  { "uptime_s", 0, 0, 100000, "s", "uptime of the machine when the world begins" }
#define SCENE_PARAM_FILL \
  { "fill", 1, 0, 1, "", "the core has its fill thread" }
// No less than the default: drivers that wait for devices that fail, and a fill thread on its way
// out, take seconds.
#define SCENE_PARAM_CANCEL \
  { "cancel_ms", 5000, 5000, 100000, "ms", "bound of unregister, choose, suspend and signal" }
#define SCENE_PARAM_POLL                                                   \
  {                                                                        \
    "poll_us", 0, 0, 1000000000000, "us",                                  \
        "how long a device may be polled without a schedule; 0: two ticks" \
  }
#define SCENE_PARAM_CHAOS \
  { "chaos_ns", 3000000000, 0, 1000000000000, "ns", "virtual length of phase one" }
#define SCENE_PARAM_POLICY                                                                     \
  {                                                                                            \
    "policy", BCM2835_POLICY_YIELD, 0, BCM2835_POLICY_COUNT - 1, "",                           \
        "how the bcm2835's driver waits for a word; cpu_relax and hwrng_msleep(1000) are the " \
        "historic bugs 62 and 63: oracles object",                                             \
        bcm2835_policy_names                                                                   \
  }

// Bounds of unregister and the like are stated for clocks that are near each other, and for
// grace periods of a sane length.
#define SCENE_PARAM_SKEW \
  { "skew_ns", 2000, 1, 1000000000, "ns", "how far a runnable CPU's clock may lag the fastest" }
#define SCENE_PARAM_RCU_GP \
  { "rcu_gp_ns", 8000000, 0, 200000000, "ns", "shortest RCU grace period" }

// All of them but the policy, which comes first.
#define SCENE_PARAMS                                                                \
  SCENE_PARAM_FILL, SCENE_PARAM_CRNG_READY, SCENE_PARAM_UPTIME, SCENE_PARAM_CANCEL, \
      SCENE_PARAM_POLL, SCENE_PARAM_CHAOS, SCENE_PARAM_SKEW, SCENE_PARAM_RCU_GP

// The oracles that a suspect trips, NULL-terminated.
extern const char *const scene_trips_init_twice[];
extern const char *const scene_trips_current_device[];
extern const char *const scene_trips_credit[];
extern const char *const scene_trips_fill_quality[];
extern const char *const scene_trips_busy_loop[];
extern const char *const scene_trips_yield_ignored[];
extern const char *const scene_trips_gives_up[];

// Suspects of the core.
#define SCENE_SUSPECT_INIT_TWICE                                                            \
  {                                                                                         \
    "init_twice", "a device chosen again before its cleanup_work ran is initialised twice", \
        scene_trips_init_twice                                                              \
  }
#define SCENE_SUSPECT_STALE_BUFFER                                                 \
  {                                                                                \
    "stale_buffer", "bytes of a device that is gone are delivered under the next", \
        scene_trips_current_device                                                 \
  }
#define SCENE_SUSPECT_FILL_QUALITY                                                          \
  {                                                                                         \
    "fill_quality", "the fill thread credits by the quality of the device current by then", \
        scene_trips_fill_quality                                                            \
  }
#define SCENE_SUSPECT_CREDIT_KEPT                                                 \
  {                                                                               \
    "credit_kept", "a fraction of a bit, once kept, is credited again and again", \
        scene_trips_credit                                                        \
  }
#define SCENE_SUSPECT_DYING_SPIN                                                                 \
  {                                                                                              \
    "dying_spin", "a read that dying has ended is tried again at once until the device is gone", \
        scene_trips_busy_loop                                                                    \
  }

// Suspects of the bcm2835 driver.
#define SCENE_SUSPECT_YIELD_IGNORED                                                        \
  {                                                                                        \
    "bcm2835_yield_ignored",                                                               \
        "the wait for a word goes on, without sleep, when dying or a signal has ended it", \
        scene_trips_yield_ignored                                                          \
  }
#define SCENE_SUSPECT_STATUS_TWICE                                                  \
  {                                                                                 \
    "bcm2835_status_twice", "the count is read again after the wait, and may be 0", \
        scene_trips_gives_up                                                        \
  }

// Bugs of the core.
#define SCENE_BUG_55 \
  { "55", "kthread_stop of a fill thread that ended by itself; cc2f39d6ac48" }
#define SCENE_BUG_56 \
  { "56", "unregister waits for a 10 s sleep; 36cb6494429b" }
#define SCENE_BUG_UNMARKED                                                                    \
  {                                                                                           \
    "unmarked", "a device's quality is read by the fill thread and written plain, as in 7.2", \
        "hooks", "2"                                                                          \
  }
#define SCENE_BUGS_BCM2835                                                                   \
  {"words-lost", "the last of several words that bcm2835_rng_read has read is not counted"}, \
      {"wait-ignored", "bcm2835_rng_read waits for a word although it is told not to"}, {    \
    "cold-start", "bcm2835_rng_init starts the generator without its warm-up"                \
  }
#define SCENE_BUG_57 \
  { "57", "unregister returns while a read is in flight; a027f30d72f2" }

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
