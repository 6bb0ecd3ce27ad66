// SPDX-License-Identifier: GPL-2.0-or-later
//
// The driver of a virtio entropy device, a model of drivers/char/hw_random/virtio-rng.c (7.2): it
// always keeps one request of 64 bytes at the host, hands out what came back and asks again. Here
// for planted bugs 67 and 68. Left out: freeze and restore.
//
// Corrected here, as 7.2 does it under the suspect virtio_stale_wake: a wake-up that brought no
// data (cleanup leaves one behind for whoever reads next) does not end a read with wait. And,
// under the suspect virtio_clamp: what is taken of an answer is bounded by the bytes of it that
// are left, which lie behind those that were taken; the kernel counts these twice.
#ifndef SEEDBED_MODELS_HWRNG_VIRTIO_RNG_H_
#define SEEDBED_MODELS_HWRNG_VIRTIO_RNG_H_

#include "models/hwrng/hwrng.h"
#include "models/hwrng/virtio_rng_dev.h"

// The driver. Allocated by probe, freed by remove.
struct virtrng_info {
  struct hwrng hwrng;
  struct virtio_rng_dev *vdev;
  struct sim_completion have_data;
  bool hwrng_removed;
  bool requested;
  u32 data_avail;  // bytes of data[] from data_idx on
  u32 data_idx;
  bool suspect_stale_wake, suspect_clamp, bug_68;
  u8 data[VIRTIO_RNG_DATA_LEN];
};

struct virtrng_config {
  u16 quality;              // stated to the core
  bool suspect_stale_wake;  // "virtio_stale_wake"
  bool suspect_clamp;       // "virtio_clamp"
  bool bug_67;              // registers before the device is ready
  bool bug_68;              // believes what the host says that it has written
};

// virtrng_probe makes the device ready and then registers; with bug 67 the other way
// round, and the first read makes the request. Returns 0 or hwrng_register's error, with
// nothing kept.
SIM_MUST_CHECK int virtrng_probe(struct virtio_rng_dev *vdev, const struct virtrng_config *config,
                                 struct virtrng_info **out_vi);
void virtrng_remove(struct virtrng_info *vi);

#endif  // SEEDBED_MODELS_HWRNG_VIRTIO_RNG_H_
