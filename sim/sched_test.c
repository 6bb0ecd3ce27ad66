// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tasks and who runs: creation and end, labels and slots, sleeping and waking, giving up
// the CPU, ticks, preemption, the clocks of the CPUs. The order of a calm run is in
// order_test.c, kthreads in kthread_test.c, sleeping for a time in sleep_test.c.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/sched.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/trace.h"
#include "sim/wait.h"

struct shared {
  u32 came[256], num_came;
  u32 count, ended, left;
  bool flag, stop;
  u64 at_ns;
  struct sim_task *task[SIM_TASKS_MAX];
  struct sim_spinlock lock;
  struct sim_completion done;
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

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_spin_lock_init(&s->lock, "lock");
  sim_init_completion(&s->done, "done");
}
#define CASE(name_, main_)                \
  static void name_##_setup(void) {       \
    make_shared();                        \
    sim_task_new("main", main_, sh(), 0); \
  }                                       \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static void step(void) { SIM_POINT("step", NULL); }
static void nothing(void *arg) { (void)arg; }
static u64 tick_ns(void) { return SIM_NSEC_PER_SEC / sim_hz(); }
static const char *const one_cpu[] = {"num_cpus", "1", NULL};

// ---- Creation and end ----

static void counting(void *arg) {
  struct shared *s = arg;
  step();
  s->count++;
}
static void many_main(void *arg) {
  struct shared *s = arg;
  // 95 beside this one; each slot is used again by later ones.
  for (u32 round = 0; round < 3; round++) {
    for (u32 i = 0; i < SIM_TASKS_MAX - 1; i++)
      s->task[i] = sim_task_new("t", counting, s, i % sim_nr_cpus());
    for (u32 i = 0; i < SIM_TASKS_MAX - 1; i++) {
      sim_task_join(s->task[i]);
      SIM_EXPECT_EQ(sim_task_state(s->task[i]), SIM_TASK_DEAD);
    }
    SIM_EXPECT_EQ(s->count, (round + 1) * (SIM_TASKS_MAX - 1));
  }
}
CASE(many, many_main)

static void ninety_six_tasks(void **state) {
  (void)state;
  sim_test_clean(&many, NULL, 20);
  sim_test_clean(&many, one_cpu, 20);
  sim_test_clean(&many, (const char *const[]){"num_cpus", "8", NULL}, 20);
}

static void sleeper(void *arg) {
  sim_wait_for_completion(&sh()->done);
  (void)arg;
}
static void too_many_main(void *arg) {
  for (u32 i = 0; i < SIM_TASKS_MAX; i++) sim_task_new("t", sleeper, arg, 0);
}
CASE(too_many, too_many_main)
static void no_cpu_main(void *arg) { sim_task_new("t", nothing, arg, sim_nr_cpus()); }
CASE(no_cpu, no_cpu_main)
static void too_many_ever_main(void *arg) {
  for (u32 i = 0; i < SIM_ACTOR_CPU0; i++) sim_task_join(sim_task_new("t", nothing, arg, 0));
}
CASE(too_many_ever, too_many_ever_main)

static void creation_misuse(void **state) {
  (void)state;
  sim_test_always(&too_many, NULL, 3, "api-misuse");
  sim_test_always(&no_cpu, NULL, 3, "api-misuse");
  sim_test_always(&too_many_ever, one_cpu, 1, "api-misuse");
}

static void off_main(void *arg) {
  struct shared *s = arg;
  SIM_EXPECT_EQ(sim_cpu_down(1), 0);
  struct sim_task *task = sim_task_new("t", counting, s, 1);
  sim_task_join(task);
  SIM_EXPECT_EQ(sim_task_cpu(task), 0);
}
CASE(offline, off_main)

// One for a CPU that is offline runs on the first that is not, as those that were there do.
static void task_for_an_offline_cpu(void **state) {
  (void)state, sim_test_clean(&offline, NULL, 50);
}

// ---- Labels and the actors of decisions ----

