// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed selftest: the facts that the engine rests on, checked on this machine and in
// this build, a line each. What a unit test proves is not repeated: these depend on the
// compiler, the C library, the processor or the kernel.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/guest/guest_selftest.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/ctx.h"
#include "sim/prng.h"
#include "sim/strategy.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/trace.h"
#include "tools/command.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/probe.h"
#include "tools/registry.h"

// AddressSanitizer has stacks of its own making.
#ifdef SIM_ASAN
enum { UNDER_ASAN = 1 };
#else
enum { UNDER_ASAN = 0 };
#endif

// What a fact says of itself; returns whether it holds.
typedef bool (*fact_fn)(struct text *seen);

static bool machine(struct text *seen) {
  const u32 word = 0x01020304;
  u8 first;

  memcpy(&first, &word, 1);
  text_addf(seen, "pages of %ld bytes, %s-endian, pointers of %zu bytes", sysconf(_SC_PAGESIZE),
            first == 4 ? "little" : "big", sizeof(void *));
  return first == 4 && sizeof(void *) == 8 && sysconf(_SC_PAGESIZE) >= 4096;
}

// The published vector of splitmix64: seed 1234567 (Vigna's splitmix64.c, first outputs).
static bool prng(struct text *seen) {
  static const u64 expected[] = {
      6457827717110365317ull, 3203168211198807973ull,  9817491932198370423ull,
      4593380528125082431ull, 16408922859458223821ull,
  };
  struct sim_stream stream = {0};
  u32 i;

  sim_stream_seed(&stream, 1234567);
  for (i = 0; i < SIM_ARRAY_SIZE(expected); i++) {
    u64 value = sim_stream_u64(&stream);

    if (value != expected[i]) {
      text_addf(seen, "output %u is %" PRIu64, i, value);
      return false;
    }
  }
  text_addf(seen, "%zu outputs of splitmix64", SIM_ARRAY_SIZE(expected));
  return true;
}

// The published vectors of FNV-1a, 64 bits, under the finaliser.
static bool hash(struct text *seen) {
  text_add(seen, "FNV-1a of \"\", \"a\" and \"foobar\"");
  return sim_hash_str("") == sim_mix64(0xcbf29ce484222325ull) &&
         sim_hash_str("a") == sim_mix64(0xaf63dc4c8601ec8cull) &&
         sim_hash_str("foobar") == sim_mix64(0x85944171f73967e8ull);
}

// ---- The switch ----

enum { SWITCHES = 1000, SWITCH_STACK = 65536 };

static struct {
  struct sim_ctx host, task;
  u64 stack[SWITCH_STACK / 8] __attribute__((aligned(16)));
  u64 rounds;
} coroutine;

// Registers that a call keeps hold values of our own over each switch.
static void coroutine_main(void *arg) {
  u64 a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;

  for (;;) {
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    sim_ctx_switch_raw(&coroutine.task, &coroutine.host);
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    if (a + b + c + d + e + f == 21 + 6 * coroutine.rounds) coroutine.rounds++;
    a++, b++, c++, d++, e++, f++;
  }
}

static bool coroutine_switch(struct text *seen) {
  u64 a = 10, b = 20, c = 30, d = 40, e = 50, f = 60, i;

  // The fiber calls belong to the world; this switch has none.
  if (UNDER_ASAN) {
    text_add(seen, "not looked at under AddressSanitizer");
    return true;
  }
  coroutine.rounds = 0;
  sim_ctx_init(&coroutine.task, coroutine.stack, sizeof(coroutine.stack), coroutine_main, NULL);
  for (i = 0; i < SWITCHES; i++) {
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    sim_ctx_switch_raw(&coroutine.host, &coroutine.task);
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    a++, b++, c++, d++, e++, f++;
  }
  text_addf(seen, "%d switches there and back keep the registers", SWITCHES);
  return coroutine.rounds == SWITCHES - 1 && a + b + c + d + e + f == 210 + 6 * SWITCHES;
}

// ---- A world of our own ----

enum { SELF_TASKS = 4, SELF_ROUNDS = 20 };

struct self {
  u32 value;
};

