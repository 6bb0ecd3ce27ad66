// SPDX-License-Identifier: GPL-2.0-or-later
//
// RCU: what a grace period waits for and what it does not, callbacks, barriers, stalls.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/rcu.h"
#include "sim/task.h"
#include "sim/timer.h"

struct object {
  struct sim_rcu_head head;
  u32 value;
};
struct shared {
  struct object *current;
  struct sim_rcu_head heads[6];
  u32 order[6], num_order, cpus, freed;
  bool go, out;
  u64 at_ns;
};
static struct shared *sh(void) { return sim_private(); }

static struct object *make_object(u32 value) {
  struct object *o = sim_zalloc(sizeof(*o), "object");
  o->value = value;
  return o;
}
static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
}
#define CASE(name_, fn_)                \
  static void name_##_setup(void) {     \
    make_shared();                      \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

// ---- Readers against updaters ----

// What makes a section a reader; since 4.20 whatever is atomic does.
enum section { BY_RCU, BY_PREEMPT, BY_BH, BY_IRQ, BY_NOTHING };

static unsigned long section_begin(enum section by) {
  unsigned long flags = 0;
  if (by == BY_RCU) sim_rcu_read_lock();
  if (by == BY_PREEMPT) sim_preempt_disable();
  if (by == BY_BH) sim_local_bh_disable();
  if (by == BY_IRQ) sim_local_irq_save(flags);
  return flags;
}
static void section_end(enum section by, unsigned long flags) {
  if (by == BY_RCU) sim_rcu_read_unlock();
  if (by == BY_PREEMPT) sim_preempt_enable();
  if (by == BY_BH) sim_local_bh_enable();
  if (by == BY_IRQ) sim_local_irq_restore(flags);
}
static void reader(void *arg) {
  struct shared *s = sh();
  enum section by = (enum section)(uintptr_t)arg;
  for (u32 i = 0; i < 6; i++) {
    unsigned long flags = section_begin(by);
    struct object *o = sim_rcu_dereference(s->current);
    u32 first = sim_read_once(o->value);
    sim_elapse(300);
    SIM_EXPECT_EQ(sim_read_once(o->value), first);
    section_end(by, flags);
    if (sim_test_draw(2)) sim_usleep_range(500, 3000);
  }
}
static void replace(bool sync) {
  struct shared *s = sh();
  struct object *old = s->current;
  sim_rcu_assign_pointer(s->current, make_object(old->value + 1));
  if (sync) sim_synchronize_rcu();
  old->value = 999;
  sim_free(old);
}
static void update_by_sync(const enum section by[3]) {
  struct shared *s = sh();
  s->current = make_object(0);
  struct sim_task *r[3];
  for (u32 i = 0; i < 3; i++)
    r[i] = sim_task_new("reader", reader, (void *)(uintptr_t)by[i], i % 2);
  for (u32 i = 0; i < 3; i++) replace(true);
  for (u32 i = 0; i < 3; i++) sim_task_join(r[i]);
  sim_free(s->current);
}
static void sync_updater(void *arg) {
  (void)arg;
  update_by_sync((const enum section[]){BY_RCU, BY_RCU, BY_RCU});
}
CASE(sync, sync_updater)
static void atomic_updater(void *arg) {
  (void)arg;
  update_by_sync((const enum section[]){BY_PREEMPT, BY_BH, BY_IRQ});
}
CASE(atomic_readers, atomic_updater)
// A task that may keep a preempted reader from its CPU for longer than a short period.
static void busy(void *arg) {
  (void)arg;
  for (u32 i = 0; i < 20; i++) sim_udelay(40);
}
static void unlocked_updater(void *arg) {
  (void)arg;
  sim_task_new("busy", busy, NULL, 0);
  update_by_sync((const enum section[]){BY_NOTHING, BY_RCU, BY_RCU});
}
CASE(unlocked_reader, unlocked_updater)
static void no_sync_updater(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->current = make_object(0);
  struct sim_task *r = sim_task_new("reader", reader, NULL, 1);
  for (u32 i = 0; i < 8; i++) {
    sim_udelay(sim_test_draw(20));
    replace(false);
  }
  sim_task_join(r);
  sim_free(s->current);
}
CASE(no_sync, no_sync_updater)

