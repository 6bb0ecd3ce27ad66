// SPDX-License-Identifier: GPL-2.0-or-later
//
// See sim/rt.h.
#include "sim/rt.h"

#include "sim/engine.h"
#include "sim/lockdep.h"

struct sim_rt_cpu {
  struct sim_task *ksoftirqd;
  struct sim_spinlock bh;
};

// ---- Locks ----

// A lock that sleeps, where nothing may: RCU readers may, as the kernel has it.
static void check_may_sleep(const char *name, struct sim_site *site) {
  const struct sim_cpu *cpu = sim_w->st->cpu;
  const struct sim_task *self = cpu->cur;
  char label[SIM_PLACE_LEN];
  if (sim_likely(self->preempt_count == 0 && !cpu->irqs_off)) return;
  sim_fail(&sim_oracle_atomic_sleep, name,
           "%s, which sleeps under rt=1, is taken at %s in %s: preempt_count %#x, interrupts %s",
           name, sim_site_label(site, label, sizeof(label)), sim_task_label(self),
           self->preempt_count, cpu->irqs_off ? "off" : "on");
}

static void note_taken(struct sim_site *site, const void *lock, u16 cls, u16 *owner) {
  struct sim_task *self = sim_cur_task();
  *owner = (u16)(1 + self->slot);
  self->pinned++;
  sim_hb_acquire(lock);
  sim_lockdep_acquired(lock, cls, site);
}

void sim_rt_lock(struct sim_site *site, const void *lock, const char *name, u16 cls, u16 *owner,
                 struct sim_task_list *waiters) {
  struct sim_task *self = sim_cur_task();
  check_may_sleep(name, site);
  sim_lockdep_check(lock, cls, site, false);
  if (sim_unlikely(*owner != 0)) {
    sim_task_list_add(waiters, self);
    self->rt_state = self->state;
    self->rt_waits = true;
    sim_block_in_lock(site, name);  // until it is handed over
    SIM_ASSERT(*owner == 1 + self->slot);
    self->state = self->rt_state;
    sim_alive(lock, name);
  }
  note_taken(site, lock, cls, owner);
}

bool sim_rt_trylock(struct sim_site *site, const void *lock, const char *name, u16 cls,
                    u16 *owner) {
  if (sim_in_hardirq()) check_may_sleep(name, site);
  if (*owner) return false;
  sim_lockdep_check(lock, cls, site, true);
  note_taken(site, lock, cls, owner);
  return true;
}

void sim_rt_unlock(struct sim_site *site, const void *lock, const char *name, u16 *owner,
                   struct sim_task_list *waiters) {
  struct sim_task *self = sim_cur_task(), *next;
  if (sim_unlikely(*owner != 1 + self->slot))
    sim_lock_misused(name, *owner ? "is released by another" : "is released but free", site);
  sim_lockdep_released(lock, site, name);
  sim_hb_release(lock);
  self->pinned--;
  next = sim_task_list_pop(waiters);
  *owner = next ? (u16)(1 + next->slot) : 0;
  if (!next) return;
  next->rt_waits = false;
  sim_wake(next);
}

// ---- Softirqs ----

static struct sim_rt_cpu *rt_cpu(const struct sim_cpu *cpu) {
  return &((struct sim_rt_cpu *)sim_w->st->rt)[cpu->id];
}

static void ksoftirqd(void *arg) {
  struct sim_cpu *cpu = arg;
  for (;;) {
    if (!cpu->softirq_pending) {
      sim_block(SIM_SITE("schedule"), SIM_TASK_IDLE, "softirqs");
      continue;
    }
    sim_rt_bh_disable();
    sim_softirq_rounds(cpu);
    sim_rt_bh_enable(SIM_SITE("local_bh_enable"));
    sim_cond_resched();
  }
}

void sim_rt_setup(void) {
  struct sim_state *st = sim_w->st;
  struct sim_rt_cpu *rt;
  if (!sim_rt()) return;
  rt = sim_alloc_static(st->num_cpus * sizeof(*rt), "ksoftirqd");
  st->rt = rt;
  for (u32 i = 0; i < st->num_cpus; i++) {
    sim_spin_lock_init(&rt[i].bh, "softirq_ctrl.lock");
    rt[i].ksoftirqd = sim_task_create("ksoftirqd", ksoftirqd, st->cpus[i], i, true, true);
    rt[i].ksoftirqd->kthread = rt[i].ksoftirqd->percpu_thread = true;
    rt[i].ksoftirqd->stays = true;
  }
}

void sim_rt_wake_ksoftirqd(const struct sim_cpu *cpu) { sim_wake(rt_cpu(cpu)->ksoftirqd); }

bool sim_rt_cpu_busy(const struct sim_cpu *cpu) {
  const struct sim_state *st = sim_w->st;
  const struct sim_task *thread = rt_cpu(cpu)->ksoftirqd;
  if (cpu->softirq_pending || !thread->sleeping || thread->rt_waits) return true;
  for (u32 i = 0; i < SIM_TASKS_MAX; i++) {
    const struct sim_task *task = st->tasks[i];
    if (task && !task->dead && task->cpu == cpu->id && task->pinned) return true;
  }
  return false;
}

void sim_rt_bh_disable(void) {
  struct sim_cpu *cpu = sim_w->st->cpu;
  struct sim_task *self = cpu->cur;
  struct sim_spinlock *bh = &rt_cpu(cpu)->bh;
  if (self->bh_off++) return;
  // The lock is this CPU's: who waits for it must not go to another.
  self->pinned++;
  sim_rt_lock(SIM_SITE("local_bh_disable"), bh, bh->name, bh->cls, &bh->owner, &bh->waiters);
  self->pinned--;
}

void sim_rt_bh_enable(struct sim_site *site) {
  const struct sim_cpu *cpu = sim_w->st->cpu;
  struct sim_spinlock *bh = &rt_cpu(cpu)->bh;
  if (!cpu->cur->bh_off)
    sim_fail(&sim_oracle_context, "bh_enable", "local_bh_enable without local_bh_disable");
  if (--cpu->cur->bh_off == 0) sim_rt_unlock(site, bh, bh->name, &bh->owner, &bh->waiters);
}
