// SPDX-License-Identifier: GPL-2.0-or-later
//
// See watch.h. Sections: registrations; a driver's callbacks; register accesses; what
// readers get; what the pool gets; operations with a bound; the end.
#include "models/hwrng/watch.h"

#include <stdio.h>
#include <string.h>

#include "models/hwrng/hwrng_subject.h"
#include "models/hwrng/hwrng_world.h"
#include "models/hwrng/oracles.h"
#include "sim/checker.h"
#include "sim/refcount.h"
#include "sim/timer.h"
#include "sim/world.h"

enum { ERRNO_MAX = 4095, GUARD_BYTE = 0xa5, PREFETCH_WORDS = 64 };
// Accesses that lie further apart are no polling: something else had the CPU.
enum { POLL_GAP_NS = 10000 };

static struct watch *the_watch(void) { return hwrng_world()->watch; }

void watch_config_default(struct watch_config *out_config) {
  *out_config = (struct watch_config){
      .cancel_ns_max = 5 * SIM_NSEC_PER_SEC,
      .poll_ns_max = sim_jiffies_to_nsecs(2),
  };
}

static void fail(const struct sim_oracle *oracle, const struct hw_device *hw, const char *what) {
  sim_fail(oracle, what, "%s: %s", hw ? hw->name : "hwrng", what);
}

// A device that is on or off when it should not be: that is its driver's doing. What a kernel
// tree's does is listed by its key, which must not hide what another's does: it has the device's
// name, without its number.
static void fail_power(const struct hw_device *hw, const char *what) {
  char stable[128];

  snprintf(stable, sizeof(stable), "%.*s: %s", (int)strcspn(hw->name, "."), hw->name, what);
  sim_fail(&hwrng_oracle_balance, hwrng_world()->kernel ? stable : what, "%s: %s", hw->name, what);
}

// A driver's fault, by a key that hides no other driver's where it is known.
static void fail_driver(const struct sim_oracle *oracle, const struct hw_device *hw,
                        const char *what) {
  char context[128];

  snprintf(context, sizeof(context), "%s: %s", hw->kind, what);
  sim_fail(oracle, context, "%s: %s", hw->name, what);
}

// The same, but for keys that are older than the names in them: all of models, and of the device
// `known` of trees.
static void fail_driver_but(const struct sim_oracle *oracle, const struct hw_device *hw,
                            const char *what, const char *known) {
  if (!hwrng_world()->kernel || strcmp(hw->kind, known) == 0) fail(oracle, hw, what);
  fail_driver(oracle, hw, what);
}

// ---- Operations with a bound ----

static void check_overdue(const struct watch *watch) {
  u64 now_ns = sim_clock_ns();

  for (u32 i = 0; i < watch->num_ops; i++) {
    const struct watch_op *op = &watch->ops[i];

    if (op->oracle && now_ns > op->begin_ns + watch->config.cancel_ns_max)
      sim_fail(op->oracle, op->what, "%s goes on after %llu ms", op->what,
               (unsigned long long)((now_ns - op->begin_ns) / SIM_NSEC_PER_MSEC));
  }
  for (u32 i = 0; i < watch->num_reads; i++) {
    const struct watch_read *read = &watch->reads[i];

    if (read->signal_ns && now_ns > read->signal_ns + watch->config.cancel_ns_max)
      sim_fail(&hwrng_oracle_signal_bound, "read", "a read goes on %llu ms after a signal",
               (unsigned long long)((now_ns - read->signal_ns) / SIM_NSEC_PER_MSEC));
  }
}

// Whether the task of `call` sleeps, though its device has been asked for nothing since `since_ns`.
static bool waits_unasked(const struct watch_call *call, u64 since_ns) {
  return call->task && call->wait && call->hw->idle_since_ns &&
         sim_task_state(call->task) != SIM_TASK_RUNNING && call->begin_ns <= since_ns &&
         call->hw->idle_since_ns(call->hw) <= since_ns;
}

