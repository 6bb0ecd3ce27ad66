// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work queues: each queueing runs once, one run at a time, and what cancel and flush wait
// for.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/wait.h"
#include "sim/work.h"

struct item {
  struct sim_delayed_work dw;
  u32 runs, inside, sleep_us, requeues, cpus;
  u64 ran_ns;
  bool gone;
};
struct shared {
  struct sim_workqueue *wq, *wide, *unbound;
  struct item item[4];
  u32 order[16], num_order, queued, inside, inside_max;
};
static struct shared *sh(void) { return sim_private(); }
static struct sim_work *plain(struct item *it) { return &it->dw.work; }

static void run_item(struct sim_work *work) {
  struct item *it = sim_container_of(work, struct item, dw.work);
  struct shared *s = sh();
  SIM_EXPECT(!it->gone);
  SIM_EXPECT(sim_in_task() && !sim_in_atomic());
  SIM_EXPECT_EQ(it->inside, 0);
  it->inside = 1;
  if (++s->inside > s->inside_max) s->inside_max = s->inside;
  it->cpus |= 1u << sim_smp_processor_id();
  it->ran_ns = sim_clock_ns();
  if (it->requeues && sim_queue_work(s->wide, work)) {
    it->requeues--;
    s->queued++;
  }
  sim_elapse(500);
  if (it->sleep_us) sim_usleep_range(it->sleep_us, it->sleep_us);
  SIM_EXPECT(!it->gone);
  s->order[s->num_order++ % 16] = (u32)(it - s->item);
  s->inside--;
  it->inside = 0;
  it->runs++;
}

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  s->wq = sim_alloc_workqueue("bound", 1, 1);
  s->wide = sim_alloc_workqueue("wide", 0, 3);
  s->unbound = sim_alloc_workqueue("unbound", -1, 3);
  for (u32 i = 0; i < 4; i++) sim_init_delayed_work(&s->item[i].dw, run_item);
}
#define CASE(name_, fn_)                \
  static void name_##_setup(void) {     \
    make_shared();                      \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

// ---- Queueing ----

static void fifo_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 4; i++) SIM_EXPECT(sim_queue_work(s->wq, plain(&s->item[3 - i])));
  sim_msleep(8);
  SIM_EXPECT_EQ(s->num_order, 4);
  for (u32 i = 0; i < 4; i++) {
    SIM_EXPECT_EQ(s->order[i], 3 - i);
    SIM_EXPECT_EQ(s->item[i].cpus, 2);
  }
}
CASE(fifo, fifo_main)

static u32 refused;
static void queuer(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 4; i++) {
    if (sim_queue_work(s->wide, plain(&s->item[0])))
      s->queued++;
    else
      refused++;
    if (sim_test_draw(2)) sim_udelay(sim_test_draw(40));
  }
}
static void once_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  struct sim_task *a = sim_task_new("queuer", queuer, NULL, 0);
  struct sim_task *b = sim_task_new("queuer", queuer, NULL, 1);
  sim_task_join(a);
  sim_task_join(b);
  sim_flush_work(plain(&s->item[0]));
  SIM_EXPECT_EQ(s->item[0].runs, s->queued);
}
CASE(once, once_main)

// In order, on its CPU; a queueing that says true runs the item once, one that says false
// does nothing.
static void work_runs_once_for_each_queueing(void **state) {
  (void)state;
  sim_test_clean(&fifo, NULL, 200);
  refused = 0;
  sim_test_clean(&once, NULL, 1500);
  sim_test_clean(&once, (const char *const[]){"preempt", "0", NULL}, 500);
  assert_true(refused > 100);
}

static void requeue_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->item[0].requeues = 3;
  s->item[0].sleep_us = 50;
  s->queued = 1;
  sim_queue_work(s->wide, plain(&s->item[0]));
  // Queued while it runs, on another queue: it waits for the run that goes on.
  for (u32 i = 0; i < 10; i++) {
    sim_udelay(20);
    if (sim_queue_work(s->unbound, plain(&s->item[0]))) s->queued++;
  }
  sim_msleep(20);
  SIM_EXPECT_EQ(s->item[0].runs, s->queued);
  SIM_EXPECT(s->queued >= 4);
}
CASE(requeue, requeue_main)

