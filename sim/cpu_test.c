// SPDX-License-Identifier: GPL-2.0-or-later
//
// Interrupts, softirqs and NMIs: when they land, in what order, in what context, and what
// of it is a finding. Hardware events are in sim/hw_event_test.c, IPIs in ipi_test.c,
// hotplug in hotplug_test.c.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/wait.h"

// A log of numbers: what came, in order.
struct shared {
  u32 line[8], cpu1_line, nmi[2];
  u32 came[64], num_came;
  u32 landed, rounds;
  u64 at_ns;
  bool inside;
  struct sim_task *sleeper;
  struct sim_spinlock lock;
  struct sim_completion done;
  struct sim_hw_event event;
};
static struct shared *sh(void) { return sim_private(); }

static void came(u32 number) {
  struct shared *s = sh();
  SIM_EXPECT(s->num_came < SIM_ARRAY_SIZE(s->came));
  s->came[s->num_came++] = number;
}
static void expect_came(const u32 *numbers, u32 n) {
  struct shared *s = sh();
  for (u32 i = 0; i < n && i < s->num_came; i++) SIM_EXPECT_EQ(s->came[i], numbers[i]);
  SIM_EXPECT_EQ(s->num_came, n);
}
#define EXPECT_CAME(...) \
  expect_came((const u32[]){__VA_ARGS__}, (u32)SIM_ARRAY_SIZE(((const u32[]){__VA_ARGS__})))

static void line0(void *arg) { came(0), (void)arg; }
static void line1(void *arg) { came(1), (void)arg; }
static void line2(void *arg) { came(2), (void)arg; }

static struct shared *make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_spin_lock_init(&s->lock, "lock");
  sim_init_completion(&s->done, "done");
  return s;
}
static struct shared *make_lines(void) {
  struct shared *s = make_shared();
  static void (*const handler[])(void *arg) = {line0, line1, line2};
  for (u32 i = 0; i < 3; i++) s->line[i] = sim_irq_register("line", handler[i], NULL, 0, false);
  return s;
}
#define CASE(name_, make_, main_, ...)    \
  static void name_##_setup(void) {       \
    make_();                              \
    sim_task_new("main", main_, sh(), 0); \
  }                                       \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup, ##__VA_ARGS__};

static void step(void) { SIM_POINT("step", NULL); }

// ---- The interrupt flag ----

static void flag_main(void *arg) {
  struct shared *s = arg;
  unsigned long outer, inner;
  SIM_EXPECT(!sim_irqs_disabled());
  sim_local_irq_save(outer);
  SIM_EXPECT(outer != 0 && sim_irqs_disabled());
  sim_irq_raise(s->line[0]);
  for (u32 i = 0; i < 20; i++) step();
  sim_local_irq_save(inner);
  SIM_EXPECT(inner == 0);
  sim_local_irq_restore(inner);  // to "off": as it was
  SIM_EXPECT(sim_irqs_disabled());
  step();
  SIM_EXPECT_EQ(s->num_came, 0);
  sim_local_irq_restore(outer);
  SIM_EXPECT(!sim_irqs_disabled());
  EXPECT_CAME(0);
  sim_local_irq_disable();
  sim_local_irq_disable();  // does not nest
  sim_irq_raise(s->line[1]);
  step();
  sim_local_irq_enable();
  EXPECT_CAME(0, 1);
  SIM_EXPECT(!sim_irqs_disabled());
}
CASE(flag, make_lines, flag_main)

// With the flag off nothing lands; restoring it to "on" is the point at which it does.
static void irq_lands_when_enabled(void **state) {
  sim_test_clean(&flag, NULL, 200);
  sim_test_clean(&flag, (const char *const[]){"num_cpus", "1", NULL}, 50);
}

static void merge_main(void *arg) {
  struct shared *s = arg;
  sim_local_irq_disable();
  sim_irq_raise(s->line[2]);
  sim_irq_raise(s->line[0]);
  sim_irq_raise(s->line[2]);
  sim_irq_raise(s->line[1]);
  sim_local_irq_enable();
  EXPECT_CAME(0, 1, 2);
  // Enabled: at the next step, whatever it costs.
  sim_irq_raise(s->line[1]);
  SIM_EXPECT_EQ(s->num_came, 3);
  step();
  EXPECT_CAME(0, 1, 2, 1);
  sim_irq_raise(s->line[1]);
  step();
  EXPECT_CAME(0, 1, 2, 1, 1);
}
CASE(merge, make_lines, merge_main)

