// SPDX-License-Identifier: GPL-2.0-or-later
//
// CPU hotplug: callbacks and their order, undoing, and what moves with a CPU.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/rcu.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/wait.h"
#include "sim/work.h"

struct shared {
  char log[128];
  int fail_up, fail_down;  // state that fails; -1: none
  struct sim_timer timer;
  struct sim_hw_event event;
  struct sim_rcu_head head;
  struct sim_work work;
  struct sim_workqueue *wq;
  struct sim_completion x;
  u32 irq, irqs, fired_on, event_on, irq_on, work_on, called_on;
  u32 fired, events, called, works, done;
  bool stop;
};
static struct shared *sh(void) { return sim_private(); }

static void say(char what, char state, u32 cpu) {
  char *log = sh()->log;
  size_t n = strlen(log);
  snprintf(log + n, sizeof(sh()->log) - n, "%c%c%u@%u ", what, state, cpu, sim_smp_processor_id());
}
static int state_up(int n, u32 cpu) {
  say('+', (char)('A' + n), cpu);
  return sh()->fail_up == n ? -SIM_ENOMEM : 0;
}
static int state_down(int n, u32 cpu) {
  say('-', (char)('A' + n), cpu);
  return sh()->fail_down == n ? -SIM_EIO : 0;
}
static int a_up(u32 cpu) { return state_up(0, cpu); }
static int a_down(u32 cpu) { return state_down(0, cpu); }
static int b_up(u32 cpu) { return state_up(1, cpu); }
static int b_down(u32 cpu) { return state_down(1, cpu); }
static int c_up(u32 cpu) { return state_up(2, cpu); }
static int c_down(u32 cpu) { return state_down(2, cpu); }
static int d_up(u32 cpu) { return state_up(3, cpu); }
static int d_down(u32 cpu) { return state_down(3, cpu); }

static void timer_fired(struct sim_timer *timer) {
  (void)timer;
  sh()->fired_on = sim_smp_processor_id();
  sh()->fired++;
}
static void event_fired(void *arg) {
  (void)arg;
  sh()->event_on = sim_smp_processor_id();
  sh()->events++;
}
static void irq_fired(void *arg) {
  (void)arg;
  sh()->irq_on = sim_smp_processor_id();
  sh()->irqs++;
}
static void rcu_called(struct sim_rcu_head *head) {
  (void)head;
  sh()->called_on = sim_smp_processor_id();
  sh()->called++;
}
static void worked(struct sim_work *work) {
  (void)work;
  sh()->work_on = sim_smp_processor_id();
  sh()->works++;
}

static void make_shared(bool states) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  s->fail_up = s->fail_down = -1;
  sim_timer_setup(&s->timer, timer_fired);
  sim_init_work(&s->work, worked);
  sim_init_completion(&s->x, "x");
  s->wq = sim_alloc_workqueue("bound", 1, 1);
  s->irq = sim_irq_register("line", irq_fired, NULL, 1, false);
  if (!states) return;
  // A and C on the control CPU, B and D on the CPU itself.
  SIM_EXPECT_EQ(sim_cpuhp_setup_state("a", a_up, a_down, false), 0);
  SIM_EXPECT_EQ(sim_cpuhp_setup_state("b", b_up, b_down, true), 1);
  SIM_EXPECT_EQ(sim_cpuhp_setup_state("c", c_up, c_down, false), 2);
  SIM_EXPECT_EQ(sim_cpuhp_setup_state("d", d_up, d_down, true), 3);
  SIM_EXPECT(sim_cpuhp_setup_state("none", NULL, NULL, true) == 4);
}
#define CASE(name_, states_, fn_)       \
  static void name_##_setup(void) {     \
    make_shared(states_);               \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static void expect_log(const char *want) {
  if (strcmp(sh()->log, want) != 0)
    sim_fail(&sim_test_oracle, want, "the log is \"%s\", not \"%s\"", sh()->log, want);
  sh()->log[0] = 0;
}

// ---- Callbacks ----

static void order_main(void *arg) {
  (void)arg;
  SIM_EXPECT_EQ(sim_num_online_cpus(), 2);
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  SIM_EXPECT(!sim_cpu_online(1));
  SIM_EXPECT_EQ(sim_num_online_cpus(), 1);
  expect_log("-D1@1 -B1@1 -C1@0 -A1@0 ");
  SIM_EXPECT_EQ(sim_cpu_up(1), 0);
  SIM_EXPECT(sim_cpu_online(1));
  expect_log("+A1@0 +C1@0 +B1@1 +D1@1 ");
  // Nothing to do; not possible.
  SIM_EXPECT_EQ(sim_cpu_up(1), 0);
  SIM_EXPECT_EQ(sim_cpu_down(0), -SIM_EBUSY);
  SIM_EXPECT_EQ(sim_cpu_up(7), -SIM_EINVAL);
  SIM_EXPECT_EQ(sim_cpu_down(7), -SIM_EINVAL);
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  expect_log("-D1@1 -B1@1 -C1@0 -A1@0 ");
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  SIM_EXPECT_EQ(sim_smp_call_function_single(1, irq_fired, NULL, true), -SIM_ENXIO);
  expect_log("");
}
CASE(order, true, order_main)

