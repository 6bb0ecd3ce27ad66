// SPDX-License-Identifier: GPL-2.0-or-later
//
// The benchmark: what a decision, a run, a reset, a switch and a vDSO's call cost, beside the
// targets that the project has set itself. A figure is the median of several measurements; tests
// never time.

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "models/arm64/arm64_scenarios.h"
#include "models/crng/crng_crypto.h"
#include "models/vdso/vdso_sweep.h"
#include "sim/ctx.h"
#include "sim/hook.h"
#include "sim/strategy.h"
#include "tools/bench_bare.h"
#include "tools/bench_hooked.h"
#include "tools/bench_report.h"
#include "tools/bench_scenarios.h"
#include "tools/bench_vdso.h"
#include "tools/command.h"
#include "tools/jobs.h"
#include "tools/output.h"
#include "tools/registry.h"
#include "tools/subject.h"

enum { TIMES_DEFAULT = 5, MEASURE_MS_DEFAULT = 300 };

static u64 measure_ns = MEASURE_MS_DEFAULT * 1000000ull;

static u64 clock_ns(clockid_t clock) {
  struct timespec now;

  clock_gettime(clock, &now);
  return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

// Time that this process had a processor: what else the machine does is not counted.
static u64 now_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

// ---- Worlds ----

struct setting {
  const char *key;
  u64 value;
};

struct bench_world {
  struct sim_world *world;
  struct sim_params *params;
};

static void die(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(SIM_OURS);
}

static void set(struct sim_params *params, const char *key, u64 value) {
  char text[24], err[256];

  snprintf(text, sizeof(text), "%" PRIu64, value);
  if (!sim_params_set(params, key, text, err, sizeof(err))) die(key, err);
}

static struct bench_world open_world(const struct sim_scenario *scenario,
                                     const struct setting *settings) {
  struct bench_world b = {sim_world_new(), sim_params_new(scenario)};

  for (; settings && settings->key; settings++) set(b.params, settings->key, settings->value);
  if (!b.world || !b.params || sim_world_setup(b.world, scenario, b.params, NULL) != SIM_OK)
    die(scenario->name, "the set-up fails");
  return b;
}

static void close_world(struct bench_world *b) {
  sim_world_free(b->world);
  sim_params_free(b->params);
}

struct totals {
  u64 runs, steps, draws, ns;
};

// Runs seeds for the time of a measurement, or the calm run again and again. Where a finding is
// no reason to stop (`may_fail`), such a run counts as any other.
static struct totals run_inputs(struct bench_world *b, struct sim_input *input, bool may_fail) {
  struct totals totals = {0};
  struct sim_result result;
  u64 start_ns = now_ns();

  do {
    u32 i;

    // The clock is read once for a few runs.
    for (i = 0; i < 16; i++) {
      input->seed++;
      sim_world_run(b->world, input, &result);
      if (result.status != SIM_OK && !may_fail)
        die(result.failures[0].key, result.failures[0].text);
      totals.steps += result.steps;
      totals.draws += result.draws;
    }
    totals.runs += i;
    totals.ns = now_ns() - start_ns;
  } while (totals.ns < measure_ns);
  return totals;
}

static struct totals run_seeds(struct bench_world *b, u32 strategy) {
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .strategy = strategy};

  return run_inputs(b, &input, false);
}

// ---- Measurements ----

struct row {
  const char *name, *unit;
  double target;  // 0: none
  bool less_is_better;
  double (*measure)(const struct row *row);
  u64 a, b;  // for `measure`
};

// Million scheduling points a second: a tasks on b CPUs, 4 call sites, random walk.
static double points_per_s(u64 tasks, u64 cpus, u64 irq) {
  const struct setting settings[] = {
      {"tasks", tasks}, {"num_cpus", cpus}, {"irq", irq}, {"rounds", 4000 / tasks}, {0}};
  struct bench_world b = open_world(&bench_points, settings);
  struct totals totals = run_seeds(&b, SIM_STRATEGY_RANDOM);

  close_world(&b);
  return (double)totals.steps * 1e3 / (double)totals.ns;
}

static double decisions(const struct row *row) { return points_per_s(row->a, row->b, 0); }

static double decisions_irq(const struct row *row) { return points_per_s(row->a, row->b, 1); }

