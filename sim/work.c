// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work queues (kernel/workqueue.c): a FIFO of items and the worker tasks that serve it.
//
// An item is pending from the time it is queued, or its timer is armed, until a worker
// takes it; so it may be queued again by its own function. One that is queued while a
// worker still runs it goes to that worker's queue and waits for it. A worker forgets an
// item before it calls the function, which may free it. Cancelling disables the item
// meanwhile: it cannot be queued.
//
// Left out: concurrency management. The workers of a queue bound to a CPU may take turns
// there, where the kernel starts the next only when one sleeps.
#include "sim/work.h"

#include <string.h>

#include "sim/lockdep.h"

struct sim_worker {
  struct sim_workqueue *wq;
  struct sim_task *task;
  struct sim_work *current;       // what it runs; compared, not touched
  struct work_flusher *flushers;  // wait for the end of `current`
  u8 home;                        // CPU it was made for
  bool idle;
};

struct sim_workqueue {
  const char *name;
  struct sim_workqueue *next;
  struct sim_work *first, *last;
  int cpu;
  u32 num_workers;
  struct sim_worker worker[];
};

// On the stack of a task that waits for an item.
struct work_flusher {
  struct work_flusher *next;
  const struct sim_work *work;
  struct sim_task *task;
  bool done;
};

struct sim_work_state {
  struct sim_workqueue *queues;
  struct work_flusher *flushers;  // of items that no worker has taken yet
};

static struct sim_work_state *work_state(void) { return (struct sim_work_state *)sim_w->st->work; }

void sim_work_setup(void) {
  sim_w->st->work = sim_arena_alloc(&sim_w->arena, sizeof(struct sim_work_state));
  SIM_ASSERT(sim_w->st->work != NULL);
  memset(sim_w->st->work, 0, sizeof(struct sim_work_state));
}

// ---- Queues and their items ----

static struct sim_worker *find_running(const struct sim_work *work) {
  for (struct sim_workqueue *wq = work_state()->queues; wq; wq = wq->next)
    for (u32 i = 0; i < wq->num_workers; i++)
      if (wq->worker[i].current == work) return &wq->worker[i];
  return NULL;
}

static void unlink_work(struct sim_work *work) {
  struct sim_workqueue *wq = work->wq;
  struct sim_work *before = NULL;
  struct sim_work *w = wq->first;
  while (w != work) {
    before = w;
    w = w->next;
  }
  if (before)
    before->next = work->next;
  else
    wq->first = work->next;
  if (wq->last == work) wq->last = before;
  work->next = NULL;
  work->wq = NULL;
}

// Wakes an idle worker: of several, the one on the CPU with the lowest clock. One that
// was moved when its CPU went offline goes back to it.
static void wake_worker(struct sim_workqueue *wq) {
  const struct sim_state *st = sim_w->st;
  struct sim_worker *best = NULL;
  for (u32 i = 0; i < wq->num_workers; i++) {
    struct sim_worker *worker = &wq->worker[i];
    if (!worker->idle) continue;
    if (!best || st->cpus[worker->task->cpu]->clock_ns < st->cpus[best->task->cpu]->clock_ns)
      best = worker;
  }
  if (!best) return;
  best->idle = false;
  if (st->cpus[best->home]->online) best->task->cpu = best->home;
  sim_wake(best->task);
}

static void insert_work(struct sim_workqueue *wq, struct sim_work *work) {
  struct sim_worker *running = find_running(work);
  if (running) wq = running->wq;
  work->wq = wq;
  work->next = NULL;
  if (wq->last)
    wq->last->next = work;
  else
    wq->first = work;
  wq->last = work;
  if (!running) wake_worker(wq);
}

bool sim_work_queued_in(const char *from, size_t size) {
  for (const struct sim_workqueue *wq = work_state()->queues; wq; wq = wq->next)
    for (const struct sim_work *work = wq->first; work; work = work->next)
      if ((size_t)((const char *)work - from) < size) return true;
  return false;
}

// ---- Workers ----

// The first item that no other worker is running; off the queue.
static struct sim_work *take_work(struct sim_workqueue *wq) {
  for (struct sim_work *work = wq->first; work; work = work->next) {
    if (find_running(work)) continue;
    unlink_work(work);
    return work;
  }
  return NULL;
}

