// SPDX-License-Identifier: GPL-2.0-or-later
//
// See virtio_rng.h.
#include "models/hwrng/virtio_rng.h"

#include <string.h>

#include "models/hwrng/hwrng_world.h"
#include "models/hwrng/oracles.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/task.h"
#include "sim/world.h"

static const u64 host_ns[] = {50000, 1000000, 20000000, 500000000};

// ---- The host ----

// Runs in hardirq context: the host has written an answer and raises the interrupt.
static void host_answers(void *arg) {
  struct virtio_rng_dev *vdev = arg;
  struct virtrng_info *vi = vdev->vi;
  u32 words = VIRTIO_RNG_DATA_LEN / 4;

  vdev->answering++;
  // Calm: all that was asked for.
  words -= sim_choose(sim_w, SIM_SITE_DRAW("virtio-short", SIM_SITE_FAULT, 1, 8), words);
  for (u32 i = 0; i < words; i++) {
    u32 word = hw_words_take(&hwrng_world()->words, vdev->hw.id);

    memcpy(vi->data + 4 * i, &word, sizeof(word));
  }
  vi->requested = false;
  vi->data_avail = 4 * words;
  sim_complete(&vi->have_data);
  vdev->answering--;
}

static void virtqueue_kick(struct virtio_rng_dev *vdev, struct virtrng_info *vi) {
  u32 how;

  hw_access(&vdev->hw, 1000);  // a notification leaves the guest
  if (!vdev->driver_ok)
    sim_fail(&hwrng_oracle_before_ready, "kick",
             "%s is asked for data before its driver said DRIVER_OK: no answer will come",
             vdev->hw.name);
  vdev->vi = vi;
  how = sim_choose(sim_w, SIM_SITE_DRAW("virtio-host", SIM_SITE_TIME, 1, 8), 4);
  sim_hw_event_arm(&vdev->answer, sim_clock_ns() + host_ns[how], host_answers, vdev,
                   sim_smp_processor_id());
}

static u64 word_due_ns(const struct hw_device *hw) {
  const struct virtio_rng_dev *vdev = sim_container_of(hw, const struct virtio_rng_dev, hw);

  return vdev->answer.armed ? vdev->answer.at_ns : UINT64_MAX;
}

static bool is_off(const struct hw_device *hw) {
  const struct virtio_rng_dev *vdev = sim_container_of(hw, const struct virtio_rng_dev, hw);

  return !vdev->driver_ok;
}

void virtio_rng_dev_init(struct virtio_rng_dev *vdev, const char *name, u8 id) {
  *vdev = (struct virtio_rng_dev){
      .hw = {.name = name,
             .id = id,
             .word_ns_max = host_ns[3],
             .word_due_ns = word_due_ns,
             .is_off = is_off},
  };
}

// ---- The driver ----

static void request_entropy(struct virtrng_info *vi) {
  sim_reinit_completion(&vi->have_data);
  vi->data_idx = 0;
  vi->requested = true;
  virtqueue_kick(vi->vdev, vi);
}

static u32 copy_data(struct virtrng_info *vi, u8 *buf, u32 size) {
  u32 len = vi->data_avail < size ? vi->data_avail : size;

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

static void virtio_device_ready(struct virtio_rng_dev *vdev) {
  hw_access(&vdev->hw, 1000);
  vdev->driver_ok = true;
}

static void virtio_reset_device(struct virtio_rng_dev *vdev) {
  hw_access(&vdev->hw, 1000);
  sim_hw_event_disarm(&vdev->answer);
  vdev->driver_ok = false;
  while (sim_read_once(vdev->answering)) sim_cpu_relax();  // free_irq
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