static void undo_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->fail_down = 1;
  SIM_EXPECT_EQ(sim_cpu_down(1), -SIM_EIO);
  SIM_EXPECT(sim_cpu_online(1));
  expect_log("-D1@1 -B1@1 +D1@1 ");
  s->fail_down = -1;
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  s->log[0] = 0;
  s->fail_up = 2;  // before the CPU comes
  SIM_EXPECT_EQ(sim_cpu_up(1), -SIM_ENOMEM);
  SIM_EXPECT(!sim_cpu_online(1));
  expect_log("+A1@0 +C1@0 -A1@0 ");
  s->fail_up = 3;  // when it has come
  SIM_EXPECT_EQ(sim_cpu_up(1), -SIM_ENOMEM);
  SIM_EXPECT(!sim_cpu_online(1));
  expect_log("+A1@0 +C1@0 +B1@1 +D1@1 -B1@1 -C1@0 -A1@0 ");
  s->fail_up = -1;
  SIM_EXPECT_EQ(sim_cpu_up(1), 0);
  expect_log("+A1@0 +C1@0 +B1@1 +D1@1 ");
}
CASE(undo, true, undo_main)

static void dead_fails_main(void *arg) {
  (void)arg;
  sh()->fail_down = 2;
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  expect_log("-D1@1 -B1@1 -C1@0 -A1@0 ");
}
CASE(dead_fails, true, dead_fails_main)

// Order, undoing, and a callback that fails when there is no way back.
static void hotplug_callbacks(void **state) {
  (void)state;
  sim_test_clean(&order, NULL, 300);
  sim_test_clean(&undo, NULL, 300);
  sim_test_always(&dead_fails, NULL, 20, "api-misuse");
}

// ---- What moves ----

static void move_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_add_timer_on(&s->timer, sim_jiffies() + 5, 1);
  sim_hw_event_arm(&s->event, sim_clock_ns() + 30000000, event_fired, NULL, 1);
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  sim_irq_raise(s->irq);
  sim_udelay(1);
  SIM_EXPECT_EQ(s->irqs, 1);
  SIM_EXPECT_EQ(s->irq_on, 0);
  SIM_EXPECT(sim_queue_work(s->wq, &s->work));
  sim_msleep(100);
  SIM_EXPECT_EQ(s->fired, 1);
  SIM_EXPECT_EQ(s->fired_on, 0);
  SIM_EXPECT_EQ(s->events, 1);
  SIM_EXPECT_EQ(s->event_on, 0);
  SIM_EXPECT_EQ(s->works, 1);
  SIM_EXPECT_EQ(s->work_on, 0);
  // An event armed for a CPU that is off happens all the same.
  sim_hw_event_arm(&s->event, sim_clock_ns() + 1000, event_fired, NULL, 1);
  sim_msleep(8);
  SIM_EXPECT_EQ(s->events, 2);
  SIM_EXPECT_EQ(sim_cpu_up(1), 0);
  sim_queue_work(s->wq, &s->work);
  sim_irq_raise(s->irq);
  sim_msleep(8);
  SIM_EXPECT_EQ(s->works, 2);
  SIM_EXPECT_EQ(s->work_on, 1);
  SIM_EXPECT_EQ(s->irq_on, 1);
}
CASE(moves, false, move_main)

