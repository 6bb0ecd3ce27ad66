// SPDX-License-Identifier: GPL-2.0-or-later
//
// A process's buffer, as one piece.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_UIO_H_
#define SEEDBED_SHIM_RANDOM_LINUX_UIO_H_

#include <linux/errno.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#define READ 0
#define WRITE 1
#define ITER_DEST 0
#define ITER_SOURCE 1
struct iov_iter {
  char *at;
  size_t count;
};
struct iovec {
  void *iov_base;
  size_t iov_len;
};
#define iov_iter_count(iter) ((iter)->count)

static inline int import_ubuf(int direction, void *buf, size_t len, struct iov_iter *iter) {
  *iter = (struct iov_iter){buf, len > 0x7ffff000 ? 0x7ffff000 : len};
  return 0;
}

static inline int import_single_range(int direction, void *buf, size_t len, struct iovec *iov,
                                      struct iov_iter *iter) {
  return import_ubuf(direction, buf, len, iter);
}

static inline size_t copy_to_iter(const void *from, size_t len, struct iov_iter *iter) {
  size_t copied = len < iter->count ? len : iter->count;

  copied -= copy_to_user(iter->at, from, copied);
  iter->at += copied;
  iter->count -= copied;
  return copied;
}

static inline size_t copy_from_iter(void *to, size_t len, struct iov_iter *iter) {
  size_t copied = len < iter->count ? len : iter->count;

  copied -= copy_from_user(to, iter->at, copied);
  iter->at += copied;
  iter->count -= copied;
  return copied;
}

#endif  // SEEDBED_SHIM_RANDOM_LINUX_UIO_H_
