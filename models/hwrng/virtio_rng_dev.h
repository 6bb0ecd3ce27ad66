// SPDX-License-Identifier: GPL-2.0-or-later
//
// A virtio entropy device as its driver meets it: the host's side of one queue. The driver gives
// it buffers; the host fills one after the other with 4 to 64 bytes, 50 us to 500 ms after it began
// (draws of classes "virtio-short" and "virtio-host"), and raises an interrupt for each.
//
// A request before DRIVER_OK is never answered; it is a finding (virtio-rng-before-ready). A buffer
// that was freed when the host writes to it is one, too (use-after-free). Left out: the ring of the
// queue itself, other features than none.
//
// A hostile host says now and then that it has written more than the buffer holds, which it has
// filled (draws of class "virtio-lies").
#ifndef SEEDBED_MODELS_HWRNG_VIRTIO_RNG_DEV_H_
#define SEEDBED_MODELS_HWRNG_VIRTIO_RNG_DEV_H_

#include "models/hwrng/hw_device.h"
#include "sim/cpu.h"

enum { VIRTIO_RNG_DATA_LEN = 64, VIRTIO_RNG_QUEUE_LEN = 4 };

// A buffer at the host. `done` is called in hardirq context when the host has written `used` bytes.
struct virtio_rng_request {
  u8 *buf;
  u32 len;
  void (*done)(void *arg, u32 used);
  void *arg;
};

struct virtio_rng_dev {
  struct hw_device hw;
  struct sim_hw_event answer;                                // armed while there are requests
  struct virtio_rng_request requests[VIRTIO_RNG_QUEUE_LEN];  // the first is served
  u32 num_requests;
  bool hostile;
  bool driver_ok;
  u64 idle_since_ns;  // if there are no requests
  u32 answering;      // interrupts that run: one may end inside another on another CPU
};

void virtio_rng_dev_init(struct virtio_rng_dev *vdev, const char *name, u8 id);

// What drivers call, under the names of the kernel; each is an access to the device.
void virtio_device_ready(struct virtio_rng_dev *vdev);
// The request (copied) is the host's now. VIRTIO_RNG_QUEUE_LEN at a time at most.
void virtqueue_kick(struct virtio_rng_dev *vdev, const struct virtio_rng_request *request);
// The host forgets all requests; no interrupt runs when it returns. Never in one.
void virtio_reset_device(struct virtio_rng_dev *vdev);

#endif  // SEEDBED_MODELS_HWRNG_VIRTIO_RNG_DEV_H_
