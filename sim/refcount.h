// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reference counts (refcount_t, kref) and notifier chains. Counting up from zero or
// below zero is a finding, and leaves the count saturated, as the kernel does.
#ifndef SEEDBED_SIM_REFCOUNT_H_
#define SEEDBED_SIM_REFCOUNT_H_

#include "sim/base.h"
#include "sim/lock.h"
#include "sim/site.h"
#include "sim/wait.h"

struct sim_kref {
  s32 count;
};
void sim_kref_init(struct sim_kref *kref);
void sim_kref_get_at(struct sim_site *site, struct sim_kref *kref);
SIM_MUST_CHECK bool sim_kref_get_unless_zero_at(struct sim_site *site, struct sim_kref *kref);
// Returns whether the count fell to zero; then `release` was called.
bool sim_kref_put_at(struct sim_site *site, struct sim_kref *kref,
                     void (*release)(struct sim_kref *kref));
u32 sim_kref_read(const struct sim_kref *kref);
#define sim_kref_get(k) sim_kref_get_at(SIM_SITE("kref_get"), (k))
#define sim_kref_get_unless_zero(k) \
  sim_kref_get_unless_zero_at(SIM_SITE("kref_get_unless_zero"), (k))
#define sim_kref_put(k, r) sim_kref_put_at(SIM_SITE("kref_put"), (k), (r))

// Notifier chains, by priority (higher first), ties in order of registration.
// A call stops where a callback returns SIM_NOTIFY_STOP_MASK set, and returns what the
// last one did (SIM_NOTIFY_DONE of an empty chain).
enum {
  SIM_NOTIFY_DONE = 0,
  SIM_NOTIFY_OK = 1,
  SIM_NOTIFY_STOP_MASK = 0x8000,
  SIM_NOTIFY_STOP = SIM_NOTIFY_OK | SIM_NOTIFY_STOP_MASK,
};
struct sim_notifier {
  int (*fn)(struct sim_notifier *nb, unsigned long action, void *data);
  struct sim_notifier *next;
  int priority;
};
struct sim_notifier_chain {
  struct sim_notifier *first;
  struct sim_spinlock lock;  // atomic chain
  // Blocking chain: callers side by side, registration alone.
  struct sim_mutex mutex;
  struct sim_wait_queue_head no_readers;
  u32 readers;
  bool blocking;
};
void sim_notifier_chain_init(struct sim_notifier_chain *chain, const char *name, bool blocking);
// -SIM_EEXIST if it is registered already; -SIM_ENOENT if it was not. Unregistering
// sleeps (atomic chain: for a grace period) until no call uses it.
int sim_notifier_register_at(struct sim_site *site, struct sim_notifier_chain *chain,
                             struct sim_notifier *nb);
int sim_notifier_unregister_at(struct sim_site *site, struct sim_notifier_chain *chain,
                               struct sim_notifier *nb);
int sim_notifier_call_at(struct sim_site *site, struct sim_notifier_chain *chain,
                         unsigned long action, void *data);
#define sim_notifier_register(c, n) \
  sim_notifier_register_at(SIM_SITE("notifier_register"), (c), (n))
#define sim_notifier_unregister(c, n) \
  sim_notifier_unregister_at(SIM_SITE("notifier_unregister"), (c), (n))
#define sim_notifier_call(c, a, d) sim_notifier_call_at(SIM_SITE("notifier_call"), (c), (a), (d))

#endif  // SEEDBED_SIM_REFCOUNT_H_
