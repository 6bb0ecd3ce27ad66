// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each build of BLAKE2s that this processor can run gives what libb2 gives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <blake2.h>
#include <cmocka.h>

#include "tools/blake2s/blake2s_variants.h"

static void variants_agree_with_libb2(void **state) {
  struct blake2s_variant variants[BLAKE2S_VARIANTS_MAX];
  u32 num = blake2s_variants(variants);
  static u8 data[1025];

  assert_string_equal(variants[0].name, "generic");
  for (size_t i = 0; i < sizeof(data); i++) data[i] = (u8)(i * 167 + (i >> 8));
  for (u32 v = 0; v < num; v++)
    // Odd places too: data need not be aligned.
    for (size_t len = 0; len < sizeof(data); len++) {
      const u8 *at = data + (len & 1 && len + 1 < sizeof(data));
      u8 want[BLAKE2S_HASH_LEN], got[BLAKE2S_HASH_LEN];

      assert_int_equal(blake2s(want, at, NULL, sizeof(want), len, 0), 0);
      blake2s_hash(&variants[v], got, at, len);
      assert_memory_equal(got, want, sizeof(want));
    }
}

// What is evicted to measure cold caches is the code.
static void variants_know_their_code(void **state) {
  struct blake2s_variant variants[BLAKE2S_VARIANTS_MAX];
  u32 num = blake2s_variants(variants);

  for (u32 v = 0; v < num; v++) {
    const u8 *function = (const u8 *)(uintptr_t)variants[v].compress;

    assert_true(function >= variants[v].code);
    assert_true(function < variants[v].code + variants[v].code_len);
    // Ten rounds of 80 operations each on a row.
    assert_true(variants[v].code_len > 1000);
    assert_true(variants[v].code_len < 100000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variants_agree_with_libb2),
      cmocka_unit_test(variants_know_their_code),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