static void fail_unasked(const struct watch_call *call) {
  fail_driver(&hwrng_oracle_unasked, call->hw, "a read waits, and nobody has asked for data");
}

void watch_reads(void) {
  const struct watch *watch = the_watch();
  u64 now_ns = sim_clock_ns();

  for (u32 i = 0; i < watch->num_calls; i++) {
    const struct watch_call *call = &watch->calls[i];

    if (call->task && now_ns > call->hw->word_ns_max &&
        waits_unasked(call, now_ns - call->hw->word_ns_max))
      fail_unasked(call);
  }
}

void watch_stuck(void) {
  const struct watch *watch = the_watch();

  for (u32 i = 0; i < watch->num_calls; i++)
    if (waits_unasked(&watch->calls[i], UINT64_MAX - 1)) fail_unasked(&watch->calls[i]);
}

static u32 op_begin(struct watch *watch, const struct sim_oracle *oracle, const char *what) {
  u32 i = 0;

  while (i < watch->num_ops && watch->ops[i].oracle) i++;
  watch_reads();
  SIM_ASSERT(i < WATCH_OPS_MAX);
  if (i == watch->num_ops) watch->num_ops++;
  watch->ops[i] = (struct watch_op){oracle, what, sim_clock_ns()};
  return i;
}

static void op_end(struct watch *watch, u32 i) {
  check_overdue(watch);
  watch->ops[i].oracle = NULL;
  while (watch->num_ops && !watch->ops[watch->num_ops - 1].oracle) watch->num_ops--;
}

// ---- Registrations ----

static struct watch_dev *find_dev(struct watch *watch, const struct hwrng *rng) {
  // The newest first: memory of a run is not used twice, but a slot is cheap to find.
  for (u32 i = watch->num_devs; i-- > 0;)
    if (watch->devs[i].rng == rng) return &watch->devs[i];
  return NULL;
}

static struct watch_dev *find_hw(struct watch *watch, const struct hw_device *hw) {
  for (u32 i = watch->num_devs; i-- > 0;)
    if (watch->devs[i].hw == hw) return &watch->devs[i];
  return NULL;
}

static bool in_use(const struct watch_dev *dev) {
  return !dev->gone && (dev->inited || !dev->init);
}

static int watched_init(struct hwrng *rng);
static void watched_cleanup(struct hwrng *rng);
static int watched_read(struct hwrng *rng, void *data, size_t max, bool wait);

static void on_registering(struct hw_device *hw, struct hwrng *rng) {
  struct watch *watch = the_watch();
  struct watch_dev *dev, *before = find_dev(watch, rng);

  // A driver that registers again: its callbacks are ours, for what comes too late.
  if (before) {
    rng->init = before->init;
    rng->cleanup = before->cleanup;
    rng->read = before->read;
  }
  SIM_ASSERT(watch->num_devs < WATCH_DEVS_MAX);
  dev = &watch->devs[watch->num_devs++];
  *dev = (struct watch_dev){
      .hw = hw,
      .rng = rng,
      .init = rng->init,
      .cleanup = rng->cleanup,
      .read = rng->read,
      .quality_max = rng->quality ? rng->quality : 1024,
      .word_floor = hw->idle_since_ns ? hw->first_word : hwrng_world()->words.count,
  };
  if (dev->quality_max > 1024) dev->quality_max = 1024;
  if (watch->num_quality_ops && dev->quality_max < watch->quality_written)
    dev->quality_max = watch->quality_written;
  watch->seq++;
  if (rng->init) rng->init = watched_init;
  if (rng->cleanup) rng->cleanup = watched_cleanup;
  rng->read = watched_read;
}

// Whether another driver has the hardware, as when a second one finds its name taken.
static bool used_by_another(const struct watch *watch, const struct watch_dev *dev) {
  for (u32 i = 0; i < watch->num_devs; i++)
    if (watch->devs[i].hw == dev->hw && !watch->devs[i].gone) return true;
  return false;
}

