// SPDX-License-Identifier: GPL-2.0-or-later
//
// The registers of each architecture's calls: what is told of arguments and results, and what a
// system call spoils.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "models/vdso/vdso_abi.h"

static const enum guest_arch archs[] = {GUEST_PPC32, GUEST_PPC64, GUEST_PPC64LE, GUEST_ARM64};

static struct guest *begin(enum guest_arch arch) {
  struct guest *g = guest_shared(arch, 0, 0);
  struct guest_regs regs;

  guest_reset(g);
  guest_regs_get(g, &regs);
  for (u32 n = 0; n < 32; n++) regs.gpr[n] = 0x1000 + n;
  for (u32 n = 0; n < 32; n++) regs.vec[n][0] = regs.vec[n][1] = 0x2000 + n;
  guest_regs_set(g, &regs);
  return g;
}

static void arguments_are_told(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct guest *g = begin(archs[i]);
    bool arm64 = archs[i] == GUEST_ARM64;

    for (u32 n = 0; n < 5; n++) assert_int_equal(vdso_arg(g, n), 0x1000 + n + (arm64 ? 0 : 3));
    assert_int_equal(vdso_syscall_number(g), arm64 ? 0x1008 : 0x1000);
    assert_int_equal(vdso_abi(archs[i])->getrandom, arm64 ? 278 : 359);
  }
}

// What the kernel returns is what a caller sees, errors too; a value below 0 alone is an error on
// arm64 only.
static void results_are_told(void **state) {
  static const s64 results[] = {0, 1, 32, 0x7ffff000, -SIM_EINTR, -SIM_EAGAIN, -SIM_EFAULT, -38};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct guest *g = begin(archs[i]);
    bool arm64 = archs[i] == GUEST_ARM64;

    for (u32 n = 0; n < SIM_ARRAY_SIZE(results); n++) {
      vdso_syscall_return(g, results[n]);
      assert_true(vdso_result(g) == results[n]);
      assert_int_equal(vdso_result_failed(g), results[n] < 0);
    }
    vdso_syscall_return(g, 0);
    guest_set(g, GUEST_R(vdso_abi(archs[i])->arg), ~0ull);
    assert_true(vdso_result(g) == -1);
    assert_int_equal(vdso_result_failed(g), arm64);
  }
}

// arm64's system call leaves all but x0; PowerPC's spoils r0 and r4 to r12, and no other.
static void system_calls_spoil(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct guest *g = begin(archs[i]);
    bool arm64 = archs[i] == GUEST_ARM64;
    struct guest_regs before, after;

    guest_regs_get(g, &before);
    vdso_syscall_return(g, 5);
    guest_regs_get(g, &after);
    for (u32 n = 0; n < 32; n++) {
      bool spoiled = arm64 ? n == 0 : n == 0 || (n >= 3 && n <= 12);

      assert_int_equal(before.gpr[n] != after.gpr[n], spoiled);
    }
    assert_memory_equal(before.vec, after.vec, sizeof(before.vec));
    assert_int_equal(before.fpcr, after.fpcr);
    if (arm64) assert_int_equal(before.cr, after.cr);
  }
}

// A register is kept by a call, or searched for keys, or holds the result; PowerPC's r3 is it.
static void each_register_has_its_part(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    const struct vdso_abi *abi = vdso_abi(archs[i]);

    assert_int_equal(abi->kept & abi->secret, 0);
    assert_int_equal(abi->kept | abi->secret | 1u << abi->arg, 0xffffffff);
    assert_true(abi->kept >> abi->sp_at & 1);
  }
  assert_int_equal(vdso_abi(GUEST_ARM64)->kept, 0xbffc0000);
  assert_int_equal(vdso_abi(GUEST_ARM64)->fpr_kept, 0xff00);
  assert_int_equal(vdso_abi(GUEST_PPC64)->kept, 0xffffe006);
  assert_int_equal(vdso_abi(GUEST_PPC64)->fpr_kept, 0xffffc000);
  assert_int_equal(vdso_abi(GUEST_PPC64)->vr_kept, 0xfff00000);
}

static void registers_have_names(void **state) {
  char name[8];

  assert_string_equal(vdso_gpr_name(vdso_abi(GUEST_ARM64), 18, name), "x18");
  assert_string_equal(vdso_gpr_name(vdso_abi(GUEST_ARM64), 31, name), "sp");
  assert_string_equal(vdso_gpr_name(vdso_abi(GUEST_PPC32), 31, name), "r31");
  assert_string_equal(vdso_gpr_name(vdso_abi(GUEST_PPC32), 1, name), "r1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_are_told),         cmocka_unit_test(results_are_told),
      cmocka_unit_test(system_calls_spoil),         cmocka_unit_test(registers_have_names),
      cmocka_unit_test(each_register_has_its_part),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