// An item may queue itself; no two of its runs overlap, however many workers and queues.
static void work_does_not_overlap_itself(void **state) {
  (void)state;
  sim_test_clean(&requeue, NULL, 1000);
}

static u32 overlapped;
static void note_overlap(void) { overlapped += sh()->inside_max > 1; }
static void wide_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 3; i++) {
    s->item[i].sleep_us = 100;
    sim_queue_work(s->wide, plain(&s->item[i]));
  }
  sim_msleep(8);
  SIM_EXPECT_EQ(s->num_order, 3);
}
static void wide_setup(void) {
  make_shared();
  sim_task_new("main", wide_main, NULL, 1);
}
static const struct sim_scenario wide = {
    .name = "wide", .setup = wide_setup, .check = note_overlap};
static void spread_main(void *arg) {
  struct shared *s = sh();
  u32 cpus = 0;
  (void)arg;
  for (u32 i = 0; i < 3; i++) {
    s->item[i].sleep_us = 100;
    sim_queue_work(s->unbound, plain(&s->item[i]));
  }
  sim_msleep(8);
  for (u32 i = 0; i < 3; i++) cpus |= s->item[i].cpus;
  SIM_EXPECT_EQ(cpus, 3);
}
CASE(spread, spread_main)

// While one item sleeps another worker takes the next; unbound workers are on all CPUs.
static void work_of_many_workers(void **state) {
  (void)state;
  overlapped = 0;
  sim_test_clean(&wide, NULL, 100);
  assert_true(overlapped > 100);
  sim_test_clean(&spread, NULL, 100);
}

// ---- Delayed ----

static void delayed_main(void *arg) {
  struct shared *s = sh();
  struct item *it = &s->item[0];
  (void)arg;
  u64 start = sim_jiffies();
  SIM_EXPECT(sim_queue_delayed_work(s->wq, &it->dw, 5));
  SIM_EXPECT(!sim_queue_delayed_work(s->wq, &it->dw, 1));  // pending: unchanged
  SIM_EXPECT(!sim_queue_work(s->wq, plain(it)));
  sim_msleep(100);
  SIM_EXPECT_EQ(it->runs, 1);
  SIM_EXPECT(it->ran_ns / sim_jiffies_to_nsecs(1) - start >= 5);
  SIM_EXPECT(it->ran_ns / sim_jiffies_to_nsecs(1) - start <= 7);
  // No delay: at once.
  u64 now = sim_clock_ns();
  SIM_EXPECT(sim_queue_delayed_work(s->wq, &it->dw, 0));
  sim_msleep(8);
  SIM_EXPECT_EQ(it->runs, 2);
  SIM_EXPECT(it->ran_ns - now < 100000);
  // mod: sooner, later, and when it did not pend.
  SIM_EXPECT(!sim_mod_delayed_work(s->wq, &it->dw, 200));
  SIM_EXPECT(sim_mod_delayed_work(s->wq, &it->dw, 2));
  sim_msleep(40);
  SIM_EXPECT_EQ(it->runs, 3);
  sim_msleep(1000);
  SIM_EXPECT_EQ(it->runs, 3);
}
CASE(delayed, delayed_main)

static void work_delayed(void **state) {
  (void)state;
  sim_test_clean(&delayed, NULL, 100);
}

// ---- Cancel and flush ----

static u32 was_pending, was_running, was_over;
static void cancel_main(void *arg) {
  struct shared *s = sh();
  struct item *it = &s->item[0];
  (void)arg;
  it->sleep_us = 30;
  it->requeues = 2;
  sim_queue_work(s->wide, plain(it));
  sim_udelay(sim_test_draw(80));
  u32 inside = it->inside;
  bool pended = sim_cancel_work_sync(plain(it));
  SIM_EXPECT(!it->inside);
  if (pended)
    was_pending++;
  else if (inside)
    was_running++;
  else
    was_over++;
  it->gone = true;
  sim_msleep(8);
  it->gone = false;
  SIM_EXPECT(!sim_cancel_work_sync(plain(it)));
  SIM_EXPECT(sim_queue_work(s->wq, plain(it)));  // may be queued again
  sim_flush_work(plain(it));
}
CASE(cancel, cancel_main)