// The same at its barest, without a simulator around it.
static double bare_decisions(const struct row *row) {
  enum { DECISIONS = 100000 };
  u64 start_ns = now_ns(), done = 0, ns;

  do {
    if (!bench_bare(DECISIONS)) die("bare decisions", "their digest is 0");
    done += DECISIONS;
    ns = now_ns() - start_ns;
  } while (ns < measure_ns);
  return (double)done * 1e3 / (double)ns;
}

static double decision_ns(const struct row *row) { return 1e3 / points_per_s(row->a, row->b, 0); }

static double three_tasks(const struct row *row) {
  const struct setting settings[] = {{"num_cpus", row->a}, {0}};
  struct bench_world b = open_world(&bench_three, settings);
  struct totals totals = run_seeds(&b, SIM_STRATEGY_RANDOM);

  close_world(&b);
  return (double)totals.runs * 1e3 / (double)totals.ns;
}

static const struct sim_scenario *find(const char *name) {
  const struct sim_scenario *scenario = registry_find(name);

  if (!scenario) die(name, "no such scenario");
  return scenario;
}

// One 20-byte reader, the fill thread, one unregister, 2 CPUs: as shipped in nothing, so
// that a run is one that explore does.
static double bcm2835(const struct row *row) {
  static const struct setting settings[] = {{"readers", 1}, {"bytes", 20},   {"signals", 0},
                                            {"fill", 1},    {"num_cpus", 2}, {0}};
  struct bench_world b = open_world(find("bcm2835-unregister"), settings);
  struct totals totals = run_seeds(&b, SIM_STRATEGY_PORTFOLIO);

  close_world(&b);
  return (double)totals.runs * 1e6 / (double)totals.ns;
}

// Runs of a scenario as explore does them (portfolio), in thousands a second. NULL: default
// parameters.
static double scenario_rate(const char *name, const struct setting *settings) {
  struct bench_world b = open_world(find(name), settings);
  struct totals totals = run_seeds(&b, SIM_STRATEGY_PORTFOLIO);

  close_world(&b);
  return (double)totals.runs * 1e6 / (double)totals.ns;
}

static double fpu_blake2s(const struct row *row) { return scenario_rate("fpu-blake2s", NULL); }
static double fpu_crng(const struct row *row) { return scenario_rate("fpu-crng", NULL); }

// What a run that hashes cannot be faster than: one hash of a block, one block of key stream.
static void hash_block(void) {
  static const struct crng_hooks none;
  static u8 out[CRNG_HASH_LEN], data[CRNG_BLOCK_LEN];

  crng_hash_keyed(&none, out, NULL, data, sizeof(data));
}

static void chacha_block(void) {
  static const struct crng_hooks none;
  static u8 out[CRNG_BLOCK_LEN], key[CRNG_KEY_LEN];

  crng_chacha_block(&none, out, key, 0);
}

static double primitive_ns(void (*primitive)(void)) {
  u64 start_ns = now_ns(), done = 0, ns;

  do {
    for (u32 i = 0; i < 1000; i++) primitive();
    done += 1000;
    ns = now_ns() - start_ns;
  } while (ns < measure_ns);
  return (double)ns / (double)done;
}

static double blake2s_ns(const struct row *row) { return primitive_ns(hash_block); }
static double chacha_ns(const struct row *row) { return primitive_ns(chacha_block); }

static double bcm2835_hooked(const struct row *row) {
  const struct setting settings[] = {{"readers", 1},
                                     {"bytes", 20},
                                     {"signals", 0},
                                     {"fill", 1},
                                     {"num_cpus", 2},
                                     {"hooks", row->a},
                                     {0}};

  return scenario_rate("bcm2835-unregister", settings);
}

// Files of a kernel tree, and the model as shipped beside them: runs of a device that is well,
// since what it does else is mostly a finding, and a poll of two ticks.
static struct subject kernel_subject_of_bench;

static double bcm2835_as_shipped(const struct row *row, bool kernel) {
  const struct setting settings[] = {{"readers", 1},
                                     {"bytes", 20},
                                     {"signals", 0},
                                     {"odd", 0},
                                     {"hooks", row->a},
                                     {kernel ? NULL : "suspect.bcm2835_yield_ignored", 1},
                                     {"suspect.bcm2835_status_twice", 1},
                                     {0}};
  struct sim_input input = {.backend = SIM_BACKEND_SEED};
  const struct subject model = subject_model();

  subject_use(kernel ? &kernel_subject_of_bench : &model);
  struct bench_world b = open_world(find("bcm2835-unregister"), settings);
  struct totals totals = run_inputs(&b, &input, true);

  close_world(&b);
  subject_use(&model);
  return (double)totals.runs * 1e6 / (double)totals.ns;
}