static void names_main(void *arg) {
  struct shared *s = arg;
  SIM_EXPECT_EQ(strcmp(sim_task_label(sim_current()), "main#0"), 0);
  static const char *const name[] = {"r",     "r", "writer", "r", "a-name-of-sixteen-and-more",
                                     "a b\t", "",  "r"};
  static const char *const label[] = {"r#0",    "r#1", "writer#0", "r#2", "a-name-of-sixte#0",
                                      "a_b_#0", "_#0", "r#3"};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(name); i++) {
    s->task[i] = sim_task_new(name[i], nothing, s, 0);
    SIM_EXPECT_EQ(strcmp(sim_task_label(s->task[i]), label[i]), 0);
    if (i == 3) sim_task_join(s->task[i]);  // later labels do not depend on who is alive
  }
}
CASE(names, names_main)

// A name and a count of those before it of that name; a label has no blank.
static void labels(void **state) { (void)state, sim_test_clean(&names, NULL, 5); }

static void drawing(void *arg) {
  u32 v = sim_choose(sim_w, SIM_SITE_DRAW("slot-draw", SIM_SITE_WORK, 0, 0), 1000);
  came(v);
  (void)arg;
}
static void reuse_main(void *arg) {
  for (u32 i = 0; i < 5; i++) {
    struct sim_task *task = sim_task_new("drawer", drawing, arg, 0);
    SIM_EXPECT_EQ(task->slot, 0);  // the set-up task's, then again and again
    sim_task_join(task);
  }
}
CASE(reuse, reuse_main)

// Tasks that follow each other in a slot count from 0 each, and have labels of their own.
static void slots_count_anew(void **state) {
  struct sim_test t;
  u32 n;
  (void)state;
  sim_test_open(&t, &reuse, one_cpu);
  for (u64 seed = 0; seed < 20; seed++) {
    sim_test_seed(&t, seed);
    sim_test_show(&t, "seed", seed);
    assert_int_equal(t.result.status, SIM_OK);
    const struct sim_draw *draw = sim_world_draws(t.world, &n);
    for (u32 i = 0; i < n; i++) {
      if (strcmp(sim_site_at(draw[i].site)->prim, "slot-draw") != 0) continue;
      assert_int_equal(draw[i].k, 0);
      char label[40];
      bool found = false;
      for (u32 j = 0; j < 5; j++) {
        snprintf(label, sizeof(label), "drawer#%u", j);
        found |= strcmp(sim_world_actor_label(t.world, draw[i].actor), label) == 0;
      }
      assert_true(found);
    }
  }
  sim_test_close(&t);
}

// ---- Set-up ----

static void in_run(void *arg) {
  SIM_EXPECT(!sim_in_setup());
  came((u32)(uintptr_t)arg);
}
static void early_setup(void) {
  make_shared();
  sim_task_new("a", in_run, (void *)1, 1);
  sim_task_new("b", in_run, (void *)2, 1);
  for (u32 i = 0; i < 1000; i++) step();
  sim_msleep(100);
  SIM_EXPECT_EQ(sh()->num_came, 0);
  sim_task_new("c", in_run, (void *)3, 1);
}
static void early_check(void) { SIM_EXPECT_EQ(sh()->num_came, 3); }
static const struct sim_scenario early = {
    .name = "early", .setup = early_setup, .check = early_check};

// Tasks that set-up makes start with the run, however long set-up takes.
static void setup_tasks_start_with_the_run(void **state) {
  (void)state;
  sim_test_clean(&early, NULL, 100);
}

static int kthread_fn(void *arg) {
  ((struct shared *)arg)->flag = true;
  return 0;
}
static void kthread_setup(void) {
  make_shared();
  sim_kthread_run(kthread_fn, sh(), "k", 1);
  sim_msleep(10);
  SIM_EXPECT(sh()->flag);
  sim_task_new("a", nothing, NULL, 0);
}
static const struct sim_scenario setup_kthread = {.name = "setup_kthread", .setup = kthread_setup};

// Kernel threads run when set-up sleeps: it may need them.
static void kthreads_run_in_setup(void **state) {
  (void)state, sim_test_clean(&setup_kthread, NULL, 20);
}

