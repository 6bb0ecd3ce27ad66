// SPDX-License-Identifier: GPL-2.0-or-later
//
// RCU: preemptible flavour. A grace period ends when every read-side section that
// was open when it began has closed, and no sooner than rcu_gp_ns after its begin.
#ifndef SEEDBED_SIM_RCU_H_
#define SEEDBED_SIM_RCU_H_

#include "sim/base.h"
#include "sim/site.h"
#include "sim/world.h"

// Readers may be preempted and interrupted, must not sleep otherwise.
void sim_rcu_read_lock(void);
void sim_rcu_read_unlock_at(struct sim_site *site);
#define sim_rcu_read_unlock() sim_rcu_read_unlock_at(SIM_SITE("rcu_read_unlock"))
// Task context, not inside a reader (reported as context-misuse).
void sim_synchronize_rcu_at(struct sim_site *site);
#define sim_synchronize_rcu() sim_synchronize_rcu_at(SIM_SITE("synchronize_rcu"))
struct sim_rcu_head {
  struct sim_rcu_head *next;
  void (*fn)(struct sim_rcu_head *head);
  u64 gp;
};
// fn runs in RCU_SOFTIRQ after a grace period. Any context.
void sim_call_rcu_at(struct sim_site *site, struct sim_rcu_head *head,
                     void (*fn)(struct sim_rcu_head *head));
#define sim_call_rcu(h, fn) sim_call_rcu_at(SIM_SITE("call_rcu"), (h), (fn))
#define sim_rcu_dereference(p) sim_smp_load_acquire(&(p))
#define sim_rcu_assign_pointer(p, v) sim_smp_store_release(&(p), v)
// Waits for every call_rcu callback queued so far.
void sim_rcu_barrier_at(struct sim_site *site);
#define sim_rcu_barrier() sim_rcu_barrier_at(SIM_SITE("rcu_barrier"))

#endif  // SEEDBED_SIM_RCU_H_