static double bcm2835_tree(const struct row *row) { return bcm2835_as_shipped(row, true); }
static double bcm2835_model(const struct row *row) { return bcm2835_as_shipped(row, false); }

static double crng_seed(const struct row *row) {
  const struct setting settings[] = {{"hooks", row->a}, {0}};

  return scenario_rate("crng-seed", settings);
}

// The same on random.c of a kernel tree, known findings included.
static double crng_seed_tree(const struct row *row) {
  const struct setting settings[] = {{"hooks", row->a}, {0}};
  struct sim_input input = {.backend = SIM_BACKEND_SEED};
  const struct subject model = subject_model();

  subject_use(&kernel_subject_of_bench);
  struct bench_world b = open_world(find("crng-seed"), settings);
  struct totals totals = run_inputs(&b, &input, true);

  close_world(&b);
  subject_use(&model);
  return (double)totals.runs * 1e6 / (double)totals.ns;
}

// ---- Access hooks ----

// Nanoseconds of an access, in a run or where hooks are not active: in set-up.
static double access_ns(u64 hooks, bool in_setup) {
  enum { ACCESSES = 200000 };
  const struct setting settings[] = {{"accesses", in_setup ? 0 : ACCESSES / 2},
                                     {"setup_accesses", in_setup ? ACCESSES : 0},
                                     {"hooks", hooks},
                                     {0}};
  struct bench_world b = open_world(&bench_hooked, settings);
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .strategy = SIM_STRATEGY_RANDOM};
  struct sim_result result;
  u64 start_ns = now_ns(), times = 0, ns;

  do {
    input.seed++;
    if (!in_setup)
      sim_world_run(b.world, &input, &result);
    else if (sim_world_setup(b.world, &bench_hooked, b.params, NULL) != SIM_OK)
      die(bench_hooked.name, "the set-up fails");
    times++;
    ns = now_ns() - start_ns;
  } while (ns < measure_ns);
  close_world(&b);
  return (double)ns / (double)(times * ACCESSES);
}

// What a hook adds to an access.
static double hook_ns(const struct row *row) {
  bool in_setup = row->b;

  return access_ns(row->a, in_setup) - (row->a == SIM_HOOKS_RACES
                                            ? access_ns(SIM_HOOKS_POINTS, in_setup)
                                            : access_ns(SIM_HOOKS_NONE, in_setup));
}

// The bytes a run may touch besides what the scenario itself takes.
static u64 touch_bytes(u64 total) {
  static const struct setting least[] = {{"bytes", 64}, {0}};
  struct sim_input input = {.backend = SIM_BACKEND_CALM};
  struct bench_world b = open_world(&bench_touch, least);
  struct sim_result result;
  u64 touched;

  sim_world_run(b.world, &input, &result);
  sim_world_reset(b.world);
  touched = sim_world_touched(b.world);
  close_world(&b);
  return touched + 64 < total ? (total - touched) / 64 * 64 : 64;
}

static int compare_u64(const void *a, const void *b) {
  u64 x = *(const u64 *)a, y = *(const u64 *)b;

  return x < y ? -1 : x > y;
}

// The median of single resets, by the wall: reading the processor's time takes longer than
// a reset, and a median does not mind interruptions.
static double reset_us(const struct row *row) {
  enum { SAMPLES = 20000 };
  const struct setting settings[] = {{"bytes", touch_bytes(row->a)}, {0}};
  struct sim_input input = {.backend = SIM_BACKEND_CALM};
  struct bench_world b = open_world(&bench_touch, settings);
  u64 *sample = xcalloc(SAMPLES, sizeof(*sample)), overhead, median;
  struct sim_result result;
  u32 i;

  for (i = 0; i < SAMPLES; i++) {
    sample[i] = clock_ns(CLOCK_MONOTONIC);
    sample[i] = clock_ns(CLOCK_MONOTONIC) - sample[i];
  }
  qsort(sample, SAMPLES, sizeof(*sample), compare_u64);
  overhead = sample[SAMPLES / 2];
  for (i = 0; i < SAMPLES; i++) {
    sim_world_run(b.world, &input, &result);
    sample[i] = clock_ns(CLOCK_MONOTONIC);
    sim_world_reset(b.world);
    sample[i] = clock_ns(CLOCK_MONOTONIC) - sample[i];
  }
  qsort(sample, SAMPLES, sizeof(*sample), compare_u64);
  median = sample[SAMPLES / 2];
  free(sample);
  close_world(&b);
  return (double)(median - overhead) / 1e3;
}

