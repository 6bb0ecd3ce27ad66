// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rules by which a boot's calls are counted, against numbers worked out by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/arm64/arm64_boot_calls.h"

// As /proc/slabinfo shows them on machines of 4 KiB pages: 4 CPUs want 16 objects at least, 1 CPU
// 8, 8 CPUs 20, as far as an order of 3 goes.
static void objects_of_a_slab(void **state) {
  static const struct {
    u32 size, one, four, eight;
  } rows[] = {
      {8, 512, 512, 512}, {64, 64, 64, 64}, {96, 42, 42, 42},  {192, 21, 21, 21},
      {256, 16, 16, 32},  {512, 8, 16, 32}, {1024, 8, 16, 32}, {2048, 8, 16, 16},
      {4096, 8, 8, 8},    {8192, 4, 4, 4},  {16384, 2, 2, 2},  {65536, 1, 1, 1},
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    assert_int_equal(arm64_slab_objects(rows[i].size, 1), rows[i].one);
    assert_int_equal(arm64_slab_objects(rows[i].size, 4), rows[i].four);
    assert_int_equal(arm64_slab_objects(rows[i].size, 8), rows[i].eight);
  }
}

static const struct arm64_kernel *kernel(const char *name) {
  for (u32 i = 0; arm64_kernels[i].name; i++)
    if (!strcmp(arm64_kernels[i].name, name)) return &arm64_kernels[i];
  fail_msg("no kernel %s", name);
  return NULL;
}

static void calls_of_kernels(void **state) {
  u32 calls[ARM64_BOOT_CALLERS];
  // kmalloc's 13 sizes with 4 CPUs: 8 to 128 bytes in a page, 256 in a page, up to 2048 16 each.
  const u32 objects = 42 + 21 + 512 + 256 + 128 + 64 + 32 + 5 * 0 + 16 + 16 + 16 + 16 + 8 + 4;

  // Shuffled, begun anew, and hardened: objects - 1 + 1 + 1 of each cache of each kind.
  arm64_boot_calls(kernel("debian-6.12"), 4, 4096, false, calls);
  assert_int_equal(calls[ARM64_CALLER_KMEM_CACHE_INIT],
                   4 * (objects + 13)       // normal, reclaimable, cgroup, DMA
                       + 64 + 1 + 21 + 1);  // kmem_cache_node, kmem_cache of 384 bytes
  assert_int_equal(calls[ARM64_CALLER_KMALLOC_SEED], 0);
  assert_int_equal(calls[ARM64_CALLER_KFENCE_INIT], 0);
  assert_int_equal(calls[ARM64_CALLER_BOOT_CANARY], 1);
  assert_int_equal(calls[ARM64_CALLER_PAGE_SHUFFLE], 0);
  arm64_boot_calls(kernel("hardened"), 4, 4096, true, calls);
  assert_int_equal(calls[ARM64_CALLER_KMEM_CACHE_INIT], 19 * (objects + 13) + 64 + 1 + 21 + 1);
  assert_int_equal(calls[ARM64_CALLER_KMALLOC_SEED], 1);
  assert_int_equal(calls[ARM64_CALLER_KFENCE_INIT], 255);
  assert_int_equal(calls[ARM64_CALLER_PAGE_SHUFFLE], 1024);
  // Nothing is shuffled: canaries alone.
  arm64_boot_calls(kernel("defconfig"), 4, 4096, false, calls);
  assert_int_equal(calls[ARM64_CALLER_KMEM_CACHE_INIT], 0);
  assert_int_equal(calls[ARM64_CALLER_CACHES], 0);
  assert_int_equal(calls[ARM64_CALLER_REST_INIT], 2);
  assert_int_equal(calls[ARM64_CALLER_SMP_INIT], 7);
}

static void kernels_have_names(void **state) {
  u32 i = 0;

  for (; arm64_kernels[i].name; i++)
    assert_string_equal(arm64_kernels[i].name, arm64_kernel_names[i]);
  assert_null(arm64_kernel_names[i]);
  for (i = 0; i < ARM64_BOOT_CALLERS; i++) assert_non_null(arm64_caller_names[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_of_a_slab),
      cmocka_unit_test(calls_of_kernels),
      cmocka_unit_test(kernels_have_names),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
