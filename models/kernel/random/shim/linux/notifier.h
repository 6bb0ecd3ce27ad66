// SPDX-License-Identifier: GPL-2.0-or-later
//
// Notifier chains. Readers walk a chain under RCU, or its mutex if it may sleep; who registers
// holds the chain's lock.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_NOTIFIER_H_
#define SEEDBED_SHIM_RANDOM_LINUX_NOTIFIER_H_

#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct notifier_block;
typedef int (*notifier_fn_t)(struct notifier_block *nb, unsigned long action, void *data);
// Its first three members are those of struct sim_notifier.
struct notifier_block {
  notifier_fn_t notifier_call;
  struct notifier_block *next;
  int priority;
};
struct raw_notifier_head {
  struct notifier_block *head;
};
struct atomic_notifier_head {
  spinlock_t lock;
  struct notifier_block *head;
};
struct blocking_notifier_head {
  struct mutex lock;
  struct seedbed_object object;  // behind the mutex that it marks
  struct notifier_block *head;
};
#define NOTIFY_DONE 0
#define NOTIFY_OK 1
#define NOTIFY_STOP_MASK 0x8000

#define ATOMIC_NOTIFIER_HEAD(name) \
  struct atomic_notifier_head name = {.lock = __SPIN_LOCK_UNLOCKED(name.lock)}
#define BLOCKING_NOTIFIER_HEAD(name) \
  struct blocking_notifier_head name = {.object = SEEDBED_OBJECT(MUTEX, #name, 0)}
#define RAW_NOTIFIER_HEAD(name) struct raw_notifier_head name

static inline int seedbed_chain_add(struct notifier_block **link, struct notifier_block *nb) {
  for (; *link; link = &(*link)->next) {
    if (*link == nb) return -EEXIST;
    if (nb->priority > (*link)->priority) break;
  }
  nb->next = *link;
  rcu_assign_pointer(*link, nb);
  return 0;
}

static inline int seedbed_chain_remove(struct notifier_block **link, struct notifier_block *nb) {
  for (; *link; link = &(*link)->next) {
    if (*link != nb) continue;
    rcu_assign_pointer(*link, nb->next);
    return 0;
  }
  return -ENOENT;
}

static inline int seedbed_chain_call(struct notifier_block **link, unsigned long action,
                                     void *data) {
  struct notifier_block *nb = rcu_dereference(*link), *next;
  int ret = NOTIFY_DONE;

  for (; nb && !(ret & NOTIFY_STOP_MASK); nb = next) {
    next = rcu_dereference(nb->next);
    ret = nb->notifier_call(nb, action, data);
  }
  return ret;
}

static inline int raw_notifier_chain_register(struct raw_notifier_head *head,
                                              struct notifier_block *nb) {
  return seedbed_chain_add(&head->head, nb);
}

static inline int atomic_notifier_call_chain(struct atomic_notifier_head *head,
                                             unsigned long action, void *data) {
  int ret;

  rcu_read_lock();
  ret = seedbed_chain_call(&head->head, action, data);
  rcu_read_unlock();
  return ret;
}

static inline int blocking_notifier_chain_register(struct blocking_notifier_head *head,
                                                   struct notifier_block *nb) {
  int ret;

  mutex_lock(&head->lock);
  ret = seedbed_chain_add(&head->head, nb);
  mutex_unlock(&head->lock);
  return ret;
}

static inline int blocking_notifier_chain_unregister(struct blocking_notifier_head *head,
                                                     struct notifier_block *nb) {
  int ret;

  mutex_lock(&head->lock);
  ret = seedbed_chain_remove(&head->head, nb);
  mutex_unlock(&head->lock);
  return ret;
}

// The kernel takes an rw_semaphore for reading: callers are alone here.
static inline int blocking_notifier_call_chain(struct blocking_notifier_head *head,
                                               unsigned long action, void *data) {
  int ret;

  mutex_lock(&head->lock);
  ret = seedbed_chain_call(&head->head, action, data);
  mutex_unlock(&head->lock);
  return ret;
}

#endif  // SEEDBED_SHIM_RANDOM_LINUX_NOTIFIER_H_
