// SPDX-License-Identifier: GPL-2.0-or-later
//
// See hwrng_core.h. Sections: references; the current device; reading; sysfs; the fill
// thread; registration; sleeping.
#include "models/hwrng/hwrng_core.h"

#include <string.h>

#include "models/hwrng/hwrng_subject.h"
#include "models/hwrng/hwrng_world.h"
#include "sim/checker.h"
#include "sim/hook.h"
#include "sim/rcu.h"
#include "sim/scenario.h"
#include "sim/timer.h"
#include "sim/trace.h"
#include "sim/world.h"

// What a failed read costs the fill thread.
enum { FILL_BACKOFF_MS = 10000 };

static int hwrng_fillfn(void *unused);

static struct hwrng_core *hwrng_core(void) { return &hwrng_world()->core; }

void hwrng_modinit(struct hwrng_core *core, u32 fill_cpu) {
  sim_mutex_init(&core->rng_mutex, "rng_mutex");
  sim_mutex_init(&core->reading_mutex, "reading_mutex");
  core->default_quality = 1024;
  core->fill_cpu = fill_cpu;
  core->system_percpu_wq = sim_alloc_workqueue("events", -1, 1);
  sim_hook_constant(&core->quirks, sizeof(core->quirks));
}

void hwrng_core_set_version(struct hwrng_core *core, enum hwrng_version version) {
  core->version = version;
  if (version >= HWRNG_6_1) core->default_quality = 0;
}

void hwrng_core_quirks_from_params(struct hwrng_core_quirks *out_quirks) {
  *out_quirks = (struct hwrng_core_quirks){
      .suspect_init_twice = sim_suspect("init_twice"),
      .suspect_stale_buffer = sim_suspect("stale_buffer"),
      .suspect_fill_quality = sim_suspect("fill_quality"),
      .suspect_credit_kept = sim_suspect("credit_kept"),
      .suspect_dying_spin = sim_suspect("dying_spin"),
      .bug_55 = sim_bug("55"),
      .bug_56 = sim_bug("56"),
      .bug_57 = sim_bug("57"),
      .bug_unmarked = sim_bug("unmarked"),
  };
}

// ---- References ----

static void cleanup_rng_work(struct sim_work *work) {
  struct hwrng_core *core = hwrng_core();
  struct hwrng *rng = sim_container_of(work, struct hwrng, cleanup_work);

  sim_check_alive(rng, "cleanup_rng_work");
  sim_mutex_lock(&core->rng_mutex);
  // It became current again, or an earlier run of this work was enough.
  if (sim_kref_read(&rng->ref) || (!core->quirks.suspect_init_twice && !rng->initialised)) {
    sim_mutex_unlock(&core->rng_mutex);
    return;
  }
  rng->initialised = false;
  if (rng->cleanup) rng->cleanup(rng);
  sim_complete(&rng->cleanup_done);
  sim_mutex_unlock(&core->rng_mutex);
}

// The usual case is that whoever changes the device, with rng_mutex held, is the last.
static void mark_last_reference(const struct hwrng_core *core) {
  const struct sim_task *self = sim_current();
  const struct sim_task *fill = SIM_PEEK(core->hwrng_fill);
  bool by_reader = core->rng_mutex.owner != self && fill != self;

  hwrng_subject_mark_last_reference(by_reader, fill == self);
}

static void cleanup_rng(struct sim_kref *kref) {
  struct hwrng_core *core = hwrng_core();
  struct hwrng *rng = sim_container_of(kref, struct hwrng, ref);

  if (core->quirks.bug_57) return;
  mark_last_reference(core);
  sim_queue_work(core->system_percpu_wq, &rng->cleanup_work);
}

// As before references: whoever takes a device out of use cleans up at once.
static void cleanup_rng_bug_57(struct hwrng *rng) {
  if (!rng->initialised) return;
  rng->initialised = false;
  if (rng->cleanup) rng->cleanup(rng);
  sim_complete(&rng->cleanup_done);
}

static struct hwrng *get_current_rng(void) {
  struct hwrng *rng;

