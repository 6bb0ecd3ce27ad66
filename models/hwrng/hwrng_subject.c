// SPDX-License-Identifier: GPL-2.0-or-later
//
// See hwrng_subject.h. Sections: the start; the core; boards; drivers.
#include "models/hwrng/hwrng_subject.h"

#include <stdio.h>
#include <string.h>

#include "models/hwrng/hwrng_world.h"
#include "models/hwrng/kernel_hwrng.h"
#include "sim/checker.h"

static bool on_tree(void) { return hwrng_world()->kernel != NULL; }

// ---- The start ----

void hwrng_subject_start(u32 fill_cpu, bool no_fill) {
  struct hwrng_core *core = &hwrng_world()->core;

  if (kernel_subject()) {
    kernel_hwrng_start(fill_cpu, no_fill);
    return;
  }
  hwrng_modinit(core, fill_cpu);
  hwrng_core_quirks_from_params(&core->quirks);
  core->no_fill = no_fill;
}

// What a tree's driver is found by: kernel_probe.
static const char iproc_id[] = "brcm,iproc-rng200", smccc_id[] = "smccc_trng",
                  virtio_id[] = "virtio:4";

// Bugs and suspects of modelled drivers that a tree's core may meet, where the tree has no driver
// of its own; NULL: seedbed compiles none.
static const struct {
  const char *name, *id;
} of_drivers[] = {
    {"67", virtio_id},
    {"68", virtio_id},
    {"virtio_stale_wake", virtio_id},
    {"virtio_clamp", virtio_id},
    {"iproc_pm", iproc_id},
    {"qcom_waits", NULL},
    {"71", smccc_id},
    {"72", NULL},
    {"75", NULL},
};

static bool is_of_driver(const char *name) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(of_drivers); i++)
    if (strcmp(of_drivers[i].name, name) == 0)
      return !of_drivers[i].id || !kernel_has_driver(of_drivers[i].id);
  return false;
}

bool hwrng_subject_refuses(const struct sim_params *params, char *err, size_t len) {
  const struct sim_suspect *suspect = sim_params_scenario(params)->suspects;
  const char *bug = sim_params_bug(params);
  s64 value;

  if (!kernel_subject()) return false;
  if (bug && !is_of_driver(bug)) {
    snprintf(err, len, "bug %s is planted in the model, not in a kernel tree", bug);
    return true;
  }
  for (; suspect && suspect->name; suspect++) {
    char key[96];

    snprintf(key, sizeof(key), "suspect.%s", suspect->name);
    if (!sim_params_get(params, key, &value) || !value || is_of_driver(suspect->name)) continue;
    snprintf(err, len, "%s is a behaviour of the model: a kernel tree has its own", key);
    return true;
  }
  if (sim_params_get(params, "policy", &value) && value != BCM2835_POLICY_YIELD) {
    snprintf(err, len, "policy is how the model waits: a kernel tree's driver has its own way");
    return true;
  }
  return false;
}

// ---- The core ----

int hwrng_subject_open(struct hwrng_file *filp, bool nonblock, bool write) {
  return on_tree() ? kernel_hwrng_open(filp, nonblock, write) : rng_dev_open(filp, nonblock, write);
}

void hwrng_subject_close(struct hwrng_file *filp) {
  if (on_tree())
    kernel_hwrng_close(filp);
  else
    rng_dev_close(filp);
}

s64 hwrng_subject_read(struct hwrng_file *filp, u8 *buf, size_t size) {
  return on_tree() ? kernel_hwrng_read(filp, buf, size) : rng_dev_read(filp, buf, size);
}

int hwrng_subject_current_store(const char *buf) {
  return on_tree() ? kernel_hwrng_choose(buf) : rng_current_store(buf);
}

