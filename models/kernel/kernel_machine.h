// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine around a kernel object: its start, platform devices on a board, and what onlookers
// are told. The object's calls (kernel_calls.h) come to the world's primitives and to this.
//
// A board is what a scenario has modelled: registers, a clock, a reset line; a firmware's
// function; or the host's side of a virtio device. Other interrupts and DMA, and regulators, are
// left out. Memory never runs out.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_MACHINE_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_MACHINE_H_

#include "models/kernel/kernel_object.h"
#include "sim/base.h"
#include "sim/scenario.h"
#include "sim/task.h"

// A device of the tree's, from its probe to its removal.
struct kernel_pdev;

// A device of the board. Functions are called in the context of the driver.
struct kernel_board {
  void *arg;
  u32 (*readl)(void *arg, u32 offset);
  void (*writel)(void *arg, u32 value, u32 offset);
  // NULL: the device has no clock, or no reset line.
  int (*clk_on)(void *arg);
  void (*clk_off)(void *arg);
  int (*reset)(void *arg);
  // Of what lies in firmware: a call of it, which fills in four registers. NULL of others.
  void (*smccc_call)(void *arg, u64 function, u64 a1, u64 res[4]);
  // Of a virtio device, and NULL of others. The buffer that is kicked is the host's until
  // kernel_virtio_used, or a reset; `pdev` is the device, for that call.
  void (*virtio_ready)(void *arg);
  void (*virtio_kick)(void *arg, struct kernel_pdev *pdev, void *buf, u32 len);
  void (*virtio_reset)(void *arg);
};

// What onlookers are told, in the context of whoever does it. A member may be NULL.
struct kernel_hooks {
  // Around a driver's registration at the hwrng core, with its device.
  void (*registering)(void *rng, struct kernel_pdev *pdev);
  void (*registered)(void *rng, struct kernel_pdev *pdev, int err);
  void (*unregistering)(void *rng);
  void (*unregistered)(void *rng);
  void (*queues_work)(void *work);
  void (*copies_from)(const void *from, size_t len);  // a copy within the kernel
  size_t (*copy_to_user)(void *to, const void *from, size_t len);
  void (*add_randomness)(const void *buf, size_t len, size_t entropy, bool sleep_after);
  void (*add_device_randomness)(const void *buf, size_t len);
};

// Between these two the running task is in a function of the driver of `pdev`: what it does without
// naming a device is this one's. kernel_probe and kernel_resume say so themselves.
struct kernel_acting {
  struct kernel_acting *next;
  const struct sim_task *task;
  struct kernel_pdev *pdev;
};
void kernel_acting_begin(struct kernel_acting *acting, struct kernel_pdev *pdev);
void kernel_acting_end(struct kernel_acting *acting);

struct kernel_config {
  struct kernel_hooks hooks;
  u32 kthread_cpu;   // of all kernel threads
  bool no_kthreads;  // creating one fails: -ENOMEM
};

// kernel_start begins the object's life in this world: static locks, then the initcalls, in their
// order. In set-up, on the subject that is set. An initcall that fails is a finding
// (kernel-initcall).
void kernel_start(const struct kernel_config *config);

// The kernel thread that was created last; NULL if there was none, or it has ended.
const struct sim_task *kernel_kthread(void);

// kernel_probe matches a device by `id` (borrowed, as `name`, for its life; kernel_inside.h says
// what it is) with the tree's drivers and probes it. Returns 0, or the driver's error with
// nothing kept; -SIM_ENODEV if no driver of the tree names it.
SIM_MUST_CHECK int kernel_probe(const char *name, const char *id, const struct kernel_board *board,
                                struct kernel_pdev **out_pdev);
// kernel_remove calls the driver's remove, releases what the device owns, last first, and frees it.
void kernel_remove(struct kernel_pdev *pdev);
int kernel_suspend(struct kernel_pdev *pdev);
int kernel_resume(struct kernel_pdev *pdev);
void *kernel_pdev_arg(const struct kernel_pdev *pdev);  // the board's
bool kernel_has_driver(const char *id);                 // also before kernel_start
// In an interrupt: the host has written `len` bytes to the oldest buffer that it has.
void kernel_virtio_used(struct kernel_pdev *pdev, u32 len);

// Oracles of what a kernel says itself.
extern const struct sim_oracle kernel_oracle_warn, kernel_oracle_bug, kernel_oracle_initcall;

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_MACHINE_H_