// Pending lines land lowest first; one raised while pending lands once.
static void irq_lowest_first_and_merged(void **state) { sim_test_clean(&merge, NULL, 200); }

static void again(void *arg) {
  struct shared *s = sh();
  SIM_EXPECT(!s->inside);
  s->inside = true;
  s->landed++;
  if (s->landed < 5) sim_irq_raise(s->line[0]);
  if (s->landed == 1) sim_irq_raise(s->line[1]);
  for (u32 i = 0; i < 5; i++) step();
  s->inside = false;
  came(0);
  (void)arg;
}
static struct shared *make_again(void) {
  struct shared *s = make_shared();
  s->line[0] = sim_irq_register("again", again, NULL, 0, false);
  s->line[1] = sim_irq_register("line", line1, NULL, 0, false);
  return s;
}
static void again_main(void *arg) {
  struct shared *s = arg;
  sim_irq_raise(s->line[0]);
  step();
  EXPECT_CAME(0, 0, 0, 0, 0, 1);
}
CASE(raised_inside, make_again, again_main)

// A line that its own handler raises lands again after it, not inside it; one that is
// raised by a handler lands at the same step.
static void irq_does_not_nest(void **state) { sim_test_clean(&raised_inside, NULL, 200); }

// ---- Other CPUs, idle CPUs ----

static void on_cpu1(void *arg) {
  struct shared *s = sh();
  SIM_EXPECT_EQ(sim_smp_processor_id(), 1);
  SIM_EXPECT(sim_clock_ns() >= s->at_ns);
  s->landed++;
  if (s->sleeper) sim_wake_up_process(s->sleeper);
  (void)arg;
}
static struct shared *make_cpu1(void) {
  struct shared *s = make_shared();
  s->cpu1_line = sim_irq_register("cpu1", on_cpu1, NULL, 1, false);
  return s;
}
static void raise_far_main(void *arg) {
  struct shared *s = arg;
  sim_elapse(100000);
  s->at_ns = sim_clock_ns();
  sim_irq_raise(s->cpu1_line);
  sim_elapse(100000);
  SIM_EXPECT_EQ(s->landed, 1);
}
CASE(raise_far, make_cpu1, raise_far_main)

// On its own CPU, not before it was raised, though that CPU was idle and its clock behind.
static void irq_on_idle_cpu(void **state) { sim_test_clean(&raise_far, NULL, 200); }

static void sleeper_main(void *arg) {
  struct shared *s = arg;
  s->sleeper = sim_current();
  sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  sim_complete(&s->done);
  while (!s->landed) {
    sim_schedule();
    sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  }
  sim_set_current_state(SIM_TASK_RUNNING);
  came(7);
}
static void waker_main(void *arg) {
  struct shared *s = arg;
  struct sim_task *task = sim_task_new("sleeper", sleeper_main, s, 1);
  sim_wait_for_completion(&s->done);
  sim_irq_raise(s->cpu1_line);
  sim_task_join(task);
  EXPECT_CAME(7);
}
CASE(irq_wakes, make_cpu1, waker_main)

static void irq_wakes_a_task(void **state) { sim_test_clean(&irq_wakes, NULL, 500); }

// ---- NMI ----

static void nmi0(void *arg) {
  struct shared *s = sh();
  SIM_EXPECT(sim_in_nmi() && sim_in_hardirq() && sim_in_interrupt() && !sim_in_task());
  SIM_EXPECT(!s->inside);
  s->inside = true;
  came(10);
  if (s->landed++ == 0) {
    sim_irq_raise(s->nmi[0]);
    sim_irq_raise(s->nmi[1]);
  }
  for (u32 i = 0; i < 5; i++) step();
  s->inside = false;
  (void)arg;
}
static void nmi1(void *arg) {
  SIM_EXPECT(sim_in_nmi() && !sh()->inside);
  came(11);
  (void)arg;
}
static struct shared *make_nmi(void) {
  struct shared *s = make_lines();
  s->nmi[0] = sim_irq_register("nmi0", nmi0, NULL, 0, true);
  s->nmi[1] = sim_irq_register("nmi1", nmi1, NULL, 0, true);
  return s;
}
static void nmi_main(void *arg) {
  struct shared *s = arg;
  sim_local_irq_disable();
  sim_irq_raise(s->line[0]);
  sim_irq_raise(s->nmi[0]);
  SIM_EXPECT_EQ(s->num_came, 0);
  step();
  EXPECT_CAME(10, 10, 11);
  SIM_EXPECT(sim_irqs_disabled() && !sim_in_nmi());
  sim_local_irq_enable();
  EXPECT_CAME(10, 10, 11, 0);
  SIM_EXPECT_EQ(sim_preempt_count(), 0);
}
CASE(nmis, make_nmi, nmi_main)