static void move_flushers(struct work_flusher **from, struct work_flusher **to,
                          const struct sim_work *work) {
  while (*to) to = &(*to)->next;
  while (*from) {
    struct work_flusher *f = *from;
    if (f->work != work) {
      from = &f->next;
      continue;
    }
    *from = f->next;
    f->next = NULL;
    *to = f;
    to = &f->next;
  }
}

static void finish_flushers(struct work_flusher **list) {
  struct work_flusher *f = *list;
  *list = NULL;
  while (f) {
    struct work_flusher *next = f->next;
    f->done = true;
    sim_wake(f->task);
    f = next;
  }
}

// A function must return as it was called.
static void check_after(const struct sim_worker *worker) {
  const struct sim_task *self = worker->task;
  if (self->num_held == 1 && self->preempt_count == 0 && self->rcu_nesting == 0 &&
      !sim_w->st->cpu->irqs_off)
    return;
  sim_lockdep_irq_exit(1);  // its own class
  sim_fail(&sim_oracle_context, worker->wq->name,
           "a work item of %s returned with preempt_count %#x, rcu_nesting %u, interrupts %s",
           worker->wq->name, self->preempt_count, self->rcu_nesting,
           sim_w->st->cpu->irqs_off ? "off" : "on");
}

static void worker_main(void *arg) {
  struct sim_worker *worker = arg;
  struct sim_workqueue *wq = worker->wq;
  for (;;) {
    struct sim_work *work = take_work(wq);
    if (!work) {
      worker->idle = true;
      sim_block(SIM_SITE("worker_idle"), SIM_TASK_IDLE, wq->name);
      continue;
    }
    worker->current = work;
    move_flushers(&work_state()->flushers, &worker->flushers, work);
    work->pending = false;
    sim_hb_acquire(work);
    struct sim_site *site = SIM_SITE("work");
    sim_lockdep_check(worker, work->cls, site, false);
    sim_lockdep_acquired(worker, work->cls, site);
    work->fn(work);
    sim_hb_release(work);  // its name: the item itself may be gone
    check_after(worker);
    sim_lockdep_released(worker, site, wq->name);
    sim_point(SIM_SITE("work_done"), NULL, SIM_COST_LOCK);
    worker->current = NULL;
    finish_flushers(&worker->flushers);
    sim_cond_resched();
  }
}

struct sim_workqueue *sim_alloc_workqueue(const char *name, int cpu, u32 workers) {
  const struct sim_state *st = sim_w->st;
  if (workers == 0 || cpu >= (int)st->num_cpus)
    sim_fail(&sim_oracle_api, name, "workqueue %s: %u workers on CPU %d", name, workers, cpu);
  struct sim_workqueue *wq =
      sim_alloc_static(sizeof(*wq) + workers * sizeof(struct sim_worker), name);
  wq->name = name;
  wq->cpu = cpu;
  wq->num_workers = workers;
  struct sim_workqueue **at = &work_state()->queues;
  while (*at) at = &(*at)->next;
  *at = wq;
  for (u32 i = 0; i < workers; i++) {
    struct sim_worker *worker = &wq->worker[i];
    worker->wq = wq;
    worker->home = (u8)(cpu >= 0 ? (u32)cpu : i % st->num_cpus);
    worker->task = sim_task_create(name, worker_main, worker, worker->home, true, false);
    worker->task->kthread = true;
    worker->task->percpu_thread = cpu >= 0;
  }
  return wq;
}

// ---- Queueing ----

void sim_init_work_named(struct sim_work *work, void (*fn)(struct sim_work *work),
                         const char *name) {
  *work = (struct sim_work){.fn = fn, .cls = sim_lock_class(name)};
}

// Makes it pending unless it is or is being cancelled.
static bool claim_work(struct sim_work *work) {
  sim_not_in_nmi("queue_work");
  if (!work->fn) sim_fail(&sim_oracle_api, "work", "work is queued before its init");
  sim_hb_release(work);  // also where it is pending: its worker clears that first of all
  if (work->pending || work->disabled) return false;
  work->pending = true;
  return true;
}

bool sim_queue_work_at(struct sim_site *site, struct sim_workqueue *wq, struct sim_work *work) {
  sim_point(site, work, SIM_COST_LOCK);
  if (!claim_work(work)) return false;
  insert_work(wq, work);
  return true;
}