// ---- Two processes ----

static void three_item(struct jobs_worker *worker, struct sim_world *world, u64 item, void *arg) {
  struct sim_input input = {
      .backend = SIM_BACKEND_SEED,
      .seed = item,
      .strategy = SIM_STRATEGY_RANDOM,
  };
  struct sim_result result;

  jobs_run_one(worker, world, &input, &input.seed, &result);
}

static double jobs_rate(const struct run_spec *spec, u32 jobs) {
  struct jobs_plan plan = {
      .spec = spec,
      .items_last = UINT64_MAX,
      .jobs = jobs,
      .time_ms = measure_ns * 3 / 1000000,
      .watchdog_ms = 60000,
      .item = three_item,
  };
  struct jobs_result result;
  double rate;

  jobs_run(&plan, &result);
  rate = (double)result.runs / (double)result.elapsed_ms;
  jobs_result_free(&result);
  return rate;
}

static double two_processes(const struct row *row) {
  struct run_spec spec;
  double one, two;

  run_spec_init(&spec, &bench_three);
  one = jobs_rate(&spec, 1);
  two = jobs_rate(&spec, 2);
  run_spec_free(&spec);
  return two / one;
}

// ---- Switches ----

enum { SWITCH_STACK = 65536 };

static struct {
  struct sim_ctx host, task;
  ucontext_t uc_host, uc_task;
  u64 stack[SWITCH_STACK / 8] __attribute__((aligned(16)));
  u64 uc_stack[SWITCH_STACK / 8] __attribute__((aligned(16)));
} coroutine;

// One call for both directions, as in sim/sched.c: a return address is predicted then.
static SIM_NOINLINE void switch_between(struct sim_ctx *from, struct sim_ctx *to) {
  sim_ctx_switch_raw(from, to);
}

static void switch_main(void *arg) {
  for (;;) switch_between(&coroutine.task, &coroutine.host);
}

static void uc_main(void) {
  for (;;) swapcontext(&coroutine.uc_task, &coroutine.uc_host);
}

static double switch_ns(const struct row *row) {
  u64 start_ns = now_ns(), switches = 0, ns;

  sim_ctx_init(&coroutine.task, coroutine.stack, sizeof(coroutine.stack), switch_main, NULL);
  do {
    u32 i;

    for (i = 0; i < 10000; i++) switch_between(&coroutine.host, &coroutine.task);
    switches += 2 * i;
    ns = now_ns() - start_ns;
  } while (ns < measure_ns);
  return (double)ns / (double)switches;
}

static double swapcontext_ns(const struct row *row) {
  // Static: swapcontext returns twice, as far as the compiler knows.
  static u64 start_ns, switches, ns;

  start_ns = now_ns();
  switches = 0;

  getcontext(&coroutine.uc_task);
  coroutine.uc_task.uc_stack.ss_sp = coroutine.uc_stack;
  coroutine.uc_task.uc_stack.ss_size = sizeof(coroutine.uc_stack);
  makecontext(&coroutine.uc_task, uc_main, 0);
  do {
    u32 i;

    for (i = 0; i < 1000; i++) swapcontext(&coroutine.uc_host, &coroutine.uc_task);
    switches += 2 * i;
    ns = now_ns() - start_ns;
  } while (ns < measure_ns);
  return (double)ns / (double)switches;
}

// ---- Memory ----

static u64 resident_bytes(void) {
  unsigned long long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "re");

  if (!file) return 0;
  if (fscanf(file, "%llu %llu", &size, &resident) != 2) resident = 0;
  fclose(file);
  return resident * (u64)sysconf(_SC_PAGESIZE);
}

// What a world that has run takes of the machine's memory.
static double world_mib(const struct row *row) {
  enum { WORLDS = 8 };
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = 1};
  struct bench_world worlds[WORLDS];
  u64 before = resident_bytes(), after;
  struct sim_result result;
  u32 i;

  for (i = 0; i < WORLDS; i++) {
    worlds[i] = open_world(find("bcm2835-unregister"), NULL);
    sim_world_run(worlds[i].world, &input, &result);
  }
  after = resident_bytes();
  for (i = 0; i < WORLDS; i++) close_world(&worlds[i]);
  return (double)(after - before) / WORLDS / (1 << 20);
}

