// SPDX-License-Identifier: GPL-2.0-or-later
//
// RCU (kernel/rcu/tree.c, tree_plugin.h), preemptible flavour: grace periods by counting
// the read-side sections that were open when one began.
//
// One grace period is in progress at a time; who asks during one waits for the next. It
// ends when rcu_gp_ns are over, no section from before it is open, every CPU that had
// preemption, softirqs or interrupts off at its begin has been seen with all of them on
// (that is a reader too, since 4.20), and, where kernel code is not preempted (preempt=0),
// every CPU has been idle or has scheduled since: a task that only spins there stalls it,
// as in a kernel without PREEMPT_RCU.
// Its length is drawn: rcu_gp_ns is the calm one; the other is that of an expedited period,
// a few interrupts long, which is when a reader that lacks its rcu_read_lock is hit.
#include "sim/rcu.h"

#include <string.h>

#include "sim/prim.h"
#include "sim/wait.h"

struct rcu_waiter {  // on the stack of a task in synchronize_rcu
  struct rcu_waiter *next;
  struct sim_task *task;
  u32 gp;
  bool done;
};

struct rcu_cpu {
  struct sim_rcu_head *first, *last;  // callbacks, FIFO
  u32 len;                            // of them, and of those that run
  struct sim_hw_event kick;           // raises RCU_SOFTIRQ there
  u64 switched_ns;                    // ran_since_ns of its task at the begin
};

struct sim_rcu {
  u32 begun, completed;  // grace periods
  u32 open;              // sections open now
  u32 waiting;           // of those, older than the one in progress
  u32 cpus_due;          // CPUs that have passed no quiescent state since its begin
  bool time_over, stalled, expedited;
  u64 begin_ns;
  struct rcu_waiter *waiters;
  struct sim_hw_event timer;
  struct rcu_cpu cpu[];
};

static struct sim_rcu *rcu_state(void) { return (struct sim_rcu *)sim_w->st->rcu; }

static void rcu_softirq(void);
static void rcu_timer(void *arg);

void sim_rcu_setup(void) {
  struct sim_state *st = sim_w->st;
  size_t size = sizeof(struct sim_rcu) + st->num_cpus * sizeof(struct rcu_cpu);
  st->rcu = sim_arena_alloc(&sim_w->arena, size);
  SIM_ASSERT(st->rcu != NULL);
  memset(st->rcu, 0, size);
  sim_open_softirq(SIM_RCU_SOFTIRQ, rcu_softirq);
}

// ---- Grace periods ----

static bool in_progress(const struct sim_rcu *rcu) { return rcu->begun != rcu->completed; }

// The CPU runs what a grace period must wait for. An interrupt that looks at its own CPU
// means what it interrupted, which had interrupts on.
static bool is_atomic(const struct sim_cpu *cpu) {
  u32 count = cpu->cur->preempt_count;
  if (cpu == sim_w->st->cpu && (count & SIM_HARDIRQ_MASK))
    return (count & (SIM_PREEMPT_MASK | SIM_SOFTIRQ_MASK)) != 0;
  return count != 0 || cpu->irqs_off;
}

static u64 gp_length(struct sim_rcu *rcu) {
  struct sim_site *site = SIM_SITE_DRAW("rcu-expedited", SIM_SITE_TIME, 1, 4);
  u64 shortest = 2 * (u64)sim_w->cfg.irq_cost_ns;
  rcu->expedited = sim_choose(sim_w, site, 2) != 0;
  return rcu->expedited && shortest < sim_w->cfg.rcu_gp_ns ? shortest : sim_w->cfg.rcu_gp_ns;
}