// An NMI lands with interrupts off, at the next step. No NMI lands in an NMI, neither the
// same nor another; what was raised there comes after it.
static void nmi_lands_with_irqs_off(void **state) { sim_test_clean(&nmis, NULL, 200); }

static void softirq_logs(void) { came(20); }
static void nmi_raises_softirq(void *arg) {
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  (void)arg;
}
static struct shared *make_nmi_softirq(void) {
  struct shared *s = make_lines();
  s->nmi[0] = sim_irq_register("nmi", nmi_raises_softirq, NULL, 0, true);
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, softirq_logs);
  return s;
}
static void nmi_softirq_main(void *arg) {
  struct shared *s = arg;
  sim_irq_raise(s->nmi[0]);
  step();
  SIM_EXPECT_EQ(s->num_came, 0);
  sim_irq_raise(s->line[0]);
  step();
  EXPECT_CAME(0, 20);
}
CASE(nmi_softirq, make_nmi_softirq, nmi_softirq_main)

// The end of an NMI runs no softirq: that is the next interrupt's.
static void nmi_exit_runs_no_softirq(void **state) { sim_test_clean(&nmi_softirq, NULL, 50); }

// A CPU that spins with interrupts off still takes an NMI, here the one that makes the
// holder let go.
static void nmi_stops_holder(void *arg) {
  sh()->landed = 1;
  (void)arg;
}
static void nmi_spin_other(void *arg) {
  struct shared *s = arg;
  unsigned long flags;
  sim_spin_lock_irqsave(&s->lock, flags);
  came(1);
  sim_spin_unlock_irqrestore(&s->lock, flags);
}
static void nmi_spin_main(void *arg) {
  struct shared *s = arg;
  unsigned long flags;
  sim_spin_lock_irqsave(&s->lock, flags);
  struct sim_task *task = sim_task_new("other", nmi_spin_other, s, 1);
  sim_elapse(100000);  // it spins by now
  sim_irq_raise(s->nmi[0]);
  while (!sim_read_once(s->landed)) sim_cpu_relax();
  SIM_EXPECT_EQ(s->num_came, 0);
  sim_spin_unlock_irqrestore(&s->lock, flags);
  sim_task_join(task);
  EXPECT_CAME(1);
}
static struct shared *make_nmi_spin(void) {
  struct shared *s = make_shared();
  s->nmi[0] = sim_irq_register("nmi", nmi_stops_holder, NULL, 1, true);
  return s;
}
CASE(nmi_spin, make_nmi_spin, nmi_spin_main)

static void nmi_lands_in_a_spinning_cpu(void **state) { sim_test_clean(&nmi_spin, NULL, 300); }

// ---- Drawn interrupts ----

static void counted(void *arg) {
  struct shared *s = sh();
  SIM_EXPECT(sim_in_hardirq() && !sim_in_setup());
  SIM_EXPECT_EQ(sim_smp_processor_id(), 0);
  s->landed++;
  (void)arg;
}
static struct shared *make_drawn(void) {
  struct shared *s = make_shared();
  sim_irq_drawn("always", counted, NULL, 1u << 0, 1, 1);
  for (u32 i = 0; i < 10; i++) step();
  return s;
}
static void drawn_other(void *arg) {
  for (u32 i = 0; i < 20; i++) step();
  (void)arg;
}
static void drawn_main(void *arg) {
  struct shared *s = arg;
  SIM_EXPECT_EQ(s->landed, 0);  // none in set-up
  sim_task_new("other", drawn_other, NULL, 1);
  for (u32 i = 0; i < 10; i++) {
    step();
    SIM_EXPECT_EQ(s->landed, i + 1);
  }
  sim_local_irq_disable();
  step();
  SIM_EXPECT_EQ(s->landed, 10);
  sim_local_irq_enable();
  SIM_EXPECT_EQ(s->landed, 11);
  sim_preempt_disable();  // no matter to an interrupt
  step();
  SIM_EXPECT_EQ(s->landed, 12);
  sim_heal();
  step();
  sim_preempt_enable();
  SIM_EXPECT_EQ(s->landed, 12);
}
CASE(drawn, make_drawn, drawn_main)
static void drawn_calm_main(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 10; i++) step();
  SIM_EXPECT_EQ(s->landed, 0);
}
CASE(drawn_calm, make_drawn, drawn_calm_main)

