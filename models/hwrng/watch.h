// SPDX-License-Identifier: GPL-2.0-or-later
//
// The onlooker: judges drivers and core from outside, by what goes through their
// interfaces (callbacks, /dev/hwrng, sysfs, the pool) and by what the hardware shows. It
// shares no code with either, and no state but the numbers of the data words.
//
// A scenario keeps one in its private state, calls watch_init in set-up, makes its system
// calls through the functions below, and watch_check when a run has ended.
//
// Its callbacks stand between core and driver: read gives the driver a buffer of the
// onlooker's, with guard bytes, and copies what came. Nothing here draws or sleeps; it is
// a scheduling point only where a read ends without data.
#ifndef SEEDBED_MODELS_HWRNG_WATCH_H_
#define SEEDBED_MODELS_HWRNG_WATCH_H_

#include "models/hwrng/hw_device.h"
#include "models/hwrng/hwrng_core.h"
#include "sim/base.h"
#include "sim/task.h"

enum {
  WATCH_DEVS_MAX = 16,     // registrations in a run
  WATCH_CALLS_MAX = 8,     // driver reads at a time
  WATCH_POLLERS_MAX = 16,  // tasks that have read
  WATCH_READS_MAX = 8,     // system calls at a time
  WATCH_OPS_MAX = 16,      // other bounded operations at a time
  WATCH_BATCHES_MAX = 8,   // results of driver reads that are remembered, of each use
  WATCH_LEN_MAX = 64,      // bytes of a driver's read
};

// Bounds, in nanoseconds.
struct watch_config {
  // What unregister, choose, suspend and signal may take. A driver's read ends within a
  // second without data (the idle limit of iproc-rng200); as many as there are readers
  // may queue for reading_mutex; each switch of the device waits for a grace period.
  u64 cancel_ns_max;
  // How long a device may be polled without a schedule: two ticks, since the tick asks
  // for one.
  u64 poll_ns_max;
};

// A registration.
struct watch_dev {
  struct hw_device *hw;
  struct hwrng *rng;
  int (*init)(struct hwrng *rng);
  void (*cleanup)(struct hwrng *rng);
  int (*read)(struct hwrng *rng, void *data, size_t max, bool wait);
  u32 quality_max;  // the highest that was stated
  u32 word_floor;   // words below it have been returned or passed over,
  u8 word_lane;     // and so many bytes of this one
  bool may_lose;    // a read has ended with an error since
  u32 unused_seq;   // event number at which it was last in use, while it is not
  u32 op;           // of its unregister
  bool inited, unregistering, gone, suspended;
};

// A driver's read that runs.
struct watch_call {
  struct sim_task *task;
  struct hw_device *hw;
  u32 words_begin, words_limit;
  u64 begin_ns;
  u8 poller;
  bool wait;
};

// A task that reads devices: since when without a pause.
struct watch_poller {
  struct sim_task *task;
  u64 last_access_ns, poll_begin_ns;
};

// What a driver's read is for: readers, or the fill thread.
enum watch_use { WATCH_USE_READERS, WATCH_USE_POOL, WATCH_USES };

// What a driver's read returned.
struct watch_batch {
  u64 left;  // bit i: byte i has gone to nobody yet
  u8 len, dev;
  u8 data[WATCH_LEN_MAX];
};

// A read of /dev/hwrng that runs.
struct watch_read {
  struct sim_task *task;
  u32 begin_seq;
  // What the core took last and has not copied out: other reads may come between.
  u8 taken_len, taken_dev;
  u8 taken[WATCH_LEN_MAX];
  s64 copied;
  u64 signal_ns;  // when a signal was sent to it; 0: none
};

// Another operation that is to end within a bound.
struct watch_op {
  const struct sim_oracle *oracle;
  const char *what;
  u64 begin_ns;
};

struct watch {
  struct watch_config config;
  u32 seq;  // counts events: what was before what
  u32 num_devs;
  u32 num_batches[WATCH_USES];
  u8 num_calls, num_reads, num_ops;  // highest used + 1
  u8 num_pollers;
  u32 num_quality_ops;  // writes to rng_quality that run,
  u32 quality_written;  // and the highest quality among them
  u64 credit_left;      // in 1/1024 bit: allowed so far, less what was credited
  u64 bytes_read;       // by readers
  u64 bytes_filled;     // by the fill thread
  // Throughput: when a driver's read first gave something, and last; what came after
  // the first.
  bool measuring;
  u64 first_ns, last_ns, measured_bytes;
  struct watch_dev devs[WATCH_DEVS_MAX];
  struct watch_call calls[WATCH_CALLS_MAX];
  struct watch_poller pollers[WATCH_POLLERS_MAX];
  struct watch_read reads[WATCH_READS_MAX];
  struct watch_op ops[WATCH_OPS_MAX];
  struct watch_batch batches[WATCH_USES][WATCH_BATCHES_MAX];
  const u8 *reader_buf;  // that the last driver read for readers filled
};

// watch_init prepares a zeroed onlooker and makes it that of hwrng_world(). In set-up.
void watch_init(struct watch *watch, const struct watch_config *config);
void watch_config_default(struct watch_config *out_config);

// ---- System calls, watched ----

// rng_dev_read; `buf` holds at least `size` + WATCH_GUARD bytes.
enum { WATCH_GUARD = 8 };
s64 watch_rng_dev_read(struct hwrng_file *filp, u8 *buf, size_t size);
// A signal for `task`, which may be in a watched read.
void watch_send_signal(struct sim_task *task);
int watch_rng_current_store(const char *buf);
int watch_rng_quality_store(u32 quality);
void watch_rng_dev_close(struct hwrng_file *filp);

// A read of the device `hw` that does not go through the core: begin, which fills `data`
// (size + WATCH_GUARD bytes), and end with the result, 0 (all filled) or an errno.
void watch_generate_begin(struct hw_device *hw, u8 *data, size_t size);
void watch_generate_end(struct hw_device *hw, const u8 *data, size_t size, int err);

// Around a suspend (freezing included) and when a resume begins.
u32 watch_suspend_begin(void);
void watch_suspend_end(u32 op);  // without having suspended
void watch_suspended(u32 op, struct hw_device *hw);
void watch_resuming(struct hw_device *hw);

// Looks for reads that wait in vain. For where something ends such a wait, as a removal does, and
// for a scenario's `stuck`.
void watch_reads(void);
void watch_stuck(void);

// ---- What scenarios may ask ----

// How many tasks sleep in a driver's read: readers, or the fill thread (and its sleep
// after a failed read counts).
bool watch_reader_in_read(bool asleep);
// Whether the running task is in a watched read.
bool watch_is_reader(void);

// The throughput of all readers and the fill thread together: begin when readers that
// want many bytes start, in phase two; end when one of them has them. Judged is what came
// after the first bytes, against 0.3 % of the device's rate; below 40 bytes nothing is.
void watch_throughput_begin(struct watch *watch);
void watch_throughput_end(struct watch *watch, u64 device_bytes_per_s);

// ---- The end of a run ----

// watch_check judges what must hold when every task has ended and every device was
// unregistered.
void watch_check(const struct watch *watch);

#endif  // SEEDBED_MODELS_HWRNG_WATCH_H_