static void gp_begin(struct sim_rcu *rcu) {
  struct sim_state *st = sim_w->st;
  if (sim_unlikely(sim_race != NULL)) sim_race_gp_begin();
  rcu->begun++;
  rcu->begin_ns = st->cpu->clock_ns;
  rcu->waiting = rcu->open;
  rcu->time_over = rcu->stalled = false;
  rcu->cpus_due = 0;
  for (u32 i = 0; i < st->num_cpus; i++) {
    const struct sim_cpu *cpu = st->cpus[i];
    if (!cpu->online || (sim_w->cfg.preempt && !is_atomic(cpu))) continue;
    rcu->cpus_due |= 1u << i;
    rcu->cpu[i].switched_ns = cpu->cur->ran_since_ns;
  }
  sim_hw_event_arm(&rcu->timer, rcu->begin_ns + gp_length(rcu), rcu_timer, rcu, st->cpu->id);
}

static void kick_local(void *arg) {
  (void)arg;
  sim_raise_softirq(SIM_RCU_SOFTIRQ);
}

// Has `cpu` run its callbacks that are ready.
static void kick(struct sim_rcu *rcu, struct sim_cpu *cpu) {
  struct rcu_cpu *rc = &rcu->cpu[cpu->id];
  if (!rc->first || (s32)((u32)rc->first->gp - rcu->completed) > 0) return;
  if (cpu == sim_w->st->cpu)
    sim_raise_softirq(SIM_RCU_SOFTIRQ);
  else if (!rc->kick.armed)
    sim_hw_event_arm(&rc->kick, sim_w->st->cpu->clock_ns, kick_local, NULL, cpu->id);
}

// CPUs that pass the period's quiescent state by being idle, having scheduled or, where that
// is enough, being out of whatever is atomic.
static void look_at_cpus(struct sim_rcu *rcu) {
  const struct sim_state *st = sim_w->st;
  for (u32 i = 0; i < st->num_cpus && rcu->cpus_due; i++) {
    const struct sim_cpu *cpu = st->cpus[i];
    bool idle = cpu->idle && !is_atomic(cpu);
    if (!cpu->online || idle || cpu->cur->ran_since_ns != rcu->cpu[i].switched_ns ||
        (sim_w->cfg.preempt && !is_atomic(cpu)))
      rcu->cpus_due &= ~(1u << i);
  }
}

// Ends the period in progress if it can end; begins the next if somebody waits for it.
static void gp_try_end(struct sim_rcu *rcu) {
  struct sim_state *st = sim_w->st;
  if (!rcu->time_over || rcu->waiting || rcu->cpus_due) return;
  if (rcu->timer.armed) sim_hw_event_disarm(&rcu->timer);
  rcu->completed = rcu->begun;
  if (sim_unlikely(sim_race != NULL)) sim_race_gp_end(rcu);
  bool more = false;
  for (struct rcu_waiter **at = &rcu->waiters; *at;) {
    struct rcu_waiter *w = *at;
    if (w->gp != rcu->completed) {
      more = true;
      at = &w->next;
      continue;
    }
    *at = w->next;
    w->done = true;
    sim_wake(w->task);
  }
  for (u32 i = 0; i < st->num_cpus; i++)
    if (rcu->cpu[i].last && (u32)rcu->cpu[i].last->gp == rcu->completed + 1) more = true;
  if (more) gp_begin(rcu);
  for (u32 i = 0; i < st->num_cpus; i++)
    if (st->cpus[i] != st->cpu) kick(rcu, st->cpus[i]);
  kick(rcu, st->cpu);  // last: its callbacks may run at once
}

SIM_COLD static void report_stall(struct sim_rcu *rcu) {
  const struct sim_state *st = sim_w->st;
  const struct sim_task *culprit = NULL;
  for (u32 i = 0; i < SIM_TASKS_MAX && !culprit; i++) {
    const struct sim_task *t = st->tasks[i];
    if (t && !t->dead && t->rcu_nesting && t->rcu_gp != rcu->begun) culprit = t;
  }
  for (u32 i = 0; i < st->num_cpus && !culprit; i++)
    if (rcu->cpus_due & (1u << i)) culprit = st->cpus[i]->cur;
  if (!culprit) culprit = st->cpu->cur;
  char base[SIM_TASK_BASE_LEN], place[SIM_PLACE_LEN];
  rcu->stalled = true;
  sim_report(&sim_oracle_rcu_stall, sim_task_base(culprit, base),
             "a grace period begun at %llu ns has not ended: %s is %s, last seen at %s",
             (unsigned long long)rcu->begin_ns, sim_task_label(culprit),
             culprit->rcu_nesting ? "inside rcu_read_lock" : "running without scheduling",
             sim_task_place(culprit, place));
}