// One that always lands lands at each step of a CPU of its mask that has interrupts on,
// once: not in set-up, not elsewhere, not when the run is healed or calm.
static void drawn_irq_at_each_step(void **state) {
  struct sim_test t;
  sim_test_open(&t, &drawn, NULL);
  struct sim_input in = {.backend = SIM_BACKEND_SEED, .strategy = SIM_STRATEGY_CALM};
  for (in.seed = 0; in.seed < 50; in.seed++) {
    sim_world_run(t.world, &in, &t.result);
    sim_test_show(&t, "seed", in.seed);
    assert_int_equal(t.result.status, SIM_OK);
  }
  sim_test_close(&t);
  sim_test_open(&t, &drawn_calm, NULL);
  sim_test_calm(&t);
  assert_int_equal(t.result.status, SIM_OK);
  sim_test_close(&t);
}

static void raises_line0(void *arg) {
  struct shared *s = sh();
  if (s->landed++ == 0) sim_irq_raise(s->line[0]);
  (void)arg;
}
static struct shared *make_drawn_raise(void) {
  struct shared *s = make_lines();
  sim_irq_drawn("raises", raises_line0, NULL, 1, 1, 1);
  return s;
}
static void drawn_raise_main(void *arg) {
  (void)arg;
  step();
  EXPECT_CAME(0);
}
CASE(drawn_raise, make_drawn_raise, drawn_raise_main)

static void run_strategy_calm(const struct sim_scenario *scenario, const char *const *set) {
  struct sim_test t;
  sim_test_open(&t, scenario, set);
  struct sim_input in = {.backend = SIM_BACKEND_SEED, .strategy = SIM_STRATEGY_CALM};
  for (in.seed = 0; in.seed < 20; in.seed++) {
    sim_world_run(t.world, &in, &t.result);
    sim_test_show(&t, "seed", in.seed);
    assert_int_equal(t.result.status, SIM_OK);
  }
  sim_test_close(&t);
}

// What a drawn interrupt brings up lands before the step takes effect.
static void drawn_irq_is_attended(void **state) { run_strategy_calm(&drawn_raise, NULL); }

static void late_tick(void *arg) {
  sim_elapse(1000000);
  (void)arg;
}
static struct shared *make_drawn_tick(void) {
  struct shared *s = make_shared();
  sim_irq_drawn("late-tick", late_tick, NULL, 1, 1, 1);
  return s;
}
static void drawn_tick_other(void *arg) { came(1), (void)arg; }
static void drawn_tick_main(void *arg) {
  sim_task_new("other", drawn_tick_other, NULL, 0);
  for (u32 i = 0; i < 5; i++) step();  // 5 ms: a tick
  came(0);
  EXPECT_CAME(1, 0);
  (void)arg;
}
CASE(drawn_tick, make_drawn_tick, drawn_tick_main)

// A tick that comes during a drawn interrupt is granted after it.
static void drawn_irq_reschedules(void **state) { run_strategy_calm(&drawn_tick, NULL); }

// ---- Softirqs ----