  sim_rcu_read_lock();
  rng = sim_rcu_dereference(hwrng_core()->current_rng);
  if (rng) sim_kref_get(&rng->ref);
  sim_rcu_read_unlock();
  return rng;
}

static struct hwrng *get_current_rng_nolock(void) {
  struct hwrng *rng = hwrng_core()->current_rng;

  if (rng) sim_kref_get(&rng->ref);
  return rng;
}

// Corrected: unregister waits for whoever has dropped the last reference and has not
// queued the cleanup yet.
static void put_rng(struct hwrng *rng) {
  bool corrected = !hwrng_core()->quirks.suspect_init_twice;

  if (!rng) return;
  if (corrected) sim_rcu_read_lock();
  sim_kref_put(&rng->ref, cleanup_rng);
  if (corrected) sim_rcu_read_unlock();
}

// ---- The current device; all with rng_mutex held ----

static int hwrng_init(struct hwrng *rng) {
  struct hwrng_core *core = hwrng_core();

  if (sim_kref_get_unless_zero(&rng->ref)) goto skip_init;

  if (core->quirks.suspect_init_twice || !rng->initialised) {
    int err = rng->init ? rng->init(rng) : 0;

    if (err) return err;
    // The model's own, for the corrected form of stale_buffer: nothing of a kernel's to race for.
    __atomic_store_n(&rng->generation, ++core->generation, __ATOMIC_RELAXED);
  }
  rng->initialised = true;
  sim_kref_init(&rng->ref);
  sim_reinit_completion(&rng->cleanup_done);

skip_init:
  if (core->version >= HWRNG_6_1) {
    if (!rng->quality) rng->quality = core->default_quality;
    if (rng->quality > 1024) rng->quality = 1024;
  }
  core->current_quality = rng->quality;
  return 0;
}

static int set_current_rng(struct hwrng *rng) {
  struct hwrng_core *core = hwrng_core();
  struct hwrng *old_rng;
  int err;

  sim_assert_mutex_held(&core->rng_mutex);
  err = hwrng_init(rng);
  if (err) return err;

  old_rng = core->current_rng;
  sim_rcu_assign_pointer(core->current_rng, rng);
  if (old_rng) {
    sim_synchronize_rcu();
    sim_kref_put(&old_rng->ref, cleanup_rng);
    if (core->quirks.bug_57) cleanup_rng_bug_57(old_rng);
  }
  if (!core->hwrng_fill && !core->no_fill)
    core->hwrng_fill = sim_kthread_run(hwrng_fillfn, NULL, "hwrng", core->fill_cpu);
  return 0;
}

static void drop_current_rng(void) {
  struct hwrng_core *core = hwrng_core();
  struct hwrng *rng = core->current_rng;

  if (!rng) return;
  sim_rcu_assign_pointer(core->current_rng, NULL);
  sim_synchronize_rcu();

  if (core->hwrng_fill && !core->quirks.bug_55) {
    sim_kthread_stop(core->hwrng_fill);
    core->hwrng_fill = NULL;
  }
  sim_kref_put(&rng->ref, cleanup_rng);
  if (core->quirks.bug_57) cleanup_rng_bug_57(rng);
}

static int enable_best_rng(void) {
  struct hwrng_core *core = hwrng_core();
  struct hwrng *new_rng = core->rng_list;
  int err;

  if (!new_rng) {
    drop_current_rng();
    core->cur_rng_set_by_user = false;
    return 0;
  }
  for (struct hwrng *rng = new_rng->next; rng; rng = rng->next)
    if (rng->quality > new_rng->quality) new_rng = rng;
  err = new_rng == core->current_rng ? 0 : set_current_rng(new_rng);
  if (!err) core->cur_rng_set_by_user = false;
  return err;
}

// ---- Reading ----

static int rng_get_data(struct hwrng *rng, u8 *buffer, size_t size, bool wait) {
  int rc;

  sim_assert_mutex_held(&hwrng_core()->reading_mutex);
  rc = rng->read(rng, buffer, size, wait);
  if (rc > 0 && (size_t)rc > size) rc = (int)size;
  return rc;
}