static void cancel_delayed_main(void *arg) {
  struct shared *s = sh();
  struct item *it = &s->item[0];
  (void)arg;
  u64 tick = sim_jiffies_to_nsecs(1);
  it->sleep_us = 20;
  sim_queue_delayed_work(s->wq, &it->dw, 1);
  u64 at = (sim_jiffies() + 2) * tick - 10000 + sim_test_draw(120) * 1000;
  sim_elapse(at - sim_clock_ns());
  u32 runs = it->runs, inside = it->inside;
  bool pended = sim_cancel_delayed_work_sync(&it->dw);
  SIM_EXPECT(!it->inside);
  SIM_EXPECT_EQ(it->runs + pended, 1);
  if (pended)
    was_pending++;
  else if (inside)
    was_running++;
  else
    was_over += runs;
  it->gone = true;
  sim_msleep(20);
}
CASE(cancel_delayed, cancel_delayed_main)

// Whether the item pends, runs or has run: when cancel returns it does none of these.
static void work_cancel(void **state) {
  (void)state;
  was_pending = was_running = was_over = 0;
  sim_test_clean(&cancel, NULL, 2000);
  assert_true(was_pending > 10 && was_running + was_over > 10);
  was_pending = was_running = was_over = 0;
  sim_test_clean(&cancel_delayed, NULL, 2000);
  assert_true(was_pending > 10);
  assert_true(was_running > 10);
  assert_true(was_over > 10);
}

static void flush_main(void *arg) {
  struct shared *s = sh();
  struct item *it = &s->item[0];
  (void)arg;
  sim_flush_work(plain(it));  // never queued
  it->sleep_us = 30;
  for (u32 i = 1; i <= 3; i++) {
    sim_queue_work(s->unbound, plain(it));
    sim_udelay(sim_test_draw(50));
    sim_flush_work(plain(it));
    SIM_EXPECT_EQ(it->runs, i);
    SIM_EXPECT(!it->inside);
  }
  // One that queues itself for ever: flush waits for one run.
  it->requeues = 1000;
  sim_queue_work(s->wide, plain(it));
  sim_flush_work(plain(it));
  SIM_EXPECT(it->runs >= 4);
  SIM_EXPECT(it->runs < 20);
  sim_cancel_work_sync(plain(it));
  // An armed timer is not waited for.
  u32 runs = it->runs;
  sim_queue_delayed_work(s->wq, &it->dw, 100);
  sim_flush_work(plain(it));
  SIM_EXPECT_EQ(it->runs, runs);
  SIM_EXPECT(sim_cancel_delayed_work_sync(&it->dw));
}
CASE(flush, flush_main)

static void canceller(void *arg) { sim_cancel_work_sync(arg); }
static void flush_cancelled_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->item[1].sleep_us = 1000;
  sim_queue_work(s->wq, plain(&s->item[1]));
  sim_queue_work(s->wq, plain(&s->item[0]));  // behind it
  sim_task_new("canceller", canceller, plain(&s->item[0]), 0);
  u64 start = sim_clock_ns();
  sim_flush_work(plain(&s->item[0]));
  SIM_EXPECT_EQ(s->item[0].runs + (sim_clock_ns() - start < 900000), 1);
}
CASE(flush_cancelled, flush_cancelled_main)

// flush waits for the run that it found queued or going on; a cancel ends the wait.
static void work_flush(void **state) {
  (void)state;
  sim_test_clean(&flush, NULL, 500);
  sim_test_clean(&flush_cancelled, NULL, 300);
}

static void frees_itself(struct sim_work *work) { sim_free(work); }
static void free_main(void *arg) {
  struct sim_work *work = sim_alloc(sizeof(*work), "work");
  (void)arg;
  sim_init_work(work, frees_itself);
  sim_queue_work(sh()->wq, work);
  sim_msleep(8);
}
CASE(self_free, free_main)

static void queue_in_irq(void *arg) {
  (void)arg;
  sim_queue_work(sh()->wide, plain(&sh()->item[0]));
}
static void irq_main(void *arg) {
  sim_irq_raise(*(u32 *)arg);
  sim_msleep(8);
  SIM_EXPECT_EQ(sh()->item[0].runs, 1);
}
static void irq_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("line", queue_in_irq, NULL, 1, false);
  sim_task_new("main", irq_main, irq, 0);
}
static const struct sim_scenario from_irq = {.name = "from-irq", .setup = irq_setup};

// A function may free its item; an interrupt may queue one.
static void work_in_odd_places(void **state) {
  (void)state;
  sim_test_clean(&self_free, NULL, 50);
  sim_test_clean(&from_irq, NULL, 100);
}

