// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scenarios for tests, one after the other.
#include "sim/testing/scenarios.h"

#include "sim/checker.h"
#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/trace.h"
#include "sim/wait.h"
#include "sim/work.h"
#include "sim/world.h"

// ---- Ping-pong ----

struct ping_pong {
  struct sim_completion ping, pong;
  u32 rounds, done[2];
};

static void ping(void *arg) {
  struct ping_pong *p = arg;
  for (u32 i = 0; i < p->rounds; i++) {
    sim_complete(&p->ping);
    sim_wait_for_completion(&p->pong);
    p->done[0]++;
  }
}

static void pong(void *arg) {
  struct ping_pong *p = arg;
  for (u32 i = 0; i < p->rounds; i++) {
    sim_wait_for_completion(&p->ping);
    p->done[1]++;
    sim_complete(&p->pong);
  }
}

static const struct sim_oracle ping_pong_oracle = {"testing-ping-pong", SIM_SAFETY,
                                                   "each round is done once by both", "this file"};

static void ping_pong_setup(void) {
  struct ping_pong *p = sim_alloc_static(sizeof(*p), "ping_pong");
  sim_set_private(p);
  p->rounds = (u32)sim_param("rounds");
  sim_init_completion(&p->ping, "ping");
  sim_init_completion(&p->pong, "pong");
  sim_task_new("ping", ping, p, 0);
  sim_task_new("pong", pong, p, sim_nr_cpus() - 1);
}

static void ping_pong_check(void) {
  const struct ping_pong *p = sim_private();
  SIM_SOMETIMES("testing-ping-pong", "done", 1, p->done[0] == p->rounds);
  SIM_SOMETIMES("testing-ping-pong", "never", 100, p->done[0] > p->rounds);
  if (p->done[0] != p->rounds || p->done[1] != p->rounds)
    sim_fail(&ping_pong_oracle, "", "%u pings, %u pongs", p->done[0], p->done[1]);
}

static const struct sim_param ping_pong_params[] = {
    {"rounds", 5, 1, 100, "", "times the token goes to and fro", NULL}, {NULL}};
static const struct sim_oracle *const ping_pong_oracles[] = {&ping_pong_oracle, NULL};

const struct sim_scenario testing_ping_pong = {
    .name = "testing-ping-pong",
    .claim = "a token comes back as often as it is sent",
    .params = ping_pong_params,
    .oracles = ping_pong_oracles,
    .input_len_max = 256,
    .yardstick_runs = 1000,
    .testonly = true,
    .setup = ping_pong_setup,
    .check = ping_pong_check,
};

// ---- Lost update ----

struct lost_update {
  struct sim_mutex lock;
  u32 counter, elsewhere;
  u32 tasks, adds, work;
  bool race;
};

static const struct sim_oracle lost_update_oracle = {"testing-lost-update", SIM_SAFETY,
                                                     "no addition is lost", "this file"};

static void add(void *arg) {
  struct lost_update *l = arg;
  for (u32 i = 0; i < l->adds; i++) {
    for (u32 j = 0; j < l->work; j++) (void)sim_read_once(l->elsewhere);
    if (!l->race) sim_mutex_lock(&l->lock);
    u32 v = sim_read_once(l->counter);
    sim_write_once(l->counter, v + 1);
    if (!l->race) sim_mutex_unlock(&l->lock);
  }
}

static void lost_update_setup(void) {
  struct lost_update *l = sim_alloc_static(sizeof(*l), "lost_update");
  sim_set_private(l);
  l->tasks = (u32)sim_param("tasks");
  l->adds = (u32)sim_param("adds");
  l->work = (u32)sim_param("work");
  l->race = sim_bug("race");
  sim_mutex_init(&l->lock, "counter");
  for (u32 i = 0; i < l->tasks; i++) sim_task_new("add", add, l, i % sim_nr_cpus());
}

static void lost_update_check(void) {
  const struct lost_update *l = sim_private();
  if (l->counter != l->tasks * l->adds)
    sim_fail(&lost_update_oracle, "", "%u additions give %u", l->tasks * l->adds, l->counter);
}

static const struct sim_param lost_update_params[] = {
    {"tasks", 2, 1, 8, "tasks", "tasks that add", NULL},
    {"adds", 1, 1, 1000, "", "additions of each", NULL},
    {"work", 0, 0, 1000, "", "accesses elsewhere before each addition", NULL},
    {NULL}};
static const struct sim_oracle *const lost_update_oracles[] = {&lost_update_oracle, NULL};
static const struct sim_bug lost_update_bugs[] = {{"race", "adds without the lock"}, {NULL}};

