// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed table blake2s: what one compression costs with and without vector registers, when
// these pay, and where the kernel may use them.
//
// Published are the figures of 5 May 2022 in the thread "x86/fpu: Make FPU protection more
// robust": cycles of one compression on a Tiger Lake, without kernel_fpu_begin.
//
// Measured on this machine is our own source, built for each instruction set (tools/blake2s),
// after its results were compared with libb2's. In JSON it stands under "simulated". Simulated
// are the shares of calls that may use SIMD, by context and design: runs of fpu-crng.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <blake2.h>

#include "models/fpu/fpu_scenarios.h"
#include "tools/blake2s/blake2s_timing.h"
#include "tools/blake2s/blake2s_variants.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/registry.h"
#include "tools/table.h"

enum { BATCHES = 8, BATCH_RUNS = 250 };

static const struct {
  const char *name;
  double cycles;  // 0: not published
} published[] = {{"generic", 430}, {"ssse3", 315}, {"avx2", 0}, {"avx512", 277}};
enum { GENERIC = 0, NUM_BUILDS = SIM_ARRAY_SIZE(published) };

static const char *const designs[] = {"6.1", "7.2", "softirq-only"};
static const char *const contexts[FPU_CONTEXTS] = {"task", "softirq", "hardirq"};
enum { NUM_DESIGNS = SIM_ARRAY_SIZE(designs), ALL = FPU_CONTEXTS };

static struct blake2s_timing timing[NUM_BUILDS];  // by index of `published`; 0: not here
static struct blake2s_spread save, restore;
static struct blake2s_spread share[NUM_DESIGNS][ALL + 1];
static u64 calls[NUM_DESIGNS][ALL + 1];
static double section_cycles;

// ---- Measuring ----

static bool agrees(const struct blake2s_variant *variant) {
  static u8 data[3 * BLAKE2S_BLOCK_LEN + 1];

  for (size_t len = 0; len < sizeof(data); len++) {
    u8 want[BLAKE2S_HASH_LEN], got[BLAKE2S_HASH_LEN];

    data[len] = (u8)(37 * len + 1);
    if (blake2s(want, data, NULL, sizeof(want), len, 0)) return false;
    blake2s_hash(variant, got, data, len);
    if (memcmp(got, want, sizeof(want)) != 0) return false;
  }
  return true;
}

static bool measure(void) {
  struct blake2s_variant variants[BLAKE2S_VARIANTS_MAX];
  struct blake2s_timing timings[BLAKE2S_VARIANTS_MAX];
  u32 num = blake2s_variants(variants);

  for (u32 v = 0; v < num; v++)
    if (!agrees(&variants[v])) {
      complain("BLAKE2s built as %s does not agree with libb2", variants[v].name);
      return false;
    }
  blake2s_time(variants, num, timings);
  for (u32 i = 0; i < NUM_BUILDS; i++)
    for (u32 v = 0; v < num; v++)
      if (!strcmp(published[i].name, variants[v].name)) timing[i] = timings[v];
  (void)blake2s_time_xstate(&save, &restore);
  return true;
}

// Blocks of one section from which on SIMD costs less, if a section costs so much; 0: never.
static double blocks_to_pay(double generic, double simd) {
  return generic > simd ? floor(section_cycles / (generic - simd)) + 1 : 0;
}

// ---- Simulating ----

static void count(u64 sum_simd[ALL + 1], u64 sum_calls[ALL + 1]) {
  const struct fpu_stats *stats = fpu_scenario_stats();

  for (u32 context = 0; context < FPU_CONTEXTS; context++) {
    sum_simd[context] += stats->simd[context];
    sum_calls[context] += stats->calls[context];
    sum_simd[ALL] += stats->simd[context];
    sum_calls[ALL] += stats->calls[context];
  }
}

static void add_batch(struct blake2s_spread *spread, u64 simd, u64 all) {
  double value = all ? (double)simd / (double)all : 0;

  if (value < spread->min) spread->min = value;
  if (value > spread->max) spread->max = value;
}

