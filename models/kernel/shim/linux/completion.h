// SPDX-License-Identifier: GPL-2.0-or-later
//
// Completions of the world.
#ifndef SEEDBED_SHIM_LINUX_COMPLETION_H_
#define SEEDBED_SHIM_LINUX_COMPLETION_H_

#include <linux/seedbed.h>
#include <linux/sched.h>

struct completion {
  unsigned long seedbed[KERNEL_COMPLETION_WORDS];
};

#define DECLARE_COMPLETION(name)  \
  struct completion name = {{0}}; \
  SEEDBED_STATIC(completion, name)
#define init_completion(x) seedbed_k_init_completion((x), #x)
#define reinit_completion(x) seedbed_k_reinit_completion(SIM_SITE("reinit_completion"), (x))
#define complete(x) seedbed_k_complete(SIM_SITE("complete"), (x), 0)
#define complete_all(x) seedbed_k_complete(SIM_SITE("complete_all"), (x), 1)
#define completion_done(x) seedbed_k_completion_done(SIM_SITE("completion_done"), (x))
#define wait_for_completion(x)                                                                     \
  ((void)seedbed_k_wait_for_completion(SIM_SITE("wait_for_completion"), (x), TASK_UNINTERRUPTIBLE, \
                                       MAX_SCHEDULE_TIMEOUT))
#define wait_for_completion_timeout(x, timeout)                               \
  seedbed_k_wait_for_completion(SIM_SITE("wait_for_completion_timeout"), (x), \
                                TASK_UNINTERRUPTIBLE, (timeout))
#define wait_for_completion_interruptible(x)                                              \
  ({                                                                                      \
    long seedbed_rc =                                                                     \
        seedbed_k_wait_for_completion(SIM_SITE("wait_for_completion_interruptible"), (x), \
                                      TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);          \
    seedbed_rc < 0 ? (int)seedbed_rc : 0;                                                 \
  })
// A fatal signal ends it; of the world's, all are.
#define wait_for_completion_killable(x)                                                            \
  ({                                                                                               \
    long seedbed_rc = seedbed_k_wait_for_completion(SIM_SITE("wait_for_completion_killable"), (x), \
                                                    TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);     \
    seedbed_rc < 0 ? (int)seedbed_rc : 0;                                                          \
  })
#define wait_for_completion_interruptible_timeout(x, timeout)                               \
  seedbed_k_wait_for_completion(SIM_SITE("wait_for_completion_interruptible_timeout"), (x), \
                                TASK_INTERRUPTIBLE, (long)(timeout))

#endif  // SEEDBED_SHIM_LINUX_COMPLETION_H_