static double image_kib(const struct row *row) {
  struct bench_world b = open_world(find("bcm2835-unregister"), NULL);
  double kib = (double)sim_world_memory(b.world) / 1024;

  close_world(&b);
  return kib;
}

// ---- A vDSO ----

static const char *image_file;  // NULL: the built-in subject
static bool image_open;

// Nanoseconds of one operation.
static double vdso_ns(enum bench_vdso_op op) {
  u64 start_ns, done = 0, ns;
  u32 times = 1;

  if (!image_open) bench_vdso_open(image_file);
  image_open = true;
  bench_vdso_do(op, 16);
  start_ns = now_ns();
  do {
    bench_vdso_do(op, times);
    done += times;
    if (times < 1024) times *= 2;
    ns = now_ns() - start_ns;
  } while (ns < measure_ns);
  return (double)ns / (double)done;
}

static double vdso_rate(const struct row *row) {
  return 1e6 * (double)row->b / vdso_ns((enum bench_vdso_op)row->a);
}

static double vdso_us(const struct row *row) { return vdso_ns((enum bench_vdso_op)row->a) / 1e3; }

static double vdso_chacha(const struct row *row) {
  return BENCH_VDSO_CHACHA_BYTES * 1e3 / vdso_ns(BENCH_VDSO_CHACHA);
}

// What the one takes longer than the other.
static double vdso_more_us(const struct row *row) {
  return (vdso_ns((enum bench_vdso_op)row->a) - vdso_ns((enum bench_vdso_op)row->b)) / 1e3;
}

static double vdso_against_naive(const struct row *row) {
  return vdso_ns(BENCH_VDSO_NAIVE) / vdso_ns((enum bench_vdso_op)row->a);
}

// Calm runs of the scenario are first calls; drawn ones are all that explore does.
static double vdso_runs(const struct row *row) {
  struct sim_input input = {.backend = row->a ? SIM_BACKEND_SEED : SIM_BACKEND_CALM,
                            .strategy = SIM_STRATEGY_PORTFOLIO};
  struct bench_world b;
  struct totals totals;

  if (!image_open) bench_vdso_open(image_file);
  // The scenario makes its machine on the same engine.
  image_open = false;
  b = open_world(find("vdso-getrandom"), NULL);
  // An image is as its kernel ships it, known findings included.
  totals = run_inputs(&b, &input, image_file != NULL);
  close_world(&b);
  return (double)totals.runs * 1e6 / (double)totals.ns;
}

struct first_swept {
  u64 cases;
  bool past;  // the first call
};

static bool sweep_before(void *arg) { return true; }

static bool sweep_visit(void *arg, const struct vdso_case *done) {
  struct first_swept *swept = arg;

  swept->past = done->script != VDSO_SCRIPT_FIRST;
  swept->cases++;
  return !swept->past;
}

// Seconds on one core for the sweep of a first call, as `sweep` makes it: the pairs within
// `a` boundaries, from each b-th boundary.
static double vdso_sweep_s(const struct row *row) {
  struct first_swept swept = {0};
  struct vdso_sweep *sweep;
  struct bench_world b;
  u64 start_ns;

  if (!image_open) bench_vdso_open(image_file);
  image_open = false;
  b = open_world(find("vdso-getrandom"), NULL);
  sweep = vdso_sweep_new();
  start_ns = now_ns();
  for (u64 at = 0; !swept.past && at < vdso_sweep_boundaries(sweep); at += row->b)
    vdso_sweep_at(sweep, at, (u32)row->a, sweep_before, sweep_visit, &swept);
  start_ns = now_ns() - start_ns;
  close_world(&b);
  return (double)(start_ns * row->b) / 1e9;
}

// ---- arm64 ----

static double archrandom(const struct row *row) { return scenario_rate("arm64-archrandom", NULL); }