static void delayed_work_timer(struct sim_timer *timer) {
  struct sim_delayed_work *dw = sim_container_of(timer, struct sim_delayed_work, timer);
  sim_hb_release(&dw->work);
  insert_work(dw->wq, &dw->work);
}

void sim_init_delayed_work_named(struct sim_delayed_work *dw, void (*fn)(struct sim_work *work),
                                 const char *name) {
  *dw = (struct sim_delayed_work){0};
  sim_init_work_named(&dw->work, fn, name);
  sim_timer_setup(&dw->timer, delayed_work_timer);
}

static void queue_delayed(struct sim_workqueue *wq, struct sim_delayed_work *dw, u64 delay) {
  dw->wq = wq;
  if (delay == 0)
    insert_work(wq, &dw->work);
  else
    sim_timer_arm(&dw->timer, sim_jiffies() + delay, sim_w->st->cpu->id);
}

bool sim_queue_delayed_work_at(struct sim_site *site, struct sim_workqueue *wq,
                               struct sim_delayed_work *dw, u64 delay_jiffies) {
  sim_point(site, dw, SIM_COST_LOCK);
  if (!claim_work(&dw->work)) return false;
  queue_delayed(wq, dw, delay_jiffies);
  return true;
}

// ---- Taking back ----

// Takes a pending item off its queue or timer; returns whether it was pending. `dw` is
// NULL for plain work.
static bool grab_pending(struct sim_site *site, struct sim_work *work,
                         struct sim_delayed_work *dw) {
  // Between the end of its timer and its queue there is a moment on another CPU.
  while (work->pending && !work->wq && !(dw && dw->timer.pending)) {
    sim_cpu_relax_at(site);
    sim_alive(work, "cancel_work");
  }
  if (!work->pending) return false;
  sim_hb_acquire(work);
  if (work->wq) {
    unlink_work(work);
    struct work_flusher *mine = NULL;
    move_flushers(&work_state()->flushers, &mine, work);
    finish_flushers(&mine);
  } else {
    sim_timer_detach(&dw->timer);
  }
  work->pending = false;
  return true;
}

bool sim_mod_delayed_work_at(struct sim_site *site, struct sim_workqueue *wq,
                             struct sim_delayed_work *dw, u64 delay_jiffies) {
  sim_point(site, dw, SIM_COST_LOCK);
  bool was = grab_pending(site, &dw->work, dw);
  if (claim_work(&dw->work)) queue_delayed(wq, dw, delay_jiffies);
  return was;
}

// Waits for the end of a run of `work` that goes on now, or of the one it is queued for.
static void wait_for_work(struct sim_site *site, struct sim_work *work, const char *what) {
  struct sim_worker *running = find_running(work);
  struct work_flusher **list;
  if (running && running->task == sim_cur_task())
    sim_fail(&sim_oracle_api, what, "%s from the work's own function, in %s", what,
             sim_task_label(sim_cur_task()));
  sim_lockdep_check_wait(work->cls, site);
  if (work->wq) {
    list = &work_state()->flushers;
  } else if (running) {
    list = &running->flushers;
  } else {
    sim_hb_acquire(work);  // the pool's lock tells that it is idle
    return;
  }
  struct work_flusher flusher = {.work = work, .task = sim_cur_task()};
  while (*list) list = &(*list)->next;
  *list = &flusher;
  while (!flusher.done) sim_block(site, SIM_TASK_UNINTERRUPTIBLE, what);
  sim_hb_acquire(work);
}

void sim_flush_work_at(struct sim_site *site, struct sim_work *work) {
  sim_may_sleep("flush_work");
  sim_point(site, work, SIM_COST_LOCK);
  wait_for_work(site, work, "flush_work");
}

static bool cancel_sync(struct sim_site *site, struct sim_work *work, struct sim_delayed_work *dw,
                        const char *what) {
  sim_may_sleep(what);
  sim_point(site, work, SIM_COST_LOCK);
  bool was = grab_pending(site, work, dw);
  work->disabled++;
  wait_for_work(site, work, what);
  sim_alive(work, what);
  work->disabled--;
  return was;
}

bool sim_cancel_work_sync_at(struct sim_site *site, struct sim_work *work) {
  return cancel_sync(site, work, NULL, "cancel_work_sync");
}

bool sim_cancel_delayed_work_sync_at(struct sim_site *site, struct sim_delayed_work *dw) {
  return cancel_sync(site, &dw->work, dw, "cancel_delayed_work_sync");
}
