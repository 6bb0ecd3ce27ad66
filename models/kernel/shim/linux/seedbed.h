// SPDX-License-Identifier: GPL-2.0-or-later
//
// What all shim headers stand on: the calls into the world, and lists that the object's own
// sections make.
#ifndef SEEDBED_SHIM_LINUX_SEEDBED_H_
#define SEEDBED_SHIM_LINUX_SEEDBED_H_

#include "models/kernel/kernel_calls.h"

// What is defined statically and initialised by the world: a record in the section
// seedbed_statics, walked before the initcalls.
struct seedbed_static {
  void *object;
  const char *name;
  int kind;
} __attribute__((aligned(32)));  // a power of two: the compiler leaves no gap between records
enum { seedbed_static_mutex, seedbed_static_completion };
#define SEEDBED_STATIC(kind_, name_)                                           \
  static const struct seedbed_static seedbed_static_of_##name_ __attribute__(( \
      section("seedbed_statics"), used)) = {&(name_), #name_, seedbed_static_##kind_}

// An initcall or exitcall: level 0 to 7 as the kernel's, 8 a module's exit.
struct seedbed_initcall {
  int (*init)(void);
  void (*exit)(void);
  const char *name;
  int level;
} __attribute__((aligned(32)));
#define SEEDBED_INITCALL(fn, level_)                            \
  static const struct seedbed_initcall seedbed_initcall_of_##fn \
      __attribute__((section("seedbed_initcalls"), used)) = {(fn), (void *)0, #fn, (level_)}
#define SEEDBED_EXITCALL(fn)                                    \
  static const struct seedbed_initcall seedbed_exitcall_of_##fn \
      __attribute__((section("seedbed_initcalls"), used)) = {(void *)0, (fn), #fn, 8}

// A driver that an initcall will register, so that it is known before.
struct seedbed_driver {
  const void *driver;
  int bus;
} __attribute__((aligned(16)));
enum { seedbed_bus_platform, seedbed_bus_virtio };
#define SEEDBED_DRIVER(bus_, driver_)                            \
  static const struct seedbed_driver seedbed_driver_of_##driver_ \
      __attribute__((section("seedbed_drivers"), used)) = {&(driver_), seedbed_bus_##bus_}

// An access that the kernel marks, to an object of 1, 2, 4 or 8 bytes.
#define seedbed_load(label, lv, acquire) \
  ((__typeof__(lv))seedbed_k_load(SIM_SITE(label), (const void *)&(lv), sizeof(lv), (acquire)))
#define seedbed_store(label, lv, v, release) \
  seedbed_k_store(SIM_SITE(label), (void *)&(lv), sizeof(lv), (unsigned long)(v), (release))

#endif  // SEEDBED_SHIM_LINUX_SEEDBED_H_