// Seconds of a whole boot whose calls each read the ID register, or not; `out_reads` gets how
// often.
static double boot_s(u32 design, u64 *out_reads) {
  const struct setting settings[] = {{"design", design},
                                     {"kernel", 4},
                                     {"calls_max", 0},
                                     {"rndr", ARM64_RNDR_ABSENT},
                                     {"trng", 0},
                                     {"dt_seed", 0},
                                     {"efi_seed", 0},
                                     {"num_cpus", 4},
                                     {"interrupts", 0},
                                     {"others", 0},
                                     {"late", 0},
                                     {"suspect.local_cap", design == ARM64_LOCAL_CAP},
                                     {0}};
  struct bench_world b = open_world(find("arm64-boot"), settings);
  struct sim_input input = {.backend = SIM_BACKEND_CALM};
  struct sim_result result;
  u64 start_ns = now_ns();

  sim_world_run(b.world, &input, &result);
  start_ns = now_ns() - start_ns;
  if (result.status != SIM_OK) die(result.failures[0].key, result.failures[0].text);
  *out_reads = arm64_boot_counts()->trapped[ARM64_ID_AA64ISAR0];
  close_world(&b);
  return (double)start_ns / 1e9;
}

// The shortest of three: what else the machine does is of the size of the difference of two.
static double shortest_boot_s(u32 design, u64 *out_reads) {
  double shortest = boot_s(design, out_reads);

  for (u32 i = 0; i < 2; i++) {
    double seconds = boot_s(design, out_reads);

    if (seconds < shortest) shortest = seconds;
  }
  return shortest;
}

// For 200,000 reads: the configuration has some less.
static double boot_200000_s(const struct row *row) {
  u64 reads;
  double seconds = boot_s(ARM64_LOCAL_CAP, &reads);

  return seconds * 200000 / (double)reads;
}

// By which a boot that reads is longer than one that asks as often and looks at nothing: of each
// call two reads, ID_AA64ISAR0_EL1, which traps, and sp_el0, which costs the engine the same.
static double trap_ns(const struct row *row) {
  u64 reads, few;
  double with = shortest_boot_s(ARM64_LOCAL_CAP, &reads);
  double without = shortest_boot_s(ARM64_ALTERNATIVE, &few);

  return (with - without) * 1e9 / (double)(2 * (reads - few));
}

// ---- The rows ----