static void soft_hi(void) { came(0); }
static void soft_tx(void) {
  SIM_EXPECT(sim_in_serving_softirq() && sim_in_interrupt() && !sim_in_task());
  SIM_EXPECT(!sim_in_hardirq() && !sim_in_nmi() && !sim_irqs_disabled() && sim_in_atomic());
  SIM_EXPECT(!sim_preemptible());
  came(2);
}
static void soft_rx(void) {
  SIM_EXPECT(!sh()->inside);
  sh()->inside = true;
  for (u32 i = 0; i < 5; i++) step();
  sh()->inside = false;
  came(3);
}
static void raise_two(void *arg) {
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  sim_raise_softirq(SIM_NET_TX_SOFTIRQ);
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  step();
  SIM_EXPECT(!sim_in_serving_softirq());
  came(9);
  (void)arg;
}
static struct shared *make_soft(void) {
  struct shared *s = make_shared();
  sim_open_softirq(SIM_HI_SOFTIRQ, soft_hi);
  sim_open_softirq(SIM_NET_TX_SOFTIRQ, soft_tx);
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, soft_rx);
  s->line[0] = sim_irq_register("raise_two", raise_two, NULL, 0, false);
  return s;
}
static void soft_main(void *arg) {
  struct shared *s = arg;
  sim_irq_raise(s->line[0]);
  step();
  EXPECT_CAME(9, 2, 3);
  // Disabled, nested: at the end of the outermost.
  sim_local_bh_disable();
  SIM_EXPECT(sim_in_interrupt() && sim_in_task() && !sim_in_serving_softirq() && sim_in_atomic());
  sim_local_bh_disable();
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  sim_irq_raise(s->line[0]);
  step();
  EXPECT_CAME(9, 2, 3, 9);
  sim_raise_softirq(SIM_HI_SOFTIRQ);
  sim_local_bh_enable();
  EXPECT_CAME(9, 2, 3, 9);
  sim_local_bh_enable();
  EXPECT_CAME(9, 2, 3, 9, 0, 2, 3);
  SIM_EXPECT(!sim_in_interrupt() && sim_preemptible());
  // With interrupts off it waits too, for an interrupt's end or the next bh enable.
  sim_local_irq_disable();
  sim_raise_softirq(SIM_NET_TX_SOFTIRQ);
  step();
  sim_local_irq_enable();
  SIM_EXPECT_EQ(s->num_came, 7);
  sim_local_bh_disable();
  sim_local_bh_enable();
  EXPECT_CAME(9, 2, 3, 9, 0, 2, 3, 2);
  // In a task with all enabled: at once.
  sim_raise_softirq(SIM_NET_TX_SOFTIRQ);
  EXPECT_CAME(9, 2, 3, 9, 0, 2, 3, 2, 2);
}
CASE(soft, make_soft, soft_main)

// Softirqs run at the end of the outermost interrupt and of the outermost bh section, in
// order of number, each once, with interrupts on.
static void softirqs_where_allowed(void **state) { sim_test_clean(&soft, NULL, 300); }

static void soft_again(void) {
  struct shared *s = sh();
  s->rounds++;
  if (s->rounds < 25) sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
}
static struct shared *make_restart(void) {
  struct shared *s = make_lines();
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, soft_again);
  return s;
}
static void restart_main(void *arg) {
  struct shared *s = arg;
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  SIM_EXPECT_EQ(s->rounds, 10);
  sim_irq_raise(s->line[0]);
  step();
  SIM_EXPECT_EQ(s->rounds, 20);
  sim_local_bh_disable();
  sim_local_bh_enable();
  SIM_EXPECT_EQ(s->rounds, 25);
}
CASE(restart, make_restart, restart_main)

// A softirq that raises itself is run again, ten times in all; the next end of an interrupt
// or bh section goes on with it.
static void softirq_restarts(void **state) { sim_test_clean(&restart, NULL, 20); }

static void restart_idle_main(void *arg) {
  struct shared *s = arg;
  sim_irq_raise(s->cpu1_line);
  sim_msleep(1);
  SIM_EXPECT_EQ(s->rounds, 25);
}
static void raise_rx(void *arg) {
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  (void)arg;
}
static struct shared *make_restart_idle(void) {
  struct shared *s = make_restart();
  s->cpu1_line = sim_irq_register("raise_rx", raise_rx, NULL, 1, false);
  return s;
}
CASE(restart_idle, make_restart_idle, restart_idle_main)

// On a CPU that is otherwise idle ksoftirqd would run: nothing is left lying.
static void idle_cpu_finishes_softirqs(void **state) { sim_test_clean(&restart_idle, NULL, 20); }

static void soft_interrupted(void) {
  struct shared *s = sh();
  if (s->rounds++) {
    came(5);
    return;
  }
  sim_irq_raise(s->line[0]);
  step();  // the interrupt lands here; the softirq that it raises waits
  came(4);
}
static void raise_in_soft(void *arg) {
  SIM_EXPECT(sim_in_hardirq() && sim_in_serving_softirq());
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  came(9);
  (void)arg;
}
static struct shared *make_interrupted(void) {
  struct shared *s = make_shared();
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, soft_interrupted);
  s->line[0] = sim_irq_register("raise_in_soft", raise_in_soft, NULL, 0, false);
  return s;
}
static void interrupted_main(void *arg) {
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  EXPECT_CAME(9, 4, 5);
  (void)arg;
}
CASE(interrupted, make_interrupted, interrupted_main)