static u32 failures_of(const struct sim_scenario *scenario, u64 seeds) {
  struct sim_test t;
  u32 found = 0;
  sim_test_open(&t, scenario, NULL);
  for (u64 seed = 0; seed < seeds; seed++) {
    sim_test_seed(&t, seed);
    found += t.result.status != SIM_OK;
  }
  sim_test_close(&t);
  return found;
}

// What was unlinked before synchronize_rcu is used by nobody after it, preempted readers
// included; without it the same readers do, and so does one without rcu_read_lock.
static void rcu_protects_readers(void **state) {
  (void)state;
  sim_test_clean(&sync, NULL, 1000);
  sim_test_clean(&sync, (const char *const[]){"preempt", "0", NULL}, 1000);
  sim_test_clean(&atomic_readers, NULL, 1000);
  sim_test_clean(&atomic_readers, (const char *const[]){"preempt", "0", NULL}, 1000);
  assert_true(failures_of(&no_sync, 500) > 5);
  assert_true(failures_of(&unlocked_reader, 2000) > 5);
}

// ---- How long it takes ----

// A whole period, be it an expedited one.
static void expect_length(u64 took) {
  const struct sim_config *cfg = sim_world_config(sim_w);
  SIM_EXPECT(took >= cfg->rcu_gp_ns || took >= 2 * cfg->irq_cost_ns);
}

static void alone(void *arg) {
  (void)arg;
  u64 start = sim_clock_ns();
  sim_synchronize_rcu();
  u64 took = sim_clock_ns() - start;
  expect_length(took);
  SIM_EXPECT(took < sim_world_config(sim_w)->rcu_gp_ns + 100000);
}
CASE(shortest, alone)

static void long_reader(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_rcu_read_lock();
  sim_rcu_read_lock();
  s->go = true;
  sim_mdelay(30);
  sim_rcu_read_unlock();
  sim_mdelay(5);  // nested: still inside
  s->out = true;
  sim_rcu_read_unlock();
  s->at_ns = sim_clock_ns();
}
static void late_reader(void *arg) {
  struct shared *s = sh();
  (void)arg;
  while (!sim_read_once(s->out)) {
    sim_rcu_read_lock();
    sim_mdelay(1);
    sim_rcu_read_unlock();
  }
  sim_rcu_read_lock();  // begun after the grace period: not waited for
  sim_mdelay(50);
  sim_rcu_read_unlock();
}
static void waits_for_old(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_task_new("long", long_reader, NULL, 1);
  sim_task_new("late", late_reader, NULL, 2);
  while (!sim_read_once(s->go)) sim_udelay(10);
  sim_synchronize_rcu();
  SIM_EXPECT(s->out);
  SIM_EXPECT(sim_clock_ns() < s->at_ns + 5000000);
}
CASE(old_only, waits_for_old)

// Sections that were open at its begin, to their outermost end; none that came later. Calm,
// and in most runs, a period lasts rcu_gp_ns at least.
static void rcu_waits_for_old_sections_only(void **state) {
  (void)state;
  sim_test_clean(&shortest, NULL, 50);
  struct sim_test t;
  u32 expedited = 0;
  sim_test_open(&t, &shortest, NULL);
  sim_test_calm(&t);
  assert_true(t.result.vtime_ns >= sim_world_config(t.world)->rcu_gp_ns);
  for (u64 seed = 0; seed < 200; seed++) {
    sim_test_seed(&t, seed);
    expedited += t.result.vtime_ns < 100000;
  }
  assert_in_range(expedited, 10, 100);
  sim_test_close(&t);
  sim_test_clean(&old_only, (const char *const[]){"num_cpus", "3", NULL}, 50);
}

static void second_sync(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_usleep_range(2000, 2000);  // the first period is in progress
  sim_rcu_read_lock();
  s->go = true;
  sim_rcu_read_unlock();
  u64 start = sim_clock_ns();
  sim_synchronize_rcu();
  u64 took = sim_clock_ns() - start;
  // The rest of the first, and a whole one.
  expect_length(took);
  SIM_EXPECT(took < 2 * sim_world_config(sim_w)->rcu_gp_ns + 100000);
  s->num_order++;
}
static void overlapping(void *arg) {
  (void)arg;
  struct sim_task *a = sim_task_new("second", second_sync, NULL, 1);
  struct sim_task *b = sim_task_new("second", second_sync, NULL, 0);
  sim_synchronize_rcu();
  sim_task_join(a);
  sim_task_join(b);
  SIM_EXPECT_EQ(sh()->num_order, 2);
}
CASE(overlap, overlapping)