void hwrng_subject_current_show(char out_name[HWRNG_NAME_MAX]) {
  if (on_tree())
    kernel_hwrng_show("rng_current", out_name, HWRNG_NAME_MAX);
  else
    snprintf(out_name, HWRNG_NAME_MAX, "%s", rng_current_show());
}

int hwrng_subject_quality_store(u32 quality) {
  char text[16];

  if (!on_tree()) return rng_quality_store(quality);
  snprintf(text, sizeof(text), "%u", quality);
  return kernel_hwrng_store("rng_quality", text);
}

int hwrng_subject_register(struct hwrng *rng) {
  return on_tree() ? kernel_hwrng_register(rng) : hwrng_register(rng);
}

void hwrng_subject_unregister(struct hwrng *rng) {
  if (on_tree())
    kernel_hwrng_unregister(rng);
  else
    hwrng_unregister(rng);
}

const struct sim_task *hwrng_subject_fill(void) {
  return on_tree() ? kernel_kthread() : hwrng_world()->core.hwrng_fill;
}

void hwrng_subject_mark_last_reference(bool by_reader, bool by_fill) {
  SIM_SOMETIMES("hwrng-lifecycle", "a reader drops the last reference", 20000, by_reader);
  SIM_SOMETIMES("hwrng-lifecycle", "the fill thread drops the last reference", 20000, by_fill);
}

// ---- Boards ----

enum { TRNG_RND64 = 0xc4000053 };

static struct bcm2835_dev *bcm2835_of(void *arg) {
  return sim_container_of(arg, struct bcm2835_dev, hw);
}
static u32 bcm2835_readl(void *arg, u32 offset) {
  return bcm2835_dev_readl(bcm2835_of(arg), offset);
}
static void bcm2835_writel(void *arg, u32 value, u32 offset) {
  bcm2835_dev_writel(bcm2835_of(arg), value, offset);
}
static int bcm2835_clk_on(void *arg) { return clk_prepare_enable(&bcm2835_of(arg)->clk); }
static void bcm2835_clk_off(void *arg) { clk_disable_unprepare(&bcm2835_of(arg)->clk); }
static int bcm2835_reset(void *arg) { return reset_control_reset(&bcm2835_of(arg)->reset); }

static struct iproc_rng200_dev *iproc_of(void *arg) {
  return sim_container_of(arg, struct iproc_rng200_dev, hw);
}
static u32 iproc_readl(void *arg, u32 offset) {
  return iproc_rng200_dev_ioread32(iproc_of(arg), offset);
}
static void iproc_writel(void *arg, u32 value, u32 offset) {
  iproc_rng200_dev_iowrite32(iproc_of(arg), value, offset);
}

static struct virtio_rng_dev *virtio_of(void *arg) {
  return sim_container_of(arg, struct virtio_rng_dev, hw);
}
static void virtio_used(void *arg, u32 used) { kernel_virtio_used(arg, used); }
static void virtio_kick(void *arg, struct kernel_pdev *pdev, void *buf, u32 len) {
  const struct virtio_rng_request request = {buf, len, virtio_used, pdev};

  virtqueue_kick(virtio_of(arg), &request);
}
static void virtio_ready(void *arg) { virtio_device_ready(virtio_of(arg)); }
static void virtio_reset(void *arg) { virtio_reset_device(virtio_of(arg)); }

static void smccc_call(void *arg, u64 function, u64 bits, u64 res[4]) {
  struct smccc_res answer;

  if (function != TRNG_RND64) return;
  smccc_trng_rnd(sim_container_of(arg, struct smccc_trng_dev, hw), (u32)bits, &answer);
  res[0] = (u64)answer.a0;
  res[1] = answer.a1;
  res[2] = answer.a2;
  res[3] = answer.a3;
}

// ---- Drivers ----