static bool simulate(const struct sim_scenario *scenario, u32 design) {
  struct sim_world *world = sim_world_new();
  struct sim_params *params = sim_params_new(scenario);
  struct sim_input input = {.backend = SIM_BACKEND_SEED};
  u64 simd[ALL + 1] = {0};
  struct sim_result result;
  char err[160];

  SIM_ASSERT(world && sim_params_set(params, "design", designs[design], err, sizeof(err)));
  SIM_ASSERT(sim_world_setup(world, scenario, params, NULL) == SIM_OK);
  for (u32 i = 0; i <= ALL; i++) share[design][i] = (struct blake2s_spread){0, 1, 0};
  for (u32 batch = 0; batch < BATCHES; batch++) {
    u64 batch_simd[ALL + 1] = {0}, batch_calls[ALL + 1] = {0};

    for (u32 i = 0; i < BATCH_RUNS; i++) {
      input.seed++;
      sim_world_run(world, &input, &result);
      if (result.status != SIM_OK) {
        complain("fpu-crng --seed=%" PRIu64 ": %s", input.seed, result.failures[0].text);
        return false;
      }
      count(batch_simd, batch_calls);
    }
    for (u32 i = 0; i <= ALL; i++) {
      add_batch(&share[design][i], batch_simd[i], batch_calls[i]);
      simd[i] += batch_simd[i];
      calls[design][i] += batch_calls[i];
    }
  }
  for (u32 i = 0; i <= ALL; i++)
    share[design][i].median = calls[design][i] ? (double)simd[i] / (double)calls[design][i] : 0;
  sim_world_free(world);
  sim_params_free(params);
  return true;
}

// ---- Printing ----

static void print_blocks(double blocks) {
  if (blocks > 0)
    printf("%10.0f", blocks);
  else
    printf("%10s", "never");
}

static void print_timings(void) {
  printf("BLAKE2s, one compression: cycles as published, " BLAKE2S_TICKS
         " as measured here\n\n"
         "                  published         here, warm caches       here, cold caches\n"
         "  built as     cycles   ratio      median    ratio         median    ratio\n");
  for (u32 i = 0; i < NUM_BUILDS; i++) {
    const struct blake2s_timing *t = &timing[i];

    printf("  %-8s", published[i].name);
    if (published[i].cycles > 0)
      printf(" %10.0f %7.3f", published[i].cycles, published[i].cycles / published[GENERIC].cycles);
    else
      printf(" %10s %7s", "-", "-");
    if (t->warm.median > 0)
      printf("  %10.1f %8.3f", t->warm.median, t->warm_ratio.median);
    else
      printf("  not on this processor");
    if (t->cold.median > 0) printf("     %10.1f %8.3f", t->cold.median, t->cold_ratio.median);
    putchar('\n');
  }
  if (save.median > 0)
    printf("\n  XSAVE %.0f and XRSTOR %.0f " BLAKE2S_TICKS " here, all registers up to AVX-512's\n",
           save.median, restore.median);
}

static void print_payment(void) {
  printf(
      "\nblocks that a section must hash before SIMD pays, if begin, save and load cost %.0f\n\n"
      "  built as  published      here\n",
      section_cycles);
  for (u32 i = 1; i < NUM_BUILDS; i++) {
    printf("  %-8s ", published[i].name);
    if (published[i].cycles > 0)
      print_blocks(blocks_to_pay(published[GENERIC].cycles, published[i].cycles));
    else
      printf("%10s", "-");
    if (timing[i].warm.median > 0)
      print_blocks(blocks_to_pay(timing[GENERIC].warm.median, timing[i].warm.median));
    putchar('\n');
  }
}

static void print_shares(void) {
  printf("\ncalls that may use SIMD, simulated (%d runs of fpu-crng each)\n\n  %-14s",
         BATCHES * BATCH_RUNS, "design");
  for (u32 i = 0; i < FPU_CONTEXTS; i++) printf(" %9s", contexts[i]);
  printf(" %9s\n", "all");
  for (u32 d = 0; d < NUM_DESIGNS; d++) {
    printf("  %-14s", designs[d]);
    for (u32 i = 0; i <= ALL; i++) printf(" %8.2f%%", 100 * share[d][i].median);
    putchar('\n');
  }
}