// Reads stack that nobody has written: with the wipe it is the fill, always.
static SIM_NOINLINE u32 stale_stack(void) {
  u8 deep[2048];
  u32 sum = 0;
  size_t i;

  // As far as the compiler knows this writes it.
  __asm__ volatile("" : "=m"(deep));
  for (i = 0; i < sizeof(deep); i++) sum += deep[i];
  for (i = 0; i < sizeof(deep); i++) deep[i] = (u8)(i | 1);
  __asm__ volatile("" : : "m"(deep));
  return sum;
}

static void self_task(void *arg) {
  struct self *self = arg;
  u32 i;

  for (i = 0; i < SELF_ROUNDS; i++) {
    u32 value = sim_read_once(self->value);

    value += sim_choose(sim_w, SIM_SITE_DRAW("selftest", SIM_SITE_WORK, 0, 0), 16);
    sim_write_once(self->value, value);
  }
  sim_trace_model("value", self->value, 0);
}

static void self_setup(void) {
  struct self *self = sim_alloc_static(sizeof(*self), "self");
  u32 i;

  for (i = 0; i < SELF_TASKS; i++) sim_task_new("selftest", self_task, self, i % 2);
}

static const struct sim_scenario self_scenario = {
    .name = "selftest",
    .claim = "a fixed run has a fixed digest",
    .testonly = true,
    .setup = self_setup,
};

static void stale_task(void *arg) {
  sim_trace_model("stale", stale_stack(), 0);
  SIM_POINT("stale", NULL);
}

static void stale_setup(void) {
  sim_task_new("stale", stale_task, NULL, 0);
  sim_task_new("stale", stale_task, NULL, 1);
}

static const struct sim_scenario stale_scenario = {
    .name = "selftest-stale",
    .claim = "what a run left on its stacks is wiped",
    .testonly = true,
    .setup = stale_setup,
};

static struct sim_world *self_world(const struct sim_scenario *scenario,
                                    struct sim_params **out_params) {
  struct sim_world *world = sim_world_new();

  *out_params = sim_params_new(scenario);
  SIM_ASSERT(world && *out_params);
  SIM_ASSERT(sim_world_setup(world, scenario, *out_params, NULL) == SIM_OK);
  return world;
}

static struct sim_result run_seed(struct sim_world *world, u64 seed, u32 strategy) {
  struct sim_input input = {
      .backend = SIM_BACKEND_SEED,
      .seed = seed,
      .strategy = strategy,
  };
  struct sim_result result;

  sim_world_run(world, &input, &result);
  return result;
}

// Digests of the fixed run, folded: what this engine gives in every configuration. They
// change when the engine's meaning of a seed does. Strategies that are tuned are left out.
#define SELF_DIGEST 0x069e531a65201b39ull
#define SELF_SEEDS 64

static bool fixed_run(struct text *seen) {
  struct sim_params *params;
  struct sim_world *world = self_world(&self_scenario, &params);
  static const u32 strategies[] = {SIM_STRATEGY_RANDOM, SIM_STRATEGY_RR, SIM_STRATEGY_CALM};
  u64 folded = 0, seed;
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(strategies); i++) {
    for (seed = 1; seed <= SELF_SEEDS; seed++)
      folded = sim_mix64(folded ^ run_seed(world, seed, strategies[i]).digest);
  }
  text_addf(seen, "%zu runs fold to 0x%016" PRIx64, SIM_ARRAY_SIZE(strategies) * SELF_SEEDS,
            folded);
  sim_world_free(world);
  sim_params_free(params);
  return folded == SELF_DIGEST;
}

static bool order(struct text *seen) {
  struct sim_params *params;
  struct sim_world *world = self_world(&self_scenario, &params);
  u64 forward[SELF_SEEDS], seed;
  bool same = true;

  for (seed = 0; seed < SELF_SEEDS; seed++)
    forward[seed] = run_seed(world, seed, SIM_STRATEGY_PORTFOLIO).digest;
  for (seed = SELF_SEEDS; seed-- > 0;)
    same &= forward[seed] == run_seed(world, seed, SIM_STRATEGY_PORTFOLIO).digest;
  text_addf(seen, "%d runs forwards and backwards", SELF_SEEDS);
  sim_world_free(world);
  sim_params_free(params);
  return same;
}

