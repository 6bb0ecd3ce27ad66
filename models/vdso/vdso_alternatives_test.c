// SPDX-License-Identifier: GPL-2.0-or-later
//
// What of an arm64 vDSO is patched, and which tables are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "models/vdso/vdso_alternatives.h"

// An image of 256 bytes from 0x1000 on: the function's 64 bytes at 0x40, replacements at 0x80,
// the table at 0xa0.
enum { VADDR = 0x1000, LEN = 256, FUNCTION = 0x40, NOPS = 0x80, TABLE = 0xa0 };
#define NOP 0xd503201fu
#define BRANCH 0x14000004u
#define ADD 0x91000400u

struct made {
  struct vdso_symbol symbol;
  struct vdso_image image;
  u8 memory[LEN], before[LEN];
};

static void put32(struct made *made, u32 at, u32 word) {
  for (u32 i = 0; i < 4; i++) made->memory[at + i] = (u8)(word >> 8 * i);
}

static u32 get32(const struct made *made, u32 at) {
  u32 word = 0;

  for (u32 i = 4; i--;) word = word << 8 | made->memory[at + i];
  return word;
}

static void begin(struct made *made) {
  *made = (struct made){
      .symbol = {.name = "__kernel_getrandom",
                 .value = VADDR + FUNCTION,
                 .len = 64,
                 .is_function = true,
                 .is_exported = true},
      .image = {.arch = VDSO_ARM64,
                .vaddr = VADDR,
                .mem_len = LEN,
                .alternatives_vaddr = VADDR + TABLE,
                .num_symbols = 1},
  };
  made->image.symbols = &made->symbol;
  put32(made, FUNCTION, BRANCH);
  put32(made, FUNCTION + 4, ADD);
  put32(made, NOPS, NOP);
  put32(made, NOPS + 4, ADD);
}

static void add(struct made *made, s64 original, s64 replacement, u32 capability, u32 lens) {
  u32 at = TABLE + (u32)made->image.alternatives_len;

  put32(made, at, (u32)(original - at));
  put32(made, at + 4, (u32)(replacement - at - 4));
  put32(made, at + 8, capability | lens << 16);
  made->image.alternatives_len += 12;
}

// `why`: a part of the reason, or NULL: it is applied.
static void apply(struct made *made, bool has_fpsimd, const char *why) {
  char err[160] = "";
  bool ok;

  memcpy(made->before, made->memory, LEN);
  ok = vdso_alternatives_apply(&made->image, made->memory, has_fpsimd, err, sizeof(err));
  assert_int_equal(ok, !why);
  if (!why) return;
  if (!strstr(err, why)) fail_msg("%s", err);
  assert_memory_equal(made->memory, made->before, LEN);
}

static void branch_becomes_nop(void **state) {
  struct made made;

  begin(&made);
  add(&made, 0x20, NOPS, 19, 0x0808);  // another function's: not looked at
  add(&made, FUNCTION, NOPS, 26, 0x0404);
  apply(&made, false, NULL);
  assert_memory_equal(made.memory, made.before, LEN);
  apply(&made, true, NULL);
  assert_int_equal(get32(&made, FUNCTION), NOP);
  put32(&made, FUNCTION, BRANCH);
  assert_memory_equal(made.memory, made.before, LEN);
}

static void image_without_is_left_alone(void **state) {
  struct made made;

  begin(&made);
  apply(&made, true, NULL);
  assert_memory_equal(made.memory, made.before, LEN);
  apply(&made, false, "no alternative for a processor without FPSIMD");
  made.image.arch = VDSO_PPC64LE;
  apply(&made, false, NULL);
}

static void others_are_refused(void **state) {
  static const struct {
    s64 original, replacement;
    u32 capability, lens;
  } cases[] = {
      /* 1 */ {FUNCTION + 4, NOPS, 26, 0x0404},    // no branch
      /* 2 */ {FUNCTION, NOPS + 4, 26, 0x0404},    // by no NOP
      /* 3 */ {FUNCTION, NOPS, 26, 0x0808},        // two instructions
      /* 4 */ {FUNCTION, NOPS, 0x801a, 0x0004},    // by a callback
      /* 5 */ {FUNCTION + 2, NOPS, 26, 0x0404},    // within an instruction
      /* 6 */ {FUNCTION, LEN - 2, 26, 0x0404},     // over the image's end
      /* 7 */ {FUNCTION, -4, 26, 0x0404},          // before its beginning
      /* 8 */ {FUNCTION, 0x7fffff00, 26, 0x0404},  // far away
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    struct made made;

    begin(&made);
    add(&made, cases[i].original, cases[i].replacement, cases[i].capability, cases[i].lens);
    apply(&made, true, "is not the branch of a processor without FPSIMD");
  }
}

static void two_capabilities_are_refused(void **state) {
  struct made made;

  begin(&made);
  put32(&made, FUNCTION + 8, BRANCH);
  add(&made, FUNCTION, NOPS, 26, 0x0404);
  add(&made, FUNCTION + 8, NOPS, 27, 0x0404);
  apply(&made, true, "the alternative of capability 27 at __kernel_getrandom+0x8 ");
  // The same twice is one switch at two places.
  begin(&made);
  put32(&made, FUNCTION + 8, BRANCH);
  add(&made, FUNCTION, NOPS, 26, 0x0404);
  add(&made, FUNCTION + 8, NOPS, 26, 0x0404);
  apply(&made, true, NULL);
  assert_int_equal(get32(&made, FUNCTION), NOP);
  assert_int_equal(get32(&made, FUNCTION + 8), NOP);
}

// A table whose last entry is cut off is read up to it.
static void rest_of_an_entry_is_none(void **state) {
  struct made made;

  begin(&made);
  add(&made, FUNCTION, NOPS, 26, 0x0404);
  made.image.alternatives_len += 11;
  apply(&made, true, NULL);
  assert_int_equal(get32(&made, FUNCTION), NOP);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branch_becomes_nop),       cmocka_unit_test(image_without_is_left_alone),
      cmocka_unit_test(others_are_refused),       cmocka_unit_test(two_capabilities_are_refused),
      cmocka_unit_test(rest_of_an_entry_is_none),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