// Who asks during a grace period waits for the next one; two share it.
static void rcu_next_period(void **state) {
  (void)state;
  sim_test_clean(&overlap, NULL, 300);
}

// ---- Callbacks ----

static void count_callback(struct sim_rcu_head *head) {
  struct shared *s = sh();
  SIM_EXPECT(sim_in_serving_softirq());
  s->order[s->num_order++] = (u32)(head - s->heads);
  s->cpus |= 1u << sim_smp_processor_id();
}
static void free_object(struct sim_rcu_head *head) {
  sim_free(sim_container_of(head, struct object, head));
  sh()->freed++;
}
static void call_updater(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->current = make_object(0);
  struct sim_task *r[2];
  for (u32 i = 0; i < 2; i++) r[i] = sim_task_new("reader", reader, NULL, i);
  for (u32 i = 0; i < 5; i++) {
    struct object *old = s->current;
    sim_rcu_assign_pointer(s->current, make_object(old->value + 1));
    sim_call_rcu(&old->head, free_object);
    if (sim_test_draw(2)) sim_usleep_range(100, 4000);
  }
  for (u32 i = 0; i < 2; i++) sim_task_join(r[i]);
  sim_call_rcu(&s->current->head, free_object);
  sim_rcu_barrier();
  SIM_EXPECT_EQ(s->freed, 6);
  sim_rcu_barrier();  // nothing to wait for
}
CASE(calls, call_updater)

static void remote_call(void *arg) {
  struct shared *s = sh();
  u32 first = *(u32 *)arg;
  for (u32 i = 0; i < 3; i++) sim_call_rcu(&s->heads[first + i], count_callback);
}
static void fifo_main(void *arg) {
  struct shared *s = sh();
  u32 *first = sim_zalloc(2 * sizeof(u32), "first");
  (void)arg;
  first[1] = 3;
  struct sim_task *a = sim_task_new("a", remote_call, &first[0], 0);
  struct sim_task *b = sim_task_new("b", remote_call, &first[1], 1);
  sim_task_join(a);
  sim_task_join(b);
  sim_rcu_barrier();
  SIM_EXPECT_EQ(s->num_order, 6);
  SIM_EXPECT_EQ(s->cpus, 3);  // on the CPU that called
  u32 next[2] = {0, 3};
  for (u32 i = 0; i < 6; i++) SIM_EXPECT_EQ(s->order[i], next[s->order[i] >= 3]++);
  sim_free(first);
}
CASE(fifo, fifo_main)

// After a grace period, in RCU_SOFTIRQ of the caller's CPU, in order; barrier waits for
// all of them.
static void rcu_callbacks(void **state) {
  (void)state;
  sim_test_clean(&calls, NULL, 500);
  sim_test_clean(&calls, (const char *const[]){"preempt", "0", NULL}, 500);
  sim_test_clean(&fifo, NULL, 300);
}

static void slow_callback(struct sim_rcu_head *head) {
  sh()->go = true;
  sim_udelay(20);
  count_callback(head);
}
static void slow_caller(void *arg) { sim_call_rcu(&sh()->heads[0], slow_callback); }
static void slow_main(void *arg) {
  sim_task_new("caller", slow_caller, NULL, 1);
  while (!sim_read_once(sh()->go)) sim_msleep(1);
  sim_rcu_barrier();
  SIM_EXPECT_EQ(sh()->num_order, 1);
}
CASE(slow, slow_main)

// A callback that runs is in no queue any more, and barrier waits for it all the same.
static void barrier_waits_for_what_runs(void **state) { sim_test_clean(&slow, NULL, 500); }

static void call_in_irq(void *arg) {
  (void)arg;
  sim_rcu_read_lock();
  sim_call_rcu(&sh()->heads[0], count_callback);
  sim_rcu_read_unlock();
}
static void irq_main(void *arg) {
  sim_irq_raise(*(u32 *)arg);
  sim_elapse(100);
  sim_rcu_barrier();
  SIM_EXPECT_EQ(sh()->num_order, 1);
}
static void irq_setup(void) {
  make_shared();
  u32 *irq = sim_alloc_static(sizeof(*irq), "irq");
  *irq = sim_irq_register("line", call_in_irq, NULL, 0, false);
  sim_task_new("main", irq_main, irq, 0);
}
static const struct sim_scenario from_irq = {.name = "from-irq", .setup = irq_setup};

