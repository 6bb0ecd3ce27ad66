// SPDX-License-Identifier: GPL-2.0-or-later
//
// See crng_standin.h.
#include "models/hwrng/crng_standin.h"

#include "models/hwrng/hwrng_world.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/world.h"

enum { CRNG_RESEED_START_INTERVAL_S = 1, CRNG_RESEED_INTERVAL_S = 60 };

void crng_standin_init(struct crng_standin *crng, bool ready, u32 uptime_s) {
  crng->init_bits = ready ? CRNG_POOL_READY_BITS : 0;
  crng->uptime_offset_s = uptime_s;
  crng->early_boot = true;
}

u64 crng_standin_interval(struct crng_standin *crng) {
  if (crng->early_boot) {
    u64 uptime_s = crng->uptime_offset_s + sim_clock_ns() / SIM_NSEC_PER_SEC;

    if (uptime_s < 2 * CRNG_RESEED_INTERVAL_S) {
      u64 interval_s = uptime_s / 2;

      if (interval_s < CRNG_RESEED_START_INTERVAL_S) interval_s = CRNG_RESEED_START_INTERVAL_S;
      return interval_s * sim_hz();
    }
    crng->early_boot = false;
  }
  return CRNG_RESEED_INTERVAL_S * sim_hz();
}

void add_hwgenerator_randomness(const void *buf, size_t len, size_t entropy, bool sleep_after) {
  struct hwrng_world *world = hwrng_world();
  struct crng_standin *crng = &world->crng;

  if (world->hooks.credited) world->hooks.credited(buf, len, entropy);
  if (world->sink.add) {
    world->sink.add(world->sink.arg, buf, len, entropy, sleep_after);
    return;
  }
  crng->mixed_bytes += len;
  crng->credited_bits += entropy;
  crng->init_bits += entropy < CRNG_POOL_READY_BITS ? (u32)entropy : CRNG_POOL_READY_BITS;
  if (crng->init_bits > CRNG_POOL_READY_BITS) crng->init_bits = CRNG_POOL_READY_BITS;

  // A stop after the look at it ends the sleep: it counts as a signal.
  if (sleep_after && !sim_kthread_should_stop() &&
      (crng->init_bits == CRNG_POOL_READY_BITS || !entropy))
    sim_schedule_timeout_interruptible((s64)crng_standin_interval(crng));
}

void add_device_randomness(const void *buf, size_t len) {
  const struct hwrng_world *world = hwrng_world();

  if (world->hooks.mixed) world->hooks.mixed(buf, len);
}
