// SPDX-License-Identifier: GPL-2.0-or-later
//
// Queueing work: every queue is the one of the world's subject, with a worker that is bound to no
// CPU.
#ifndef SEEDBED_SHIM_LINUX_WORKQUEUE_H_
#define SEEDBED_SHIM_LINUX_WORKQUEUE_H_

#include <linux/workqueue_types.h>

#define INIT_WORK(work, fn) seedbed_k_init_work((work), (void (*)(void *))(fn), "work:" #fn)
#define schedule_work(work) seedbed_k_queue_work(SIM_SITE("schedule_work"), (work))
#define queue_work(wq, work) seedbed_k_queue_work(SIM_SITE("queue_work"), (work))
#define cancel_work_sync(work) \
  (seedbed_k_cancel_work_sync(SIM_SITE("cancel_work_sync"), (work)) != 0)
#define flush_work(work) seedbed_k_flush_work(SIM_SITE("flush_work"), (work))

#endif  // SEEDBED_SHIM_LINUX_WORKQUEUE_H_
