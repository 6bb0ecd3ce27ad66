// SPDX-License-Identifier: GPL-2.0-or-later
//
// A virtio entropy device and its driver, a model of drivers/char/hw_random/virtio-rng.c
// (7.2): the driver always keeps one request of 64 bytes at the host, hands out what
// came back and asks again. Here for planted bug 67.
//
// The host answers after 50 us to 500 ms (draws of class "virtio-host") with 4 to 64
// bytes. A request before DRIVER_OK is never answered; it is a finding
// (virtio-rng-before-ready). Left out: the queue itself, freeze and restore.
//
// Corrected here, as 7.2 does it under the suspect virtio_stale_wake: a wake-up that
// brought no data (cleanup leaves one behind for whoever reads next) does not end a read
// with wait.
#ifndef SEEDBED_MODELS_HWRNG_VIRTIO_RNG_H_
#define SEEDBED_MODELS_HWRNG_VIRTIO_RNG_H_

#include "models/hwrng/hw_device.h"
#include "sim/cpu.h"

enum { VIRTIO_RNG_DATA_LEN = 64 };

// The host's side.
struct virtio_rng_dev {
  struct hw_device hw;
  struct sim_hw_event answer;
  struct virtrng_info *vi;  // who asked
  bool driver_ok;
  u32 answering;  // interrupts that run: one may end inside another on another CPU
};

// The driver. Allocated by probe, freed by remove.
struct virtrng_info {
  struct hwrng hwrng;
  struct virtio_rng_dev *vdev;
  struct sim_completion have_data;
  bool hwrng_removed;
  bool requested;
  u32 data_avail;  // bytes of data[] from data_idx on
  u32 data_idx;
  bool suspect_stale_wake;
  u8 data[VIRTIO_RNG_DATA_LEN];
};

void virtio_rng_dev_init(struct virtio_rng_dev *vdev, const char *name, u8 id);

struct virtrng_config {
  u16 quality;              // stated to the core
  bool suspect_stale_wake;  // "virtio_stale_wake"
  bool bug_67;              // registers before the device is ready
};

// virtrng_probe makes the device ready and then registers; with bug 67 the other way
// round, and the first read makes the request. Returns 0 or hwrng_register's error, with
// nothing kept.
SIM_MUST_CHECK int virtrng_probe(struct virtio_rng_dev *vdev, const struct virtrng_config *config,
                                 struct virtrng_info **out_vi);
void virtrng_remove(struct virtrng_info *vi);

#endif  // SEEDBED_MODELS_HWRNG_VIRTIO_RNG_H_