// 6.1: a new device's first bytes, which count for nothing.
static void add_early_randomness(struct hwrng *rng) {
  enum { EARLY_BYTES = 32 };
  struct hwrng_core *core = hwrng_core();
  int rc;

  sim_mutex_lock(&core->reading_mutex);
  rc = rng_get_data(rng, core->rng_fillbuf, EARLY_BYTES, false);
  sim_mutex_unlock(&core->reading_mutex);
  if (rc > 0) add_device_randomness(core->rng_fillbuf, (size_t)rc);
}

// Once rng_mutex is let go: `rng` (may be NULL) is current and referred to, `old_rng` was.
static void put_new_rng(struct hwrng *rng, const struct hwrng *old_rng) {
  if (rng && rng != old_rng && hwrng_core()->version >= HWRNG_6_1) add_early_randomness(rng);
  put_rng(rng);
}

int rng_dev_open(struct hwrng_file *filp, bool nonblock, bool write) {
  if (write) return -SIM_EINVAL;
  *filp = (struct hwrng_file){.nonblock = nonblock, .open = true};
  return 0;
}

void rng_dev_close(struct hwrng_file *filp) { filp->open = false; }

s64 rng_dev_read(struct hwrng_file *filp, u8 *buf, size_t size) {
  struct hwrng_core *core = hwrng_core();
  u8 buffer[RNG_BUFFER_SIZE];
  s64 ret = 0;
  int err = 0;

  while (size) {
    struct hwrng *rng = get_current_rng();
    size_t len;

    if (!rng) {
      err = -SIM_ENODEV;
      break;
    }
    if (sim_mutex_lock_interruptible(&core->reading_mutex)) {
      put_rng(rng);
      err = -SIM_ERESTARTSYS;
      break;
    }
    if (!core->quirks.suspect_stale_buffer &&
        core->data_generation != __atomic_load_n(&rng->generation, __ATOMIC_RELAXED))
      core->data_avail = 0;
    if (!core->data_avail) {
      int bytes_read = rng_get_data(rng, core->rng_buffer, RNG_BUFFER_SIZE, !filp->nonblock);

      if (bytes_read < 0)
        err = bytes_read;
      else if (bytes_read == 0 && filp->nonblock)
        err = -SIM_EAGAIN;
      if (err) {
        sim_mutex_unlock(&core->reading_mutex);
        put_rng(rng);
        break;
      }
      core->data_avail = bytes_read;
      core->data_generation = __atomic_load_n(&rng->generation, __ATOMIC_RELAXED);
    }
    len = (size_t)core->data_avail;
    if (len > size) len = size;
    // From the end, so that what is left stays at the beginning.
    core->data_avail -= (int)len;
    memcpy(buffer, core->rng_buffer + core->data_avail, len);
    if (len) hwrng_taken(core->rng_buffer + core->data_avail, len);
    sim_mutex_unlock(&core->reading_mutex);
    put_rng(rng);

    if (len) {
      if (copy_to_user(buf + ret, buffer, len)) {
        err = -SIM_EFAULT;
        break;
      }
      size -= len;
      ret += (s64)len;
    }
    if (sim_need_resched() || (!len && !core->quirks.suspect_dying_spin))
      sim_schedule_timeout_interruptible(1);
    if (sim_signal_pending()) {
      err = -SIM_ERESTARTSYS;
      break;
    }
  }
  memset(buffer, 0, sizeof(buffer));
  return ret ? ret : err;
}

// ---- sysfs ----

int rng_current_store(const char *buf) {
  struct hwrng_core *core = hwrng_core();
  const struct hwrng *old_rng;
  struct hwrng *new_rng;
  int err = 0;

  if (sim_mutex_lock_interruptible(&core->rng_mutex)) return -SIM_ERESTARTSYS;
  old_rng = core->current_rng;
  if (buf[0] == '\0') {
    err = enable_best_rng();
  } else if (strcmp(buf, "none") == 0 && core->version < HWRNG_6_1) {
    core->cur_rng_set_by_user = true;
    drop_current_rng();
  } else {
    if (core->version == HWRNG_6_12) err = -SIM_ENODEV;
    for (struct hwrng *rng = core->rng_list; rng; rng = rng->next) {
      if (strcmp(rng->name, buf) != 0) continue;
      err = set_current_rng(rng);
      if (!err) core->cur_rng_set_by_user = true;
      break;
    }
  }
  new_rng = get_current_rng_nolock();
  sim_mutex_unlock(&core->rng_mutex);
  put_new_rng(new_rng, old_rng);
  return err;
}