// At the period's shortest length, and then until it has ended: each tick, or every 10 us
// where it is expedited.
static void rcu_timer(void *arg) {
  struct sim_rcu *rcu = arg;
  u64 now = sim_w->st->cpu->clock_ns;
  rcu->time_over = true;
  look_at_cpus(rcu);
  if (rcu->waiting || rcu->cpus_due) {
    if (!rcu->stalled && now - rcu->begin_ns > sim_w->cfg.rcu_stall_ns) report_stall(rcu);
    u64 again =
        rcu->expedited && now - rcu->begin_ns < sim_w->st->tick_ns ? 10000 : sim_w->st->tick_ns;
    sim_hw_event_arm(&rcu->timer, now + again, rcu_timer, rcu, sim_w->st->cpu->id);
    return;
  }
  gp_try_end(rcu);
}

// The period after whose end everything that is open now has closed.
static u32 gp_to_wait_for(struct sim_rcu *rcu) {
  if (in_progress(rcu)) return rcu->begun + 1;
  gp_begin(rcu);
  return rcu->begun;
}

// ---- Readers ----

void sim_rcu_read_lock(void) {
  struct sim_task *self = sim_cur_task();
  if (self->rcu_nesting++) return;
  struct sim_rcu *rcu = rcu_state();
  if (sim_unlikely(sim_race != NULL)) sim_race_reader();
  self->rcu_gp = rcu->begun;
  rcu->open++;
}

void sim_rcu_read_unlock_at(struct sim_site *site) {
  sim_point(site, NULL, SIM_COST_ACCESS);
  struct sim_task *self = sim_cur_task();
  if (sim_unlikely(self->rcu_nesting == 0))
    sim_fail(&sim_oracle_context, "rcu_read_unlock", "rcu_read_unlock without rcu_read_lock in %s",
             sim_task_label(self));
  if (--self->rcu_nesting) return;
  struct sim_rcu *rcu = rcu_state();
  sim_hb_release(rcu);
  rcu->open--;
  if (sim_likely(!in_progress(rcu)) || self->rcu_gp == rcu->begun) return;
  if (--rcu->waiting == 0) gp_try_end(rcu);
}

// ---- Waiting ----

static void check_updater(const char *what) {
  const struct sim_task *self = sim_cur_task();
  if (self->rcu_nesting)
    sim_fail(&sim_oracle_context, what, "%s inside rcu_read_lock, in %s", what,
             sim_task_label(self));
  sim_may_sleep(what);
}

void sim_synchronize_rcu_at(struct sim_site *site) {
  check_updater("synchronize_rcu");
  sim_point(site, NULL, SIM_COST_LOCK);
  struct sim_rcu *rcu = rcu_state();
  struct rcu_waiter waiter = {.task = sim_cur_task(), .gp = gp_to_wait_for(rcu)};
  struct rcu_waiter **at = &rcu->waiters;
  while (*at) at = &(*at)->next;
  *at = &waiter;
  while (!waiter.done) sim_block(site, SIM_TASK_UNINTERRUPTIBLE, "synchronize_rcu");
  sim_hb_acquire(rcu);
}

// ---- Callbacks ----

static void enqueue(struct sim_rcu *rcu, u32 cpu, struct sim_rcu_head *head,
                    void (*fn)(struct sim_rcu_head *head)) {
  struct rcu_cpu *rc = &rcu->cpu[cpu];
  *head = (struct sim_rcu_head){.fn = fn, .gp = gp_to_wait_for(rcu)};
  sim_hb_release(head);
  if (rc->last)
    rc->last->next = head;
  else
    rc->first = head;
  rc->last = head;
  rc->len++;
}