static const struct row rows[] = {
    {"decisions, 8 tasks, 4 call sites", "M/s", 50, false, decisions, 8, 1},
    {"decisions, 64 tasks, an interrupt drawn at each", "M/s", 35, false, decisions_irq, 64, 1},
    {"bare decisions: draw, record, fold, switch alone", "M/s", 0, false, bare_decisions, 0, 0},
    {"three tasks, 12 atomic operations each, 1 CPU", "M runs/s", 1.1, false, three_tasks, 1, 0},
    {"the same, 3 CPUs", "M runs/s", 0, false, three_tasks, 3, 0},
    {"bcm2835: a reader, fill thread, unregister, 2 CPUs", "k runs/s", 250, false, bcm2835, 0, 0},
    {"the same, every access a point", "k runs/s", 0, false, bcm2835_hooked, 1, 0},
    {"the same, and data races looked for", "k runs/s", 100, false, bcm2835_hooked, 2, 0},
    {"kernel tree: the same of core.c and bcm2835-rng.c", "k runs/s", 0, false, bcm2835_tree, 0, 0},
    {"kernel tree: every access a point", "k runs/s", 0, false, bcm2835_tree, 1, 0},
    {"kernel tree: and data races looked for", "k runs/s", 100, false, bcm2835_tree, 2, 0},
    {"kernel tree: the model as shipped, points", "k runs/s", 0, false, bcm2835_model, 1, 0},
    {"kernel tree: the model, and data races", "k runs/s", 0, false, bcm2835_model, 2, 0},
    {"crng-seed, marked points", "k runs/s", 60, false, crng_seed, 0, 0},
    {"crng-seed, every access a point", "k runs/s", 6, false, crng_seed, 1, 0},
    {"crng-seed, and data races looked for", "k runs/s", 0, false, crng_seed, 2, 0},
    {"kernel tree: crng-seed of random.c, marked points", "k runs/s", 20, false, crng_seed_tree, 0,
     0},
    {"kernel tree: crng-seed, every access a point", "k runs/s", 0, false, crng_seed_tree, 1, 0},
    {"an access hook, not active", "ns", 1.5, true, hook_ns, 1, 1},
    {"an access hook, drawing 1 in 64", "ns", 4, true, hook_ns, 1, 0},
    {"the detector of data races on top", "ns", 2.5, true, hook_ns, 2, 0},
    {"fpu-blake2s", "k runs/s", 0, false, fpu_blake2s, 0, 0},
    {"fpu-crng", "k runs/s", 0, false, fpu_crng, 0, 0},
    {"BLAKE2s of one block (libb2)", "ns", 0, true, blake2s_ns, 0, 0},
    {"ChaCha20, one block (libsodium)", "ns", 0, true, chacha_ns, 0, 0},
    {"reset, 16 KiB touched", "us", 0.3, true, reset_us, 16384, 0},
    {"two processes against one", "times", 1.8, false, two_processes, 0, 0},
    {"switch", "ns", 0, true, switch_ns, 0, 0},
    {"switch, swapcontext", "ns", 0, true, swapcontext_ns, 0, 0},
    {"decision, 2 tasks, 1 CPU", "ns", 0, true, decision_ns, 2, 1},
    {"decision, 4 tasks, 1 CPU", "ns", 0, true, decision_ns, 4, 1},
    {"decision, 8 tasks, 1 CPU", "ns", 0, true, decision_ns, 8, 1},
    {"decision, 16 tasks, 1 CPU", "ns", 0, true, decision_ns, 16, 1},
    {"decision, 32 tasks, 1 CPU", "ns", 0, true, decision_ns, 32, 1},
    {"decision, 64 tasks, 1 CPU", "ns", 0, true, decision_ns, 64, 1},
    {"decision, 16 tasks, 2 CPUs", "ns", 0, true, decision_ns, 16, 2},
    {"decision, 16 tasks, 4 CPUs", "ns", 0, true, decision_ns, 16, 4},
    {"decision, 16 tasks, 8 CPUs", "ns", 0, true, decision_ns, 16, 8},
    {"vdso: first calls of 32 bytes, oracles of one run", "k/s", 70, false, vdso_rate,
     BENCH_VDSO_FIRST, 1},
    {"vdso: the same as calm runs of the scenario", "k runs/s", 0, false, vdso_runs, 0, 0},
    {"vdso: drawn runs of the scenario", "k runs/s", 0, false, vdso_runs, 1, 0},
    {"vdso: calls of 4 bytes, 23 of 24 batch hits", "k/s", 0, false, vdso_rate, BENCH_VDSO_HITS,
     BENCH_VDSO_HITS_CALLS},
    {"vdso: ChaCha20, 64 blocks a call", "MB/s", 0, false, vdso_chacha, 0, 0},
    {"vdso: first call, all of it", "us", 0, true, vdso_us, BENCH_VDSO_FIRST, 0},
    {"vdso: first call, its reset", "us", 0, true, vdso_us, BENCH_VDSO_RESET, 0},
    {"vdso: first call, reset and guest, no oracle", "us", 0, true, vdso_us, BENCH_VDSO_GUEST, 0},
    {"vdso: first call, its oracles", "us", 0, true, vdso_more_us, BENCH_VDSO_FIRST,
     BENCH_VDSO_GUEST},
    {"vdso: first call, counting its instructions", "us", 0, true, vdso_more_us, BENCH_VDSO_GUEST,
     BENCH_VDSO_UNCOUNTED},
    {"vdso: entering the engine for an instruction", "us", 0, true, vdso_us, BENCH_VDSO_ENTRY, 0},
    {"vdso: oracles that compare two first calls", "us", 0, true, vdso_us, BENCH_VDSO_TWICE, 0},
    {"vdso: sweep of a first call, pairs at one boundary", "s", 3, true, vdso_sweep_s, 0, 1},
    {"vdso: the same, pairs within 16 (a 16th, times 16)", "s", 60, true, vdso_sweep_s, 16, 16},
    {"vdso: a new engine for a call, against all of it", "times", 0, false, vdso_against_naive,
     BENCH_VDSO_FIRST, 0},
    {"vdso: a new engine for a call, against no oracle", "times", 0, false, vdso_against_naive,
     BENCH_VDSO_GUEST, 0},
    {"arm64-archrandom", "k runs/s", 100, false, archrandom, 0, 0},
    {"arm64-boot of 200,000 trapped reads", "s", 0.5, true, boot_200000_s, 0, 0},
    {"arm64: a trapped read in it, as the engine has it", "ns", 0, true, trap_ns, 0, 0},
    {"memory of a world that has run", "MiB", 0, true, world_mib, 0, 0},
    {"memory of its image", "KiB", 0, true, image_kib, 0, 0},
};

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

