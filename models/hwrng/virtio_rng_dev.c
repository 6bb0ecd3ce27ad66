// SPDX-License-Identifier: GPL-2.0-or-later
//
// See virtio_rng_dev.h.
#include "models/hwrng/virtio_rng_dev.h"

#include <string.h>

#include "models/hwrng/hwrng_world.h"
#include "models/hwrng/oracles.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/task.h"
#include "sim/world.h"

enum { NOTIFY_NS = 1000 };  // a notification leaves the guest

static const u32 lies[] = {0, 1, 64, 0x7fffffff};
static const u64 host_ns[] = {50000, 1000000, 20000000, 500000000};

static void answer(void *arg);

static void serve_next(struct virtio_rng_dev *vdev) {
  u32 how = sim_choose(sim_w, SIM_SITE_DRAW("virtio-host", SIM_SITE_TIME, 1, 8), 4);

  sim_hw_event_arm(&vdev->answer, sim_clock_ns() + host_ns[how], answer, vdev,
                   sim_smp_processor_id());
}

// Runs in hardirq context: the host has written an answer and raises the interrupt.
static void answer(void *arg) {
  struct virtio_rng_dev *vdev = arg;
  const struct virtio_rng_request request = vdev->requests[0];
  u32 words = request.len / 4, used;

  vdev->num_requests--;
  memmove(vdev->requests, vdev->requests + 1, vdev->num_requests * sizeof(*vdev->requests));
  vdev->answering++;
  // Calm: all that was asked for.
  words -= sim_choose(sim_w, SIM_SITE_DRAW("virtio-short", SIM_SITE_FAULT, 1, 8), words);
  sim_check_alive(request.buf, "a buffer that the host writes to");
  for (u32 i = 0; i < words; i++) {
    u32 word = hw_words_take(&hwrng_world()->words, vdev->hw.id);

    memcpy(request.buf + 4 * i, &word, sizeof(word));
  }
  used = 4 * words;
  if (vdev->hostile && used == request.len)
    used += lies[sim_choose(sim_w, SIM_SITE_DRAW("virtio-lies", SIM_SITE_FAULT, 1, 16), 4)];
  vdev->idle_since_ns = sim_clock_ns();
  if (vdev->num_requests) serve_next(vdev);
  request.done(request.arg, used);
  vdev->answering--;
}

void virtqueue_kick(struct virtio_rng_dev *vdev, const struct virtio_rng_request *request) {
  hw_access(&vdev->hw, NOTIFY_NS);
  if (!vdev->driver_ok)
    sim_fail(&hwrng_oracle_before_ready, "kick",
             "%s is asked for data before its driver said DRIVER_OK: no answer will come",
             vdev->hw.name);
  SIM_ASSERT(vdev->num_requests < VIRTIO_RNG_QUEUE_LEN);
  vdev->requests[vdev->num_requests++] = *request;
  if (vdev->num_requests == 1) serve_next(vdev);
}

void virtio_device_ready(struct virtio_rng_dev *vdev) {
  hw_access(&vdev->hw, NOTIFY_NS);
  vdev->driver_ok = true;
  vdev->hw.first_word = hwrng_world()->words.count;
  vdev->idle_since_ns = sim_clock_ns();
}

void virtio_reset_device(struct virtio_rng_dev *vdev) {
  hw_access(&vdev->hw, NOTIFY_NS);
  sim_hw_event_disarm(&vdev->answer);
  vdev->num_requests = 0;
  vdev->driver_ok = false;
  while (sim_read_once(vdev->answering)) sim_cpu_relax();  // free_irq
}

static u64 word_due_ns(const struct hw_device *hw) {
  const struct virtio_rng_dev *vdev = sim_container_of(hw, const struct virtio_rng_dev, hw);

  return vdev->answer.armed ? vdev->answer.at_ns : UINT64_MAX;
}

static u64 idle_since_ns(const struct hw_device *hw) {
  const struct virtio_rng_dev *vdev = sim_container_of(hw, const struct virtio_rng_dev, hw);

  return vdev->driver_ok && !vdev->num_requests ? vdev->idle_since_ns : UINT64_MAX;
}

static bool is_off(const struct hw_device *hw) {
  const struct virtio_rng_dev *vdev = sim_container_of(hw, const struct virtio_rng_dev, hw);

  return !vdev->driver_ok;
}

void virtio_rng_dev_init(struct virtio_rng_dev *vdev, const char *name, u8 id) {
  *vdev = (struct virtio_rng_dev){
      .hw = {.name = name,
             .kind = "virtio",
             .id = id,
             .word_ns_max = host_ns[3],
             .word_due_ns = word_due_ns,
             .idle_since_ns = idle_since_ns,
             .is_off = is_off},
  };
}