static cJSON *number_or_null(bool known, double value) {
  return known ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

// `pub`: 0 is not published. `spread`: NULL is not known.
static void add_row(cJSON *rows, const char *name, const char *unit, double pub,
                    const struct blake2s_spread *spread) {
  // Cycles of two processors are not compared.
  bool compared = spread && pub > 0 && strcmp(unit, "ratio") == 0;
  cJSON *row = cJSON_CreateObject();

  cJSON_AddStringToObject(row, "row", name);
  cJSON_AddStringToObject(row, "unit", unit);
  cJSON_AddItemToObject(row, "published", number_or_null(pub > 0, pub));
  cJSON_AddItemToObject(row, "simulated", number_or_null(spread, spread ? spread->median : 0));
  cJSON_AddItemToObject(row, "min", number_or_null(spread, spread ? spread->min : 0));
  cJSON_AddItemToObject(row, "max", number_or_null(spread, spread ? spread->max : 0));
  cJSON_AddItemToObject(row, "ratio",
                        number_or_null(compared, compared ? spread->median / pub : 0));
  cJSON_AddItemToArray(rows, row);
}

static const struct blake2s_spread *measured(const struct blake2s_spread *spread) {
  return spread->median > 0 ? spread : NULL;
}

static void add_build(cJSON *rows, u32 i) {
  const struct blake2s_timing *t = &timing[i];
  double pub = published[i].cycles, pays = 0;
  struct blake2s_spread blocks;
  char name[64];

  snprintf(name, sizeof(name), "%s, warm", published[i].name);
  add_row(rows, name, BLAKE2S_TICKS, pub, measured(&t->warm));
  snprintf(name, sizeof(name), "%s, cold", published[i].name);
  add_row(rows, name, BLAKE2S_TICKS, 0, measured(&t->cold));
  if (i == GENERIC) return;
  snprintf(name, sizeof(name), "%s / generic, warm", published[i].name);
  add_row(rows, name, "ratio", pub / published[GENERIC].cycles, measured(&t->warm_ratio));
  snprintf(name, sizeof(name), "%s / generic, cold", published[i].name);
  add_row(rows, name, "ratio", 0, measured(&t->cold_ratio));
  if (t->warm.median > 0) pays = blocks_to_pay(timing[GENERIC].warm.median, t->warm.median);
  blocks = (struct blake2s_spread){pays, pays, pays};
  snprintf(name, sizeof(name), "blocks before %s pays", published[i].name);
  add_row(rows, name, "blocks", pub > 0 ? blocks_to_pay(published[GENERIC].cycles, pub) : 0,
          measured(&blocks));
}

static void print_json(void) {
  cJSON *object = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(object, "rows");
  char name[64];

  for (u32 i = 0; i < NUM_BUILDS; i++) add_build(rows, i);
  add_row(rows, "XSAVE", BLAKE2S_TICKS, 0, measured(&save));
  add_row(rows, "XRSTOR", BLAKE2S_TICKS, 0, measured(&restore));
  for (u32 d = 0; d < NUM_DESIGNS; d++)
    for (u32 i = 0; i <= ALL; i++) {
      snprintf(name, sizeof(name), "%s: SIMD in %s", designs[d], i == ALL ? "all" : contexts[i]);
      add_row(rows, name, "share", 0, &share[d][i]);
    }
  cJSON_AddNumberToObject(object, "section_cycles", section_cycles);
  json_print(object);
}

int table_blake2s(u64 cycles, bool json) {
  const struct sim_scenario *scenario = registry_find("fpu-crng");

  section_cycles = (double)cycles;
  if (!scenario) {
    complain("this build has no scenario fpu-crng");
    return SIM_OURS;
  }
  if (!measure()) return SIM_OURS;
  for (u32 design = 0; design < NUM_DESIGNS; design++)
    if (!simulate(scenario, design)) return SIM_OURS;
  if (json) {
    print_json();
  } else {
    print_timings();
    print_payment();
    print_shares();
  }
  return SIM_OK;
}