// What must hold of a device that nobody uses any more.
static void check_gone(struct watch *watch, struct watch_dev *dev) {
  dev->gone = true;
  watch->seq++;
  if (!dev->init) dev->unused_seq = watch->seq;
  for (u32 i = 0; i < watch->num_calls; i++)
    if (watch->calls[i].task && watch->calls[i].hw == dev->hw)
      fail(&hwrng_oracle_callback, dev->hw, "read runs while unregister returns");
  if (dev->init && dev->inited)
    fail(&hwrng_oracle_balance, dev->hw, "unregistered without cleanup");
  if (sim_kref_read(&dev->rng->ref))
    fail(&hwrng_oracle_balance, dev->hw, "unregistered with references");
  // A driver with a remove of its own switches off after it.
  if (dev->init && !used_by_another(watch, dev) && !dev->hw->is_off(dev->hw))
    fail_power(dev->hw, "unregistered and not off");
}

static void on_registered(struct hw_device *hw, struct hwrng *rng, int err) {
  struct watch *watch = the_watch();

  if (err) check_gone(watch, find_dev(watch, rng));
}

static void on_unregistering(struct hw_device *hw, struct hwrng *rng) {
  struct watch *watch = the_watch();
  struct watch_dev *dev = find_dev(watch, rng);

  dev->unregistering = true;
  watch->seq++;
  dev->op = op_begin(watch, &hwrng_oracle_unregister_bound, "unregister");
}

static void on_unregistered(struct hw_device *hw, struct hwrng *rng) {
  struct watch *watch = the_watch();
  struct watch_dev *dev = find_dev(watch, rng);

  op_end(watch, dev->op);
  check_gone(watch, dev);
}

// ---- A driver's callbacks ----

static struct watch_dev *callback_begin(struct hwrng *rng, const char *what) {
  struct watch *watch = the_watch();
  struct watch_dev *dev = find_dev(watch, rng);

  watch->seq++;
  if (!dev || dev->gone) fail(&hwrng_oracle_callback, dev ? dev->hw : NULL, what);
  return dev;
}

static void callback_end(const struct watch_dev *dev, const char *what) {
  if (dev->gone) fail(&hwrng_oracle_callback, dev->hw, what);
}

static int watched_init(struct hwrng *rng) {
  struct watch_dev *dev = callback_begin(rng, "init after unregister");
  int err;

  if (dev->inited) fail(&hwrng_oracle_balance, dev->hw, "init without a cleanup before it");
  err = dev->init(rng);
  callback_end(dev, "init runs while unregister returns");
  if (err > 0 || err < -ERRNO_MAX) fail(&hwrng_oracle_driver_rc, dev->hw, "init's result");
  if (!err) dev->inited = true;
  return err;
}

static void watched_cleanup(struct hwrng *rng) {
  struct watch_dev *dev = callback_begin(rng, "cleanup after unregister");

  if (dev->init && !dev->inited) fail(&hwrng_oracle_balance, dev->hw, "cleanup without an init");
  dev->cleanup(rng);
  callback_end(dev, "cleanup runs while unregister returns");
  dev->inited = false;
  dev->unused_seq = ++the_watch()->seq;
}

static u8 find_poller(struct watch *watch) {
  struct sim_task *task = sim_current();
  u8 i = 0;

  while (i < watch->num_pollers && watch->pollers[i].task != task) i++;
  if (i < watch->num_pollers) return i;
  // The place of a task that has ended: a fill thread has a successor.
  i = 0;
  while (i < watch->num_pollers && sim_task_state(watch->pollers[i].task) != SIM_TASK_DEAD) i++;
  SIM_ASSERT(i < WATCH_POLLERS_MAX);
  if (i == watch->num_pollers) watch->num_pollers++;
  watch->pollers[i] = (struct watch_poller){.task = task};
  return i;
}

static void note_poll(struct watch *watch, const struct watch_call *call);