static double median(const struct row *row, u32 times) {
  double *value = xcalloc(times, sizeof(*value)), middle;
  u32 i;

  for (i = 0; i < times; i++) value[i] = row->measure(row);
  qsort(value, times, sizeof(*value), compare);
  middle = times % 2 ? value[times / 2] : (value[times / 2 - 1] + value[times / 2]) / 2;
  free(value);
  return middle;
}

// ---- The program ----

struct arguments {
  bool json;
  u64 times;
  const char *only;
};

static const struct argp_option option_list[] = {
    {"json", 'j', NULL, 0, "Print one JSON object in place of text", 0},
    {"times", 't', "N", 0, "Measurements for each figure, whose median it is (default 5)", 0},
    {"ms", 'm', "MS", 0, "Length of a measurement in milliseconds (default 300)", 0},
    {"only", 'o', "TEXT", 0, "Only rows whose name contains TEXT", 0},
    {"kernel", 'k', "DIR", 0, "A kernel tree, for the rows of one, which are left out else", 0},
    {"image", 'i', "FILE", 0,
     "A vDSO, or a kernel file that holds one, for the rows of vdso; else the built-in one of "
     "ppc64le",
     0},
    {0},
};

static void take_kernel(const char *dir) {
  char *name = xasprintf("kernel:%s", dir), err[512];

  if (subject_parse(name, find("bcm2835-unregister"), &kernel_subject_of_bench, err, sizeof(err)))
    die(name, err);
  free(name);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;
  const char *why = NULL;
  u64 ms = 0;

  switch (key) {
    case 'j':
      arguments->json = true;
      return 0;
    case 't':
      if (!text_parse_u64(arg, &arguments->times, &why)) argp_error(state, "%s: %s", arg, why);
      if (arguments->times < 1 || arguments->times > 1000)
        argp_error(state, "%s: 1 to 1000 measurements", arg);
      return 0;
    case 'm':
      if (!text_parse_u64(arg, &ms, &why)) argp_error(state, "%s: %s", arg, why);
      if (ms < 1 || ms > 100000) argp_error(state, "%s: 1 to 100000 ms", arg);
      measure_ns = ms * 1000000;
      return 0;
    case 'o':
      arguments->only = arg;
      return 0;
    case 'k':
      take_kernel(arg);
      return 0;
    case 'i':
      image_file = arg;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp argp = {
    .options = option_list,
    .parser = parse,
    .doc =
        "Measure what a decision, a run, a reset, a switch and a vDSO's call cost, beside their "
        "targets on one core of about 3 GHz. Build it optimised: bazel run -c opt "
        "//tools:bench.\v"
        "Examples:\n"
        "  bazel run -c opt //tools:bench\n"
        "  bazel run -c opt //tools:bench -- --json --times=9\n"
        "  bazel run -c opt //tools:bench -- --only='decision, '\n"
        "  bazel run -c opt //tools:bench -- --only=vdso --image=$PWD/vmlinuz",
};

static void print_row(const struct row *row, double value) {
  printf("%-50s %9.2f %-9s", row->name, value, row->unit);
  if (row->target > 0)
    printf(" %7.2f  %5.2f", row->target,
           row->less_is_better ? row->target / value : value / row->target);
  putchar('\n');
  fflush(stdout);
}

int main(int argc, char **argv) {
  struct arguments arguments = {.times = TIMES_DEFAULT};
  cJSON *object, *array;
  char *name = bench_machine();
  double value;
  u32 i;

  argp_parse(&argp, argc, argv, 0, NULL, &arguments);
  object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "machine", name);
  array = cJSON_AddArrayToObject(object, "rows");
  if (!arguments.json)
    printf("%s; median of %" PRIu64 "\n\n%-50s %9s %-9s %7s  %s\n", name, arguments.times, "what",
           "value", "unit", "target", "ratio (1 or more: met)");
  for (i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    if (arguments.only && !strstr(rows[i].name, arguments.only)) continue;
    if (!kernel_subject_of_bench.kernel && strstr(rows[i].name, "kernel tree:")) continue;
    value = median(&rows[i], (u32)arguments.times);
    if (!arguments.json) print_row(&rows[i], value);
    bench_json_row(array, rows[i].name, rows[i].unit, value, rows[i].target);
  }
  if (arguments.json)
    json_print(object);
  else
    cJSON_Delete(object);
  free(name);
  return command_finish(0);
}