static void daemon_loop(void *arg) {
  struct shared *s = arg;
  for (;;) {
    s->count++;
    sim_usleep_range(100, 100);
  }
}
static void daemon_main(void *arg) {
  struct shared *s = arg;
  struct sim_task *d = sim_task_new("daemon", daemon_loop, s, 1);
  sim_task_set_daemon(d);
  sim_task_set_daemon(d);  // once is enough
  struct sim_task *t = sim_task_new("t", nothing, s, 1);
  sim_task_join(t);
  sim_task_set_daemon(t);  // too late, and no matter
  sim_msleep(1);
  SIM_EXPECT(s->count >= 10);
}
CASE(daemons, daemon_main)
static void last_main(void *arg) {
  sim_task_set_daemon(sim_current());
  SIM_EXPECT(!"goes on");
  (void)arg;
}
CASE(last_becomes_daemon, last_main)

// A run ends with its last task that is no daemon: when it returns, or becomes one.
static void runs_end_without_daemons(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_clean(&daemons, NULL, 100);
  sim_test_clean(&last_becomes_daemon, NULL, 10);
  sim_test_open(&t, &last_becomes_daemon, NULL);
  sim_test_calm(&t);
  assert_false(t.result.healed);
  sim_test_close(&t);
}

// ---- Join ----

static void long_task(void *arg) {
  sim_usleep_range(500, 500);
  sh()->ended++;
  (void)arg;
}
static void joiner(void *arg) {
  struct shared *s = arg;
  sim_task_join(s->task[0]);
  SIM_EXPECT_EQ(s->ended, 1);
  s->left--;
}
static void join_main(void *arg) {
  struct shared *s = arg;
  s->task[0] = sim_task_new("long", long_task, s, 0);
  s->left = 3;
  for (u32 i = 1; i <= 3; i++) s->task[i] = sim_task_new("joiner", joiner, s, i % sim_nr_cpus());
  // Woken for no reason, they wait on.
  for (u32 i = 0; i < 12; i++) {
    sim_usleep_range(20, 20);
    sim_wake_up_process(s->task[1 + i % 3]);
  }
  for (u32 i = 1; i <= 3; i++) sim_task_join(s->task[i]);
  SIM_EXPECT_EQ(s->left, 0);
  sim_task_join(s->task[0]);  // ended already: at once
}
CASE(join, join_main)
static void self_join_main(void *arg) {
  sim_task_join(sim_current());
  (void)arg;
}
CASE(self_join, self_join_main)
static void atomic_join_main(void *arg) {
  struct shared *s = arg;
  s->task[0] = sim_task_new("long", long_task, s, 0);
  sim_preempt_disable();
  sim_task_join(s->task[0]);
}
CASE(atomic_join, atomic_join_main)

static void joining(void **state) {
  (void)state;
  sim_test_clean(&join, NULL, 300);
  sim_test_clean(&join, one_cpu, 100);
  sim_test_always(&self_join, NULL, 3, "deadlock");
  sim_test_always(&atomic_join, NULL, 3, "sleep-in-atomic");
}

// ---- Sleeping and waking ----

static void state_sleeper(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 5; i++) {
    sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
    if (!sim_read_once(s->flag)) sim_schedule();
    SIM_EXPECT(sim_task_state(sim_current()) == SIM_TASK_RUNNING || s->flag);
    sim_set_current_state(SIM_TASK_RUNNING);
    if (!s->flag) continue;
    s->flag = false;
    s->count++;
  }
}
static void state_waker(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 5; i++) {
    sim_write_once(s->flag, true);
    sim_wake_up_process(s->task[0]);
    sim_usleep_range(50, 50);
  }
}
static void lost_setup(void) {
  make_shared();
  sh()->task[0] = sim_task_new("sleeper", state_sleeper, sh(), 0);
  sim_task_new("waker", state_waker, sh(), sim_nr_cpus() - 1);
}
static void lost_check(void) { SIM_EXPECT(sh()->count >= 1); }
static const struct sim_scenario lost = {.name = "lost", .setup = lost_setup, .check = lost_check};

