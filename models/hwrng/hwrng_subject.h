// SPDX-License-Identifier: GPL-2.0-or-later
//
// The subject of the hwrng scenarios: the modelled core and drivers, or, where the subject is a
// kernel tree (models/kernel), its drivers/char/hw_random/core.c and the drivers that it has. What
// scenarios, onlooker and modelled drivers call goes through here.
//
// On a tree, a device whose driver the tree has not is driven by the model, which registers at the
// tree's core as a driver of its own. Planted bugs and suspects of what the tree replaces are not
// there: hwrng_subject_refuses tells.
#ifndef SEEDBED_MODELS_HWRNG_HWRNG_SUBJECT_H_
#define SEEDBED_MODELS_HWRNG_HWRNG_SUBJECT_H_

#include "models/hwrng/bcm2835_rng.h"
#include "models/hwrng/hwrng_core.h"
#include "models/hwrng/iproc_rng200.h"
#include "models/hwrng/smccc_trng.h"
#include "models/hwrng/virtio_rng.h"
#include "sim/base.h"
#include "sim/scenario.h"

// hwrng_subject_start prepares the core, with its fill thread on `fill_cpu`, or none. In set-up.
void hwrng_subject_start(u32 fill_cpu, bool no_fill);
// Of struct sim_scenario.
bool hwrng_subject_refuses(const struct sim_params *params, char *err, size_t len);

// The functions of that name: hwrng_core.h. On a tree what rng_current_store makes of a name that
// is not there is the tree's; a device's name stands for what its driver of the tree has
// registered.
int hwrng_subject_open(struct hwrng_file *filp, bool nonblock, bool write);
void hwrng_subject_close(struct hwrng_file *filp);
s64 hwrng_subject_read(struct hwrng_file *filp, u8 *buf, size_t size);
int hwrng_subject_current_store(const char *buf);
// Fills `out_name` with the current device's, or "none".
enum { HWRNG_NAME_MAX = 32 };
void hwrng_subject_current_show(char out_name[HWRNG_NAME_MAX]);
int hwrng_subject_quality_store(u32 quality);
SIM_MUST_CHECK int hwrng_subject_register(struct hwrng *rng);
void hwrng_subject_unregister(struct hwrng *rng);
// The fill thread; NULL if there is none now.
const struct sim_task *hwrng_subject_fill(void);
// For marks: who drops a device's last reference.
void hwrng_subject_mark_last_reference(bool by_reader, bool by_fill);

// A driver of the subject for a device, from its probe to its removal. Their contracts are those
// of bcm2835_rng_probe and the like; on a tree `config` tells which compatible string the device
// has, and nothing of the driver.
struct bcm2835_driver {
  struct bcm2835_rng_priv *model;
  struct bcm2835_dev *dev;
  struct kernel_pdev *kernel;
};
SIM_MUST_CHECK int bcm2835_driver_probe(struct bcm2835_dev *dev,
                                        const struct bcm2835_rng_config *config,
                                        struct bcm2835_driver *out_driver);
void bcm2835_driver_remove(struct bcm2835_driver *driver);

struct iproc_driver {
  struct iproc_rng200_priv *model;
  struct iproc_rng200_dev *dev;
  struct kernel_pdev *kernel;
};
SIM_MUST_CHECK int iproc_driver_probe(struct iproc_rng200_dev *dev,
                                      const struct iproc_rng200_config *config,
                                      struct iproc_driver *out_driver);
void iproc_driver_remove(struct iproc_driver *driver);
void iproc_driver_suspend(struct iproc_driver *driver);
void iproc_driver_resume(struct iproc_driver *driver);

struct virtio_driver {
  struct virtrng_info *model;
  struct virtio_rng_dev *dev;
  struct kernel_pdev *kernel;
};
SIM_MUST_CHECK int virtio_driver_probe(struct virtio_rng_dev *dev,
                                       const struct virtrng_config *config,
                                       struct virtio_driver *out_driver);
void virtio_driver_remove(struct virtio_driver *driver);

struct smccc_driver {
  struct smccc_trng *model;
  struct smccc_trng_dev *dev;
  struct kernel_pdev *kernel;
};
SIM_MUST_CHECK int smccc_driver_probe(struct smccc_trng_dev *dev, u16 quality, bool bug_71,
                                      struct smccc_driver *out_driver);
void smccc_driver_remove(struct smccc_driver *driver);

#endif  // SEEDBED_MODELS_HWRNG_HWRNG_SUBJECT_H_