const struct sim_scenario testing_lost_update = {
    .name = "testing-lost-update",
    .claim = "additions under a lock are not lost",
    .params = lost_update_params,
    .oracles = lost_update_oracles,
    .bugs = lost_update_bugs,
    .input_len_max = 256,
    .yardstick_runs = 1000,
    .testonly = true,
    .setup = lost_update_setup,
    .check = lost_update_check,
};

// ---- Two tokens ----

struct two_tokens {
  struct sim_completion token[2];
};

static void take_both(struct two_tokens *t, u32 first) {
  sim_wait_for_completion(&t->token[first]);
  sim_wait_for_completion(&t->token[1 - first]);
  sim_complete(&t->token[first]);
  sim_complete(&t->token[1 - first]);
}
static void take_01(void *arg) { take_both(arg, 0); }
static void take_10(void *arg) { take_both(arg, 1); }

static void two_tokens_setup(void) {
  struct two_tokens *t = sim_alloc_static(sizeof(*t), "two_tokens");
  sim_init_completion(&t->token[0], "token0");
  sim_init_completion(&t->token[1], "token1");
  sim_complete(&t->token[0]);
  sim_complete(&t->token[1]);
  sim_task_new("up", take_01, t, 0);
  sim_task_new("down", take_10, t, sim_nr_cpus() - 1);
}

const struct sim_scenario testing_two_tokens = {
    .name = "testing-two-tokens",
    .claim = "two tokens taken in two orders deadlock",
    .input_len_max = 256,
    .yardstick_runs = 1000,
    .testonly = true,
    .setup = two_tokens_setup,
};

// ---- Draws ----

static const struct sim_oracle draws_oracle = {"testing-large-after-fault", SIM_SAFETY,
                                               "no large size follows a fault", "this file"};

static void draws(void *arg) {
  bool fault_before = false;
  s64 rounds = sim_param("rounds"), limit = sim_param("limit");
  for (s64 i = 0; i < rounds; i++) {
    bool fault = sim_choose(sim_w, SIM_SITE_DRAW("testing-fault", SIM_SITE_FAULT, 1, 4), 2);
    u64 size = sim_choose_range(sim_w, SIM_SITE_DRAW("testing-size", SIM_SITE_WORK, 0, 0), 0, 999);
    SIM_POINT("round", NULL);
    if (fault_before && size >= (u64)limit)
      sim_fail(&draws_oracle, "", "size %u in round %u", (u32)size, (u32)i);
    fault_before = fault;
  }
}

static void draws_setup(void) { sim_task_new("draws", draws, NULL, 0); }

static const struct sim_param draws_params[] = {
    {"rounds", 40, 1, 10000, "", "rounds of two draws", NULL},
    {"limit", 400, 0, 1000, "", "smallest size that fails", NULL},
    {NULL}};
static const struct sim_oracle *const draws_oracles[] = {&draws_oracle, NULL};

const struct sim_scenario testing_draws = {
    .name = "testing-draws",
    .claim = "a large size after a fault is found and shrunk",
    .params = draws_params,
    .oracles = draws_oracles,
    .input_len_max = 256,
    .yardstick_runs = 1000,
    .testonly = true,
    .setup = draws_setup,
};

// ---- Rounds ----

static const struct sim_oracle rounds_oracle = {"testing-large-again", SIM_SAFETY,
                                                "no large size comes again", "this file"};

static void rounds(void *arg) {
  for (u32 i = 0;; i++) {
    u64 size = sim_choose_range(sim_w, SIM_SITE_DRAW("testing-size", SIM_SITE_WORK, 0, 0), 0, 999);
    SIM_POINT("round", NULL);
    if (i > 0 && size >= 900) sim_fail(&rounds_oracle, "", "size %u in round %u", (u32)size, i);
    if (!sim_choose(sim_w, SIM_SITE_DRAW("testing-again", SIM_SITE_WORK, 3, 4), 2)) break;
  }
}

static void rounds_setup(void) { sim_task_new("rounds", rounds, NULL, 0); }

static const struct sim_oracle *const rounds_oracles[] = {&rounds_oracle, NULL};

const struct sim_scenario testing_rounds = {
    .name = "testing-rounds",
    .claim = "a loop of draws is shortened",
    .oracles = rounds_oracles,
    .input_len_max = 256,
    .yardstick_runs = 1000,
    .testonly = true,
    .setup = rounds_setup,
};

// ---- Mixture ----

enum { MIXTURE_TASKS = 4 };