// The kernel's pattern - state, condition, schedule - loses no wake-up, wherever it comes.
static void wake_ups_are_not_lost(void **state) {
  (void)state;
  sim_test_clean(&lost, NULL, 1000);
  sim_test_clean(&lost, one_cpu, 300);
  sim_test_clean(&lost, (const char *const[]){"num_cpus", "1", "preempt", "0", NULL}, 300);
}

static void early_wake_main(void *arg) {
  u64 before = sim_clock_ns();
  sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  SIM_EXPECT_EQ(sim_task_state(sim_current()), SIM_TASK_UNINTERRUPTIBLE);
  SIM_EXPECT(sim_wake_up_process(sim_current()));   // it was about to
  SIM_EXPECT(!sim_wake_up_process(sim_current()));  // it was not
  SIM_EXPECT_EQ(sim_task_state(sim_current()), SIM_TASK_RUNNING);
  sim_schedule();
  SIM_EXPECT(sim_clock_ns() - before < 5000);
  (void)arg;
}
CASE(early_wake, early_wake_main)

static void wake_before_sleep(void **state) { (void)state, sim_test_clean(&early_wake, NULL, 50); }

static void returns_main(void *arg) {
  struct shared *s = arg;
  s->task[0] = sim_task_new("sleeper", sleeper, s, 1);
  sim_msleep(1);
  SIM_EXPECT_EQ(sim_task_state(s->task[0]), SIM_TASK_UNINTERRUPTIBLE);
  s->done.done = 1;
  SIM_EXPECT(sim_wake_up_process(s->task[0]));  // it slept
  sim_task_join(s->task[0]);
  SIM_EXPECT(!sim_wake_up_process(s->task[0]));  // it is dead
  SIM_EXPECT_EQ(sim_task_state(s->task[0]), SIM_TASK_DEAD);
}
CASE(returns, returns_main)

static void wake_up_returns(void **state) { (void)state, sim_test_clean(&returns, NULL, 50); }

static void signal_sleeper(void *arg) {
  struct shared *s = arg;
  sim_set_current_state(SIM_TASK_INTERRUPTIBLE);
  sim_schedule();
  SIM_EXPECT(sim_signal_pending());
  SIM_EXPECT_EQ(sim_task_state(sim_current()), SIM_TASK_RUNNING);
  // While one is pending, an interruptible sleep ends at once.
  sim_set_current_state(SIM_TASK_INTERRUPTIBLE);
  sim_schedule();
  s->count++;
  sim_clear_signals();
  SIM_EXPECT(!sim_signal_pending());
  s->flag = true;
  sim_set_current_state(SIM_TASK_UNINTERRUPTIBLE);
  sim_schedule();  // a signal does not end it
  SIM_EXPECT(s->stop);
}
static void signal_main(void *arg) {
  struct shared *s = arg;
  s->task[0] = sim_task_new("sleeper", signal_sleeper, s, 1);
  sim_msleep(1);
  sim_send_signal(s->task[0]);
  while (!sim_read_once(s->flag)) sim_msleep(1);
  sim_msleep(1);
  sim_send_signal(s->task[0]);
  sim_msleep(1);
  SIM_EXPECT_EQ(sim_task_state(s->task[0]), SIM_TASK_UNINTERRUPTIBLE);
  s->stop = true;
  sim_wake_up_process(s->task[0]);
  sim_task_join(s->task[0]);
  SIM_EXPECT_EQ(s->count, 1);
}
CASE(signals, signal_main)

static void signals_end_interruptible_sleeps(void **state) {
  (void)state;
  sim_test_clean(&signals, NULL, 200);
}

// ---- Giving up the CPU ----