static bool replayed(struct text *seen) {
  struct sim_params *params;
  struct sim_world *world = self_world(&self_scenario, &params);
  struct sim_decisions list = {0};
  struct sim_input input = {.backend = SIM_BACKEND_LIST, .list = &list};
  struct sim_result by_seed, by_list;
  u64 seed;
  bool same = true;

  for (seed = 1; seed <= SELF_SEEDS; seed++) {
    by_seed = run_seed(world, seed, SIM_STRATEGY_PORTFOLIO);
    sim_decisions_from_world(&list, world);
    sim_world_run(world, &input, &by_list);
    same &= by_seed.digest == by_list.digest && by_seed.draws == by_list.draws;
  }
  text_addf(seen, "%d runs by seed, then by their decisions", SELF_SEEDS);
  sim_decisions_free(&list);
  sim_world_free(world);
  sim_params_free(params);
  return same;
}

static bool wiped(struct text *seen) {
  struct sim_params *params;
  struct sim_world *world = self_world(&stale_scenario, &params);
  u64 first = run_seed(world, 1, SIM_STRATEGY_CALM).digest;
  bool same = true;
  u32 i;

  for (i = 0; i < 10; i++) same &= run_seed(world, 1, SIM_STRATEGY_CALM).digest == first;
  text_add(seen, UNDER_ASAN ? "not looked at under AddressSanitizer"
                            : "a run does not see what the one before left on its stacks");
  sim_world_free(world);
  sim_params_free(params);
  return same || UNDER_ASAN;
}

// Distances in jiffies and when the kernel's wheel runs them (7.2): one jiffy late, and
// upwards to the level's granularity. 251 is msleep(1000) at 250 Hz.
static bool wheel(struct text *seen) {
  static const u32 distance[] = {1, 6, 62, 63, 251, 503, 4095};
  struct text buckets = {0};
  u64 now = 0x10000;
  bool good = sim_timer_wheel_bucket(now + 1, now) == now + 2 &&
              sim_timer_wheel_bucket(now + 6, now) == now + 7 &&
              sim_timer_wheel_bucket(now + 251, now) == now + 256;
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(distance); i++) {
    u64 bucket = sim_timer_wheel_bucket(now + distance[i], now);

    good &= bucket > now + distance[i];
    text_addf(&buckets, "%s%u at %" PRIu64, i ? ", " : "", distance[i], bucket - now);
  }
  text_addf(seen, "jiffies: %s", text_str(&buckets));
  text_free(&buckets);
  return good;
}

// Labels enter decisions and digests by their hashes: no two may collide.
static bool labels(struct text *seen) {
  u32 count, i, j;

  sim_sites_init();
  count = sim_sites_count();
  for (i = 0; i < count; i++) {
    for (j = 0; j < i; j++) {
      char a[2 * SIM_LABEL_LEN], b[2 * SIM_LABEL_LEN];
      const struct sim_site *x = sim_site_at(i), *y = sim_site_at(j);

      if (x->hash != y->hash) continue;
      sim_site_label(x, a, sizeof(a));
      sim_site_label(y, b, sizeof(b));
      if (strcmp(a, b)) {
        text_addf(seen, "%s and %s have one hash", a, b);
        return false;
      }
    }
  }
  text_addf(seen, "%u sites, %u streams, no two labels with one hash", count, sim_streams_count());
  return true;
}

// Other addresses, the same digest: the loader places a fresh process elsewhere.
static bool fresh_process(struct text *seen) {
  const struct sim_scenario *scenario = registry_at(0);
  struct run_spec spec;
  struct sim_world *world;
  struct sim_result result;
  struct probe probe;

  if (!scenario) {
    text_add(seen, "no scenario to try it with");
    return false;
  }
  run_spec_init(&spec, scenario);
  world = sim_world_new();
  SIM_ASSERT(world);
  if (sim_world_setup(world, scenario, spec.params, NULL) != SIM_OK) {
    text_addf(seen, "%s: the set-up fails", scenario->name);
    return false;
  }
  result = run_seed(world, 1, SIM_STRATEGY_PORTFOLIO);
  probe_seed(&spec, 1, OPTIONS_WATCHDOG_MS, &probe);
  text_addf(seen, "%s, seed 1: 0x%016" PRIx64 " here, 0x%016" PRIx64 " in a fresh process",
            scenario->name, result.digest, probe.digest);
  sim_world_free(world);
  run_spec_free(&spec);
  return probe.started && probe.death == JOBS_ALIVE && probe.digest == result.digest;
}

