// SPDX-License-Identifier: GPL-2.0-or-later
//
// See virtio_rng.h.
#include "models/hwrng/virtio_rng.h"

#include <string.h>

#include "sim/task.h"
#include "sim/world.h"

// Of the driver, in hardirq context: the host has answered.
static void host_answers(void *arg, u32 used) {
  struct virtrng_info *vi = arg;

  vi->requested = false;
  vi->data_avail = used < sizeof(vi->data) || vi->bug_68 ? used : (u32)sizeof(vi->data);
  sim_complete(&vi->have_data);
}

static void request_entropy(struct virtrng_info *vi) {
  const struct virtio_rng_request request = {vi->data, sizeof(vi->data), host_answers, vi};

  sim_reinit_completion(&vi->have_data);
  vi->data_idx = 0;
  vi->requested = true;
  virtqueue_kick(vi->vdev, &request);
}

static u32 copy_data(struct virtrng_info *vi, u8 *buf, u32 size) {
  u32 len = vi->data_avail < size ? vi->data_avail : size;

  if (vi->suspect_clamp) {
    // data_avail is taken for the length of the answer, and is what is left of it.
    if (vi->data_idx >= vi->data_avail) {
      vi->data_avail = 0;
      request_entropy(vi);
      return 0;
    }
    if (len > vi->data_avail - vi->data_idx) len = vi->data_avail - vi->data_idx;
  }
  memcpy(buf, vi->data + vi->data_idx, len);
  vi->data_idx += len;
  vi->data_avail -= len;
  if (vi->data_avail == 0) request_entropy(vi);
  return len;
}

static int virtio_read(struct hwrng *rng, void *buf, size_t size, bool wait) {
  struct virtrng_info *vi = sim_container_of(rng, struct virtrng_info, hwrng);
  u32 left = (u32)size;
  u8 *out = buf;

  if (sim_read_once(vi->hwrng_removed)) return -SIM_ENODEV;
  if (!vi->requested && vi->data_avail == 0) request_entropy(vi);
  if (sim_read_once(vi->data_avail)) {
    u32 len = copy_data(vi, out, left);

    out += len;
    left -= len;
  }
  while (wait && left) {
    // A fatal signal ends the wait; ours all are.
    int rc = sim_wait_for_completion_interruptible(&vi->have_data);
    u32 len;

    if (rc < 0) return rc;
    if (vi->data_avail == 0) {  // woken by remove or cleanup
      if (vi->suspect_stale_wake || vi->hwrng_removed) break;
      continue;
    }
    len = copy_data(vi, out, left);
    out += len;
    left -= len;
  }
  return (int)(size - left);
}

static void virtio_cleanup(struct hwrng *rng) {
  struct virtrng_info *vi = sim_container_of(rng, struct virtrng_info, hwrng);

  sim_complete(&vi->have_data);
}

int virtrng_probe(struct virtio_rng_dev *vdev, const struct virtrng_config *config,
                  struct virtrng_info **out_vi) {
  struct virtrng_info *vi = sim_zalloc(sizeof(*vi), "virtrng_info");
  int err;

  vdev->hw.going = false;
  vi->vdev = vdev;
  sim_init_completion(&vi->have_data, "have_data");
  vi->hwrng.name = vdev->hw.name;
  vi->hwrng.read = virtio_read;
  vi->hwrng.cleanup = virtio_cleanup;
  vi->hwrng.quality = config->quality;
  vi->suspect_stale_wake = config->suspect_stale_wake;
  vi->suspect_clamp = config->suspect_clamp;
  vi->bug_68 = config->bug_68;
  if (!config->bug_67) {
    virtio_device_ready(vdev);
    request_entropy(vi);
  }
  err = devm_hwrng_register(&vdev->hw, &vi->hwrng);
  if (!err && config->bug_67) virtio_device_ready(vdev);
  if (err) {
    if (!config->bug_67) virtio_reset_device(vdev);
    sim_free(vi);
    return err;
  }
  *out_vi = vi;
  return 0;
}

void virtrng_remove(struct virtrng_info *vi) {
  struct virtio_rng_dev *vdev = vi->vdev;

  vdev->hw.going = true;
  sim_write_once(vi->hwrng_removed, true);
  vi->data_avail = 0;
  vi->data_idx = 0;
  sim_complete(&vi->have_data);
  devm_hwrng_unregister(&vdev->hw, &vi->hwrng);
  virtio_reset_device(vdev);
  sim_free(vi);
}