const char *rng_current_show(void) {
  struct hwrng *rng = get_current_rng();
  const char *name = rng ? rng->name : "none";

  put_rng(rng);
  return name;
}

int rng_quality_store(u32 quality) {
  struct hwrng_core *core = hwrng_core();
  int err;

  if (sim_mutex_lock_interruptible(&core->rng_mutex)) return -SIM_ERESTARTSYS;
  if (quality > 1024) {
    err = -SIM_EINVAL;
  } else if (!core->current_rng) {
    err = -SIM_ENODEV;
  } else {
    if (core->quirks.bug_unmarked)
      core->current_rng->quality = (u16)quality;
    else
      SIM_MARK_WRITE(core->current_rng->quality, (u16)quality);
    core->current_quality = (u16)quality;
    err = enable_best_rng();
  }
  sim_mutex_unlock(&core->rng_mutex);
  return err;
}

// ---- The fill thread ----

// The thread must not end before it is stopped: whoever stops it still holds its task.
static void hwrng_fill_park(void) {
  while (!sim_kthread_should_stop()) {
    sim_set_current_state(SIM_TASK_INTERRUPTIBLE);
    if (!sim_kthread_should_stop()) sim_schedule();
  }
  sim_set_current_state(SIM_TASK_RUNNING);
}

static int hwrng_fillfn(void *unused) {
  struct hwrng_core *core = hwrng_core();
  size_t entropy, entropy_credit = 0;  // in 1/1024 of a bit
  int rc;

  while (!sim_kthread_should_stop()) {
    struct hwrng *rng = get_current_rng();
    u32 quality;
    bool dying;

    if (!rng) {
      if (!core->quirks.bug_55) hwrng_fill_park();
      break;
    }
    sim_mutex_lock(&core->reading_mutex);
    rc = rng_get_data(rng, core->rng_fillbuf, RNG_BUFFER_SIZE, true);
    if (core->quirks.suspect_fill_quality) {
      u16 current_quality = sim_read_once(core->current_quality);

      if (current_quality != rng->quality) rng->quality = current_quality;
    }
    quality = core->quirks.bug_unmarked ? rng->quality : SIM_MARK_READ(rng->quality);
    sim_mutex_unlock(&core->reading_mutex);

    if (rc <= 0) hwrng_msleep(rng, FILL_BACKOFF_MS);
    dying = sim_completion_done(&rng->dying);
    put_rng(rng);
    if (rc <= 0) {
      if (dying && !core->quirks.suspect_dying_spin) sim_schedule_timeout_uninterruptible(1);
      continue;
    }

    // What makes no whole bit yet is kept for the next time.
    entropy = (size_t)rc * quality * 8 + entropy_credit;
    if ((entropy >> 10) == 0)
      entropy_credit = entropy;
    else if (!core->quirks.suspect_credit_kept)
      entropy_credit = 0;
    add_hwgenerator_randomness(core->rng_fillbuf, (size_t)rc, entropy >> 10, true);
  }
  if (core->quirks.bug_55) sim_write_once(core->hwrng_fill, NULL);
  return 0;
}

// ---- Registration ----

// As 6.1 does it, up to the end of rng_mutex.
static int choose_new_6_1(struct hwrng *rng, bool *out_chosen) {
  struct hwrng_core *core = hwrng_core();
  int err;

  if (core->current_rng &&
      (core->cur_rng_set_by_user || rng->quality <= core->current_rng->quality))
    return 0;
  err = set_current_rng(rng);
  if (err) return err;
  *out_chosen = true;
  sim_kref_get(&rng->ref);
  return 0;
}

