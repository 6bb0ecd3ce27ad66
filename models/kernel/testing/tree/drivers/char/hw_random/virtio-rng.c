// SPDX-License-Identifier: GPL-2.0-or-later
//
// A tiny virtio driver, for tests of models/kernel. It registers at the core without its device.
#include <linux/completion.h>
#include <linux/hw_random.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/virtio.h>

static DEFINE_IDA(tiny_ida);

struct tiny_virtio {
  struct hwrng rng;
  struct virtqueue *vq;
  struct completion done;
  char name[16];
  int index;
  bool registered;
  unsigned int len;
  u8 data[16];
};

static struct tiny_virtio *the_one;  // read has no other way to it

static void tiny_ask(struct tiny_virtio *tiny) {
  struct scatterlist sg;

  sg_init_one(&sg, tiny->data, sizeof(tiny->data));
  virtqueue_add_inbuf(tiny->vq, &sg, 1, tiny, GFP_KERNEL);
  virtqueue_kick(tiny->vq);
}

static void tiny_done(struct virtqueue *vq) {
  struct tiny_virtio *tiny = vq->vdev->priv;

  if (virtqueue_get_buf(vq, &tiny->len) == tiny) complete(&tiny->done);
}

static int tiny_virtio_read(struct hwrng *rng, void *data, size_t max, bool wait) {
  struct tiny_virtio *tiny = the_one;

  if (!wait) return 0;
  if (wait_for_completion_killable(&tiny->done)) return -EINVAL;
  memcpy(data, tiny->data, min(max, (size_t)tiny->len));
  return min(max, (size_t)tiny->len);
}

static int tiny_virtio_probe(struct virtio_device *vdev) {
  struct tiny_virtio *tiny = kzalloc_obj(struct tiny_virtio);

  if (!tiny) return -ENOMEM;
  tiny->index = ida_alloc(&tiny_ida, GFP_KERNEL);
  sprintf(tiny->name, "tiny.%d", tiny->index);
  init_completion(&tiny->done);
  tiny->rng.name = tiny->name;
  tiny->rng.read = tiny_virtio_read;
  tiny->vq = virtio_find_single_vq(vdev, tiny_done, "input");
  vdev->priv = tiny;
  the_one = tiny;
  virtio_device_ready(vdev);
  tiny_ask(tiny);
  return 0;
}

static void tiny_scan(struct virtio_device *vdev) {
  struct tiny_virtio *tiny = vdev->priv;

  tiny->registered = hwrng_register(&tiny->rng) == 0;
}

static void tiny_virtio_remove(struct virtio_device *vdev) {
  struct tiny_virtio *tiny = vdev->priv;

  if (tiny->registered) hwrng_unregister(&tiny->rng);
  virtio_reset_device(vdev);
  vdev->config->del_vqs(vdev);
  ida_free(&tiny_ida, tiny->index);
  kfree(tiny);
}

static const struct virtio_device_id tiny_ids[] = {{4, VIRTIO_DEV_ANY_ID}, {0}};
static struct virtio_driver tiny_virtio_driver = {
    .driver.name = KBUILD_MODNAME,
    .id_table = tiny_ids,
    .probe = tiny_virtio_probe,
    .scan = tiny_scan,
    .remove = tiny_virtio_remove,
};
module_virtio_driver(tiny_virtio_driver);

MODULE_LICENSE("GPL");
