// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the locks: the checker of lock order and lock context, after the kernel's
// lockdep (kernel/locking/lockdep.c).
//
// Waiting for a work item or a timer's callback is an order too: their functions have
// classes, held while they run, and taken for a moment by who waits for their end.
//
// What it knows belongs to one run: which classes were held when a class was taken, and
// in which contexts a class was taken or held. So a cycle is found in any run that shows
// both orders, whether or not it deadlocks, and no run changes the result of another.
// Everything that is known already costs a few bit operations; only a new order or a new
// context is looked into.
//
// Not modelled: read locks, subclasses, cross-release.
#ifndef SEEDBED_SIM_LOCKDEP_H_
#define SEEDBED_SIM_LOCKDEP_H_

#include "sim/prim.h"

// Lock classes of one world, number 0 left out.
enum { SIM_LOCK_CLASSES_MAX = 64 };

// How a class was used. The first two: taken (not by trylock) in a hardirq or softirq.
// The others: held while that kind of interrupt could land.
enum {
  SIM_LOCK_IN_HARDIRQ = 1,
  SIM_LOCK_IN_SOFTIRQ = 2,
  SIM_LOCK_HARDIRQ_ON = 4,
  SIM_LOCK_SOFTIRQ_ON = 8,
};

// Where a class was first used in one of these ways, for reports: who took it where, and
// what that context held, the innermost first.
enum { SIM_LOCK_OUTER_MAX = 3 };
struct sim_lock_use {
  u16 actor, site;
  struct {
    u16 cls, site;  // 0: no more
  } outer[SIM_LOCK_OUTER_MAX];
};

struct sim_lock_info {
  const char *name;
  u64 before;  // bit per class: was held, directly or through others, when this was taken
  u8 usage;
  struct sim_lock_use first[4];  // as usage of struct sim_lockdep
};

// An order that was seen: `to` taken while `from` was held. For reports.
struct sim_lock_edge {
  struct sim_lock_edge *next;
  u16 from, to;
  u16 from_site, to_site;
};

struct sim_lockdep {
  u32 num;
  u64 usage[4];  // bit per class; index: log2 of the usage
  u64 told;      // bit per class: it has been reported as held where an interrupt may land
  struct sim_lock_edge *edges;
  struct sim_lock_info *cls[SIM_LOCK_CLASSES_MAX];
};

// The class of that name, made on first use.
u16 sim_lock_class(const char *name);

SIM_COLD void sim_lockdep_news(const struct sim_task *task, u16 cls, struct sim_site *site,
                               u64 held, u8 usage);
SIM_NORETURN SIM_COLD void sim_lockdep_in_nmi(const char *name, struct sim_site *site);
SIM_NORETURN SIM_COLD void sim_lockdep_again(const struct sim_task *task, const char *name,
                                             struct sim_site *site);
SIM_NORETURN SIM_COLD void sim_lock_misused(const char *name, const char *how,
                                            struct sim_site *site);

// How a lock that is held now would be used by its being held.
static inline u8 sim_lock_usage_on(const struct sim_cpu *cpu) {
  if (cpu->irqs_off) return 0;
  return cpu->cur->preempt_count & SIM_SOFTIRQ_MASK ? SIM_LOCK_HARDIRQ_ON
                                                    : SIM_LOCK_HARDIRQ_ON | SIM_LOCK_SOFTIRQ_ON;
}

// Checks, before `lock` is waited for: taken twice, order, context.
static inline void sim_lockdep_check(const void *lock, u16 cls, struct sim_site *site,
                                     bool trylock) {
  const struct sim_state *st = sim_w->st;
  const struct sim_cpu *cpu = st->cpu;
  const struct sim_task *task = cpu->cur;
  const struct sim_lockdep *d = (const struct sim_lockdep *)st->lockdep;
  if (sim_unlikely(cls == 0)) sim_lock_misused("?", "is used before its init", site);
  u8 level = sim_context_level(task->preempt_count);
  u8 usage = sim_lock_usage_on(cpu);
  u64 held = 0;
  if (!trylock) {
    for (u32 i = task->num_held; i-- > 0 && task->held[i].level == level;) {
      if (sim_unlikely(task->held[i].lock == lock))
        sim_lockdep_again(task, d->cls[cls]->name, site);
      held |= 1ull << task->held[i].cls;
    }
    if (sim_unlikely(level != 0)) {
      if (level == 3) sim_lockdep_in_nmi(d->cls[cls]->name, site);
      usage |= level == 1 ? SIM_LOCK_IN_SOFTIRQ : SIM_LOCK_IN_HARDIRQ;
    }
  }
  const struct sim_lock_info *info = d->cls[cls];
  if (sim_unlikely((held & ~info->before) | (u64)(usage & ~info->usage)))
    sim_lockdep_news(task, cls, site, held, usage);
}

// Checks the order of waiting for what runs under class `cls`; 0: no class. Contexts do
// not count: nothing is held.
static inline void sim_lockdep_check_wait(u16 cls, struct sim_site *site) {
  const struct sim_task *task = sim_cur_task();
  if (sim_likely(task->num_held == 0 || cls == 0)) return;
  const struct sim_lockdep *d = (const struct sim_lockdep *)sim_w->st->lockdep;
  u8 level = sim_context_level(task->preempt_count);
  u64 held = 0;
  for (u32 i = task->num_held; i-- > 0 && task->held[i].level == level;)
    held |= 1ull << task->held[i].cls;
  if (sim_unlikely(held & ~d->cls[cls]->before)) sim_lockdep_news(task, cls, site, held, 0);
}

// Notes that the running context holds `lock`.
static inline void sim_lockdep_acquired(const void *lock, u16 cls, const struct sim_site *site) {
  struct sim_task *task = sim_cur_task();
  SIM_ASSERT(task->num_held < SIM_HELD_MAX);
  task->held[task->num_held++] =
      (struct sim_held_lock){.lock = lock,
                             .site = site->canon,
                             .cls = cls,
                             .level = sim_context_level(task->preempt_count)};
}

// Notes that it no longer does; locks may be released in any order.
static inline void sim_lockdep_released(const void *lock, struct sim_site *site, const char *name) {
  struct sim_task *task = sim_cur_task();
  u32 i = task->num_held;
  while (i-- > 0) {
    if (task->held[i].lock != lock) continue;
    task->num_held--;
    for (; i < task->num_held; i++) task->held[i] = task->held[i + 1];
    return;
  }
  sim_lock_misused(name, "is released but not held", site);
}

#endif  // SEEDBED_SIM_LOCKDEP_H_