static void turn(void *arg) {
  struct shared *s = arg;
  u32 me = s->count++;
  for (u32 i = 0; i < 3; i++) {
    came(me * 10 + i);
    if (sh()->flag)
      sim_schedule();
    else
      sim_yield();
    SIM_EXPECT_EQ(sim_task_state(sim_current()), SIM_TASK_RUNNING);
  }
}
static void turns_check(void) { EXPECT_CAME(0, 10, 20, 1, 11, 21, 2, 12, 22); }
static void turns_setup(void) {
  make_shared();
  for (u32 i = 0; i < 3; i++) sim_task_new("turn", turn, sh(), 0);
}
static void turns_schedule_setup(void) {
  turns_setup();
  sh()->flag = true;
}
static const struct sim_scenario turns = {
    .name = "turns", .setup = turns_setup, .check = turns_check};
static const struct sim_scenario turns_schedule = {
    .name = "turns_schedule", .setup = turns_schedule_setup, .check = turns_check};

static void calm_clean(const struct sim_scenario *scenario, const char *const *set) {
  sim_test_clean(scenario, set, 0);
}

// yield, and schedule in the running state: to the end of the queue; calm: in turns.
static void yield_and_schedule_take_turns(void **state) {
  (void)state;
  calm_clean(&turns, NULL);
  calm_clean(&turns_schedule, NULL);
}

static void hog(void *arg) {
  struct shared *s = arg;
  came(1);
  sim_elapse(3 * tick_ns());
  came(2);
  s->flag = true;
}
static void quick(void *arg) {
  came(3);
  (void)arg;
}
static void resched_main(void *arg) {
  struct shared *s = arg;
  // Alone on this CPU: no tick wishes for another, however long.
  sim_elapse(3 * tick_ns());
  SIM_EXPECT(!sim_need_resched());
  SIM_EXPECT(!sim_cond_resched());
  // Another is queued: from the next tick on, and not before.
  sim_task_new("quick", quick, s, 0);
  SIM_EXPECT(!sim_need_resched());
  SIM_EXPECT(!sim_cond_resched());
  EXPECT_CAME();
  sim_preempt_disable();
  u64 tick = (sim_clock_ns() / tick_ns() + 1) * tick_ns();
  while (sim_clock_ns() < tick) {
    SIM_EXPECT(!sim_need_resched());
    sim_elapse(100);
  }
  SIM_EXPECT(sim_need_resched());
  SIM_EXPECT_EQ(s->num_came, 0);
  if (s->flag) {
    sim_preempt_enable();  // granted here
    EXPECT_CAME(3);
  } else {
    sim_preempt_enable();
    SIM_EXPECT_EQ(s->num_came, 0);
    SIM_EXPECT(sim_need_resched());
    sim_elapse(2 * tick_ns());
    SIM_EXPECT_EQ(s->num_came, 0);
    SIM_EXPECT(sim_cond_resched());
    EXPECT_CAME(3);
  }
  SIM_EXPECT(!sim_need_resched());
}
static void resched_setup(void) {
  make_shared();
  sh()->flag = sim_world_config(sim_w)->preempt;
  sim_task_new("main", resched_main, sh(), 0);
}
static const struct sim_scenario resched = {.name = "resched", .setup = resched_setup};

// A tick wishes to reschedule when another task is queued on its CPU; that is granted
// where the task may be preempted, or at cond_resched.
static void ticks_wish_to_reschedule(void **state) {
  (void)state;
  calm_clean(&resched, NULL);
  calm_clean(&resched, (const char *const[]){"preempt", "0", NULL});
  calm_clean(&resched, (const char *const[]){"num_cpus", "1", "hz", "1000", NULL});
}

static void hogs_setup(void) {
  make_shared();
  sim_task_new("hog", hog, sh(), 0);
  sim_task_new("quick", quick, sh(), 0);
}
static void hogs_preempt_check(void) { EXPECT_CAME(1, 3, 2); }
static void hogs_check(void) { EXPECT_CAME(1, 2, 3); }
static const struct sim_scenario hogs_preempt = {
    .name = "hogs_preempt", .setup = hogs_setup, .check = hogs_preempt_check};
static const struct sim_scenario hogs = {.name = "hogs", .setup = hogs_setup, .check = hogs_check};