// An interrupt lands in a softirq; the softirqs that it raises come after that one.
static void irq_in_a_softirq(void **state) { sim_test_clean(&interrupted, NULL, 100); }

// ---- A spinning CPU that was idle ----

static void soft_lock(void) {
  sim_spin_lock(&sh()->lock);
  came(1);
  sim_spin_unlock(&sh()->lock);
}
static void event_during_spin(void *arg) {
  came(0);
  (void)arg;
}
static struct shared *make_spin_idle(void) {
  struct shared *s = make_shared();
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, soft_lock);
  s->cpu1_line = sim_irq_register("raise_rx", raise_rx, NULL, 1, false);
  return s;
}
static void spin_idle_main(void *arg) {
  struct shared *s = arg;
  sim_local_bh_disable();
  sim_spin_lock(&s->lock);
  sim_irq_raise(s->cpu1_line);
  sim_hw_event_arm(&s->event, sim_clock_ns() + 500000, event_during_spin, NULL, 1);
  sim_elapse(1000000);
  EXPECT_CAME(0);
  sim_spin_unlock(&s->lock);
  sim_local_bh_enable();
  sim_elapse(100000);
  EXPECT_CAME(0, 1);
}
CASE(spin_idle, make_spin_idle, spin_idle_main)

// An idle CPU whose softirq spins takes the interrupts that come meanwhile at their time.
static void spinning_idle_cpu_takes_events(void **state) { sim_test_clean(&spin_idle, NULL, 200); }

// ---- An idle CPU in an interrupt is awake ----

static void long_handler(void *arg) {
  struct shared *s = sh();
  u64 before = sim_clock_ns();
  s->inside = true;
  sim_elapse(50000);
  SIM_EXPECT(sim_clock_ns() - before < 60000);
  s->inside = false;
  (void)arg;
}
static void late_sleeper(void *arg) {
  struct shared *s = arg;
  s->sleeper = sim_current();
  sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  sim_complete(&s->done);
  sim_schedule();
  SIM_EXPECT(!s->inside);
  SIM_EXPECT(sim_clock_ns() >= s->at_ns);
  came(1);
}
static struct shared *make_awake(void) {
  struct shared *s = make_shared();
  s->cpu1_line = sim_irq_register("long", long_handler, NULL, 1, false);
  return s;
}
static void awake_main(void *arg) {
  struct shared *s = arg;
  struct sim_task *task = sim_task_new("sleeper", late_sleeper, s, 1);
  sim_wait_for_completion(&s->done);
  sim_elapse(100000);  // it sleeps by now
  sim_irq_raise(s->cpu1_line);
  sim_elapse(20000);  // amid the handler
  s->at_ns = sim_clock_ns();
  sim_wake_up_process(s->sleeper);
  sim_task_join(task);
}
CASE(awake, make_awake, awake_main)

// A task that is woken while its idle CPU is in an interrupt starts after that; the
// interrupt is not made longer by the latency of waking up.
static void wake_during_an_idle_cpus_irq(void **state) {
  sim_test_clean(&awake, (const char *const[]){"wake_latency_ns", "100000", NULL}, 300);
}

// ---- Misuse ----