static u32 call_begin(struct watch *watch, struct hw_device *hw, size_t max, bool wait) {
  u32 count = hwrng_world()->words.count;
  u32 i = 0;

  while (i < watch->num_calls && watch->calls[i].task) i++;
  SIM_ASSERT(i < WATCH_CALLS_MAX);
  if (i == watch->num_calls) watch->num_calls++;
  watch->calls[i] = (struct watch_call){
      .task = sim_current(),
      .hw = hw,
      .words_begin = count,
      .words_limit = (u32)(max + 3) / 4 + PREFETCH_WORDS,
      .begin_ns = sim_clock_ns(),
      .wait = wait,
      .poller = find_poller(watch),
  };
  note_poll(watch, &watch->calls[i]);
  return i;
}

static void call_end(struct watch *watch, u32 i) {
  watch->calls[i].task = NULL;
  while (watch->num_calls && !watch->calls[watch->num_calls - 1].task) watch->num_calls--;
}

static u32 words_of(u8 source, u32 from) {
  const struct hw_words *words = &hwrng_world()->words;
  u32 n = 0;

  for (u32 i = from; i < words->count; i++) n += words->source[i % HW_WORDS_LOG] == source;
  return n;
}

// How many bytes of `data` are those of word `index` from `lane` on.
static u32 same_bytes(const u8 *data, u32 len, u32 index, u32 lane) {
  u32 n = 0;

  while (n < len && lane + n < 4 && data[n] == hw_word_byte(index, lane + n)) n++;
  return n;
}

// Bytes that a driver returned: words of its device behind those of its last read, in
// order. The rest of a word, or of what the device gives at a time, may follow in the next read, or
// be dropped.
static void check_words(struct watch_dev *dev, const u8 *data, u32 len) {
  const struct hw_words *words = &hwrng_world()->words;
  u32 index = dev->word_floor, lane = dev->word_lane;
  bool lost = false;
  u32 may_drop = (dev->hw->grain ? dev->hw->grain : 4) - 1, dropped = 0;

  if (dev->may_lose) may_drop = UINT32_MAX;
  dev->may_lose = false;
  dev->word_lane = 0;
  dev->word_floor = words->count;
  // Words so old that their source is forgotten cannot be judged.
  if (words->count - index > HW_WORDS_LOG) return;
  while (len) {
    u32 want = len < 4 - lane ? len : 4 - lane;

    if (index >= words->count)
      fail_driver_but(&hwrng_oracle_driver_bytes, dev->hw, "bytes that are no fresh words in order",
                      "iproc-rng200");
    if (words->source[index % HW_WORDS_LOG] == dev->hw->id) {
      if (same_bytes(data, len, index, lane) == want) {
        if (dropped > may_drop) lost = true;
        may_drop = dropped = 0;
        data += want;
        len -= want;
        lane += want;
        if (lane < 4) break;  // and len is 0
      } else {
        dropped += 4 - lane;
      }
    }
    lane = 0;
    index++;
  }
  if (lost)
    fail_driver(&hwrng_oracle_loses, dev->hw, "words that its driver read and returned never");
  dev->word_floor = index;
  dev->word_lane = (u8)lane;
}

static bool word_was_due(const struct watch_dev *dev, u64 begin_ns) {
  const struct hw_device *hw = dev->hw;

  if (hw->going || dev->suspended || dev->unregistering) return false;
  return hw->word_due_ns(hw) <= begin_ns + hw->word_ns_max;
}

static struct watch_read *current_read(struct watch *watch) {
  for (u32 i = 0; i < watch->num_reads; i++)
    if (watch->reads[i].task == sim_current()) return &watch->reads[i];
  return NULL;
}