void sim_call_rcu_at(struct sim_site *site, struct sim_rcu_head *head,
                     void (*fn)(struct sim_rcu_head *head)) {
  sim_not_in_nmi("call_rcu");
  sim_point(site, head, SIM_COST_LOCK);
  enqueue(rcu_state(), sim_w->st->cpu->id, head, fn);
}

static void rcu_softirq(void) {
  struct sim_rcu *rcu = rcu_state();
  struct rcu_cpu *rc = &rcu->cpu[sim_w->st->cpu->id];
  for (;;) {
    sim_point(SIM_SITE("rcu_callback"), rc->first, SIM_COST_ACCESS);
    struct sim_rcu_head *head = rc->first;
    if (!head || (s32)((u32)head->gp - rcu->completed) > 0) return;
    rc->first = head->next;
    if (!rc->first) rc->last = NULL;
    sim_hb_acquire(head);
    sim_hb_acquire(rcu);
    head->fn(head);
    sim_hb_release(rc);
    rc->len--;
  }
}

// A barrier is a callback of its own behind those of every CPU.
struct barrier {
  struct sim_completion done;
  u32 left;
};
struct barrier_head {
  struct sim_rcu_head head;
  struct barrier *barrier;
};

static void barrier_callback(struct sim_rcu_head *head) {
  struct barrier *b = sim_container_of(head, struct barrier_head, head)->barrier;
  if (--b->left == 0) sim_complete(&b->done);
}

void sim_rcu_barrier_at(struct sim_site *site) {
  check_updater("rcu_barrier");
  sim_point(site, NULL, SIM_COST_LOCK);
  struct sim_rcu *rcu = rcu_state();
  struct barrier b = {0};
  struct barrier_head heads[SIM_CPUS_MAX];
  sim_init_completion(&b.done, "rcu_barrier");
  for (u32 i = 0; i < sim_w->st->num_cpus; i++) {
    // One that is running is one still, and what has run is behind us (rcu_do_batch's smp_mb).
    sim_hb_acquire(&rcu->cpu[i]);
    if (!rcu->cpu[i].len) continue;
    heads[i].barrier = &b;
    enqueue(rcu, i, &heads[i].head, barrier_callback);
    b.left++;
  }
  if (b.left)
    sim_wait_for_completion_at(site, &b.done, SIM_TASK_UNINTERRUPTIBLE, SIM_MAX_SCHEDULE_TIMEOUT);
}

bool sim_rcu_queued_in(const char *from, size_t size) {
  const struct sim_rcu *rcu = rcu_state();
  for (u32 i = 0; i < sim_w->st->num_cpus; i++)
    for (const struct sim_rcu_head *head = rcu->cpu[i].first; head; head = head->next)
      if ((size_t)((const char *)head - from) < size) return true;
  return false;
}

// ---- Hotplug ----

void sim_rcu_cpu_dead(struct sim_cpu *cpu, struct sim_cpu *to) {
  struct sim_rcu *rcu = rcu_state();
  struct rcu_cpu *from = &rcu->cpu[cpu->id], *rc = &rcu->cpu[to->id];
  sim_hw_event_disarm(&from->kick);
  if (!from->first) return;
  // Callbacks of both CPUs in one queue: each list is in the order of its periods.
  struct sim_rcu_head *a = rc->first, *b = from->first, **at = &rc->first;
  while (a || b) {
    struct sim_rcu_head **take = !b || (a && (s32)((u32)a->gp - (u32)b->gp) <= 0) ? &a : &b;
    *at = rc->last = *take;
    at = &(*take)->next;
    *take = *at;
  }
  from->first = from->last = NULL;
  rc->len += from->len;
  from->len = 0;
  kick(rcu, to);
}
