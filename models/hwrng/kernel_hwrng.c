// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_hwrng.h. Sections: the two sides of a registration; the tree's drivers; modelled
// drivers; what is copied; files and attributes; the start.
#include "models/hwrng/kernel_hwrng.h"

#include <stdio.h>
#include <string.h>

#include "models/hwrng/crng_standin.h"
#include "models/hwrng/hw_device.h"
#include "models/hwrng/hwrng_subject.h"
#include "models/hwrng/hwrng_world.h"
#include "models/hwrng/watch.h"

static const struct kernel_inside *inside(void) { return &kernel_subject()->inside; }

// ---- The two sides of a registration ----

static struct kernel_rng *find_krng(const void *krng) {
  struct kernel_rng *one = hwrng_world()->kernel->rngs;

  while (one && one->krng != krng) one = one->next;
  return one;
}

static struct kernel_rng *find_rng(const struct hwrng *rng) {
  struct kernel_rng *one = hwrng_world()->kernel->rngs;

  while (one && one->rng != rng) one = one->next;
  SIM_ASSERT(one);
  return one;
}

// What the core calls.
static int core_init(void *krng) {
  struct hwrng *rng = find_krng(krng)->rng;

  return rng->init(rng);
}

static void core_cleanup(void *krng) {
  struct hwrng *rng = find_krng(krng)->rng;

  rng->cleanup(rng);
}

static int core_read(void *krng, void *data, unsigned long max, bool wait) {
  struct hwrng *rng = find_krng(krng)->rng;

  return rng->read(rng, data, max, wait);
}

// What the onlooker calls for a driver of the tree.
static int driver_init(struct hwrng *rng) {
  struct kernel_rng *one = find_rng(rng);

  return one->driver.init(one->krng);
}

static void driver_cleanup(struct hwrng *rng) {
  struct kernel_rng *one = find_rng(rng);

  one->driver.cleanup(one->krng);
}

static int driver_read(struct hwrng *rng, void *data, size_t max, bool wait) {
  struct kernel_rng *one = find_rng(rng);
  struct kernel_acting acting;
  int rc;

  kernel_acting_begin(&acting, one->pdev);
  rc = one->driver.read(one->krng, data, max, wait);
  kernel_acting_end(&acting);
  return rc;
}

static struct kernel_rng *add(void *krng, struct hwrng *rng) {
  struct kernel_hwrng_world *world = hwrng_world()->kernel;
  struct kernel_rng *one = sim_alloc_static(sizeof(*one), "kernel_rng");

  one->krng = krng;
  one->rng = rng ? rng : &one->own;
  one->next = world->rngs;
  world->rngs = one;
  return one;
}

// The core's callbacks for a registration whose onlooker has put his in `rng`.
static void give_core(const struct kernel_rng *one) {
  const struct hwrng *rng = one->rng;
  const struct kernel_hwrng given = {
      .name = rng->name,
      .init = rng->init ? core_init : NULL,
      .cleanup = rng->cleanup ? core_cleanup : NULL,
      .read = rng->read ? core_read : NULL,
      .quality = rng->quality,
  };

  inside()->hwrng_set(one->krng, &given);
}

static void take_refs(const struct kernel_rng *one) {
  one->rng->ref.count = inside()->hwrng_refs(one->krng);
}

// ---- The tree's drivers ----

// The boards' `arg` is a device that begins with its struct hw_device.
static struct hw_device *device_of(const struct kernel_pdev *pdev) {
  SIM_ASSERT(pdev);
  return kernel_pdev_arg(pdev);
}

static void on_registering(void *krng, struct kernel_pdev *pdev) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;
  struct kernel_rng *before = find_krng(krng);
  struct kernel_rng *one = add(krng, NULL);

  inside()->hwrng_get(krng, &one->driver);
  // A driver that registers again has our callbacks.
  if (before && one->driver.init == core_init) one->driver.init = before->driver.init;
  if (before && one->driver.cleanup == core_cleanup) one->driver.cleanup = before->driver.cleanup;
  if (before && one->driver.read == core_read) one->driver.read = before->driver.read;
  one->pdev = pdev;
  snprintf(one->name, sizeof(one->name), "%s", one->driver.name);
  one->own = (struct hwrng){
      .name = one->driver.name,
      .init = one->driver.init ? driver_init : NULL,
      .cleanup = one->driver.cleanup ? driver_cleanup : NULL,
      .read = one->driver.read ? driver_read : NULL,
      .priv = (u64)(uintptr_t)device_of(pdev),
      .quality = one->driver.quality,
  };
  if (hooks->registering) hooks->registering(device_of(pdev), one->rng);
  give_core(one);
}