static void busy_task(void *arg) {
  struct shared *s = arg;
  u32 me = s->count++;
  s->at_ns = me;
  for (u32 i = 0; i < 30; i++) {
    step();
    sim_elapse(i * 100000);
    SIM_EXPECT_EQ(s->at_ns, me);
  }
}
static void involuntary_setup(void) {
  make_shared();
  for (u32 i = 0; i < 4; i++) sim_task_new("busy", busy_task, sh(), 0);
}
static const struct sim_scenario involuntary = {.name = "involuntary", .setup = involuntary_setup};

// With preempt=0 no draw and no tick takes the CPU from a task: it gives it up itself.
static void preempt_off_means_voluntary(void **state) {
  (void)state;
  calm_clean(&hogs_preempt, NULL);
  calm_clean(&hogs, (const char *const[]){"preempt", "0", NULL});
  sim_test_clean(&involuntary, (const char *const[]){"preempt", "0", NULL}, 100);
  sim_test_finds(&involuntary, NULL, 20, "expect");
}

static void spinner(void *arg) {
  struct shared *s = arg;
  struct sim_task *self = sim_current();
  s->left = 1;
  while (!sim_read_once(s->flag)) {
    sim_cpu_relax();
    SIM_EXPECT(sim_current() == self);
    SIM_EXPECT_EQ(s->count, 0);  // its CPU runs no other
  }
  s->stop = true;
}
static void setter(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 200; i++) step();
  sim_write_once(s->flag, true);
}
static void queued(void *arg) {
  struct shared *s = arg;
  if (s->left && !s->stop) s->count++;
}
static void relax_setup(void) {
  make_shared();
  sim_task_new("spinner", spinner, sh(), 0);
  sim_task_new("setter", setter, sh(), 1);
  sim_task_new("queued", queued, sh(), 0);
}
static void relax_check(void) { SIM_EXPECT(sh()->stop); }
static const struct sim_scenario relax = {
    .name = "relax", .setup = relax_setup, .check = relax_check};

// cpu_relax lets the other CPUs run, also calmly and whatever the skew; its task stays
// current (without preemption).
static void cpu_relax_lets_others_run(void **state) {
  (void)state;
  static const char *const skew[] = {"1", "2000", "1000000000000"};
  for (u32 i = 0; i < 3; i++)
    sim_test_clean(&relax, (const char *const[]){"preempt", "0", "skew_ns", skew[i], NULL}, 100);
}

// ---- Clocks ----

struct skew_sink {
  struct sim_trace_sink sink;
  u64 steps, worst_ns;
};
// What a CPU would do next, and when: written again, not to trust sched.c.
static u64 next_of(const struct sim_cpu *cpu) {
  bool busy = (!cpu->idle || cpu->in_event || cpu->rq_n) && !cpu->spinning;
  if (!cpu->online) return UINT64_MAX;
  if (busy) return cpu->clock_ns;
  if (cpu->irqs_off) return UINT64_MAX;
  if (cpu->irq_pending || (cpu->softirq_pending && cpu->idle && !cpu->spinning))
    return cpu->clock_ns;
  return cpu->next_event_ns > cpu->clock_ns ? cpu->next_event_ns : cpu->clock_ns;
}
static void watch_skew(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct skew_sink *k = (struct skew_sink *)sink;
  const struct sim_state *st = sim_w->st;
  if (event->kind != SIM_EVENT_STEP) return;
  k->steps++;
  for (u32 i = 0; i < st->num_cpus; i++) {
    u64 next = next_of(st->cpus[i]);
    if (next < event->clock_ns && event->clock_ns - next > k->worst_ns)
      k->worst_ns = event->clock_ns - next;
  }
}
static void skew_task(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 15; i++) {
    unsigned long flags;
    switch (sim_test_draw(6)) {
      case 0:
        sim_elapse(sim_test_draw(5) * 7777);
        break;
      case 1:
        sim_usleep_range(sim_test_draw(50), 50);
        break;
      case 2:
        sim_spin_lock(&s->lock);
        step();
        sim_elapse(sim_test_draw(3) * 1000);
        sim_spin_unlock(&s->lock);
        break;
      case 3:
        sim_local_irq_save(flags);
        sim_elapse(5000);
        sim_local_irq_restore(flags);
        break;
      case 4:
        sim_yield();
        break;
      default:
        for (u32 j = 0; j < 10; j++) step();
        break;
    }
  }
}
static void skew_irq(void *arg) {
  for (u32 i = 0; i < 5; i++) step();
  (void)arg;
}
static void skew_setup(void) {
  make_shared();
  sim_irq_drawn("skew-noise", skew_irq, NULL, 0xff, 1, 50);
  for (u32 i = 0; i < sim_nr_cpus() + 2; i++) sim_task_new("t", skew_task, sh(), i % sim_nr_cpus());
}
static const struct sim_scenario skewed = {.name = "skewed", .setup = skew_setup};