static const struct {
  const char *name, *line;
  fact_fn check;
} facts[] = {
    {"machine", "the machine is of the kind that the engine knows", machine},
    {"prng", "the random streams are splitmix64", prng},
    {"hash", "labels are hashed by FNV-1a", hash},
    {"labels", "labels are told apart by their hashes", labels},
    {"switch", "a coroutine switch keeps what a call keeps", coroutine_switch},
    {"stack", "stacks are wiped between runs", wiped},
    {"wheel", "timers fire as the kernel's wheel rounds", wheel},
    {"order", "a run does not depend on those before it", order},
    {"replay", "the record of a run replays it", replayed},
    {"process", "a run does not depend on where a process lies", fresh_process},
    {"digest", "a fixed run has the digest that it has everywhere", fixed_run},
};

// ---- The report ----

struct report {
  bool json;
  cJSON *rows;
  u32 total, failed, failed_guest;
};

static void add_fact(struct report *report, const char *name, const char *line, bool good,
                     const char *seen) {
  cJSON *row = cJSON_CreateObject();

  report->total++;
  report->failed += !good;
  cJSON_AddStringToObject(row, "fact", name);
  cJSON_AddBoolToObject(row, "holds", good);
  cJSON_AddStringToObject(row, "seen", seen);
  cJSON_AddItemToArray(report->rows, row);
  if (!report->json) printf("%s  %-12s %s: %s\n", good ? "ok  " : "FAIL", name, line, seen);
}

static void try_engine(struct report *report) {
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(facts); i++) {
    struct text seen = {0};
    bool good = facts[i].check(&seen);

    add_fact(report, facts[i].name, facts[i].line, good, text_str(&seen));
    text_free(&seen);
  }
}

// Of the library that runs guests. Where one fails, another library is needed.
static void try_guests(struct report *report) {
  char seen[256];
  u32 i;

  for (i = 0; i < guest_facts_count(); i++) {
    bool good = guest_fact_holds(i, seen, sizeof(seen));

    add_fact(report, guest_fact_name(i), guest_fact_line(i), good, seen);
    report->failed_guest += !good;
  }
}

// ---- The command ----

enum { KEY_JSON = 0x500 };

static const struct argp_option option_list[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object in place of text", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  switch (key) {
    case ARGP_KEY_INIT:
      options_begin(state, NULL);
      return 0;
    case KEY_JSON:
      *(bool *)state->input = true;
      return 0;
    case ARGP_KEY_ARG:
      usage_error("selftest", "'%s': selftest takes no argument", arg);
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp selftest_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "",
    .doc =
        "Check the facts that the engine rests on, on this machine and in this build, a line "
        "each.\v"
        "Example:\n"
        "  seedbed selftest\n"
        "\n"
        "Exit status 0 if all hold. 69 if one of Unicorn, which runs guests, does not: then its "
        "version will not do. Else 70: then no digest of this build means anything.",
};

int cmd_selftest(int argc, char **argv) {
  struct report report = {0};
  cJSON *object;

  options_parse("selftest", &selftest_argp, argc, argv, &report.json);
  object = cJSON_CreateObject();
  report.rows = cJSON_AddArrayToObject(object, "rows");
  try_engine(&report);
  try_guests(&report);
  if (report.json) {
    cJSON_AddNumberToObject(object, "failed", report.failed);
    json_print(object);
  } else {
    cJSON_Delete(object);
    printf("%u hold, %u fail\n", report.total - report.failed, report.failed);
  }
  if (report.failed_guest)
    fprintf(stderr, "selftest: %s will not do; install the one that is known to: tools/setup\n",
            guest_library());
  if (report.failed_guest) return SIM_MISSING_PACKAGE;
  return report.failed ? SIM_OURS : SIM_OK;
}
