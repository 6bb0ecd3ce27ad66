// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files, as the devices random and urandom are.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_FS_H_
#define SEEDBED_SHIM_RANDOM_LINUX_FS_H_

#include <linux/cache.h>
#include <linux/fcntl.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uio.h>

struct inode;
struct module;
struct pipe_inode_info;
struct poll_table_struct;
struct fasync_struct;
struct file {
  fmode_t f_mode;
  unsigned int f_flags;
  loff_t f_pos;
  void *private_data;
};
struct kiocb {
  struct file *ki_filp;
  loff_t ki_pos;
  int ki_flags;
};
#define FMODE_READ ((fmode_t)1)
#define FMODE_WRITE ((fmode_t)2)
#define IOCB_NOIO 1
#define IOCB_NOWAIT 2

struct file_operations {
  struct module *owner;
  loff_t (*llseek)(struct file *file, loff_t offset, int whence);
  ssize_t (*read_iter)(struct kiocb *kiocb, struct iov_iter *iter);
  ssize_t (*write_iter)(struct kiocb *kiocb, struct iov_iter *iter);
  __poll_t (*poll)(struct file *file, struct poll_table_struct *wait);
  long (*unlocked_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
  long (*compat_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
  int (*fasync)(int fd, struct file *file, int on);
  ssize_t (*splice_read)(struct file *file, loff_t *pos, struct pipe_inode_info *pipe, size_t len,
                         unsigned int flags);
  ssize_t (*splice_write)(struct pipe_inode_info *pipe, struct file *file, loff_t *pos, size_t len,
                          unsigned int flags);
};
static inline loff_t noop_llseek(struct file *file, loff_t offset, int whence) {
  return file->f_pos;
}
// What nobody calls here.
static inline long compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg) {
  return seedbed_k_unmodelled("compat_ptr_ioctl");
}
static inline ssize_t copy_splice_read(struct file *file, loff_t *pos, struct pipe_inode_info *pipe,
                                       size_t len, unsigned int flags) {
  return seedbed_k_unmodelled("copy_splice_read");
}
static inline ssize_t generic_file_splice_read(struct file *file, loff_t *pos,
                                               struct pipe_inode_info *pipe, size_t len,
                                               unsigned int flags) {
  return seedbed_k_unmodelled("generic_file_splice_read");
}
static inline ssize_t iter_file_splice_write(struct pipe_inode_info *pipe, struct file *file,
                                             loff_t *pos, size_t len, unsigned int flags) {
  return seedbed_k_unmodelled("iter_file_splice_write");
}
#define fasync_helper(fd, file, on, list) \
  ((void)(fd), (void)(file), (void)(on), (void)(list), (int)seedbed_k_unmodelled("fasync_helper"))
// Nobody has asked for a signal.
#define kill_fasync(list, signal, band)                                \
  do {                                                                 \
    if (READ_ONCE(*(list))) (void)seedbed_k_unmodelled("kill_fasync"); \
  } while (0)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_FS_H_
