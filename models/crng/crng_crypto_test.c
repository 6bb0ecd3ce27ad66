// SPDX-License-Identifier: GPL-2.0-or-later
//
// The primitives give what their standards say, and an onlooker hears all of it.
#include "models/crng/testing/crng_alone.h"

#include "models/crng/crng_fast.h"

static void unhex(u8 *out, const char *hex) {
  for (u32 value; sscanf(hex, "%2x", &value) == 1; hex += 2) *out++ = (u8)value;
}

// RFC 8439, A.1, test vectors 1 and 2: key and nonce zero, blocks 0 and 1.
static void chacha20_as_in_rfc_8439(void **state) {
  static const char *const expected[] = {
      "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
      "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
      "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
      "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
  };
  const struct crng_hooks none = {0};
  const u8 key[CRNG_KEY_LEN] = {0};

  for (u64 i = 0; i < SIM_ARRAY_SIZE(expected); i++) {
    u8 block[CRNG_BLOCK_LEN], want[CRNG_BLOCK_LEN];

    unhex(want, expected[i]);
    crng_chacha_block(&none, block, key, i);
    assert_memory_equal(block, want, sizeof(want));
  }
}

// RFC 7693, appendix B.
static void blake2s_as_in_rfc_7693(void **state) {
  const struct crng_hooks none = {0};
  u8 out[CRNG_HASH_LEN], want[CRNG_HASH_LEN];
  struct crng_hash hash;

  unhex(want, "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
  crng_hash_begin(&none, &hash, NULL);
  crng_hash_update(&none, &hash, "a", 1);
  crng_hash_update(&none, &hash, "bc", 2);
  crng_hash_final(&none, &hash, out);
  assert_memory_equal(out, want, sizeof(want));
}

// The BLAKE2 reference implementation's first vector under the key 00..1f, of no data.
static void blake2s_keyed(void **state) {
  const struct crng_hooks none = {0};
  u8 key[CRNG_KEY_LEN], out[CRNG_HASH_LEN], want[CRNG_HASH_LEN];

  for (u32 i = 0; i < sizeof(key); i++) key[i] = (u8)i;
  unhex(want, "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49");
  crng_hash_keyed(&none, out, key, "", 0);
  assert_memory_equal(out, want, sizeof(want));
}

static void add_blocks(void *arg, u32 blocks) { *(u32 *)arg += blocks; }

// Compressions of `len` bytes, given in two parts.
static u32 compressions(const u8 *key, size_t len, size_t first) {
  u32 blocks = 0;
  const struct crng_hooks hooks = {.compress = add_blocks, .compress_arg = &blocks};
  u8 data[4 * CRNG_BLOCK_LEN] = {0}, out[CRNG_HASH_LEN], plain[CRNG_HASH_LEN];
  const struct crng_hooks none = {0};
  struct crng_hash hash;

  crng_hash_begin(&hooks, &hash, key);
  crng_hash_update(&hooks, &hash, data, first);
  crng_hash_update(&hooks, &hash, data, len - first);
  crng_hash_final(&hooks, &hash, out);
  crng_hash_keyed(&none, plain, key, data, len);
  assert_memory_equal(out, plain, sizeof(out));
  return blocks;
}

// RFC 7693, 3.3: the key fills a block of its own, and the last block is compressed at the
// end, be there data or not; however the data comes.
static void blake2s_tells_its_compressions(void **state) {
  const u8 key[CRNG_KEY_LEN] = {1};

  for (size_t len = 0; len <= 4 * CRNG_BLOCK_LEN; len++)
    for (size_t first = 0; first <= len; first++) {
      u32 blocks = (u32)(len + CRNG_BLOCK_LEN - 1) / CRNG_BLOCK_LEN;

      assert_int_equal(compressions(NULL, len, first), blocks ? blocks : 1);
      assert_int_equal(compressions(key, len, first), 1 + blocks);
    }
}

// Each word moves all of the half that is mixed, and the order of the words matters.
static void fast_pool_mixes(void **state) {
  u64 a[4], b[4], c[4];

  crng_fast_init(a);
  crng_fast_init(b);
  crng_fast_init(c);
  crng_fast_mix(a, 1, 2);
  crng_fast_mix(b, 2, 1);
  crng_fast_mix(c, 1, 3);
  for (u32 i = 0; i < 2; i++) {
    assert_true(a[i] != b[i]);
    assert_true(a[i] != c[i]);
    assert_true(b[i] != c[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chacha20_as_in_rfc_8439), cmocka_unit_test(blake2s_as_in_rfc_7693),
      cmocka_unit_test(blake2s_keyed),           cmocka_unit_test(blake2s_tells_its_compressions),
      cmocka_unit_test(fast_pool_mixes),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
