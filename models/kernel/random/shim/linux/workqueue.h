// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work and delayed work. The queues are the world's; until they are there, their pointers are
// NULL.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_WORKQUEUE_H_
#define SEEDBED_SHIM_RANDOM_LINUX_WORKQUEUE_H_

#include <linux/timer.h>
#include <linux/types.h>

struct workqueue_struct;
struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);
struct work_struct {
  unsigned long seedbed[KERNEL_WORK_WORDS];
  struct seedbed_object object;
};
struct delayed_work {
  unsigned long seedbed[KERNEL_DELAYED_WORK_WORDS];
  struct seedbed_object object;
};

#define DECLARE_WORK(name, fn) \
  struct work_struct name = {.object = SEEDBED_OBJECT(WORK, "work:" #fn, fn)}
#define DECLARE_DELAYED_WORK(name, fn) \
  struct delayed_work name = {.object = SEEDBED_OBJECT(DELAYED_WORK, "work:" #fn, fn)}
#define queue_work(wq, work) (seedbed_k_queue_work_on_wq(SIM_SITE("queue_work"), (wq), (work)) != 0)
#define queue_delayed_work(wq, work, delay) \
  (seedbed_k_queue_delayed_work(SIM_SITE("queue_delayed_work"), (wq), (work), (delay)) != 0)
#define mod_delayed_work(wq, work, delay) \
  (seedbed_k_mod_delayed_work(SIM_SITE("mod_delayed_work"), (wq), (work), (delay)) != 0)
#define schedule_work(work) queue_work(system_wq, (work))

extern struct workqueue_struct *system_wq, *system_unbound_wq, *system_percpu_wq, *system_dfl_wq;

#endif  // SEEDBED_SHIM_RANDOM_LINUX_WORKQUEUE_H_
