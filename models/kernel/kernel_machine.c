// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_machine.h. Sections: the start; devices; what a device owns; registers, clock, reset
// and firmware; virtio devices; registration at the hwrng core.
#include "models/kernel/kernel_machine.h"

#include "models/kernel/kernel_calls.h"
#include "models/kernel/kernel_world.h"
#include "sim/checker.h"

const struct sim_oracle kernel_oracle_initcall = {"kernel-initcall", SIM_SAFETY,
                                                  "the initcalls of the tree's files succeed",
                                                  "init/main.c, do_one_initcall"};

// ---- The start ----

void kernel_start(const struct kernel_config *config) {
  const struct kernel_inside *inside = &kernel_subject()->inside;
  struct kernel_world *world = sim_alloc_static(sizeof(*world), "kernel_world");
  const char *name = "";
  int err;

  world->config = *config;
  world->events = sim_alloc_workqueue("events", -1, 1);
  *inside->world = world;
  err = inside->start(&name);
  if (err) sim_fail(&kernel_oracle_initcall, name, "initcall %s returned %d", name, err);
}

const struct sim_task *kernel_kthread(void) {
  const struct sim_task *task = kernel_world()->kthread;

  return task && sim_task_state(task) != SIM_TASK_DEAD ? task : NULL;
}

// ---- Devices ----

static struct kernel_pdev *pdev_of(const void *dev) {
  return dev ? *(struct kernel_pdev *const *)dev : NULL;
}

void *kernel_pdev_arg(const struct kernel_pdev *pdev) { return pdev->board.arg; }

bool kernel_has_driver(const char *id) { return kernel_subject()->inside.has_driver(id); }

void kernel_acting_begin(struct kernel_acting *acting, struct kernel_pdev *pdev) {
  *acting = (struct kernel_acting){kernel_world()->acting, sim_current(), pdev};
  kernel_world()->acting = acting;
}

void kernel_acting_end(struct kernel_acting *acting) {
  struct kernel_acting **link = &kernel_world()->acting;

  while (*link != acting) link = &(*link)->next;
  *link = acting->next;
}

static struct kernel_pdev *acting_pdev(void) {
  const struct kernel_acting *acting = kernel_world()->acting;

  while (acting && acting->task != sim_current()) acting = acting->next;
  return acting ? acting->pdev : NULL;
}

static void release_all(struct kernel_pdev *pdev);

static void pdev_free(struct kernel_pdev *pdev) {
  release_all(pdev);
  if (pdev->window) kernel_world()->windows[pdev->window - 1] = NULL;
  sim_free(pdev);
}

int kernel_probe(const char *name, const char *id, const struct kernel_board *board,
                 struct kernel_pdev **out_pdev) {
  const struct kernel_inside *inside = &kernel_subject()->inside;
  struct kernel_pdev *pdev = sim_zalloc(sizeof(*pdev) + inside->pdev_size, "kernel_pdev");
  struct kernel_acting acting;
  int err = -SIM_ENODEV;

  pdev->board = *board;
  pdev->dev = inside->match(pdev->pdev, name, id);
  if (pdev->dev) {
    *(struct kernel_pdev **)pdev->dev = pdev;
    kernel_acting_begin(&acting, pdev);
    err = inside->probe(pdev->pdev);
    kernel_acting_end(&acting);
  }
  if (err) {
    pdev_free(pdev);
    return err;
  }
  *out_pdev = pdev;
  return 0;
}

void kernel_remove(struct kernel_pdev *pdev) {
  kernel_subject()->inside.remove(pdev->pdev);
  pdev_free(pdev);
}

int kernel_suspend(struct kernel_pdev *pdev) {
  return kernel_subject()->inside.suspend(pdev->pdev);
}

int kernel_resume(struct kernel_pdev *pdev) {
  struct kernel_acting acting;
  int err;

  kernel_acting_begin(&acting, pdev);
  err = kernel_subject()->inside.resume(pdev->pdev);
  kernel_acting_end(&acting);
  return err;
}