static u32 misuse;
static void bad_handler(void *arg) {
  (void)arg;
  switch (misuse) {
    case 0:
      sim_local_irq_enable();
      break;
    case 1:
      sim_local_bh_disable();
      break;
    case 2:
      sim_preempt_disable();
      break;
    case 3:
      sim_schedule();
      break;
    case 4:
      sim_usleep_range(1, 2);
      break;
    default:
      break;
  }
}
static void bad_softirq(void) {
  switch (misuse) {
    case 0:
      sim_local_irq_disable();
      break;
    case 1:
      sim_preempt_disable();
      break;
    case 2:
      sim_msleep(1);
      break;
    default:
      break;
  }
}
static struct shared *make_bad(void) {
  struct shared *s = make_shared();
  s->line[0] = sim_irq_register("bad", bad_handler, NULL, 0, false);
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, bad_softirq);
  return s;
}
static void bad_irq_main(void *arg) {
  struct shared *s = arg;
  sim_irq_raise(s->line[0]);
  step();
}
CASE(bad_irq, make_bad, bad_irq_main)
static void bad_soft_main(void *arg) {
  (void)arg;
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
}
CASE(bad_soft, make_bad, bad_soft_main)
static void bad_task_main(void *arg) {
  (void)arg;
  switch (misuse) {
    case 0:
      sim_local_bh_enable();
      break;
    case 1:
      sim_local_bh_disable();
      sim_local_irq_disable();
      sim_local_bh_enable();
      break;
    case 2:
      sim_local_irq_restore(1);
      break;
    case 3:
      sim_preempt_enable();
      break;
    case 4:
      sim_local_irq_disable();  // and ends so
      break;
    case 5:
      sim_preempt_disable();  // and ends so
      break;
    case 6:
      sim_local_bh_disable();  // and ends so
      break;
    case 7:
      sim_irq_raise(SIM_IRQS_MAX);
      break;
    case 8:
      (void)sim_irq_register("late", line0, NULL, 0, false);
      break;
    case 9:
      sim_local_irq_disable();
      sim_yield();
      break;
    case 10:
      sim_preempt_disable();
      sim_cond_resched();
      break;
    case 11:
      sim_local_bh_disable();
      sim_msleep(1);
      break;
    case 12:
      sim_raise_softirq(SIM_NR_SOFTIRQS);
      break;
    case 13:
      sim_open_softirq(SIM_NR_SOFTIRQS, bad_softirq);
      break;
    default:
      break;
  }
}
CASE(bad_task, make_bad, bad_task_main)
static void bad_line_setup(void) {
  make_shared();
  (void)sim_irq_register("nowhere", line0, NULL, sim_nr_cpus(), false);
}
static const struct sim_scenario bad_line = {.name = "bad_line", .setup = bad_line_setup};

// Each wrong use is a finding, in every run.
static void misuse_is_reported(void **state) {
  static const char *const irq[] = {"context-misuse", "context-misuse", "context-misuse",
                                    "sleep-in-atomic", "sleep-in-atomic"};
  for (misuse = 0; misuse < SIM_ARRAY_SIZE(irq); misuse++)
    sim_test_always(&bad_irq, NULL, 5, irq[misuse]);
  static const char *const soft_[] = {"context-misuse", "context-misuse", "sleep-in-atomic"};
  for (misuse = 0; misuse < SIM_ARRAY_SIZE(soft_); misuse++)
    sim_test_always(&bad_soft, NULL, 5, soft_[misuse]);
  static const char *const task[] = {
      "context-misuse",  "context-misuse",  "context-misuse", "context-misuse", "context-misuse",
      "context-misuse",  "context-misuse",  "api-misuse",     "api-misuse",     "sleep-in-atomic",
      "sleep-in-atomic", "sleep-in-atomic", "api-misuse",     "api-misuse"};
  for (misuse = 0; misuse < SIM_ARRAY_SIZE(task); misuse++)
    sim_test_always(&bad_task, NULL, 5, task[misuse]);
  struct sim_test t;
  assert_int_equal(sim_test_try_open(&t, &bad_line, NULL), SIM_SAFETY);
  assert_string_equal(t.result.failures[0].oracle, "api-misuse");
  sim_test_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(irq_lands_when_enabled),
      cmocka_unit_test(irq_lowest_first_and_merged),
      cmocka_unit_test(irq_does_not_nest),
      cmocka_unit_test(irq_on_idle_cpu),
      cmocka_unit_test(irq_wakes_a_task),
      cmocka_unit_test(nmi_lands_with_irqs_off),
      cmocka_unit_test(nmi_exit_runs_no_softirq),
      cmocka_unit_test(nmi_lands_in_a_spinning_cpu),
      cmocka_unit_test(drawn_irq_at_each_step),
      cmocka_unit_test(drawn_irq_is_attended),
      cmocka_unit_test(drawn_irq_reschedules),
      cmocka_unit_test(softirqs_where_allowed),
      cmocka_unit_test(softirq_restarts),
      cmocka_unit_test(idle_cpu_finishes_softirqs),
      cmocka_unit_test(irq_in_a_softirq),
      cmocka_unit_test(spinning_idle_cpu_takes_events),
      cmocka_unit_test(wake_during_an_idle_cpus_irq),
      cmocka_unit_test(misuse_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