// No step is taken by a CPU that is ahead of one that could go on by more than skew_ns.
static void skew_rule(void **state) {
  static const char *const cpus[] = {"1", "2", "3", "4", "8"};
  static const char *const skews[] = {"1", "100", "2000", "1000000"};
  (void)state;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(cpus); i++)
    for (u32 j = 0; j < SIM_ARRAY_SIZE(skews); j++) {
      struct sim_test t;
      struct skew_sink k = {.sink.event = watch_skew};
      sim_test_open(&t, &skewed,
                    (const char *const[]){"num_cpus", cpus[i], "skew_ns", skews[j], NULL});
      sim_world_set_sink(t.world, &k.sink);
      for (u64 seed = 0; seed < 30; seed++) {
        sim_test_seed(&t, seed);
        sim_test_show(&t, "seed", seed);
        assert_int_equal(t.result.status, SIM_OK);
      }
      u64 skew = sim_world_config(t.world)->skew_ns;
      assert_true(k.steps > 3000);
      if (k.worst_ns > skew)
        fail_msg("%s CPUs: a step %llu ns ahead, skew %s", cpus[i], (unsigned long long)k.worst_ns,
                 skews[j]);
      // The bound is reached, or it would not be one.
      if (i > 0 && j > 0 && j < 3) assert_true(k.worst_ns > skew / 2);
      sim_test_close(&t);
    }
}

static void idle_main(void *arg) {
  struct shared *s = arg;
  u64 before = sim_steps();
  s->at_ns = sim_clock_ns();
  for (u32 i = 0; i < 5; i++) sim_msleep(1000000);
  SIM_EXPECT(sim_clock_ns() - s->at_ns >= 5000 * SIM_NSEC_PER_SEC);
  SIM_EXPECT(sim_steps() - before < 100);
}
CASE(idle, idle_main)

// Idle time takes no steps.
static void idle_time_is_skipped(void **state) {
  (void)state;
  sim_test_clean(&idle,
                 (const char *const[]){"hung_task_ns", "1000000000000000", "chaos_ns",
                                       "1000000000000000", NULL},
                 5);
}

static void latency_main(void *arg) {
  u64 start = sim_clock_ns();
  sim_usleep_range(100, 100);
  // 10 ns: the access that the point before the sleep costs.
  SIM_EXPECT_EQ(sim_clock_ns() - start, 10 + 100000 + 17500);
  (void)arg;
}
CASE(latency, latency_main)

// From an idle CPU's timer to the woken task's first step: 17.5 us unless told otherwise.
static void wake_latency(void **state) {
  (void)state;
  sim_test_clean(&latency, one_cpu, 0);
}

static void late_child(void *arg) {
  SIM_EXPECT(sim_clock_ns() >= sh()->at_ns);
  (void)arg;
}
static void busy_main(void *arg) {
  for (u32 i = 0; i < 200; i++) step();
  (void)arg;
}
static void late_main(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 5; i++) {
    for (u32 j = 0; j < 20; j++) step();
    s->at_ns = sim_clock_ns();
    sim_task_join(sim_task_new("child", late_child, s, 1));
  }
}
static void late_setup(void) {
  make_shared();
  sim_task_new("main", late_main, sh(), 0);
  sim_task_new("busy", busy_main, sh(), 1);
}
static const struct sim_scenario late = {.name = "late", .setup = late_setup};

