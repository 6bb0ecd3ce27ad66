// SPDX-License-Identifier: GPL-2.0-or-later
//
// Per-CPU data: one element a CPU, and where it may be used.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/task.h"
#include "sim/work.h"

struct counter {
  u32 value;
  u8 pad[5];
};
static struct counter *counters(void) { return sim_private(); }

static struct sim_work work;
static void worked(struct sim_work *w) {
  (void)w;
  sim_this_cpu_ptr(counters())->value++;
}

static void make_counters(void) {
  struct counter *c = sim_alloc_percpu(struct counter, "counters");
  sim_set_private(c);
  for (u32 i = 0; i < sim_nr_cpus(); i++) SIM_EXPECT_EQ(c[i].value, 0);
  sim_this_cpu_ptr(c)->value = 0;  // in set-up nothing moves
}

#define CASE(name_, cpu_, fn_)             \
  static void name_##_setup(void) {        \
    make_counters();                       \
    sim_task_new("main", fn_, NULL, cpu_); \
  }                                        \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static void used_right(void *arg) {
  (void)arg;
  struct counter *c = counters();
  u32 cpu = sim_smp_processor_id();
  SIM_EXPECT(sim_per_cpu_ptr(c, cpu) == &c[cpu]);
  SIM_EXPECT(sim_raw_cpu_ptr(c) == &c[cpu]);
  sim_preempt_disable();
  sim_this_cpu_ptr(c)->value++;
  sim_preempt_enable();
  sim_local_bh_disable();
  sim_this_cpu_ptr(c)->value++;
  sim_local_bh_enable();
  unsigned long flags;
  sim_local_irq_save(flags);
  sim_this_cpu_ptr(c)->value++;
  sim_local_irq_restore(flags);
  SIM_EXPECT_EQ(c[cpu].value, 3);
  SIM_EXPECT_EQ(c[!cpu].value, 0);
}
CASE(right, 1, used_right)

static void used_preemptible(void *arg) {
  (void)arg;
  sim_this_cpu_ptr(counters())->value++;
}
CASE(wrong, 0, used_preemptible)

static void by_worker_setup(void) {
  make_counters();
  struct sim_workqueue *wq = sim_alloc_workqueue("bound", 1, 1);
  sim_init_work(&work, worked);
  sim_queue_work(wq, &work);
  sim_task_new("main", used_right, NULL, 0);
}
static const struct sim_scenario by_worker = {.name = "by-worker", .setup = by_worker_setup};

// With preemption, softirqs or interrupts off, or in a thread that is bound to its CPU.
static void percpu_where_the_task_stays(void **state) {
  (void)state;
  sim_test_clean(&right, NULL, 20);
  sim_test_clean(&by_worker, NULL, 0);
}

static void percpu_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&wrong, NULL, 5, "context-misuse");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(percpu_where_the_task_stays),
      cmocka_unit_test(percpu_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
