// SPDX-License-Identifier: GPL-2.0-or-later
//
// The hwrng core: a model of drivers/char/hw_random/core.c, shaped as Linux 7.2 has it
// and under its names.
//
//   here                                       core.c
//   struct hwrng_core                          its static variables
//   set_current_rng, drop_current_rng, ...     the same
//   rng_dev_open, rng_dev_read                 /dev/hwrng
//   rng_current_store, rng_current_show        sysfs rng_current
//   rng_quality_store                          sysfs rng_quality
//
// rng_mutex guards the list, hwrng_fill and every update of current_rng; reading_mutex
// guards the drivers' reads, data_avail and both buffers. Readers take the current
// device by RCU and a reference; the last reference queues cleanup_work.
//
// Where 7.2 trips an oracle the model does it right unless the suspect is on: see the
// flags, and docs/SUSPECTS.md. Left out: the misc device, rng_available, devres.
#ifndef SEEDBED_MODELS_HWRNG_HWRNG_CORE_H_
#define SEEDBED_MODELS_HWRNG_HWRNG_CORE_H_

#include "models/hwrng/hwrng.h"
#include "sim/base.h"
#include "sim/hook.h"
#include "sim/lock.h"
#include "sim/task.h"

// max(32, SMP_CACHE_BYTES), with cache lines of 64 bytes.
enum { RNG_BUFFER_SIZE = 64 };

// Behaviour of 7.2 that oracles object to, and planted bugs. All false: the corrected
// core.
struct hwrng_core_quirks {
  // A device that becomes current again before its cleanup_work ran is initialised
  // again, without a cleanup; work that was queued twice cleans up twice, and may
  // do so after hwrng_unregister.
  bool suspect_init_twice;
  // What is left in rng_buffer is delivered when its device is no longer current.
  bool suspect_stale_buffer;
  // The fill thread stores the global current_quality, which by then may be of
  // another device, into the device that it has read.
  bool suspect_fill_quality;
  // entropy_credit is not cleared when it has been used.
  bool suspect_credit_kept;
  // Nobody sleeps after a read that brought nothing because the device is dying: the
  // device is read again and again until it is no longer current.
  bool suspect_dying_spin;
  bool bug_55;  // the fill thread ends by itself; unregister stops what it finds
  bool bug_56;  // hwrng_msleep and hwrng_yield do not look at `dying`
  // As 7.2: a device's quality is written and read without a lock in common, or a mark.
  bool bug_unmarked;
  bool bug_57;  // a device is cleaned up and gone at once, whoever reads it; nobody is told
} __attribute__((aligned(SIM_HOOK_CONSTANT)));

// Kernels, newest first. What matters to the core:
//   6.12  a name that no device has is an error of rng_current_store
//   6.1   a device of no stated quality has none, and nothing is credited for it; there is no
//         "none" among the names, and without a device the next is taken though the user has
//         chosen. A device that becomes current, or that has no init, is read at once, 32 bytes
//         and no wait, into the fill thread's buffer, for the pool, without credit
enum hwrng_version { HWRNG_7_2, HWRNG_6_12, HWRNG_6_1 };

struct hwrng_core {
  enum hwrng_version version;
  struct hwrng *current_rng;  // RCU
  bool cur_rng_set_by_user;
  struct sim_task *hwrng_fill;
  struct hwrng *rng_list;
  struct sim_mutex rng_mutex;
  struct sim_mutex reading_mutex;
  int data_avail;       // bytes left in rng_buffer, at its beginning
  u32 data_generation;  // of the device that gave them
  u16 current_quality;
  u16 default_quality;  // module parameter; 1024
  u32 generation;       // inits so far
  u32 fill_cpu;         // where the fill thread is started
  bool no_fill;         // never start it
  struct sim_workqueue *system_percpu_wq;
  struct hwrng_core_quirks quirks;
  u8 rng_buffer[RNG_BUFFER_SIZE];
  u8 rng_fillbuf[RNG_BUFFER_SIZE];
};

// hwrng_modinit prepares a zeroed core, its work queue included; in set-up. `fill_cpu`
// is the CPU of the fill thread. Quirks and no_fill may be set afterwards.
void hwrng_modinit(struct hwrng_core *core, u32 fill_cpu);
// hwrng_core_set_version makes it another kernel's than 7.2's; in set-up.
void hwrng_core_set_version(struct hwrng_core *core, enum hwrng_version version);
// hwrng_core_quirks_from_params sets the quirks by the scenario's bugs and suspects:
// init_twice, stale_buffer, fill_quality, credit_kept, dying_spin. In set-up.
void hwrng_core_quirks_from_params(struct hwrng_core_quirks *out_quirks);

// An open file of /dev/hwrng.
struct hwrng_file {
  bool nonblock;  // O_NONBLOCK
  bool open;
  void *kernel;  // the file of a kernel tree's core, where that is the subject
};
// rng_dev_open opens for reading; -SIM_EINVAL, and not open, if it is for writing too.
int rng_dev_open(struct hwrng_file *filp, bool nonblock, bool write);
// rng_dev_close: the driver core has no release function, so nothing waits.
void rng_dev_close(struct hwrng_file *filp);

// rng_dev_read reads up to `size` bytes into `buf`. Returns how many it wrote; or, if
// none, -SIM_ENODEV without a device, -SIM_EAGAIN (nonblock) when there are none now,
// -SIM_ERESTARTSYS when a signal ended a wait, or the driver's error. Sleeps.
s64 rng_dev_read(struct hwrng_file *filp, u8 *buf, size_t size);

// rng_current_store is a write to rng_current: a name; "" for the best device again;
// "none" for no device until the user chooses. Returns 0 (also for a name that is not
// there, as the kernel does; -SIM_ENODEV as of 6.12), -SIM_ERESTARTSYS when a signal ended
// the wait for rng_mutex, or the error of the device's init, with the device as before.
int rng_current_store(const char *buf);
// rng_current_show returns the name of the current device, or "none".
const char *rng_current_show(void);
// rng_quality_store sets the quality of the current device, 0..1024, and chooses the
// best device. Returns 0, -SIM_EINVAL, -SIM_ENODEV without a current device (nothing
// changed), -SIM_ERESTARTSYS as above, or the error of the best device's init.
int rng_quality_store(u32 quality);

#endif  // SEEDBED_MODELS_HWRNG_HWRNG_CORE_H_
