// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed table archrandom: reads of ID_AA64ISAR0_EL1 that a hypervisor traps while an arm64 guest
// boots, by design of archrandom.h and configuration of the kernel, as published and as simulated
// by the scenario arm64-boot.
//
// Published are the figures of "arm64: archrandom: avoid trapping ID register read in
// __cpu_has_rng()" (20 Jul 2026): about 200,000 reads in one direct boot before it, a handful
// after, and 6.3 % of the boot's time. Its configuration is not named.
//
// A run is calm, and has all calls that its configuration makes: models/arm64/arm64_boot_calls.h
// has the rules. Virtual time plays no part in the counts.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/arm64/arm64_boot_calls.h"
#include "models/arm64/arm64_scenarios.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/registry.h"
#include "tools/table.h"

#define PUBLISHED_READS 200000.0
#define PUBLISHED_SHARE 0.063  // of the boot's time

// What a row of the second part changes of its kernel's boot.
struct variant {
  const char *kernel, *name;
  const char *settings;  // "key=value key=value"
};

// Without more said: 4 CPUs, 4 GiB, no seed, no RNDR, no TRNG, a hypervisor that traps.
static const char base[] =
    "calls_max=0 rndr=absent unequal=equal trng=absent smccc=1.1 conduit=hvc dt_seed=0 efi_seed=0 "
    "num_cpus=4 mem_mib=4096 interrupts=0 others=0 late=0";

static const struct variant variants[] = {
    {"debian-6.12", "1 CPU", "num_cpus=1"},
    {"debian-6.12", "8 CPUs", "num_cpus=8"},
    {"debian-6.12", "PREEMPT_COUNT", "preempt=1"},
    {"debian-6.12", "256 MiB, page_alloc.shuffle=1", "mem_mib=256 page_shuffle=1"},
    {"debian-6.12", "64 GiB, page_alloc.shuffle=1", "mem_mib=65536 page_shuffle=1"},
    {"debian-6.12", "RNDR", "rndr=works"},
    {"debian-6.12", "RNDR, of which RNDRRS never succeeds", "rndr=rndrrs-never"},
    {"debian-6.12", "RNDR, and trust_cpu=0", "rndr=works trust_cpu=0"},
    {"debian-6.12", "SMCCC TRNG", "trng=1.0"},
    {"debian-6.12", "SMCCC TRNG, and trust_cpu=0", "trng=1.0 trust_cpu=0"},
    {"debian-6.12", "device tree's seed of 32 bytes", "dt_seed=32"},
    {"debian-6.12", "the same, not trusted", "dt_seed=32 trust_boot=0"},
    {"debian-6.12", "UEFI's seed of 32 bytes", "efi_seed=32"},
    {"debian-6.12", "no hypervisor that traps", "tid3=0"},
    {"hardened", "device tree's seed of 32 bytes", "dt_seed=32"},
    {"hardened", "RNDR", "rndr=works"},
    {"hardened", "SMCCC TRNG", "trng=1.0"},
};

enum { KERNELS_MAX = 16 };
static u32 num_kernels;
static u64 by_kernel[KERNELS_MAX][ARM64_DESIGNS], calls_of[KERNELS_MAX];
static u64 by_variant[SIM_ARRAY_SIZE(variants)][ARM64_DESIGNS];
static u64 group_of_sanitised;  // all ID registers, of one CPU
static struct arm64_counts worst;
static u32 worst_kernel;

// ---- Simulating ----

static void set(struct sim_params *params, const char *key, const char *value) {
  char err[256];

  if (sim_params_set(params, key, value, err, sizeof(err))) return;
  complain("arm64-boot: %s", err);
  exit(SIM_OURS);
}

static void set_all(struct sim_params *params, const char *settings) {
  char text[512], *rest = text, *one;

  snprintf(text, sizeof(text), "%s", settings);
  while ((one = strsep(&rest, " ")) != NULL) {
    char *value = strchr(one, '=');

    if (!value) continue;
    *value = 0;
    set(params, one, value + 1);
  }
}

static u64 boot(struct sim_world *world, const char *kernel, u32 design, const char *settings) {
  const struct sim_scenario *scenario = registry_find("arm64-boot");
  struct sim_params *params = sim_params_new(scenario);
  struct sim_input input = {.backend = SIM_BACKEND_CALM};
  struct sim_result result;

  set_all(params, base);
  set(params, "kernel", kernel);
  for (u32 k = 0; arm64_kernels[k].name; k++)
    if (!strcmp(arm64_kernels[k].name, kernel))
      set(params, "preempt", arm64_kernels[k].preempt_count ? "1" : "0");
  set(params, "design", arm64_design_names[design]);
  // What the oracle objects to is what is counted.
  if (design == ARM64_LOCAL_CAP) set(params, "suspect.local_cap", "1");
  if (settings) set_all(params, settings);
  if (sim_world_setup(world, scenario, params, &result) == SIM_OK)
    sim_world_run(world, &input, &result);
  if (result.status != SIM_OK) {
    complain("arm64-boot: %s: %s", result.failures[0].oracle, result.failures[0].text);
    exit(SIM_OURS);
  }
  sim_params_free(params);
  return arm64_boot_counts()->trapped[ARM64_ID_AA64ISAR0];
}