struct mixture {
  struct sim_wait_queue_head wait;
  struct sim_mutex mutex;
  struct sim_spinlock lock;
  struct sim_hw_event device;
  struct sim_work work;
  struct sim_workqueue *wq;
  struct sim_timer timer;
  u32 irq, words, taken, worked, fired;
};

static void mixture_irq(void *arg) {
  struct mixture *m = arg;
  sim_spin_lock(&m->lock);
  m->words++;
  sim_spin_unlock(&m->lock);
  sim_wake_up_all(&m->wait);
}

static void mixture_noise(void *arg) { sim_trace_named("noise", 1, 2, "who", "what"); }

static void mixture_device(void *arg) {
  struct mixture *m = arg;
  sim_irq_raise(m->irq);
  u64 late = sim_choose_range(sim_w, SIM_SITE_DRAW("testing-late", SIM_SITE_TIME, 1, 4), 0, 60000);
  sim_hw_event_arm(&m->device, sim_clock_ns() + 30000 + late, mixture_device, m, 0);
}

static void mixture_work(struct sim_work *work) {
  struct mixture *m = sim_container_of(work, struct mixture, work);
  m->worked++;
}

static void mixture_timer(struct sim_timer *timer) {
  struct mixture *m = sim_container_of(timer, struct mixture, timer);
  m->fired++;
  sim_queue_work(m->wq, &m->work);
}

static void mixture_task(void *arg) {
  struct mixture *m = arg;
  for (u32 i = 0; i < 6; i++) {
    sim_mutex_lock(&m->mutex);
    sim_wait_event(&m->wait, sim_read_once(m->words) > 0);
    unsigned long flags;
    sim_spin_lock_irqsave(&m->lock, flags);
    if (m->words) {
      m->words--;
      m->taken++;
    }
    sim_spin_unlock_irqrestore(&m->lock, flags);
    sim_mutex_unlock(&m->mutex);
    if (sim_choose(sim_w, SIM_SITE_DRAW("testing-nap", SIM_SITE_WORK, 1, 3), 2))
      sim_usleep_range(20, 200);
    if (i == 3) sim_mod_timer(&m->timer, sim_jiffies() + 2);
  }
  sim_note("took %u words", m->taken);
}

static void mixture_setup(void) {
  struct mixture *m = sim_alloc_static(sizeof(*m), "mixture");
  sim_init_waitqueue_head(&m->wait, "words");
  sim_mutex_init(&m->mutex, "taking");
  sim_spin_lock_init(&m->lock, "words");
  m->wq = sim_alloc_workqueue("testing", -1, 2);
  sim_init_work(&m->work, mixture_work);
  sim_timer_setup(&m->timer, mixture_timer);
  m->irq = sim_irq_register("testing-device", mixture_irq, m, 0, false);
  sim_irq_drawn("testing-noise", mixture_noise, m, ~0u, 1, 64);
  sim_hw_event_arm(&m->device, sim_clock_ns() + 30000, mixture_device, m, 0);
  for (u32 i = 0; i < MIXTURE_TASKS; i++) sim_task_new("taker", mixture_task, m, i % sim_nr_cpus());
}

const struct sim_scenario testing_mixture = {
    .name = "testing-mixture",
    .claim = "everything that decides, at once",
    .input_len_max = 1024,
    .yardstick_runs = 1000,
    .testonly = true,
    .setup = mixture_setup,
};

// ---- Not deterministic ----

static void leaky(void *arg) {
  // What this scenario is for: a number that no reset brings back.
  static u32 runs;
  u32 *seen = arg;
  runs++;
  for (u32 i = 0; i < 10; i++) {
    (void)sim_read_once(*seen);
    if (i == 5 && runs > 2) sim_trace_model("leak", runs, 0);
    u32 n = runs > 2 ? 2 + runs % 3 : 2;
    (void)sim_choose(sim_w, SIM_SITE_DRAW("testing-leak", SIM_SITE_WORK, 0, 0), n);
  }
}

static void not_deterministic_setup(void) {
  u32 *seen = sim_alloc_static(sizeof(*seen), "seen");
  sim_task_new("leaky", leaky, seen, 0);
}

const struct sim_scenario testing_not_deterministic = {
    .name = "testing-not-deterministic",
    .claim = "keeps something from run to run, which must be noticed",
    .input_len_max = 16,
    .yardstick_runs = 1,
    .testonly = true,
    .setup = not_deterministic_setup,
};

// ---- Order ----

static void came(u32 number) {
  struct testing_order *log = sim_private();
  if (log->count < SIM_ARRAY_SIZE(log->came)) log->came[log->count++] = number;
}

