// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wait queues of the world. The loop of wait_event is here, so that the condition is looked at
// between the world's calls.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_WAIT_H_
#define SEEDBED_SHIM_RANDOM_LINUX_WAIT_H_

#include <linux/sched.h>
#include <linux/seedbed_object.h>

typedef struct wait_queue_head {
  const char *name;
  void *first;
} wait_queue_head_t;
struct seedbed_wait_entry {
  unsigned long seedbed[KERNEL_WAIT_ENTRY_WORDS];
};

#define DECLARE_WAIT_QUEUE_HEAD(name_) wait_queue_head_t name_ = {.name = #name_}
#define init_waitqueue_head(wq) (*(wq) = (wait_queue_head_t){.name = #wq})
#define wake_up(wq) seedbed_k_wake_up(SIM_SITE("wake_up"), (wq), 0)
#define wake_up_interruptible(wq) seedbed_k_wake_up(SIM_SITE("wake_up_interruptible"), (wq), 0)
#define wake_up_all(wq) seedbed_k_wake_up(SIM_SITE("wake_up_all"), (wq), 1)
#define wake_up_interruptible_all(wq) \
  seedbed_k_wake_up(SIM_SITE("wake_up_interruptible_all"), (wq), 1)

// The value is what the world's wait_event returns: jiffies left, 0, or an error.
#define seedbed_wait_event(wq, condition, state, timeout)                                         \
  ({                                                                                              \
    struct seedbed_wait_entry seedbed_entry = {{0}};                                              \
    long seedbed_left = (timeout);                                                                \
    int seedbed_first, seedbed_cond;                                                              \
                                                                                                  \
    seedbed_k_wait_begin();                                                                       \
    for (seedbed_first = 1;; seedbed_first = 0) {                                                 \
      if (!seedbed_first)                                                                         \
        seedbed_k_prepare_to_wait(SIM_SITE("prepare_to_wait"), &(wq), &seedbed_entry, (state));   \
      seedbed_cond = !!(condition);                                                               \
      seedbed_k_wait_recheck(&(wq), seedbed_cond);                                                \
      if (seedbed_cond && !seedbed_left) seedbed_left = 1;                                        \
      if (seedbed_cond || !seedbed_left) break;                                                   \
      if (seedbed_first) continue;                                                                \
      seedbed_left = seedbed_k_wait_sleep(SIM_SITE("wait_event"), &(wq), &seedbed_entry, (state), \
                                          seedbed_left);                                          \
      if (seedbed_left < 0) break;                                                                \
    }                                                                                             \
    seedbed_k_finish_wait(SIM_SITE("finish_wait"), &(wq), &seedbed_entry);                        \
    seedbed_left;                                                                                 \
  })
#define wait_event_interruptible_timeout(wq, condition, timeout) \
  seedbed_wait_event(wq, condition, TASK_INTERRUPTIBLE, (timeout))
#define wait_event_interruptible(wq, condition)                                                    \
  ({                                                                                               \
    long seedbed_rc = seedbed_wait_event(wq, condition, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT); \
    seedbed_rc < 0 ? (int)seedbed_rc : 0;                                                          \
  })

#endif  // SEEDBED_SHIM_RANDOM_LINUX_WAIT_H_