static u64 calls(const struct arm64_counts *counts, u32 caller) {
  u64 sum = 0;

  for (u32 phase = 0; phase < ARM64_PHASES; phase++) sum += counts->calls[phase][caller];
  return sum;
}

static u64 reads(const struct arm64_counts *counts, u32 caller) {
  u64 sum = 0;

  for (u32 phase = 0; phase < ARM64_PHASES; phase++) sum += counts->isar0[phase][caller];
  return sum;
}

static void simulate(void) {
  struct sim_world *world = sim_world_new();

  SIM_ASSERT(world);
  for (u32 k = 0; arm64_kernels[k].name; k++) {
    SIM_ASSERT(k < KERNELS_MAX);
    num_kernels = k + 1;
    for (u32 design = 0; design < ARM64_DESIGNS; design++) {
      const struct arm64_counts *counts;

      by_kernel[k][design] = boot(world, arm64_kernels[k].name, design, NULL);
      counts = arm64_boot_counts();
      if (design == ARM64_LOCAL_CAP) {
        for (u32 caller = 0; caller < ARM64_BOOT_CALLERS; caller++)
          calls_of[k] += calls(counts, caller);
        if (by_kernel[k][design] > by_kernel[worst_kernel][design] || !k) {
          worst = *counts;
          worst_kernel = k;
        }
      }
      if (design == ARM64_SANITISED) {
        group_of_sanitised = 0;
        for (u32 i = 0; i < ARM64_ID_REGISTERS; i++) group_of_sanitised += counts->trapped[i];
        group_of_sanitised /= 4;
      }
    }
  }
  for (u32 v = 0; v < SIM_ARRAY_SIZE(variants); v++)
    for (u32 design = 0; design < ARM64_DESIGNS; design++)
      by_variant[v][design] = boot(world, variants[v].kernel, design, variants[v].settings);
  sim_world_free(world);
}

// ---- Boot time ----

static const double costs_us[] = {0.5, 1, 2, 3, 5};
static const double boots_s[] = {1, 2, 5, 10, 20};

// What the patch saves, of reads.
static double saved(void) {
  return (double)(by_kernel[worst_kernel][ARM64_LOCAL_CAP] -
                  by_kernel[worst_kernel][ARM64_SANITISED]);
}

// ---- Printing ----

static void print_line(const char *name, const char *rest, const u64 of[ARM64_DESIGNS]) {
  printf("  %-20s %-38s", name, rest);
  for (u32 design = 0; design < ARM64_DESIGNS; design++) printf(" %14" PRIu64, of[design]);
  putchar('\n');
}

static void print_head(const char *first, const char *second) {
  printf("  %-20s %-38s", first, second);
  for (u32 design = 0; design < ARM64_DESIGNS; design++)
    printf(" %14s", arm64_design_names[design]);
  putchar('\n');
}

