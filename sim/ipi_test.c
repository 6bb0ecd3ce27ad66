// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls to other CPUs: where they run, who waits, order, and where one may call.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"

struct shared {
  struct sim_spinlock lock;
  u32 ran, cpu, order[8], num_order, number[8];
  bool preempted;
};
static struct shared *sh(void) { return sim_private(); }

static void remote(void *arg) {
  struct shared *s = sh();
  SIM_EXPECT(sim_irqs_disabled());
  s->cpu = sim_smp_processor_id();
  s->order[s->num_order++ % 8] = arg ? *(u32 *)arg : 99;
  sim_elapse(300);
  s->ran++;
}
static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_spin_lock_init(&s->lock, "lock");
  for (u32 i = 0; i < 8; i++) s->number[i] = i;
}
#define CASE(name_, fn_)                \
  static void name_##_setup(void) {     \
    make_shared();                      \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static void in_hardirq(void *arg) {
  SIM_EXPECT(sim_in_hardirq());
  remote(arg);
}
static void call_and_wait(void *arg) {
  struct shared *s = sh();
  (void)arg;
  SIM_EXPECT_EQ(sim_smp_call_function_single(1, in_hardirq, NULL, true), 0);
  SIM_EXPECT_EQ(s->ran, 1);
  SIM_EXPECT_EQ(s->cpu, 1);
  SIM_EXPECT_EQ(sim_smp_call_function_single(0, remote, NULL, true), 0);
  SIM_EXPECT_EQ(s->ran, 2);
  SIM_EXPECT_EQ(s->cpu, 0);
  SIM_EXPECT_EQ(sim_smp_call_function_single(5, remote, NULL, true), -SIM_ENXIO);
  SIM_EXPECT_EQ(s->ran, 2);
  SIM_EXPECT_EQ(sim_preempt_count(), 0);
}
CASE(waits, call_and_wait)

// On that CPU in hardirq context, or here with interrupts off; done on return.
static void ipi_waits(void **state) {
  (void)state;
  sim_test_clean(&waits, NULL, 300);
  sim_test_clean(&waits, (const char *const[]){"preempt", "0", NULL}, 100);
}

static void busy(void *arg) {
  (void)arg;
  for (u32 i = 0; i < 5; i++) {
    unsigned long flags;
    sim_spin_lock_irqsave(&sh()->lock, flags);
    u32 begun = sh()->num_order;
    sim_elapse(400);
    SIM_EXPECT_EQ(sh()->num_order, begun);  // no call lands in here
    sim_spin_unlock_irqrestore(&sh()->lock, flags);
  }
}
static void to_busy(void *arg) {
  struct shared *s = sh();
  (void)arg;
  struct sim_task *t = sim_task_new("busy", busy, NULL, 1);
  sim_udelay(18);
  for (u32 i = 0; i < 4; i++)
    SIM_EXPECT_EQ(sim_smp_call_function_single(1, in_hardirq, &s->number[i], true), 0);
  for (u32 i = 0; i < 4; i++) SIM_EXPECT_EQ(s->order[i], i);
  sim_task_join(t);
}
CASE(busy_target, to_busy)

static void ipi_waits_for_interrupts_on(void **state) {
  (void)state;
  sim_test_clean(&busy_target, NULL, 500);
}

static void no_wait(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 4; i++) {
    SIM_EXPECT_EQ(sim_smp_call_function_single(1, in_hardirq, &s->number[i], false), 0);
    // The next call waits until this one has been taken.
    SIM_EXPECT(s->num_order + 1 >= i);
  }
  sim_udelay(100);
  SIM_EXPECT_EQ(s->ran, 4);
  for (u32 i = 0; i < 4; i++) SIM_EXPECT_EQ(s->order[i], i);
}
CASE(not_waiting, no_wait)

static void ipi_without_waiting(void **state) {
  (void)state;
  sim_test_clean(&not_waiting, NULL, 300);
}

static void cross(void *arg) {
  u32 other = *(u32 *)arg;
  for (u32 i = 0; i < 3; i++) sim_smp_call_function_single(other, in_hardirq, NULL, true);
}
static void cross_setup(void) {
  make_shared();
  sim_task_new("a", cross, &sh()->number[1], 0);
  sim_task_new("b", cross, &sh()->number[0], 1);
  sim_task_new("c", cross, &sh()->number[0], 2);
}
static void expect_nine(void) { SIM_EXPECT_EQ(sh()->ran, 9); }
static const struct sim_scenario crossing = {
    .name = "crossing", .setup = cross_setup, .check = expect_nine};

// CPUs that wait for each other serve each other's calls.
static void ipi_crosswise(void **state) {
  (void)state;
  sim_test_clean(&crossing, (const char *const[]){"num_cpus", "3", NULL}, 1000);
}

static void irq_off_call(void *arg) {
  (void)arg;
  sim_local_irq_disable();
  sim_smp_call_function_single(1, remote, NULL, true);
}
CASE(irq_off, irq_off_call)
static void call_in_irq(void *arg) {
  (void)arg;
  sim_smp_call_function_single(1, remote, NULL, false);
}
static void raise_line(void *arg) {
  sim_irq_raise(*(u32 *)arg);
  sim_elapse(100);
}
static void in_irq_setup(void) {
  make_shared();
  sh()->ran = sim_irq_register("line", call_in_irq, NULL, 0, false);
  sim_task_new("main", raise_line, &sh()->ran, 0);
}
static const struct sim_scenario in_irq = {.name = "in-irq", .setup = in_irq_setup};
static void sleeps(void *arg) {
  (void)arg;
  sim_msleep(1);
}
static void remote_sleeps(void *arg) {
  (void)arg;
  sim_smp_call_function_single(1, sleeps, NULL, true);
}
CASE(sleeping, remote_sleeps)

static void ipi_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&irq_off, NULL, 5, "context-misuse");
  sim_test_always(&in_irq, NULL, 5, "context-misuse");
  sim_test_always(&sleeping, NULL, 5, "sleep-in-atomic");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ipi_waits),           cmocka_unit_test(ipi_waits_for_interrupts_on),
      cmocka_unit_test(ipi_without_waiting), cmocka_unit_test(ipi_crosswise),
      cmocka_unit_test(ipi_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