// ---- Order of locks ----

static struct sim_mutex lock;
static void takes_lock(struct sim_work *work) {
  (void)work;
  sim_mutex_lock(&lock);
  sim_mutex_unlock(&lock);
}
static void flush_under_lock(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_mutex_init(&lock, "lock");
  sim_init_work(plain(&s->item[0]), takes_lock);
  sim_queue_work(s->wq, plain(&s->item[0]));
  sim_flush_work(plain(&s->item[0]));  // well: not under the lock
  sim_mutex_lock(&lock);
  sim_cancel_work_sync(plain(&s->item[0]));  // nothing to wait for, this time
  sim_mutex_unlock(&lock);
}
CASE(under_lock, flush_under_lock)
static void flush_without_lock(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_mutex_init(&lock, "lock");
  sim_init_work(plain(&s->item[0]), takes_lock);
  sim_queue_work(s->wq, plain(&s->item[0]));
  sim_mutex_lock(&lock);
  sim_mutex_unlock(&lock);
  sim_flush_work(plain(&s->item[0]));
}
CASE(without_lock, flush_without_lock)

// Waiting for an item under a lock that its function takes is found, whether or not it
// deadlocks.
static void work_flushed_under_its_lock(void **state) {
  (void)state;
  sim_test_always(&under_lock, NULL, 50, "lock-order");
  sim_test_clean(&without_lock, NULL, 50);
}

// ---- Misuse ----

static void flushes_itself(struct sim_work *work) { sim_flush_work(work); }
static void cancels_itself(struct sim_work *work) { sim_cancel_work_sync(work); }
static void returns_atomic(struct sim_work *work) {
  (void)work;
  sim_preempt_disable();
}
static struct sim_mutex leaked_mutex;
static void returns_locked(struct sim_work *work) {
  (void)work;
  sim_mutex_lock(&leaked_mutex);
}
static void run_one(void (*fn)(struct sim_work *work)) {
  struct shared *s = sh();
  sim_mutex_init(&leaked_mutex, "leaked");
  sim_init_work(plain(&s->item[0]), fn);
  sim_queue_work(s->wq, plain(&s->item[0]));
  sim_msleep(8);
}
#define ONE(name_, fn_)             \
  static void name_##_fn(void *a) { \
    (void)a;                        \
    run_one(fn_);                   \
  }                                 \
  CASE(name_, name_##_fn)
ONE(self_flush, flushes_itself)
ONE(self_cancel, cancels_itself)
ONE(atomic_return, returns_atomic)
ONE(locked_return, returns_locked)
static void freed_pending(void *arg) {
  struct sim_work *work = sim_alloc(sizeof(*work), "work");
  (void)arg;
  sim_init_work(work, frees_itself);
  sim_queue_work(sh()->wq, work);
  sim_free(work);
  sim_msleep(8);
}
CASE(freed, freed_pending)
static void no_init(void *arg) {
  (void)arg;
  sim_init_work(plain(&sh()->item[0]), NULL);
  sim_queue_work(sh()->wq, plain(&sh()->item[0]));
}
CASE(uninitialised, no_init)
static void flush_atomic(void *arg) {
  (void)arg;
  sim_preempt_disable();
  sim_flush_work(plain(&sh()->item[0]));
}
CASE(atomic_flush, flush_atomic)

static void work_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&self_flush, NULL, 5, "api-misuse");
  sim_test_always(&self_cancel, NULL, 5, "api-misuse");
  sim_test_always(&atomic_return, NULL, 5, "context-misuse");
  sim_test_always(&locked_return, NULL, 5, "lock-misuse");
  sim_test_always(&freed, NULL, 5, "use-after-free");
  sim_test_always(&uninitialised, NULL, 5, "api-misuse");
  sim_test_always(&atomic_flush, NULL, 5, "sleep-in-atomic");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_runs_once_for_each_queueing),
      cmocka_unit_test(work_does_not_overlap_itself),
      cmocka_unit_test(work_of_many_workers),
      cmocka_unit_test(work_delayed),
      cmocka_unit_test(work_cancel),
      cmocka_unit_test(work_flush),
      cmocka_unit_test(work_in_odd_places),
      cmocka_unit_test(work_flushed_under_its_lock),
      cmocka_unit_test(work_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
