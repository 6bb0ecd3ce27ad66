// SPDX-License-Identifier: GPL-2.0-or-later
//
// See blake2s_timing.h. The counter is read between fences; what reading it costs is taken
// off. A figure is a median: interruptions do not matter.
#include "tools/blake2s/blake2s_timing.h"

#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 201, WARM_CALLS = 64 };

#ifdef __x86_64__
static u64 ticks(void) {
  u64 now;

  __builtin_ia32_lfence();
  now = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return now;
}

enum { CACHE_LINE = 64 };

static bool evict(const void *at, size_t len) {
  const char *line = at;

  for (size_t i = 0; i < len; i += CACHE_LINE) __builtin_ia32_clflush(line + i);
  __builtin_ia32_clflush(line + len - 1);
  __builtin_ia32_mfence();
  return true;
}
#else
static u64 ticks(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

static bool evict(const void *at, size_t len) { return false; }
#endif

// ---- Figures ----

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

// The extremes are those of the middle nine tenths: others are interruptions.
static struct blake2s_spread spread_of(double value[ROUNDS]) {
  qsort(value, ROUNDS, sizeof(*value), compare);
  return (struct blake2s_spread){value[ROUNDS / 2], value[ROUNDS / 20],
                                 value[ROUNDS - 1 - ROUNDS / 20]};
}

static double overhead(void) {
  double value[ROUNDS];

  for (u32 i = 0; i < ROUNDS; i++) {
    u64 start = ticks();

    value[i] = (double)(ticks() - start);
  }
  return spread_of(value).median;
}

// ---- BLAKE2s ----

static struct {
  u32 state[8];
  u8 block[BLAKE2S_BLOCK_LEN];
} operand __attribute__((aligned(64)));

static u64 time_calls(const struct blake2s_variant *variant, u32 calls) {
  u64 start = ticks();

  for (u32 i = 0; i < calls; i++)
    variant->compress(operand.state, operand.block, 1, 0, BLAKE2S_BLOCK_LEN, false);
  return ticks() - start;
}

static double warm(const struct blake2s_variant *variant, double read_ticks) {
  time_calls(variant, 1);
  return ((double)time_calls(variant, WARM_CALLS) - read_ticks) / WARM_CALLS;
}

static double cold(const struct blake2s_variant *variant, double read_ticks) {
  double spent;

  if (!evict(variant->code, variant->code_len) || !evict(&operand, sizeof(operand))) return 0;
  spent = (double)time_calls(variant, 1) - read_ticks;
  return spent > 1 ? spent : 1;
}

static void time_all(const struct blake2s_variant *variants, u32 num,
                     double (*one)(const struct blake2s_variant *variant, double read_ticks),
                     struct blake2s_spread *out_ticks[], struct blake2s_spread *out_ratios[]) {
  static double value[BLAKE2S_VARIANTS_MAX][ROUNDS], ratio[BLAKE2S_VARIANTS_MAX][ROUNDS];
  double read_ticks = overhead();

  for (u32 i = 0; i < ROUNDS; i++)
    for (u32 v = 0; v < num; v++) {
      value[v][i] = one(&variants[v], read_ticks);
      ratio[v][i] = value[0][i] > 0 ? value[v][i] / value[0][i] : 0;
    }
  for (u32 v = 0; v < num; v++) {
    *out_ticks[v] = spread_of(value[v]);
    *out_ratios[v] = spread_of(ratio[v]);
  }
}

void blake2s_time(const struct blake2s_variant *variants, u32 num,
                  struct blake2s_timing *out_timings) {
  struct blake2s_spread *spent[BLAKE2S_VARIANTS_MAX], *ratios[BLAKE2S_VARIANTS_MAX];

  SIM_ASSERT(num <= BLAKE2S_VARIANTS_MAX);
  for (u32 v = 0; v < num; v++) {
    spent[v] = &out_timings[v].warm;
    ratios[v] = &out_timings[v].warm_ratio;
  }
  time_all(variants, num, warm, spent, ratios);
  for (u32 v = 0; v < num; v++) {
    spent[v] = &out_timings[v].cold;
    ratios[v] = &out_timings[v].cold_ratio;
  }
  time_all(variants, num, cold, spent, ratios);
}

// ---- Registers ----

#ifdef __x86_64__
#include <cpuid.h>

// x87, SSE, AVX, and the three parts of AVX-512 (Intel SDM volume 1, 13.1).
enum { XSTATE = 0xe7, XSAVE_LEN_MAX = 16384 };

static u8 area[XSAVE_LEN_MAX] __attribute__((aligned(64)));

static bool has_xsave(void) {
  u32 a, b, c, d;

  // CPUID leaf 1, ECX bit 27: the kernel has switched it on. Leaf 0xd: its size.
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return false;
  return __get_cpuid_count(0xd, 0, &a, &b, &c, &d) && b <= sizeof(area);
}

__attribute__((target("xsave"))) bool blake2s_time_xstate(struct blake2s_spread *out_save,
                                                          struct blake2s_spread *out_restore) {
  double save[ROUNDS], restore[ROUNDS], read_ticks = overhead();

  if (!has_xsave()) return false;
  for (u32 i = 0; i < ROUNDS; i++) {
    u64 start = ticks(), middle;

    __builtin_ia32_xsave64(area, XSTATE);
    middle = ticks();
    __builtin_ia32_xrstor64(area, XSTATE);
    restore[i] = (double)(ticks() - middle) - read_ticks;
    save[i] = (double)(middle - start) - read_ticks;
  }
  *out_save = spread_of(save);
  *out_restore = spread_of(restore);
  return true;
}
#else
bool blake2s_time_xstate(struct blake2s_spread *out_save, struct blake2s_spread *out_restore) {
  return false;
}
#endif
