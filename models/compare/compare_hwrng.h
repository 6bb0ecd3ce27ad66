// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events of the hwrng core with four devices: a bcm2835 and an iproc-rng200 under their drivers,
// and two plain ones whose driver does as it is told. See compare_play.h.
//
// The bcm2835 and the iproc-rng200 have a word either always or so seldom, and off the steps of the
// clock, that whoever looks finds the same whatever the instructions before took.
#ifndef SEEDBED_MODELS_COMPARE_COMPARE_HWRNG_H_
#define SEEDBED_MODELS_COMPARE_COMPARE_HWRNG_H_

#include "models/compare/compare_play.h"

// X(id, name, three arguments). A signal goes to the task of the event that it names.
#define COMPARE_HWRNG_KINDS(X)                             \
  X(REGISTER, "hwrng_register", "device", "quality", NULL) \
  X(UNREGISTER, "hwrng_unregister", "device", NULL, NULL)  \
  X(READ, "rng_dev_read", "len", "nonblock", NULL)         \
  X(CHOOSE, "rng_current_store", "name", NULL, NULL)       \
  X(SHOW, "rng_current_show", NULL, NULL, NULL)            \
  X(QUALITY, "rng_quality_store", "quality", NULL, NULL)   \
  X(SUSPEND, "suspend", "device", NULL, NULL)              \
  X(RESUME, "resume", "device", NULL, NULL)                \
  X(SIGNAL, "signal", "event", NULL, NULL)                 \
  X(STUCK, "device is stuck", "device", "ms", NULL)        \
  X(PLAIN_DOES, "plain driver does", "device", "what", "ms")

enum compare_hwrng_kind {
#define X(id, name, a, b, c) COMPARE_HWRNG_##id,
  COMPARE_HWRNG_KINDS(X)
#undef X
      COMPARE_HWRNG_NUM_KINDS
};

// X(id, name, form, what its index counts). What explains most comes first.
#define COMPARE_HWRNG_FIELDS(X)                        \
  X(CREDITED, "bits credited", NUMBER, NULL)           \
  X(CREDITS, "credits", NUMBER, NULL)                  \
  X(FILLED, "bytes for the pool", HASH, NULL)          \
  X(EARLY, "bytes that count for nothing", HASH, NULL) \
  X(FILL, "fill thread", NUMBER, NULL)                 \
  X(INITS, "inits", NUMBER, "device")                  \
  X(CLEANUPS, "cleanups", NUMBER, "device")            \
  X(ON, "device runs", NUMBER, "device")               \
  X(CLOCK, "clock count", NUMBER, "device")            \
  X(CLOCK_ONS, "clock enables", NUMBER, "device")      \
  X(RESETS, "resets", NUMBER, "device")                \
  X(RETURNED, "return value", SIGNED, "event")         \
  X(GOT, "bytes", HASH, "event")                       \
  X(NAME, "current device", NUMBER, "event")           \
  X(ENDED, "time of return", NS, "event")

enum compare_hwrng_field {
#define X(id, name, form, of) COMPARE_HWRNG_F_##id,
  COMPARE_HWRNG_FIELDS(X)
#undef X
      COMPARE_HWRNG_NUM_FIELDS
};

enum { COMPARE_HWRNG_BCM2835, COMPARE_HWRNG_IPROC, COMPARE_HWRNG_PLAIN, COMPARE_HWRNG_DEVICES = 4 };
// What may be written to rng_current: a device's name, or one of these.
enum {
  COMPARE_HWRNG_BEST = COMPARE_HWRNG_DEVICES,
  COMPARE_HWRNG_NONE,
  COMPARE_HWRNG_UNKNOWN,
  COMPARE_HWRNG_NAMES
};
// What a plain driver does: init fails; a read gives so many bytes, nothing, or an error.
enum {
  COMPARE_HWRNG_NO_INIT,
  COMPARE_HWRNG_GIVES,
  COMPARE_HWRNG_GIVES_FEW,
  COMPARE_HWRNG_GIVES_NOTHING,
  COMPARE_HWRNG_FAILS,
  COMPARE_HWRNG_DEEDS
};

// See struct compare_family.
void compare_hwrng_generate(struct compare_list *list, u32 linux_version);
// Within this what an event brings at once is over.
u64 compare_hwrng_settle_ns(u32 hz);

#endif  // SEEDBED_MODELS_COMPARE_COMPARE_HWRNG_H_
