// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a kernel object offers: the table that models/kernel/inside/inside.c, which is linked into
// it, fills in. Of the compiler's own types only; what is a kernel's structure there is a
// pointer here, and its size or a function tells what is needed of it.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_INSIDE_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_INSIDE_H_

#include "sim/site_object.h"

// Counts changes of this file and of kernel_calls.h: an object made before is made anew.
enum { KERNEL_INSIDE_VERSION = 2 };

// A function that the object calls and does not define: `name`, and where its address goes.
struct kernel_import {
  const char *name;
  void (**slot)(void);
};

// What the hwrng core keeps of a driver, and what a driver gave it.
struct kernel_hwrng {
  const char *name;
  int (*init)(void *rng);
  void (*cleanup)(void *rng);
  int (*read)(void *rng, void *data, unsigned long max, _Bool wait);
  unsigned short quality;
};

struct kernel_inside {
  unsigned int version;
  const struct kernel_import *imports;
  unsigned long num_imports;
  void (**unbound)(const char *name);  // called in place of an import that nobody bound
  struct sim_site *site;
  unsigned long num_sites;
  const void *hooks;  // struct sim_hook_table
  char *data;         // writable statics; at `room_end` end the bytes behind them that are free
  char *data_end, *room_end;
  void **world;  // a static of the caller's

  // Initialises static locks and runs the initcalls in their order; in set-up. Returns the first
  // error, with its initcall's name in *out_name.
  int (*start)(const char **out_name);

  // Files of the misc device: `file` has file_size bytes. open returns -ENODEV if none was
  // registered. release is called by close, if there is one.
  unsigned long file_size;
  int (*open)(void *file, int nonblock, int write);
  long (*read)(void *file, void *buf, unsigned long size);
  void (*close)(void *file);
  // Its attributes, by name; -ENOENT if it has none of that name. `buf` of show has 4096 bytes.
  long (*attr_show)(const char *name, char *buf);
  long (*attr_store)(const char *name, const char *buf, unsigned long len);

  // Devices: `pdev` has pdev_size bytes and is zero. match finds the driver that names `id`, and
  // returns the struct device, whose first words are the caller's; NULL if there is none. `id` is a
  // platform device's compatible string or, if it has none, its driver's name; "virtio:4" is a
  // virtio device of that number. probe and remove call the driver's, if it has one. has_driver may
  // be called before start.
  unsigned long pdev_size;
  void *(*match)(void *pdev, const char *name, const char *id);
  int (*probe)(void *pdev);
  void (*remove)(void *pdev);
  int (*suspend)(void *pdev), (*resume)(void *pdev);
  int (*has_driver)(const char *id);
  // In an interrupt: the host has written `len` bytes to the buffer that was kicked first.
  void (*virtio_used)(void *pdev, unsigned int len);

  // struct hwrng, of hwrng_size bytes; the core's own functions.
  unsigned long hwrng_size;
  void (*hwrng_get)(const void *rng, struct kernel_hwrng *out);
  void (*hwrng_set)(void *rng, const struct kernel_hwrng *in);
  int (*hwrng_refs)(const void *rng);
  int (*hwrng_register)(void *rng);
  void (*hwrng_unregister)(void *rng);
  int (*devm_hwrng_register)(void *dev, void *rng);
  void (*devm_hwrng_unregister)(void *dev, void *rng);
};

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_INSIDE_H_
