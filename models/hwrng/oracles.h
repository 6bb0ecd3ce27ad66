// SPDX-License-Identifier: GPL-2.0-or-later
//
// The oracles of the hwrng models: what each asks and on whose word. watch.h judges most
// of them from outside; a few are asked by the hardware itself.
#ifndef SEEDBED_MODELS_HWRNG_ORACLES_H_
#define SEEDBED_MODELS_HWRNG_ORACLES_H_

#include "sim/scenario.h"

// X(name, id, status, sentence, source)
#define HWRNG_ORACLES(X)                                                                          \
  X(driver_bytes, "hwrng-driver-bytes", SIM_SAFETY,                                               \
    "what a driver's read returns are words of its device, each once and in order",               \
    "include/linux/hw_random.h: read fills the buffer with hardware data")                        \
  X(driver_rc, "hwrng-driver-rc", SIM_SAFETY,                                                     \
    "a driver's read returns a negative errno or 0..max, and has written that many bytes and "    \
    "none behind max",                                                                            \
    "include/linux/hw_random.h: read returns the number of bytes or a negative errno")            \
  X(gives_up, "hwrng-read-gives-up", SIM_SAFETY,                                                  \
    "a read with wait does not return 0 or an error while a word is due within the time that "    \
    "the device states",                                                                          \
    "commits be867f987a4e (omap: the wait was shorter than the device takes) and "                \
    "042b4b169c6f (arm_smccc_trng: an error instead of another try)")                             \
  X(unasked, "hwrng-read-unasked", SIM_LIVENESS,                                                  \
    "no read with wait waits for data that its driver has not asked the device for",              \
    "drivers/char/hw_random/virtio-rng.c, virtio_read: a request is pending while it waits")      \
  X(loses, "hwrng-driver-loses", SIM_SAFETY,                                                      \
    "a driver returns all words that it has read, but for the rest of what it needed the "        \
    "beginning of, and for reads that end with an error",                                         \
    "Documentation/admin-guide/hw_random.rst: /dev/hwrng hands out the hardware's data")          \
  X(blocks, "hwrng-read-blocks", SIM_SAFETY,                                                      \
    "a read without wait does not sleep for a time or an event",                                  \
    "include/linux/hw_random.h: read waits for data only if wait is set; rng_dev_read clears it " \
    "for O_NONBLOCK")                                                                             \
  X(read_ends, "hwrng-read-ends", SIM_LIVENESS,                                                   \
    "a read of a device that has data ends, whatever the size",                                   \
    "qcom-rng, Linux 5.16.18 and 5.17.11 (fix infinite loop on requests not multiple of "         \
    "WORD_SZ; ensure buffer for generate is completely filled)")                                  \
  X(reader_bytes, "hwrng-reader-bytes", SIM_SAFETY,                                               \
    "each byte that a reader gets is a byte that a driver has read, is given to nobody else, "    \
    "and lies in order within one copy",                                                          \
    "Documentation/admin-guide/hw_random.rst: /dev/hwrng hands out the hardware's data")          \
  X(current_device, "hwrng-current-device", SIM_SAFETY,                                           \
    "no byte is delivered that no device in use during that read gave",                           \
    "Documentation/admin-guide/hw_random.rst: rng_current selects where the data comes from")     \
  X(reader_rc, "hwrng-reader-rc", SIM_SAFETY,                                                     \
    "read returns a legal negative errno or 0..size, and has written that many bytes and no "     \
    "more",                                                                                       \
    "read(2)")                                                                                    \
  X(callback, "hwrng-callback-after-unregister", SIM_SAFETY,                                      \
    "no callback of a driver runs after hwrng_unregister has returned",                           \
    "commit a027f30d72f2 (hwrng: use reference counts on each struct hwrng)")                     \
  X(balance, "hwrng-balance", SIM_SAFETY,                                                         \
    "init and cleanup alternate; what is not in use is off, with its clock and references "       \
    "at zero",                                                                                    \
    "include/linux/hw_random.h: init and cleanup; commit cc2f39d6ac48 (references by RCU)")       \
  X(unclocked, "hwrng-unclocked-access", SIM_SAFETY,                                              \
    "a device's registers are touched only while its clock runs",                                 \
    "bcm2835_rng_init enables the clock first; without it an access is a bus error")              \
  X(cold, "hwrng-cold-words", SIM_SAFETY,                                                         \
    "no word is taken of a generator that was switched on without its warm-up",                   \
    "drivers/char/hw_random/bcm2835-rng.c, RNG_WARMUP_COUNT: the first numbers are less random "  \
    "and are discarded")                                                                          \
  X(before_ready, "virtio-rng-before-ready", SIM_SAFETY,                                          \
    "a virtio device is asked for data only after DRIVER_OK",                                     \
    "commit e052dbf55461 (hwrng: virtio - ensure reads happen after successful probe)")           \
  X(credit, "hwrng-credit", SIM_SAFETY,                                                           \
    "credited bits never exceed 8 a byte of fresh data times its device's quality",               \
    "drivers/char/hw_random/core.c, 7.2: quality is entropy per 1024 bits of input")              \
  X(unregister_bound, "hwrng-unregister-bound", SIM_LIVENESS,                                     \
    "unregistering a device ends within a bound",                                                 \
    "commit 36cb6494429b (hwrng: core - let sleep be interrupted when unregistering hwrng)")      \
  X(choose_bound, "hwrng-choose-bound", SIM_LIVENESS,                                             \
    "a write to rng_current, \"none\" too, ends within a bound",                                  \
    "commit 36cb6494429b; a writer holds rng_mutex, for which others wait uninterruptibly")       \
  X(suspend_bound, "hwrng-suspend-bound", SIM_LIVENESS,                                           \
    "freezing the readers and suspending a device ends within a bound",                           \
    "commit 36cb6494429b: suspend failed for tens of seconds")                                    \
  X(signal_bound, "hwrng-signal-bound", SIM_LIVENESS,                                             \
    "a signal ends a read within a bound, and so does close",                                     \
    "rng_dev_read: a pending signal ends the read with -ERESTARTSYS or what it has")              \
  X(busy_loop, "hwrng-busy-loop", SIM_LIVENESS,                                                   \
    "nobody polls a device for longer than a bound without giving up the CPU",                    \
    "commit 96cb9d055445 (hwrng: bcm2835 - sleep more intelligently): RCU stall of 21 s")         \
  X(throughput, "hwrng-throughput", SIM_LIVENESS,                                                 \
    "after healing, readers and fill thread together get at least 0.3 % of the device's rate",    \
    "commit b58a36008bfa (hwrng: bcm2835 - Fix hwrng throughput regression): 13 B/s of 138025 "   \
    "is 0.01 %, hwrng_yield's 2510 is 1.8 %")

#define X(name, id, status, sentence, source) extern const struct sim_oracle hwrng_oracle_##name;
HWRNG_ORACLES(X)
#undef X

// All of them, NULL-terminated.
extern const struct sim_oracle *const hwrng_oracles[];

#endif  // SEEDBED_MODELS_HWRNG_ORACLES_H_
