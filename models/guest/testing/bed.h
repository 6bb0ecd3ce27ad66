// SPDX-License-Identifier: GPL-2.0-only
//
// For tests: an engine that holds the functions, with a stack and data around them; a call
// whose outcome the host computes too; all architectures in turn.
#ifndef SEEDBED_MODELS_GUEST_TESTING_BED_H_
#define SEEDBED_MODELS_GUEST_TESTING_BED_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/guest/guest.h"
#include "models/guest/testing/functions.h"

enum {
  BED_TEXT = 0x100000,
  BED_STACK = 0x200000,
  BED_STACK_LEN = 2 * GUEST_PAGE,
  BED_DATA = 0x300000,  // followed by a read-only page, and that by none
  BED_DATA_LEN = 2 * GUEST_PAGE,
  BED_CONST = BED_DATA + BED_DATA_LEN,
  BED_NOTHING = BED_CONST + GUEST_PAGE,
};

struct bed {
  struct guest *g;
  u8 *text, *stack, *data, *constant;
  struct guest_stop stop;
};

// Maps all of it; stack and data are kept by snapshots.
static inline void bed_open(struct bed *bed, struct guest *g) {
  static const u8 *const text[GUEST_ARCHES] = {
      guest_functions_ppc32,
      guest_functions_ppc64,
      guest_functions_ppc64le,
      guest_functions_arm64,
  };
  static const struct guest_symbol symbols[] = {
      {"functions", BED_TEXT, FUNCTIONS_LEN},      {"add", BED_TEXT + 0x100 * FN_ADD, 0x100},
      {"mix", BED_TEXT + 0x100 * FN_MIX, 0x100},   {"load", BED_TEXT + 0x100 * FN_LOAD, 0x100},
      {"spin", BED_TEXT + 0x100 * FN_SPIN, 0x100},
  };
  bed->g = g;
  bed->text = guest_pages(g, FUNCTIONS_LEN);
  bed->stack = guest_pages(g, BED_STACK_LEN);
  bed->data = guest_pages(g, BED_DATA_LEN);
  bed->constant = guest_pages(g, GUEST_PAGE);
  memcpy(bed->text, text[guest_arch(g)], FUNCTIONS_LEN);
  SIM_ASSERT(guest_map(g, BED_TEXT, bed->text, FUNCTIONS_LEN, GUEST_READ | GUEST_EXEC));
  SIM_ASSERT(guest_map(g, BED_STACK, bed->stack, BED_STACK_LEN, GUEST_READ | GUEST_WRITE));
  SIM_ASSERT(guest_map(g, BED_DATA, bed->data, BED_DATA_LEN, GUEST_READ | GUEST_WRITE));
  SIM_ASSERT(guest_map(g, BED_CONST, bed->constant, GUEST_PAGE, GUEST_READ));
  guest_keep(g, bed->stack, BED_STACK_LEN);
  guest_keep(g, bed->data, BED_DATA_LEN);
  guest_set_symbols(g, symbols, SIM_ARRAY_SIZE(symbols));
}

static inline struct guest_call bed_args(enum function fn, u64 a, u64 b, u64 c) {
  return (struct guest_call){
      .entry = BED_TEXT + 0x100 * (u64)fn,
      .sp = BED_STACK + BED_STACK_LEN,
      .num_args = 3,
      .args = {a, b, c},
  };
}
static inline void bed_call(struct bed *bed, enum function fn, u64 a, u64 b, u64 c) {
  struct guest_call call = bed_args(fn, a, b, c);
  guest_call(bed->g, &call);
}
static inline enum guest_stop_kind bed_run(struct bed *bed, u64 stop_at) {
  return guest_run(bed->g, stop_at, &bed->stop);
}
// The register of the first argument and the result.
static inline enum guest_reg bed_result_reg(const struct bed *bed) {
  return guest_arch(bed->g) == GUEST_ARM64 ? GUEST_R(0) : GUEST_R(3);
}
static inline u64 bed_result(struct bed *bed) { return guest_get(bed->g, bed_result_reg(bed)); }

// ---- Expectations ----

static const char *arch_now = "";  // for messages

#define FOR_EACH_ARCH_WITH(bed, options)                                                           \
  for (u32 arch_ = 0; arch_ < GUEST_ARCHES; arch_++)                                               \
    for (bool once_ = (arch_now = guest_arch_name((enum guest_arch)arch_),                         \
                      bed_open(&(bed), guest_shared((enum guest_arch)arch_, (options), 0)), true); \
         once_; once_ = false)

#define EXPECT_EQ(a, b)                                                                 \
  do {                                                                                  \
    u64 a_ = (u64)(a), b_ = (u64)(b);                                                   \
    if (a_ != b_)                                                                       \
      fail_msg("%s:%d: %s: %s is 0x%llx, not 0x%llx", __FILE__, __LINE__, arch_now, #a, \
               (unsigned long long)a_, (unsigned long long)b_);                         \
  } while (0)

#define FOR_EACH_ARCH(bed) FOR_EACH_ARCH_WITH(bed, 0)

static inline bool is_arm64(const struct bed *bed) { return guest_arch(bed->g) == GUEST_ARM64; }
static inline u64 word_mask(const struct bed *bed) {
  return guest_word_size(guest_arch(bed->g)) == 4 ? 0xffffffffull : ~0ull;
}

// ---- A call whose outcome is known ----

// The sum of a mix as the host computes it.
static inline u32 mix(u32 *words, u32 n, u32 key) {
  u32 sum = 0;
  for (u32 i = 0; i < n; i++) {
    words[i] += key;
    key = (key << 5 | key >> 27) ^ words[i];
    sum += words[i];
  }
  return sum;
}
enum { MIXED = 9, KEY = 0x12345678 };
static inline void mix_begin(struct bed *bed) {
  memset(bed->data, 0, BED_DATA_LEN);
  memset(bed->stack, 0, BED_STACK_LEN);
  for (u32 i = 0; i < MIXED; i++) guest_store(bed->g, bed->data + 4 * i, 4, 0x01010101 * i);
  guest_reset(bed->g);
  bed_call(bed, FN_MIX, BED_DATA, MIXED, KEY);
}
static inline void expect_mixed(struct bed *bed) {
  u32 words[MIXED];
  for (u32 i = 0; i < MIXED; i++) words[i] = 0x01010101 * i;
  u32 sum = mix(words, MIXED, KEY);
  EXPECT_EQ((u32)bed_result(bed), sum);
  for (u32 i = 0; i < MIXED; i++) EXPECT_EQ(guest_load(bed->g, bed->data + 4 * i, 4), words[i]);
}

// What a call leaves: registers, stack, data.
struct outcome {
  struct guest_regs regs;
  u8 stack[BED_STACK_LEN], data[BED_DATA_LEN];
  u64 insns;
};
static inline void outcome(struct bed *bed, struct outcome *out) {
  guest_regs_get(bed->g, &out->regs);
  memcpy(out->stack, bed->stack, BED_STACK_LEN);
  memcpy(out->data, bed->data, BED_DATA_LEN);
  out->insns = guest_insns(bed->g);
}

static inline void expect_outcome(const struct outcome *a, const struct outcome *b,
                                  const char *what, u64 n) {
  if (memcmp(&a->regs, &b->regs, sizeof(a->regs)) != 0)
    fail_msg("%s: %s %llu: registers differ", arch_now, what, (unsigned long long)n);
  if (memcmp(a, b, sizeof(*a)) != 0)
    fail_msg("%s: %s %llu: memory differs", arch_now, what, (unsigned long long)n);
}

#endif  // SEEDBED_MODELS_GUEST_TESTING_BED_H_
