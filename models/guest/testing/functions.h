// SPDX-License-Identifier: GPL-2.0-only
//
// For tests and benchmarks: small functions in machine code for each architecture, and an
// engine that holds them, with a stack and data around them.
#ifndef SEEDBED_MODELS_GUEST_TESTING_FUNCTIONS_H_
#define SEEDBED_MODELS_GUEST_TESTING_FUNCTIONS_H_

#include "models/guest/guest.h"

// functions_ppc.S and functions_arm64.S say what each does.
enum function {
  FN_ADD,
  FN_MIX,
  FN_SYSCALL,
  FN_LOAD,
  FN_STORE,
  FN_SPIN,
  FN_UNDEFINED,
  FN_ENTROPY,
  FN_COUNTER,
  FN_JUMP,
  FN_LEAF,
  FN_HANDLER,
  FN_CARRY,
  FN_WORD,
  FN_HVC,
  FN_SMC,
};
enum { FUNCTIONS_LEN = 4096 };

// The bytes, in guest's order. Generated.
extern const u8 guest_functions_ppc32[FUNCTIONS_LEN], guest_functions_ppc64[FUNCTIONS_LEN],
    guest_functions_ppc64le[FUNCTIONS_LEN], guest_functions_arm64[FUNCTIONS_LEN];

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
  __builtin_memcpy(bed->text, text[guest_arch(g)], FUNCTIONS_LEN);
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

#endif  // SEEDBED_MODELS_GUEST_TESTING_FUNCTIONS_H_