static void add_batch(struct watch *watch, const struct watch_dev *dev, const u8 *data, u32 len) {
  enum watch_use use = current_read(watch) ? WATCH_USE_READERS : WATCH_USE_POOL;
  struct watch_batch *batch = &watch->batches[use][watch->num_batches[use]++ % WATCH_BATCHES_MAX];

  batch->len = (u8)len;
  batch->left = len == 64 ? UINT64_MAX : (1ull << len) - 1;
  batch->dev = (u8)(dev - watch->devs);
  memcpy(batch->data, data, len);
  if (use == WATCH_USE_READERS)
    watch->bytes_read += len;
  else
    watch->bytes_filled += len;
  if (!watch->measuring) return;
  watch->last_ns = sim_clock_ns();
  if (!watch->first_ns)
    watch->first_ns = watch->last_ns;
  else
    watch->measured_bytes += len;
}

static void check_result(struct watch_dev *dev, int rc, const u8 *data, size_t max) {
  if (rc < -ERRNO_MAX || (rc > 0 && (size_t)rc > max))
    fail(&hwrng_oracle_driver_rc, dev->hw, "read's result");
  for (u32 i = 0; i < WATCH_GUARD; i++)
    if (data[max + i] != GUARD_BYTE)
      fail(&hwrng_oracle_driver_rc, dev->hw, "bytes written behind the buffer");
}

static int watched_read(struct hwrng *rng, void *buf, size_t max, bool wait) {
  struct watch *watch = the_watch();
  struct watch_dev *dev = callback_begin(rng, "read after unregister");
  u64 begin_ns = sim_clock_ns();
  u32 waits = sim_task_waits(sim_current());
  u8 data[WATCH_LEN_MAX + WATCH_GUARD];
  u32 call;
  int rc;

  SIM_ASSERT(max <= WATCH_LEN_MAX);
  if (dev->init && !dev->inited) fail(&hwrng_oracle_balance, dev->hw, "read without init");
  memset(data, GUARD_BYTE, max + WATCH_GUARD);
  call = call_begin(watch, dev->hw, max, wait);
  rc = dev->read(rng, data, max, wait);
  call_end(watch, call);
  callback_end(dev, "read runs while unregister returns");

  check_result(dev, rc, data, max);
  if (!wait && sim_task_waits(sim_current()) != waits)
    fail_driver(&hwrng_oracle_blocks, dev->hw, "a read without wait slept");
  if (rc < 0) dev->may_lose = true;
  if (rc > 0) {
    check_words(dev, data, (u32)rc);
    memcpy(buf, data, (size_t)rc);
    if (current_read(watch)) watch->reader_buf = buf;
    add_batch(watch, dev, data, (u32)rc);
  } else if (wait && !sim_signal_pending() && word_was_due(dev, begin_ns)) {
    fail_driver_but(&hwrng_oracle_gives_up, dev->hw, rc ? "an error" : "0", "bcm2835");
  }
  return rc;
}

void watch_generate_begin(struct hw_device *hw, u8 *data, size_t size) {
  memset(data, GUARD_BYTE, size + WATCH_GUARD);
  call_begin(the_watch(), hw, size, true);
}

void watch_generate_end(struct hw_device *hw, const u8 *data, size_t size, int err) {
  struct watch *watch = the_watch();
  struct watch_dev *dev = find_hw(watch, hw);

  for (u32 i = 0; i < watch->num_calls; i++)
    if (watch->calls[i].task == sim_current()) call_end(watch, i);
  check_result(dev, err, data, size);
  if (err) dev->may_lose = true;
  if (err == 0) check_words(dev, data, (u32)size);
}

// ---- Register accesses ----

// What a kernel tree does is listed by its key, which must not hide another cause: it tells what
// ends the waits of core.c at once.
static const char *polled_how(struct watch *watch, const struct watch_call *call) {
  const struct watch_dev *dev = find_hw(watch, call->hw);

  if (!hwrng_world()->kernel) return "polled without giving up the CPU";
  if (dev && dev->unregistering) return "polled without giving up the CPU while its driver goes";
  if (sim_task_signalled(call->task))
    return "polled without giving up the CPU while a signal is pending";
  return "polled without giving up the CPU";
}

