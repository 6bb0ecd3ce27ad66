// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside a kernel object: the virtio bus and its queues. A device is named "virtio:" and its
// number, and has one queue; the host's side is the board's. Sections: drivers; devices; the
// queue.
//
// Left out: features, configuration space, and what a driver may do to a queue without a kick.
#include "models/kernel/inside/bus.h"

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/virtio.h>

// ---- Drivers ----

enum { DRIVERS_MAX = 4 };
static const struct virtio_driver *drivers[DRIVERS_MAX];

int register_virtio_driver(struct virtio_driver *driver) {
  int i;

  for (i = 0; i < DRIVERS_MAX; i++) {
    if (drivers[i]) continue;
    drivers[i] = driver;
    return 0;
  }
  return -ENOMEM;
}

void unregister_virtio_driver(struct virtio_driver *driver) {
  int i;

  for (i = 0; i < DRIVERS_MAX; i++)
    if (drivers[i] == driver) drivers[i] = NULL;
}

static bool names(const struct virtio_driver *driver, unsigned int number) {
  const struct virtio_device_id *id = driver->id_table;

  for (; id && id->device; id++)
    if (id->device == number) return true;
  return false;
}

static const void *find_driver(const char *id) {
  static const char prefix[] = "virtio:";
  const struct seedbed_driver *one;
  unsigned long long number;
  int i;

  if (strncmp(id, prefix, sizeof(prefix) - 1) != 0) return NULL;
  if (seedbed_k_kstrtoull(id + sizeof(prefix) - 1, 10, &number)) return NULL;
  for (i = 0; i < DRIVERS_MAX; i++)
    if (drivers[i] && names(drivers[i], (unsigned int)number)) return drivers[i];
  for (one = __start_seedbed_drivers; one < __stop_seedbed_drivers; one++)
    if (one->bus == seedbed_bus_virtio && names(one->driver, (unsigned int)number))
      return one->driver;
  return NULL;
}

// ---- Devices ----

// A virtio device; `ready`: it has been told DRIVER_OK.
struct place {
  struct virtio_device vdev;
  bool ready;
};

static struct place *place_of(struct virtio_device *vdev) {
  return container_of(vdev, struct place, vdev);
}

static const struct virtio_driver *driver_of(struct place *place) {
  return container_of(place->vdev.dev.driver, struct virtio_driver, driver);
}

static void del_vqs(struct virtio_device *vdev) {
  seedbed_k_kfree(vdev->vq);
  vdev->vq = NULL;
}

static const struct virtio_config_ops config_ops = {del_vqs};

static struct device *add(void *at, const void *driver, const char *name, const char *id) {
  struct place *place = at;

  place->vdev.config = &config_ops;
  place->vdev.dev.init_name = name;
  place->vdev.dev.driver = (struct device_driver *)&((const struct virtio_driver *)driver)->driver;
  return &place->vdev.dev;
}

void virtio_device_ready(struct virtio_device *vdev) {
  WARN_ON(place_of(vdev)->ready);
  place_of(vdev)->ready = true;
  seedbed_k_virtio_ready(&vdev->dev);
}

void virtio_reset_device(struct virtio_device *vdev) {
  place_of(vdev)->ready = false;
  seedbed_k_virtio_reset(&vdev->dev);
}

static int probe(void *at) {
  struct place *place = at;
  const struct virtio_driver *driver = driver_of(place);
  int err = driver->probe(&place->vdev);

  if (err) return err;
  if (!place->ready) virtio_device_ready(&place->vdev);
  if (driver->scan) driver->scan(&place->vdev);
  return 0;
}

static void remove(void *at) {
  struct place *place = at;

  driver_of(place)->remove(&place->vdev);
  // virtio_dev_remove complains of a driver that left the device as it was.
  WARN_ON(place->ready);
}

static int suspend(void *at) {
  struct place *place = at;
  const struct virtio_driver *driver = driver_of(place);

  return driver->freeze ? driver->freeze(&place->vdev) : 0;
}

static int resume(void *at) {
  struct place *place = at;
  const struct virtio_driver *driver = driver_of(place);
  int err;

  if (!driver->restore) return 0;
  err = driver->restore(&place->vdev);
  if (!err && !place->ready) virtio_device_ready(&place->vdev);
  return err;
}

// ---- The queue ----

struct virtqueue *virtio_find_single_vq(struct virtio_device *vdev, vq_callback_t *callback,
                                        const char *name) {
  struct virtqueue *vq = seedbed_k_kmalloc(sizeof(*vq), GFP_KERNEL | __GFP_ZERO, "virtqueue");

  WARN_ON(vdev->vq);
  vq->vdev = vdev;
  vq->name = name;
  vq->callback = callback;
  vdev->vq = vq;
  return vq;
}

int virtqueue_add_inbuf(struct virtqueue *vq, struct scatterlist *sg, unsigned int num, void *data,
                        gfp_t gfp) {
  seedbed_k_check_alive(vq, "a virtqueue");
  if (WARN_ON(num != 1)) return -EIO;
  if (vq->added - vq->got == SEEDBED_VIRTQUEUE_LEN) return -ENOSPC;
  vq->buffers[vq->added++ % SEEDBED_VIRTQUEUE_LEN] =
      (struct seedbed_virtio_buffer){.sg = *sg, .data = data};
  return 0;
}

bool virtqueue_kick(struct virtqueue *vq) {
  seedbed_k_check_alive(vq, "a virtqueue");
  while (vq->kicked != vq->added) {
    const struct scatterlist *sg = &vq->buffers[vq->kicked++ % SEEDBED_VIRTQUEUE_LEN].sg;

    seedbed_k_virtio_kick(&vq->vdev->dev, sg->buf, sg->len);
  }
  return true;
}

void *virtqueue_get_buf(struct virtqueue *vq, unsigned int *len) {
  const struct seedbed_virtio_buffer *buffer;

  seedbed_k_check_alive(vq, "a virtqueue");
  if (vq->got == vq->used) return NULL;
  buffer = &vq->buffers[vq->got++ % SEEDBED_VIRTQUEUE_LEN];
  *len = buffer->used;
  return buffer->data;
}

// In an interrupt.
static void used(void *at, unsigned int len) {
  struct virtqueue *vq = ((struct place *)at)->vdev.vq;

  vq->buffers[vq->used++ % SEEDBED_VIRTQUEUE_LEN].used = len;
  if (vq->callback) vq->callback(vq);
}

const struct seedbed_bus seedbed_virtio_bus = {
    .device_size = sizeof(struct place),
    .find_driver = find_driver,
    .add = add,
    .probe = probe,
    .remove = remove,
    .suspend = suspend,
    .resume = resume,
    .used = used,
};