static void order_task(void *arg) {
  u32 number = *(u32 *)arg;
  came(number);
  (void)sim_read_once(*(u32 *)arg);
  (void)sim_read_once(*(u32 *)arg);
  came(number);
  sim_usleep_range(500, 500);
}

static void order_event(void *arg) { came(*(u32 *)arg); }

static void order_setup(void) {
  struct testing_order *log = sim_alloc_static(sizeof(*log), "order");
  u32 *number = sim_alloc_static(16 * sizeof(*number), "numbers");
  struct sim_hw_event *event = sim_alloc_static(8 * sizeof(*event), "events");
  u32 cpus = sim_nr_cpus();
  sim_set_private(log);
  // Highest CPU first, so that the order below is not the one of creation.
  for (u32 cpu = cpus; cpu-- > 0;) {
    for (u32 i = 0; i < 2; i++) {
      u32 *n = &number[2 * cpu + i];
      *n = 100 + 10 * cpu + i;
      sim_task_new("order", order_task, n, cpu);
    }
  }
  // Events of one time, two on CPU 0 and one on the last.
  u64 at = sim_clock_ns() + 100000;
  for (u32 i = 0; i < 3; i++) {
    number[8 + i] = 10 + i;
    sim_hw_event_arm(&event[i], at, order_event, &number[8 + i], i == 0 ? cpus - 1 : 0);
  }
}

const struct testing_order *testing_order_log(void) { return sim_private(); }

static const struct sim_param order_params[] = {{"num_cpus", 2, 1, 4, NULL, NULL, NULL}, {NULL}};

const struct sim_scenario testing_order = {
    .name = "testing-order",
    .claim = "what comes at one time comes in a known order",
    .params = order_params,
    .input_len_max = 16,
    .yardstick_runs = 1,
    .testonly = true,
    .setup = order_setup,
};

// ---- Ties ----

struct ties {
  struct testing_order log;
  u32 number[3];
  u32 line[3];
  struct sim_timer timer[3];
  struct sim_hrtimer hrtimer[3];
};

static const u32 ties_sequence[3] = {2, 0, 1};

static void ties_irq(void *arg) { came(20 + *(u32 *)arg); }

static void ties_timer(struct sim_timer *timer) {
  struct ties *t = sim_private();
  came(30 + (u32)(timer - t->timer));
}

static void ties_hrtimer(struct sim_hrtimer *timer) {
  struct ties *t = sim_private();
  came(40 + (u32)(timer - t->hrtimer));
}

static void ties_task(void *arg) {
  struct ties *t = arg;
  unsigned long flags;
  sim_local_irq_save(flags);
  for (u32 i = 0; i < 3; i++) sim_irq_raise(t->line[ties_sequence[i]]);
  came(1);
  sim_local_irq_restore(flags);
  for (u32 i = 0; i < 3; i++) sim_mod_timer(&t->timer[ties_sequence[i]], sim_jiffies() + 2);
  sim_msleep(100);
  u64 at = sim_clock_ns() + 50000;
  for (u32 i = 0; i < 3; i++) sim_hrtimer_start(&t->hrtimer[ties_sequence[i]], at, at);
  sim_msleep(100);
  came(2);
}

static void ties_setup(void) {
  struct ties *t = sim_alloc_static(sizeof(*t), "ties");
  sim_set_private(t);
  for (u32 i = 0; i < 3; i++) {
    t->number[i] = i;
    t->line[i] = sim_irq_register("ties", ties_irq, &t->number[i], 0, false);
    sim_timer_setup(&t->timer[i], ties_timer);
    sim_hrtimer_setup(&t->hrtimer[i], ties_hrtimer);
  }
  sim_task_new("ties", ties_task, t, 0);
}

static const struct sim_param ties_params[] = {{"num_cpus", 1, 1, 1, NULL, NULL, NULL}, {NULL}};

const struct sim_scenario testing_ties = {
    .name = "testing-ties",
    .claim = "what waits for one moment comes in a known order",
    .params = ties_params,
    .input_len_max = 16,
    .yardstick_runs = 1,
    .testonly = true,
    .setup = ties_setup,
};

const struct sim_scenario *const testing_scenarios[] = {&testing_ping_pong,
                                                        &testing_lost_update,
                                                        &testing_two_tokens,
                                                        &testing_draws,
                                                        &testing_rounds,
                                                        &testing_mixture,
                                                        &testing_not_deterministic,
                                                        &testing_order,
                                                        &testing_ties,
                                                        NULL};
