// SPDX-License-Identifier: GPL-2.0-or-later
//
// Notifier chains (kernel/notifier.c), atomic and blocking. Callbacks of an atomic chain
// run inside an RCU reader, and unregistering waits for a grace period. Those of a
// blocking chain run with its semaphore held for reading: here a count of callers below
// the mutex, so that callers run side by side and registration waits for them.
#include "sim/lockdep.h"
#include "sim/rcu.h"
#include "sim/refcount.h"

void sim_notifier_chain_init(struct sim_notifier_chain *chain, const char *name, bool blocking) {
  *chain = (struct sim_notifier_chain){.blocking = blocking};
  if (blocking) {
    sim_mutex_init(&chain->mutex, name);
    sim_init_waitqueue_head(&chain->no_readers, name);
  } else {
    sim_spin_lock_init(&chain->lock, name);
  }
}

static unsigned long lock_for_writing(struct sim_site *site, struct sim_notifier_chain *chain) {
  if (!chain->blocking) return sim_spin_lock_irqsave_flags(site, &chain->lock);
  sim_mutex_lock_at(site, &chain->mutex);
  sim_wait_event(&chain->no_readers, chain->readers == 0);
  return 0;
}

static void unlock_after_writing(struct sim_site *site, struct sim_notifier_chain *chain,
                                 unsigned long flags) {
  if (chain->blocking)
    sim_mutex_unlock_at(site, &chain->mutex);
  else
    sim_spin_unlock_irqrestore_at(site, &chain->lock, flags);
}

int sim_notifier_register_at(struct sim_site *site, struct sim_notifier_chain *chain,
                             struct sim_notifier *nb) {
  unsigned long flags = lock_for_writing(site, chain);
  struct sim_notifier **at = &chain->first;
  int rc = 0;
  for (struct sim_notifier *n = chain->first; n; n = n->next)
    if (n == nb) rc = -SIM_EEXIST;
  if (!rc) {
    while (*at && (*at)->priority >= nb->priority) at = &(*at)->next;
    nb->next = *at;
    sim_hb_release(chain);  // rcu_assign_pointer
    *at = nb;
  }
  unlock_after_writing(site, chain, flags);
  return rc;
}

int sim_notifier_unregister_at(struct sim_site *site, struct sim_notifier_chain *chain,
                               struct sim_notifier *nb) {
  unsigned long flags = lock_for_writing(site, chain);
  int rc = -SIM_ENOENT;
  for (struct sim_notifier **at = &chain->first; *at; at = &(*at)->next) {
    if (*at != nb) continue;
    *at = nb->next;
    rc = 0;
    break;
  }
  unlock_after_writing(site, chain, flags);
  if (!chain->blocking) sim_synchronize_rcu_at(site);
  return rc;
}

static int call_chain(struct sim_site *site, struct sim_notifier_chain *chain, unsigned long action,
                      void *data) {
  int rc = SIM_NOTIFY_DONE;
  struct sim_notifier *next;
  sim_hb_acquire(chain);  // rcu_dereference, of the newest that is registered
  for (struct sim_notifier *nb = chain->first; nb; nb = next) {
    sim_point(site, nb, SIM_COST_ACCESS);
    next = nb->next;
    rc = nb->fn(nb, action, data);
    if (rc & SIM_NOTIFY_STOP_MASK) break;
  }
  return rc;
}

int sim_notifier_call_at(struct sim_site *site, struct sim_notifier_chain *chain,
                         unsigned long action, void *data) {
  int rc;
  if (!chain->blocking) {
    sim_rcu_read_lock();
    rc = call_chain(site, chain, action, data);
    sim_rcu_read_unlock_at(site);
    return rc;
  }
  sim_mutex_lock_at(site, &chain->mutex);
  chain->readers++;
  sim_mutex_unlock_at(site, &chain->mutex);
  // The class of the chain is held for reading.
  sim_lockdep_acquired(&chain->readers, chain->mutex.cls, site);
  rc = call_chain(site, chain, action, data);
  sim_lockdep_released(&chain->readers, site, chain->mutex.name);
  sim_point(site, chain, SIM_COST_LOCK);
  sim_hb_locked(chain);  // down_read, up_read
  if (--chain->readers == 0) sim_wake_up_all(&chain->no_readers);
  return rc;
}