static void print_text(void) {
  printf(
      "Trapped reads of ID_AA64ISAR0_EL1 in the boot of an arm64 guest, simulated: 4 CPUs, 4 GiB, "
      "no seed,\nno RNDR, no TRNG\n\n");
  print_head("kernel", "calls of arch_get_random_*");
  for (u32 k = 0; k < num_kernels; k++) {
    char text[64];

    snprintf(text, sizeof(text), "%" PRIu64 "%s", calls_of[k],
             arm64_kernels[k].preempt_count ? ", PREEMPT_COUNT" : "");
    print_line(arm64_kernels[k].name, text, by_kernel[k]);
  }
  printf("  %-20s %-38s %14s %14s %14s\n\n", "published", "configuration not named", "",
         "about 200,000", "a handful");
  for (u32 k = 0; k < num_kernels; k++)
    printf("  %-20s %s\n", arm64_kernels[k].name, arm64_kernels[k].line);
  printf("\nThe same, but for what is named\n\n");
  print_head("kernel", "but");
  for (u32 v = 0; v < SIM_ARRAY_SIZE(variants); v++)
    print_line(variants[v].kernel, variants[v].name, by_variant[v]);
  printf("\nWho asks in %s, design local-cap\n\n  %-24s %10s %10s\n",
         arm64_kernels[worst_kernel].name, "caller", "calls", "reads");
  for (u32 caller = 0; caller < ARM64_BOOT_CALLERS; caller++)
    if (calls(&worst, caller) || reads(&worst, caller))
      printf("  %-24s %10" PRIu64 " %10" PRIu64 "\n", arm64_caller_names[caller],
             calls(&worst, caller), reads(&worst, caller));
  printf(
      "\nWhile the CRNG is EMPTY each call of get_random_* extracts: 4 longs, each asked for "
      "twice. "
      "What brings\na boot near 200,000 is CONFIG_RANDOM_KMALLOC_CACHES, whose 15 copies of "
      "kmalloc's caches have their\nfree lists shuffled; without it %" PRIu64
      " is the most here. page_alloc.shuffle=1 comes after smp_init, when\ncapabilities are final: "
      "memory makes no difference. PREEMPT_COUNT makes none, since a key is extracted\nunder "
      "base_crng.lock, with interrupts off. \"A handful\": one for each CPU, of %" PRIu64
      " reads of the ID group\nthat each makes.\n",
      by_kernel[3][ARM64_LOCAL_CAP], group_of_sanitised);
  printf(
      "\nThe boot's time, before, of which %.0f reads are 6.3 %%; and the share that they are "
      "of others\n\n  %-12s %12s",
      saved(), "a trap costs", "6.3 %");
  for (u32 b = 0; b < SIM_ARRAY_SIZE(boots_s); b++) printf("  %6.0f s", boots_s[b]);
  putchar('\n');
  for (u32 c = 0; c < SIM_ARRAY_SIZE(costs_us); c++) {
    double seconds = saved() * costs_us[c] / 1e6;

    printf("  %9.1f us %10.2f s", costs_us[c], seconds / PUBLISHED_SHARE);
    for (u32 b = 0; b < SIM_ARRAY_SIZE(boots_s); b++)
      printf("  %6.1f %%", 100 * seconds / boots_s[b]);
    putchar('\n');
  }
}

static void add(cJSON *rows, const char *name, const char *unit, double published,
                double simulated) {
  cJSON *item = cJSON_CreateObject();

  cJSON_AddStringToObject(item, "row", name);
  cJSON_AddStringToObject(item, "unit", unit);
  if (published > 0)
    cJSON_AddNumberToObject(item, "published", published);
  else
    cJSON_AddNullToObject(item, "published");
  cJSON_AddNumberToObject(item, "simulated", simulated);
  cJSON_AddNumberToObject(item, "min", simulated);
  cJSON_AddNumberToObject(item, "max", simulated);
  if (published > 0)
    cJSON_AddNumberToObject(item, "ratio", simulated / published);
  else
    cJSON_AddNullToObject(item, "ratio");
  cJSON_AddItemToArray(rows, item);
}

static void print_json(void) {
  cJSON *object = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(object, "rows");
  char name[128];

  for (u32 k = 0; k < num_kernels; k++)
    for (u32 design = 0; design < ARM64_DESIGNS; design++) {
      snprintf(name, sizeof(name), "%s: %s", arm64_kernels[k].name, arm64_design_names[design]);
      add(rows, name, "reads", design == ARM64_LOCAL_CAP ? PUBLISHED_READS : 0,
          (double)by_kernel[k][design]);
    }
  for (u32 v = 0; v < SIM_ARRAY_SIZE(variants); v++)
    for (u32 design = 0; design < ARM64_DESIGNS; design++) {
      snprintf(name, sizeof(name), "%s, %s: %s", variants[v].kernel, variants[v].name,
               arm64_design_names[design]);
      add(rows, name, "reads", 0, (double)by_variant[v][design]);
    }
  for (u32 caller = 0; caller < ARM64_BOOT_CALLERS; caller++) {
    snprintf(name, sizeof(name), "%s: local-cap: by %s", arm64_kernels[worst_kernel].name,
             arm64_caller_names[caller]);
    add(rows, name, "reads", 0, (double)reads(&worst, caller));
  }
  for (u32 c = 0; c < SIM_ARRAY_SIZE(costs_us); c++) {
    double seconds = saved() * costs_us[c] / 1e6;

    snprintf(name, sizeof(name), "boot of which the reads are 6.3 %%, at %.1f us", costs_us[c]);
    add(rows, name, "s", 0, seconds / PUBLISHED_SHARE);
    for (u32 b = 0; b < SIM_ARRAY_SIZE(boots_s); b++) {
      snprintf(name, sizeof(name), "share of a boot of %.0f s, at %.1f us", boots_s[b],
               costs_us[c]);
      add(rows, name, "%", 0, 100 * seconds / boots_s[b]);
    }
  }
  json_print(object);
}

int table_archrandom(bool json) {
  if (!registry_find("arm64-boot")) {
    complain("this build has no scenario arm64-boot");
    return SIM_OURS;
  }
  simulate();
  if (json)
    print_json();
  else
    print_text();
  return SIM_OK;
}