static void sleeper(void *arg) {
  u32 *cpu = arg;
  SIM_EXPECT_EQ(sim_smp_processor_id(), 1);
  sim_msleep(40);
  *cpu = sim_smp_processor_id();
  sh()->done++;
}
static void usleeper(void *arg) {
  u32 *cpu = arg;
  sim_usleep_range(40000, 40000);
  *cpu = sim_smp_processor_id();
  sh()->done++;
}
static void completion_waiter(void *arg) {
  u32 *cpu = arg;
  sim_wait_for_completion(&sh()->x);
  *cpu = sim_smp_processor_id();
  sh()->done++;
}
static void runner(void *arg) {
  u32 *cpu = arg;
  while (sim_cpu_online(1)) {
    sim_udelay(10);
    sim_cond_resched();
  }
  *cpu = sim_smp_processor_id();
  sh()->done++;
}
static void rcu_caller(void *arg) {
  (void)arg;
  sim_call_rcu(&sh()->head, rcu_called);
}
static void tasks_main(void *arg) {
  struct shared *s = sh();
  u32 *cpus = sim_zalloc(5 * sizeof(u32), "cpus");
  (void)arg;
  for (u32 i = 0; i < 5; i++) cpus[i] = 9;
  sim_task_new("sleeper", sleeper, &cpus[0], 1);
  sim_task_new("usleeper", usleeper, &cpus[1], 1);
  sim_task_new("waiter", completion_waiter, &cpus[2], 1);
  sim_task_new("caller", rcu_caller, NULL, 1);
  sim_msleep(4);
  sim_task_new("runner", runner, &cpus[3], 1);
  sim_task_new("runner", runner, &cpus[4], 1);
  sim_udelay(sim_test_draw(60));
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  sim_complete(&s->x);
  sim_msleep(100);
  SIM_EXPECT_EQ(s->done, 5);
  for (u32 i = 0; i < 5; i++) SIM_EXPECT_EQ(cpus[i], 0);
  sim_rcu_barrier();
  SIM_EXPECT_EQ(s->called, 1);
  sim_synchronize_rcu();
  sim_free(cpus);
}
CASE(tasks, false, tasks_main)

// Sleeping, queued and running tasks, timers, events, interrupts, RCU: all go on on CPU 0.
static void hotplug_moves_everything(void **state) {
  (void)state;
  sim_test_clean(&moves, NULL, 300);
  sim_test_clean(&tasks, NULL, 500);
  sim_test_clean(&tasks, (const char *const[]){"preempt", "0", NULL}, 500);
}

static void own_main(void *arg) {
  (void)arg;
  SIM_EXPECT_EQ(sim_smp_processor_id(), 1);
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  SIM_EXPECT_EQ(sim_smp_processor_id(), 0);
  SIM_EXPECT_EQ(sim_cpu_up(1), 0);
}
static void own_setup(void) {
  make_shared(true);
  sim_task_new("main", own_main, NULL, 1);
}
static const struct sim_scenario own = {.name = "own", .setup = own_setup};

// A task may take down the CPU it runs on.
static void hotplug_of_ones_own_cpu(void **state) {
  (void)state;
  sim_test_clean(&own, NULL, 200);
}

static void toggler(void *arg) {
  u32 cpu = *(u32 *)arg;
  for (u32 i = 0; i < 3; i++) {
    SIM_EXPECT_EQ(sim_cpu_down(cpu), 0);
    SIM_EXPECT_EQ(sim_cpu_up(cpu), 0);
  }
  sh()->done++;
}
static void ipi_caller(void *arg) {
  (void)arg;
  u32 ran = 0;
  while (sh()->done < 2) {
    for (u32 cpu = 1; cpu < 3; cpu++) {
      u32 before = sh()->irqs;
      int rc = sim_smp_call_function_single(cpu, irq_fired, NULL, true);
      SIM_EXPECT(rc == 0 || rc == -SIM_ENXIO);
      SIM_EXPECT_EQ(sh()->irqs, before + (rc == 0));
      ran += rc == 0;
    }
    sim_yield();
  }
  SIM_EXPECT(ran > 0);
}
static void storm_setup(void) {
  make_shared(true);
  u32 *number = sim_alloc_static(2 * sizeof(u32), "number");
  number[0] = 1;
  number[1] = 2;
  sim_task_new("toggler", toggler, &number[0], 0);
  sim_task_new("toggler", toggler, &number[1], 0);
  sim_task_new("caller", ipi_caller, NULL, 0);
}
static const struct sim_scenario storm = {.name = "storm", .setup = storm_setup};

// Two CPUs that come and go under calls: each call runs, or says that it did not.
static void hotplug_against_calls(void **state) {
  (void)state;
  sim_test_clean(&storm, (const char *const[]){"num_cpus", "3", NULL}, 300);
}

static void atomic_main(void *arg) {
  (void)arg;
  sim_preempt_disable();
  sim_cpu_down(1);
}
CASE(atomic, false, atomic_main)

static void hotplug_misuse_is_found(void **state) {
  (void)state;
  sim_test_always(&atomic, NULL, 5, "sleep-in-atomic");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hotplug_callbacks),       cmocka_unit_test(hotplug_moves_everything),
      cmocka_unit_test(hotplug_of_ones_own_cpu), cmocka_unit_test(hotplug_against_calls),
      cmocka_unit_test(hotplug_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