static void rcu_from_interrupt(void **state) {
  (void)state;
  sim_test_clean(&from_irq, NULL, 100);
}

// ---- Stalls ----

static void endless_reader(void *arg) {
  (void)arg;
  sim_rcu_read_lock();
  sh()->go = true;
  for (u32 i = 0; i < 22; i++) sim_mdelay(1000);
  sim_rcu_read_unlock();
}
static void stalled(void *arg) {
  (void)arg;
  sim_task_new("endless", endless_reader, NULL, 1);
  while (!sim_read_once(sh()->go)) sim_udelay(10);
  sim_synchronize_rcu();
}
CASE(stall_reader, stalled)

static void spinner(void *arg) {
  u32 s = *(u32 *)arg;
  sh()->go = true;
  for (u32 i = 0; i < s * 10; i++) {
    sim_mdelay(100);
    if (s < 20) sim_cond_resched();
  }
}
static void spin_main(void *arg) {
  (void)arg;
  u32 *seconds = sim_zalloc(sizeof(*seconds), "seconds");
  *seconds = 22;
  struct sim_task *t = sim_task_new("spinner", spinner, seconds, 1);
  while (!sim_read_once(sh()->go)) sim_udelay(10);
  u64 start = sim_clock_ns();
  sim_synchronize_rcu();
  sh()->at_ns = sim_clock_ns() - start;
  sim_task_join(t);
  sim_free(seconds);
}
CASE(stall_cpu, spin_main)

static const char *const patient[] = {
    "chaos_ns", "100000000000", "soft_lockup_ns", "100000000000", "preempt", "0", NULL};
static const char *const patient_preempt[] = {
    "chaos_ns", "100000000000", "soft_lockup_ns", "100000000000", "preempt", "1", NULL};

// A section, or where kernel code is not preempted a task, that goes on for 21 s.
static void rcu_stall_is_found(void **state) {
  (void)state;
  sim_test_always(&stall_reader, patient, 3, "rcu-stall");
  sim_test_always(&stall_reader, patient_preempt, 3, "rcu-stall");
  sim_test_always(&stall_cpu, patient, 3, "rcu-stall");
  sim_test_clean(&stall_cpu, patient_preempt, 3);
}

// ---- Misuse ----

static void sleeps_inside(void *arg) {
  (void)arg;
  sim_rcu_read_lock();
  sim_msleep(1);
}
static void syncs_inside(void *arg) {
  (void)arg;
  sim_rcu_read_lock();
  sim_synchronize_rcu();
}
static void syncs_atomic(void *arg) {
  (void)arg;
  sim_preempt_disable();
  sim_synchronize_rcu();
}
static void unlocks_more(void *arg) {
  (void)arg;
  sim_rcu_read_lock();
  sim_rcu_read_unlock();
  sim_rcu_read_unlock();
}
static void ends_inside(void *arg) {
  (void)arg;
  sim_rcu_read_lock();
}
static void frees_head(void *arg) {
  (void)arg;
  struct object *o = make_object(1);
  sim_call_rcu(&o->head, free_object);
  sim_free(o);
  sim_msleep(100);
}
CASE(sleep_inside, sleeps_inside)
CASE(sync_inside, syncs_inside)
CASE(sync_atomic, syncs_atomic)
CASE(unlock_more, unlocks_more)
CASE(end_inside, ends_inside)
CASE(freed, frees_head)

static void rcu_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&sleep_inside, NULL, 5, "sleep-in-atomic");
  sim_test_always(&sync_inside, NULL, 5, "context-misuse");
  sim_test_always(&sync_atomic, NULL, 5, "sleep-in-atomic");
  sim_test_always(&unlock_more, NULL, 5, "context-misuse");
  sim_test_always(&end_inside, NULL, 5, "context-misuse");
  sim_test_always(&freed, NULL, 5, "use-after-free");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rcu_protects_readers),
      cmocka_unit_test(rcu_waits_for_old_sections_only),
      cmocka_unit_test(rcu_next_period),
      cmocka_unit_test(rcu_callbacks),
      cmocka_unit_test(barrier_waits_for_what_runs),
      cmocka_unit_test(rcu_from_interrupt),
      cmocka_unit_test(rcu_stall_is_found),
      cmocka_unit_test(rcu_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
