// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files, as a character device's driver sees them.
#ifndef SEEDBED_SHIM_LINUX_FS_H_
#define SEEDBED_SHIM_LINUX_FS_H_

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/asm-generic/fcntl.h>

struct module;
struct inode {
  void *i_private;
};
struct file {
  fmode_t f_mode;
  unsigned int f_flags;
  loff_t f_pos;
  void *private_data;
};
#define FMODE_READ ((fmode_t)1)
#define FMODE_WRITE ((fmode_t)2)

struct file_operations {
  struct module *owner;
  loff_t (*llseek)(struct file *file, loff_t offset, int whence);
  ssize_t (*read)(struct file *file, char __user *buf, size_t size, loff_t *pos);
  ssize_t (*write)(struct file *file, const char __user *buf, size_t size, loff_t *pos);
  int (*open)(struct inode *inode, struct file *file);
  int (*release)(struct inode *inode, struct file *file);
};
static inline loff_t noop_llseek(struct file *file, loff_t offset, int whence) {
  return file->f_pos;
}

#endif  // SEEDBED_SHIM_LINUX_FS_H_