// Notes that the task of `call` has looked at the device.
static void note_poll(struct watch *watch, const struct watch_call *call) {
  struct watch_poller *poller = &watch->pollers[call->poller];
  u64 now_ns = sim_clock_ns();

  if (now_ns > poller->last_access_ns + POLL_GAP_NS) {
    poller->poll_begin_ns = now_ns;
    check_overdue(watch);
  }
  poller->last_access_ns = now_ns;
  if (now_ns <= poller->poll_begin_ns + watch->config.poll_ns_max) return;
  if (words_of(call->hw->id, call->words_begin) > call->words_limit)
    fail(&hwrng_oracle_read_ends, call->hw, "a read takes words without end");
  fail(&hwrng_oracle_busy_loop, call->hw, polled_how(watch, call));
}

static void on_accessed(struct hw_device *hw) {
  struct watch *watch = the_watch();
  struct sim_task *task = sim_current();

  for (u32 i = 0; i < watch->num_calls; i++)
    if (watch->calls[i].task == task && watch->calls[i].hw == hw)
      note_poll(watch, &watch->calls[i]);
}

// ---- What readers get ----

// Finds bytes that lie in order in what a driver has read for `use`, newest first; `left`:
// and that have gone to nobody.
static struct watch_batch *find_bytes(struct watch *watch, enum watch_use use, bool left,
                                      const u8 *data, u32 len, u32 *out_pos) {
  u64 mask = len == 64 ? UINT64_MAX : (1ull << len) - 1;
  u32 num = watch->num_batches[use];
  u32 n = num < WATCH_BATCHES_MAX ? num : WATCH_BATCHES_MAX;

  for (u32 i = 1; i <= n; i++) {
    struct watch_batch *batch = &watch->batches[use][(num - i) % WATCH_BATCHES_MAX];

    // From the end, where the core takes from: one byte alone may occur twice.
    for (u32 pos = len <= batch->len ? batch->len - len + 1 : 0; pos-- > 0;) {
      if (left && (batch->left >> pos & mask) != mask) continue;
      if (memcmp(batch->data + pos, data, len) != 0) continue;
      *out_pos = pos;
      return batch;
    }
  }
  return NULL;
}

static void check_current(const struct watch_read *read, const struct watch_dev *dev) {
  if (!in_use(dev) && dev->unused_seq <= read->begin_seq)
    fail(&hwrng_oracle_current_device, dev->hw, "bytes of a device that was not in use");
}

// The core tells which bytes it takes, under its lock, so that a reader that copies late
// is judged by those and not by equal bytes of a later read.
static void on_taken(const u8 *data, size_t len) {
  struct watch *watch = the_watch();
  struct watch_read *read = current_read(watch);
  u32 num = watch->num_batches[WATCH_USE_READERS];
  size_t pos = (size_t)(data - watch->reader_buf);

  if (!read) return;
  SIM_ASSERT(len >= 1 && len <= WATCH_LEN_MAX);
  struct watch_batch *batch = &watch->batches[WATCH_USE_READERS][(num - 1) % WATCH_BATCHES_MAX];

  if (!num || pos > batch->len || len > batch->len - pos ||
      memcmp(batch->data + pos, data, len) != 0)
    fail(&hwrng_oracle_reader_bytes, NULL, "bytes that no driver has read, or not in order");
  u64 mask = (len == 64 ? UINT64_MAX : (1ull << len) - 1) << pos;

  if ((batch->left & mask) != mask) fail(&hwrng_oracle_reader_bytes, NULL, "bytes delivered twice");
  batch->left &= ~mask;
  read->taken_len = (u8)len;
  read->taken_dev = batch->dev;
  memcpy(read->taken, data, len);
}

