// SPDX-License-Identifier: GPL-2.0-or-later
//
// Disks, as far as their timings are concerned.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_BLKDEV_H_
#define SEEDBED_SHIM_RANDOM_LINUX_BLKDEV_H_

struct timer_rand_state;
struct gendisk {
  struct timer_rand_state *random;
  unsigned int seedbed_devt;
};
#define disk_devt(disk) ((disk)->seedbed_devt)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_BLKDEV_H_
