// SPDX-License-Identifier: GPL-2.0-or-later
//
// Virtio devices, drivers and queues. The board brings a device when the scenario says so, and
// matches it by its number.
#ifndef SEEDBED_SHIM_LINUX_VIRTIO_H_
#define SEEDBED_SHIM_LINUX_VIRTIO_H_

#include <linux/device.h>
#include <linux/idr.h>
#include <linux/mod_devicetable.h>
#include <linux/scatterlist.h>

struct virtio_device;
struct virtio_config_ops {
  void (*del_vqs)(struct virtio_device *vdev);
};
struct virtqueue;
struct virtio_device {
  int index;
  struct device dev;
  const struct virtio_config_ops *config;
  struct virtqueue *vq;  // the only one
  void *priv;
};

struct virtio_driver {
  struct device_driver driver;
  const struct virtio_device_id *id_table;
  const unsigned int *feature_table;
  unsigned int feature_table_size;
  int (*probe)(struct virtio_device *vdev);
  void (*scan)(struct virtio_device *vdev);
  void (*remove)(struct virtio_device *vdev);
  int (*freeze)(struct virtio_device *vdev);
  int (*restore)(struct virtio_device *vdev);
};
// models/kernel/inside/virtio.c
int register_virtio_driver(struct virtio_driver *driver);
void unregister_virtio_driver(struct virtio_driver *driver);
#define module_virtio_driver(driver_)                                            \
  static int driver_##_init(void) { return register_virtio_driver(&(driver_)); } \
  SEEDBED_INITCALL(driver_##_init, 6);                                           \
  SEEDBED_DRIVER(virtio, driver_)

// Buffers that the driver has added, that are at the device, and that came back: in their order.
enum { SEEDBED_VIRTQUEUE_LEN = 4 };
struct seedbed_virtio_buffer {
  struct scatterlist sg;
  void *data;         // the driver's name for it
  unsigned int used;  // bytes that the device wrote
};
struct virtqueue {
  struct virtio_device *vdev;
  const char *name;
  void (*callback)(struct virtqueue *vq);
  // Counts, modulo the length the places of: the next to be added, kicked, used, got back.
  unsigned int added, kicked, used, got;
  struct seedbed_virtio_buffer buffers[SEEDBED_VIRTQUEUE_LEN];
};
typedef void vq_callback_t(struct virtqueue *vq);

struct virtqueue *virtio_find_single_vq(struct virtio_device *vdev, vq_callback_t *callback,
                                        const char *name);
int virtqueue_add_inbuf(struct virtqueue *vq, struct scatterlist *sg, unsigned int num, void *data,
                        gfp_t gfp);
bool virtqueue_kick(struct virtqueue *vq);
void *virtqueue_get_buf(struct virtqueue *vq, unsigned int *len);
void virtio_device_ready(struct virtio_device *vdev);
void virtio_reset_device(struct virtio_device *vdev);

#endif  // SEEDBED_SHIM_LINUX_VIRTIO_H_