static void on_copied(const u8 *data, size_t len) {
  struct watch *watch = the_watch();
  struct watch_read *read = current_read(watch);
  struct watch_batch *batch;
  u32 pos;

  if (!read) return;
  read->copied += (s64)len;
  if (read->taken_len) {
    bool same = read->taken_len == len && memcmp(read->taken, data, len) == 0;

    read->taken_len = 0;
    if (!same)
      fail(&hwrng_oracle_reader_bytes, NULL, "bytes that no driver has read, or not in order");
    check_current(read, &watch->devs[read->taken_dev]);
    return;
  }
  // Bytes that the core has not said it took.
  batch = find_bytes(watch, WATCH_USE_READERS, true, data, (u32)len, &pos);
  if (!batch) {
    if (find_bytes(watch, WATCH_USE_READERS, false, data, (u32)len, &pos))
      fail(&hwrng_oracle_reader_bytes, NULL, "bytes delivered twice");
    if (find_bytes(watch, WATCH_USE_POOL, false, data, (u32)len, &pos))
      fail(&hwrng_oracle_reader_bytes, NULL, "bytes of the pool delivered");
    fail(&hwrng_oracle_reader_bytes, NULL, "bytes that no driver has read, or not in order");
  }
  batch->left &= ~((len == 64 ? UINT64_MAX : (1ull << len) - 1) << pos);
  check_current(read, &watch->devs[batch->dev]);
}

s64 watch_rng_dev_read(struct hwrng_file *filp, u8 *buf, size_t size) {
  struct watch *watch = the_watch();
  struct watch_read *read;
  bool legal;
  u32 i = 0;
  s64 rc;

  while (i < watch->num_reads && watch->reads[i].task) i++;
  SIM_ASSERT(i < WATCH_READS_MAX);
  if (i == watch->num_reads) watch->num_reads++;
  read = &watch->reads[i];
  *read = (struct watch_read){.task = sim_current(), .begin_seq = ++watch->seq};
  memset(buf, GUARD_BYTE, size + WATCH_GUARD);

  rc = hwrng_subject_read(filp, buf, size);

  check_overdue(watch);
  legal = rc >= -ERRNO_MAX && (rc < 0 || (size_t)rc <= size);
  if (rc == -SIM_EAGAIN) legal = filp->nonblock;
  if (rc == -SIM_ERESTARTSYS) legal = sim_signal_pending();
  if (!legal) fail(&hwrng_oracle_reader_rc, NULL, "read's result");
  if (read->copied != (rc < 0 ? 0 : rc))
    fail(&hwrng_oracle_reader_rc, NULL, "read's result is not what it has written");
  for (size_t k = rc < 0 ? 0 : (size_t)rc; k < size + WATCH_GUARD; k++)
    if (buf[k] != GUARD_BYTE)
      fail(&hwrng_oracle_reader_rc, NULL, "bytes written behind the result");

  read->task = NULL;
  read->signal_ns = 0;
  while (watch->num_reads && !watch->reads[watch->num_reads - 1].task) watch->num_reads--;
  return rc;
}

void watch_send_signal(struct sim_task *task) {
  struct watch *watch = the_watch();

  watch_reads();
  for (u32 i = 0; i < watch->num_reads; i++)
    if (watch->reads[i].task == task && !watch->reads[i].signal_ns)
      watch->reads[i].signal_ns = sim_clock_ns();
  sim_send_signal(task);
}

bool watch_is_reader(void) { return current_read(the_watch()) != NULL; }

bool watch_reader_in_read(bool asleep) {
  struct watch *watch = the_watch();

  for (u32 i = 0; i < watch->num_calls; i++) {
    struct sim_task *task = watch->calls[i].task;

    if (!task || (asleep && sim_task_state(task) == SIM_TASK_RUNNING)) continue;
    for (u32 k = 0; k < watch->num_reads; k++)
      if (watch->reads[k].task == task) return true;
  }
  return false;
}

// ---- What the pool gets ----