// ---- What a device owns ----

static struct kernel_devres *devres_of(void *res) {
  return sim_container_of(res, struct kernel_devres, res);
}

static void tell_unregistering(void *rng) {
  if (kernel_world()->config.hooks.unregistering) kernel_world()->config.hooks.unregistering(rng);
}

static void tell_unregistered(void *rng) {
  if (kernel_world()->config.hooks.unregistered) kernel_world()->config.hooks.unregistered(rng);
}

static void release(void *dev, struct kernel_devres *one) {
  if (one->rng) tell_unregistering(one->rng);
  if (one->release) one->release(dev, one->res);
  if (one->rng) tell_unregistered(one->rng);
  sim_free(one);
}

static void release_all(struct kernel_pdev *pdev) {
  while (pdev->owned) {
    struct kernel_devres *one = pdev->owned;

    pdev->owned = one->next;
    release(pdev->dev, one);
  }
}

void *seedbed_k_devres_alloc(void (*release_fn)(void *dev, void *res), unsigned long size,
                             unsigned int gfp, const char *name) {
  struct kernel_devres *one;

  if (gfp) sim_might_sleep("devres_alloc");
  one = sim_zalloc(sizeof(*one) + size, name);
  one->release = release_fn;
  return one->res;
}

void seedbed_k_devres_free(void *res) {
  if (res) sim_free(devres_of(res));
}

void seedbed_k_devres_add(void *dev, void *res) {
  struct kernel_pdev *pdev = pdev_of(dev);

  devres_of(res)->next = pdev->owned;
  pdev->owned = devres_of(res);
}

int seedbed_k_devres_release(void *dev, void (*release_fn)(void *dev, void *res),
                             int (*match)(void *dev, void *res, void *data), void *data) {
  for (struct kernel_devres **link = &pdev_of(dev)->owned; *link; link = &(*link)->next) {
    struct kernel_devres *one = *link;

    if (one->release != release_fn || !match(dev, one->res, data)) continue;
    *link = one->next;
    release(dev, one);
    return 0;
  }
  return -SIM_ENOENT;
}

void *seedbed_k_devm_kmalloc(void *dev, unsigned long size, unsigned int gfp, const char *name) {
  void *res = seedbed_k_devres_alloc(NULL, size, gfp, name);

  seedbed_k_devres_add(dev, res);
  return res;
}

// ---- Registers, clock, reset and firmware ----

void *seedbed_k_ioremap(void *dev, unsigned int index) {
  struct kernel_pdev *pdev = pdev_of(dev);
  struct kernel_world *world = kernel_world();
  u32 i = 0;

  if (index) return (void *)(intptr_t)-SIM_EINVAL;
  while (i < KERNEL_WINDOWS_MAX && world->windows[i]) i++;
  SIM_ASSERT(i < KERNEL_WINDOWS_MAX);
  world->windows[i] = pdev;
  pdev->window = i + 1;
  return (void *)(uintptr_t)(KERNEL_WINDOW_BASE + (u64)i * KERNEL_WINDOW_SIZE);
}

static struct kernel_pdev *window_of(const volatile void *at, u32 *out_offset) {
  static const struct sim_oracle oracle = {"kernel-io", SIM_SAFETY,
                                           "register accesses go to a mapping that exists",
                                           "Documentation/driver-api/device-io.rst"};
  u64 place = (u64)(uintptr_t)at - KERNEL_WINDOW_BASE;
  u64 i = place / KERNEL_WINDOW_SIZE;

  if (i >= KERNEL_WINDOWS_MAX || !kernel_world()->windows[i])
    sim_fail(&oracle, "", "a register is accessed where none is mapped");
  *out_offset = (u32)(place % KERNEL_WINDOW_SIZE);
  return kernel_world()->windows[i];
}

unsigned int seedbed_k_readl(const volatile void *at) {
  u32 offset;
  const struct kernel_pdev *pdev = window_of(at, &offset);

  return pdev->board.readl(pdev->board.arg, offset);
}

