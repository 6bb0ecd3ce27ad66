// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory for a device: one piece.
#ifndef SEEDBED_SHIM_LINUX_SCATTERLIST_H_
#define SEEDBED_SHIM_LINUX_SCATTERLIST_H_

struct scatterlist {
  void *buf;
  unsigned int len;
};
static inline void sg_init_one(struct scatterlist *sg, const void *buf, unsigned int len) {
  *sg = (struct scatterlist){(void *)buf, len};
}

#endif  // SEEDBED_SHIM_LINUX_SCATTERLIST_H_