static void on_credited(const u8 *data, size_t len, size_t bits) {
  struct watch *watch = the_watch();
  struct watch_batch *batch;
  u32 pos;

  batch = find_bytes(watch, WATCH_USE_POOL, true, data, (u32)len, &pos);
  if (!batch)
    fail(&hwrng_oracle_credit, NULL, "the pool gets bytes that it was not to get, or twice");
  batch->left = 0;
  watch->credit_left += len * 8 * watch->devs[batch->dev].quality_max;
  if (bits > watch->credit_left / 1024)
    fail(&hwrng_oracle_credit, watch->devs[batch->dev].hw, "more bits than the quality allows");
  watch->credit_left -= bits * 1024;
}

// ---- Other operations ----

int watch_rng_current_store(const char *buf) {
  struct watch *watch = the_watch();
  u32 op = op_begin(watch, &hwrng_oracle_choose_bound, "choose");
  int err = hwrng_subject_current_store(buf);

  op_end(watch, op);
  return err;
}

int watch_rng_quality_store(u32 quality) {
  struct watch *watch = the_watch();
  u32 op = op_begin(watch, &hwrng_oracle_choose_bound, "quality");
  int err;

  // Which device it will be is not known before: all may have it from now on, those that
  // come meanwhile too.
  if (!watch->num_quality_ops++ || watch->quality_written < quality)
    watch->quality_written = quality;
  for (u32 i = 0; i < watch->num_devs; i++)
    if (watch->devs[i].quality_max < quality) watch->devs[i].quality_max = quality;
  err = hwrng_subject_quality_store(quality);
  watch->num_quality_ops--;
  op_end(watch, op);
  return err;
}

void watch_rng_dev_close(struct hwrng_file *filp) {
  struct watch *watch = the_watch();
  u32 op = op_begin(watch, &hwrng_oracle_signal_bound, "close");

  hwrng_subject_close(filp);
  op_end(watch, op);
}

u32 watch_suspend_begin(void) {
  return op_begin(the_watch(), &hwrng_oracle_suspend_bound, "suspend");
}

void watch_suspend_end(u32 op) { op_end(the_watch(), op); }

void watch_suspended(u32 op, struct hw_device *hw) {
  struct watch *watch = the_watch();
  struct watch_dev *dev = find_hw(watch, hw);

  op_end(watch, op);
  if (!hw->is_off(hw)) fail_power(hw, "suspended and not off");
  if (dev) dev->suspended = true;
}

void watch_resuming(struct hw_device *hw) {
  struct watch_dev *dev = find_hw(the_watch(), hw);

  if (!hw->is_off(hw)) fail_power(hw, "switched on while suspended");
  if (dev) dev->suspended = false;
}

void watch_throughput_begin(struct watch *watch) {
  if (watch->measuring) return;
  watch->measuring = true;
}

void watch_throughput_end(struct watch *watch, u64 device_bytes_per_s) {
  if (!watch->measuring) return;
  watch->measuring = false;
  if (watch->measured_bytes < 40) return;
  if (watch->measured_bytes * 1000 * SIM_NSEC_PER_SEC <
      3 * device_bytes_per_s * (watch->last_ns - watch->first_ns))
    sim_fail(&hwrng_oracle_throughput, "", "%llu bytes in %llu us of a device that makes %llu B/s",
             (unsigned long long)watch->measured_bytes,
             (unsigned long long)((watch->last_ns - watch->first_ns) / 1000),
             (unsigned long long)device_bytes_per_s);
}

void watch_check(const struct watch *watch) {
  for (u32 i = 0; i < watch->num_devs; i++) {
    const struct watch_dev *dev = &watch->devs[i];

    if (!dev->gone) continue;
    if (!dev->hw->is_off(dev->hw)) fail_power(dev->hw, "not off when everything is over");
  }
}

void watch_init(struct watch *watch, const struct watch_config *config) {
  struct hwrng_world *world = hwrng_world();

  watch->config = *config;
  world->watch = watch;
  world->hooks = (struct hw_hooks){
      .registering = on_registering,
      .registered = on_registered,
      .unregistering = on_unregistering,
      .unregistered = on_unregistered,
      .accessed = on_accessed,
      .taken = on_taken,
      .copied = on_copied,
      .credited = on_credited,
  };
}