static int choose_new(struct hwrng *rng) {
  struct hwrng_core *core = hwrng_core();

  if (!rng->quality || rng->quality > 1024) rng->quality = 1024;
  if (rng->quality > core->default_quality) rng->quality = core->default_quality;
  if (core->cur_rng_set_by_user ||
      (core->current_rng && rng->quality <= core->current_rng->quality))
    return 0;
  return set_current_rng(rng);
}

int hwrng_register(struct hwrng *rng) {
  struct hwrng_core *core = hwrng_core();
  bool chosen = false;
  struct hwrng **end;
  int err;

  if (!rng->name || !rng->read) return -SIM_EINVAL;

  sim_mutex_lock(&core->rng_mutex);
  for (end = &core->rng_list; *end; end = &(*end)->next) {
    if (strcmp((*end)->name, rng->name) == 0) {
      sim_mutex_unlock(&core->rng_mutex);
      return -SIM_EEXIST;
    }
  }
  *end = rng;
  sim_init_work(&rng->cleanup_work, cleanup_rng_work);
  sim_init_completion(&rng->cleanup_done, "cleanup_done");
  sim_complete(&rng->cleanup_done);
  sim_init_completion(&rng->dying, "dying");

  err = core->version >= HWRNG_6_1 ? choose_new_6_1(rng, &chosen) : choose_new(rng);
  if (err) *end = NULL;
  sim_mutex_unlock(&core->rng_mutex);
  if (core->version < HWRNG_6_1 || err) return err;
  if (chosen || !rng->init) add_early_randomness(rng);
  if (chosen) put_rng(rng);
  return 0;
}

void hwrng_unregister(struct hwrng *rng) {
  struct hwrng_core *core = hwrng_core();
  const struct hwrng *old_rng;
  struct hwrng *new_rng = NULL;
  struct hwrng **link;
  bool last;

  sim_mutex_lock(&core->rng_mutex);
  old_rng = core->current_rng;
  for (link = &core->rng_list; *link != rng; link = &(*link)->next) SIM_ASSERT(*link);
  *link = rng->next;
  sim_complete_all(&rng->dying);
  if (core->current_rng == rng && enable_best_rng()) {
    drop_current_rng();
    core->cur_rng_set_by_user = false;
  }
  last = !core->rng_list;
  if (core->version >= HWRNG_6_1) new_rng = get_current_rng_nolock();
  sim_mutex_unlock(&core->rng_mutex);
  put_new_rng(new_rng, old_rng);

  if (core->quirks.bug_55 && last) {
    struct sim_task *fill = sim_read_once(core->hwrng_fill);

    if (fill) sim_kthread_stop(fill);
  }
  if (core->quirks.bug_57) return;
  sim_wait_for_completion(&rng->cleanup_done);
  if (core->quirks.suspect_init_twice) return;
  sim_synchronize_rcu();
  sim_cancel_work_sync(&rng->cleanup_work);
}

// ---- Sleeping ----

static bool is_deaf(void) {
  const struct hwrng_core_quirks *quirks = &hwrng_core()->quirks;

  return quirks->bug_56 || quirks->bug_57;
}

// As before "dying", and before kthread_stop ended sleeps (6.0): only a signal does.
static s64 hwrng_sleep_deaf(s64 timeout) {
  if (hwrng_core()->quirks.bug_56 && sim_current() == hwrng_core()->hwrng_fill) {
    sim_schedule_timeout_uninterruptible(timeout);
    return 0;
  }
  while (timeout && !sim_signal_pending()) timeout = sim_schedule_timeout_interruptible(timeout);
  return sim_signal_pending() ? -SIM_ERESTARTSYS : 0;
}

s64 hwrng_msleep(struct hwrng *rng, u32 msecs) {
  s64 timeout = (s64)sim_msecs_to_jiffies(msecs) + 1;

  if (is_deaf()) return hwrng_sleep_deaf(timeout);
  return sim_wait_for_completion_interruptible_timeout(&rng->dying, timeout);
}

s64 hwrng_yield(struct hwrng *rng) {
  if (is_deaf()) return hwrng_sleep_deaf(1);
  return sim_wait_for_completion_interruptible_timeout(&rng->dying, 1);
}