void seedbed_k_writel(unsigned int value, volatile void *at) {
  u32 offset;
  const struct kernel_pdev *pdev = window_of(at, &offset);

  pdev->board.writel(pdev->board.arg, value, offset);
}

// Clock and reset line are the device itself, to a driver; NULL where the board has none.
void *seedbed_k_clk_get(void *dev) { return pdev_of(dev)->board.clk_on ? pdev_of(dev) : NULL; }

int seedbed_k_clk_prepare_enable(void *clk) {
  const struct kernel_pdev *pdev = clk;

  return pdev ? pdev->board.clk_on(pdev->board.arg) : 0;
}

void seedbed_k_clk_disable_unprepare(void *clk) {
  const struct kernel_pdev *pdev = clk;

  if (pdev) pdev->board.clk_off(pdev->board.arg);
}

void *seedbed_k_reset_control_get(void *dev) {
  return pdev_of(dev)->board.reset ? pdev_of(dev) : NULL;
}

int seedbed_k_reset_control_reset(void *reset) {
  const struct kernel_pdev *pdev = reset;

  return pdev ? pdev->board.reset(pdev->board.arg) : 0;
}

void seedbed_k_smccc_call(unsigned long function, unsigned long arg, unsigned long *res) {
  const struct kernel_pdev *pdev = acting_pdev();

  // SMCCC_RET_NOT_SUPPORTED, as where there is no such firmware.
  res[0] = (unsigned long)-1l;
  if (pdev && pdev->board.smccc_call)
    pdev->board.smccc_call(pdev->board.arg, function, arg, (u64 *)res);
}

// ---- Virtio devices ----

void seedbed_k_virtio_ready(void *dev) {
  const struct kernel_board *board = &pdev_of(dev)->board;

  board->virtio_ready(board->arg);
}

void seedbed_k_virtio_kick(void *dev, void *buf, unsigned int len) {
  struct kernel_pdev *pdev = pdev_of(dev);

  pdev->board.virtio_kick(pdev->board.arg, pdev, buf, len);
}

void seedbed_k_virtio_reset(void *dev) {
  const struct kernel_board *board = &pdev_of(dev)->board;

  board->virtio_reset(board->arg);
}

void kernel_virtio_used(struct kernel_pdev *pdev, u32 len) {
  kernel_subject()->inside.virtio_used(pdev->pdev, len);
}

// ---- Registration at the hwrng core, by a driver ----

static void tell_registering(void *rng, const void *dev) {
  const struct kernel_hooks *hooks = &kernel_world()->config.hooks;

  if (hooks->registering) hooks->registering(rng, pdev_of(dev));
}

static int tell_registered(void *rng, const void *dev, int err) {
  const struct kernel_hooks *hooks = &kernel_world()->config.hooks;

  if (hooks->registered) hooks->registered(rng, pdev_of(dev), err);
  return err;
}

int seedbed_k_hwrng_register(void *rng) {
  const void *dev = acting_pdev() ? acting_pdev()->dev : NULL;

  tell_registering(rng, dev);
  return tell_registered(rng, dev, kernel_subject()->inside.hwrng_register(rng));
}

void seedbed_k_hwrng_unregister(void *rng) {
  tell_unregistering(rng);
  kernel_subject()->inside.hwrng_unregister(rng);
  tell_unregistered(rng);
}

int seedbed_k_devm_hwrng_register(void *dev, void *rng) {
  struct kernel_pdev *pdev = pdev_of(dev);
  const struct kernel_devres *before = pdev->owned;
  int err;

  tell_registering(rng, dev);
  err = kernel_subject()->inside.devm_hwrng_register(dev, rng);
  // What the core has left with the device will unregister it.
  if (!err && pdev->owned != before) pdev->owned->rng = rng;
  return tell_registered(rng, dev, err);
}

void seedbed_k_devm_hwrng_unregister(void *dev, void *rng) {
  kernel_subject()->inside.devm_hwrng_unregister(dev, rng);
}