static void on_registered(void *krng, struct kernel_pdev *pdev, int err) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;
  struct kernel_rng *one = find_krng(krng);

  take_refs(one);
  if (hooks->registered) hooks->registered(device_of(pdev), one->rng, err);
}

static struct hw_device *owner_of(const struct kernel_rng *one) {
  return (struct hw_device *)(uintptr_t)one->own.priv;
}

static void on_unregistering(void *krng) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;
  struct kernel_rng *one = find_krng(krng);

  if (hooks->unregistering) hooks->unregistering(owner_of(one), one->rng);
}

static void on_unregistered(void *krng) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;
  struct kernel_rng *one = find_krng(krng);

  take_refs(one);
  if (hooks->unregistered) hooks->unregistered(owner_of(one), one->rng);
}

// ---- Modelled drivers ----

int kernel_hwrng_register(struct hwrng *rng) {
  void *krng = sim_zalloc(inside()->hwrng_size, "kernel_hwrng");
  struct kernel_rng *one = add(krng, rng);
  int err;

  give_core(one);
  err = inside()->hwrng_register(krng);
  take_refs(one);
  if (err) sim_free(krng);
  return err;
}

void kernel_hwrng_unregister(struct hwrng *rng) {
  struct kernel_rng *one = find_rng(rng);

  inside()->hwrng_unregister(one->krng);
  take_refs(one);
  sim_free(one->krng);
}

// ---- What is copied ----

// A copy out of the buffer that the driver's read for readers filled last is the core taking bytes
// for the current reader.
static void on_copies_from(const void *from, size_t len) {
  const struct hw_hooks *hooks = &hwrng_world()->hooks;
  const struct watch *watch = hwrng_world()->watch;

  if (!hooks->taken || !watch || !watch->reader_buf || !len) return;
  if ((uintptr_t)from - (uintptr_t)watch->reader_buf >= WATCH_LEN_MAX) return;
  hooks->taken(from, len);
}

static size_t on_copy_to_user(void *to, const void *from, size_t len) {
  on_copies_from(from, len);
  return copy_to_user(to, from, len);
}

// A device's last reference is dropped: its cleanup is queued.
static void on_queues_work(void *work) {
  (void)work;
  if (!hwrng_world()->watch) return;
  hwrng_subject_mark_last_reference(watch_is_reader(), kernel_kthread() == sim_current());
}

// ---- Files and attributes ----

int kernel_hwrng_open(struct hwrng_file *filp, bool nonblock, bool write) {
  int err;

  *filp = (struct hwrng_file){.nonblock = nonblock};
  filp->kernel = sim_zalloc(inside()->file_size, "file");
  err = inside()->open(filp->kernel, nonblock, write);
  filp->open = err == 0;
  if (err) sim_free(filp->kernel);
  return err;
}

void kernel_hwrng_close(struct hwrng_file *filp) {
  inside()->close(filp->kernel);
  sim_free(filp->kernel);
  filp->open = false;
}

s64 kernel_hwrng_read(struct hwrng_file *filp, u8 *buf, size_t size) {
  return inside()->read(filp->kernel, buf, size);
}

void kernel_hwrng_show(const char *attr, char *out, size_t len) {
  char buf[4096] = "";

  (void)inside()->attr_show(attr, buf);
  snprintf(out, len, "%.*s", (int)strcspn(buf, "\n"), buf);
}

// As a write(2) of `text` and a newline.
int kernel_hwrng_store(const char *attr, const char *text) {
  char buf[64];
  int len = snprintf(buf, sizeof(buf), "%s\n", text);
  long rc;

  SIM_ASSERT(len < (int)sizeof(buf));
  rc = inside()->attr_store(attr, buf, (size_t)len);
  return rc < 0 ? (int)rc : 0;
}

int kernel_hwrng_choose(const char *name) {
  const struct kernel_rng *one = hwrng_world()->kernel->rngs;

  while (one && (!owner_of(one) || strcmp(owner_of(one)->name, name) != 0)) one = one->next;
  return kernel_hwrng_store("rng_current", one ? one->name : name);
}

// ---- The start ----

void kernel_hwrng_start(u32 fill_cpu, bool no_fill) {
  const struct kernel_config config = {
      .hooks =
          {
              .registering = on_registering,
              .registered = on_registered,
              .unregistering = on_unregistering,
              .unregistered = on_unregistered,
              .queues_work = on_queues_work,
              .copies_from = on_copies_from,
              .copy_to_user = on_copy_to_user,
              .add_randomness = add_hwgenerator_randomness,
              .add_device_randomness = add_device_randomness,
          },
      .kthread_cpu = fill_cpu,
      .no_kthreads = no_fill,
  };
  struct kernel_hwrng_world *world = sim_alloc_static(sizeof(*world), "kernel_hwrng_world");

  hwrng_world()->kernel = world;
  kernel_start(&config);
}