// Nobody runs before it was made runnable, though its CPU's clock may lie behind.
static void not_before_it_was_woken(void **state) {
  (void)state;
  sim_test_clean(&late, NULL, 300);
  sim_test_clean(&late, (const char *const[]){"skew_ns", "1000000", NULL}, 300);
}

static void release_main(void *arg) {
  struct shared *s = arg;
  sim_spin_lock(&s->lock);
  sim_elapse(1500);
  s->at_ns = sim_clock_ns();
  sim_spin_unlock(&s->lock);
  s->left--;
}
static void release_setup(void) {
  make_shared();
  sh()->left = sim_nr_cpus();
  for (u32 i = 0; i < sim_nr_cpus(); i++) sim_task_new("t", release_main, sh(), i);
}
static void release_check(void) {
  SIM_EXPECT_EQ(sh()->left, 0);
  // One after the other by their clocks, too: no CPU is done before all sections' time.
  SIM_EXPECT(sh()->at_ns - sim_w->start_clock_ns >= sim_nr_cpus() * 1500);
}
static const struct sim_scenario release = {
    .name = "release", .setup = release_setup, .check = release_check};

static void release_moves_the_takers_clock(void **state) {
  (void)state;
  sim_test_clean(&release, NULL, 200);
  sim_test_clean(&release, (const char *const[]){"num_cpus", "8", "skew_ns", "1000000", NULL}, 200);
}

// ---- Spinning is fair ----

static void taker(void *arg) {
  struct shared *s = arg;
  sim_elapse(100);
  sim_spin_lock(&s->lock);
  s->flag = true;
  sim_spin_unlock(&s->lock);
}
static void holder(void *arg) {
  struct shared *s = arg;
  bool seen = false;
  for (u32 i = 0; i < 1000 && !seen; i++) {
    sim_spin_lock(&s->lock);
    seen = s->flag;
    sim_elapse(10000);
    sim_spin_unlock(&s->lock);
  }
  SIM_EXPECT(seen);
}
static void fair_setup(void) {
  make_shared();
  sim_task_new("holder", holder, sh(), 0);
  sim_task_new("taker", taker, sh(), 1);
}
static const struct sim_scenario fair = {.name = "fair", .setup = fair_setup};

// A CPU that wants a lock again and again does not keep it from one that waits for it.
static void spinlocks_are_fair(void **state) {
  (void)state;
  sim_test_clean(&fair, NULL, 100);
  sim_test_clean(&fair, (const char *const[]){"chaos_ns", "0", NULL}, 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ninety_six_tasks),
      cmocka_unit_test(creation_misuse),
      cmocka_unit_test(task_for_an_offline_cpu),
      cmocka_unit_test(labels),
      cmocka_unit_test(slots_count_anew),
      cmocka_unit_test(setup_tasks_start_with_the_run),
      cmocka_unit_test(kthreads_run_in_setup),
      cmocka_unit_test(runs_end_without_daemons),
      cmocka_unit_test(joining),
      cmocka_unit_test(wake_ups_are_not_lost),
      cmocka_unit_test(wake_before_sleep),
      cmocka_unit_test(wake_up_returns),
      cmocka_unit_test(signals_end_interruptible_sleeps),
      cmocka_unit_test(yield_and_schedule_take_turns),
      cmocka_unit_test(ticks_wish_to_reschedule),
      cmocka_unit_test(preempt_off_means_voluntary),
      cmocka_unit_test(cpu_relax_lets_others_run),
      cmocka_unit_test(skew_rule),
      cmocka_unit_test(idle_time_is_skipped),
      cmocka_unit_test(wake_latency),
      cmocka_unit_test(not_before_it_was_woken),
      cmocka_unit_test(release_moves_the_takers_clock),
      cmocka_unit_test(spinlocks_are_fair),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
