// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of virtio.h.
#ifndef SEEDBED_SHIM_LINUX_VIRTIO_CONFIG_H_
#define SEEDBED_SHIM_LINUX_VIRTIO_CONFIG_H_

#include <linux/virtio.h>

#endif  // SEEDBED_SHIM_LINUX_VIRTIO_CONFIG_H_