int bcm2835_driver_probe(struct bcm2835_dev *dev, const struct bcm2835_rng_config *config,
                         struct bcm2835_driver *out_driver) {
  static const char *const compatible[] = {"brcm,bcm2835-rng", "brcm,bcm-nsp-rng"};
  const char *which = compatible[config->mask_interrupts];
  const struct kernel_board board = {
      .arg = &dev->hw,
      .readl = bcm2835_readl,
      .writel = bcm2835_writel,
      .clk_on = bcm2835_clk_on,
      .clk_off = bcm2835_clk_off,
      .reset = bcm2835_reset,
  };

  *out_driver = (struct bcm2835_driver){.dev = dev};
  if (!on_tree() || !kernel_has_driver(which))
    return bcm2835_rng_probe(dev, config, &out_driver->model);
  dev->hw.going = false;
  return kernel_probe(dev->hw.name, which, &board, &out_driver->kernel);
}

void bcm2835_driver_remove(struct bcm2835_driver *driver) {
  if (driver->model) {
    bcm2835_rng_remove(driver->model);
    return;
  }
  driver->dev->hw.going = true;
  kernel_remove(driver->kernel);
}

int iproc_driver_probe(struct iproc_rng200_dev *dev, const struct iproc_rng200_config *config,
                       struct iproc_driver *out_driver) {
  const struct kernel_board board = {.arg = &dev->hw, .readl = iproc_readl, .writel = iproc_writel};

  *out_driver = (struct iproc_driver){.dev = dev};
  if (!on_tree() || !kernel_has_driver(iproc_id))
    return iproc_rng200_probe(dev, config, &out_driver->model);
  dev->hw.going = false;
  return kernel_probe(dev->hw.name, iproc_id, &board, &out_driver->kernel);
}

void iproc_driver_remove(struct iproc_driver *driver) {
  if (driver->model) {
    iproc_rng200_remove(driver->model);
    return;
  }
  driver->dev->hw.going = true;
  kernel_remove(driver->kernel);
}

void iproc_driver_suspend(struct iproc_driver *driver) {
  if (driver->model)
    iproc_rng200_suspend(driver->model);
  else
    (void)kernel_suspend(driver->kernel);
}

void iproc_driver_resume(struct iproc_driver *driver) {
  if (driver->model)
    iproc_rng200_resume(driver->model);
  else
    (void)kernel_resume(driver->kernel);
}

int virtio_driver_probe(struct virtio_rng_dev *dev, const struct virtrng_config *config,
                        struct virtio_driver *out_driver) {
  const struct kernel_board board = {.arg = &dev->hw,
                                     .virtio_ready = virtio_ready,
                                     .virtio_kick = virtio_kick,
                                     .virtio_reset = virtio_reset};

  *out_driver = (struct virtio_driver){.dev = dev};
  if (!on_tree() || !kernel_has_driver(virtio_id))
    return virtrng_probe(dev, config, &out_driver->model);
  dev->hw.going = false;
  return kernel_probe(dev->hw.name, virtio_id, &board, &out_driver->kernel);
}

void virtio_driver_remove(struct virtio_driver *driver) {
  if (driver->model) {
    virtrng_remove(driver->model);
    return;
  }
  driver->dev->hw.going = true;
  kernel_remove(driver->kernel);
}

int smccc_driver_probe(struct smccc_trng_dev *dev, u16 quality, bool bug_71,
                       struct smccc_driver *out_driver) {
  const struct kernel_board board = {.arg = &dev->hw, .smccc_call = smccc_call};

  *out_driver = (struct smccc_driver){.dev = dev};
  if (!on_tree() || !kernel_has_driver(smccc_id))
    return smccc_trng_probe(dev, quality, bug_71, &out_driver->model);
  dev->hw.going = false;
  return kernel_probe(dev->hw.name, smccc_id, &board, &out_driver->kernel);
}

void smccc_driver_remove(struct smccc_driver *driver) {
  if (driver->model) {
    smccc_trng_remove(driver->model);
    return;
  }
  driver->dev->hw.going = true;
  kernel_remove(driver->kernel);
}
