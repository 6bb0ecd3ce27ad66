// SPDX-License-Identifier: GPL-2.0-only
//
// The Unicorn that tools/setup provides links, is new enough and has the guests.

#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <unicorn/unicorn.h>

static void version_is_at_least_2_1_1(void **state) {
  // Major, minor, patch and a suffix, a byte each.
  assert_true(uc_version(NULL, NULL) >> 8 >= 0x020101);
}

// The architectures of the guests are built in.
static void guest_architectures_are_supported(void **state) {
  assert_true(uc_arch_supported(UC_ARCH_PPC));
  assert_true(uc_arch_supported(UC_ARCH_ARM64));
  assert_true(uc_arch_supported(UC_ARCH_X86));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_is_at_least_2_1_1),
      cmocka_unit_test(guest_architectures_are_supported),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
