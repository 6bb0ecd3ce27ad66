// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside models/kernel: the state of the object's machine in one world. It hangs on a static of
// the object, so it lies in the arena and is found wherever the object is.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_WORLD_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_WORLD_H_

#include "models/kernel/kernel_machine.h"
#include "sim/work.h"

struct kernel_random_world;

// What a device owns: an entry of devres, with the driver's bytes behind it.
struct kernel_devres {
  struct kernel_devres *next;  // the one added before
  void (*release)(void *dev, void *res);
  void *rng;  // registered by it; NULL: it is none of that
  u64 reserved;
  char res[];
};

struct kernel_pdev {
  struct kernel_board board;
  struct kernel_devres *owned;  // last added first
  void *dev;                    // struct device
  u32 window;
  char pdev[] __attribute__((aligned(16)));
};

// Where registers are mapped: no memory, so that only readl and writel reach them.
enum { KERNEL_WINDOWS_MAX = 32, KERNEL_WINDOW_SIZE = 0x1000 };
#define KERNEL_WINDOW_BASE 0xffffc90000000000ull

struct kernel_world {
  struct kernel_config config;
  struct sim_workqueue *events;
  struct sim_task *kthread;  // created last
  struct kernel_acting *acting;
  struct kernel_pdev *windows[KERNEL_WINDOWS_MAX];
  struct kernel_random_world *random;  // kernel_random.h; NULL: random.c is not used
};

static inline struct kernel_world *kernel_world(void) { return *kernel_subject()->inside.world; }

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_WORLD_H_
