// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a driver and the hwrng core share: struct hwrng and the core's interface, as
// include/linux/hw_random.h has it in 7.2. The old data_present and data_read callbacks
// are left out.
#ifndef SEEDBED_MODELS_HWRNG_HWRNG_H_
#define SEEDBED_MODELS_HWRNG_HWRNG_H_

#include "sim/base.h"
#include "sim/refcount.h"
#include "sim/wait.h"
#include "sim/work.h"

// A driver fills in the first part, zeroes the rest and keeps the memory until
// hwrng_unregister has returned.
struct hwrng {
  const char *name;                    // unique among registered ones; borrowed
  int (*init)(struct hwrng *rng);      // 0 or a negative errno; may be NULL
  void (*cleanup)(struct hwrng *rng);  // may be NULL
  // Writes 0..max bytes to `data` and returns how many, or a negative errno. May
  // sleep if `wait`. Called with reading_mutex held: never twice at once.
  int (*read)(struct hwrng *rng, void *data, size_t max, bool wait);
  u64 priv;
  u16 quality;  // entropy in 1/1024 bit a bit; 0: not stated

  // Of the core. All but the completions is guarded by rng_mutex.
  struct hwrng *next;  // registered, in order of registration
  struct sim_kref ref;
  struct sim_work cleanup_work;
  struct sim_completion cleanup_done;
  struct sim_completion dying;  // completed for ever by hwrng_unregister
  bool initialised;             // init ran and cleanup has not
  u32 generation;               // counts inits of all devices; names this one's data
};

// hwrng_register makes `rng` known; it becomes current if there is none or it is better
// and the user has chosen none. Returns 0; -SIM_EINVAL without a name or read, or
// -SIM_EEXIST for a name that is taken, having done nothing; or the error of init,
// having taken it off the list again. Task context; sleeps.
SIM_MUST_CHECK int hwrng_register(struct hwrng *rng);
// hwrng_unregister takes `rng` away, waits until nobody uses it and its cleanup ran.
// After it returns no callback of `rng` is called. Task context; sleeps.
void hwrng_unregister(struct hwrng *rng);

// Sleeps for a driver's read (and the fill thread): `msecs` + 1 jiffy, or 1 jiffy. Both
// end at once when the device is dying, and then return at least 1; 0 after the time;
// -SIM_ERESTARTSYS at once when a signal is pending.
s64 hwrng_msleep(struct hwrng *rng, u32 msecs);
s64 hwrng_yield(struct hwrng *rng);

#endif  // SEEDBED_MODELS_HWRNG_HWRNG_H_
