// SPDX-License-Identifier: GPL-2.0-or-later
//
// See blake2s_variants.h.
#include "tools/blake2s/blake2s_variants.h"

#include <string.h>

// The linker's names for begin and end of the section in which each lies.
#define SECTION_OF(name)                                                       \
  extern const u8 __start_code_##name[] __attribute__((visibility("hidden"))), \
      __stop_code_##name[] __attribute__((visibility("hidden")))
SECTION_OF(blake2s_generic);

#define VARIANT(text, name)                                                             \
  (struct blake2s_variant) {                                                            \
    text, name, __start_code_##name, (size_t)(__stop_code_##name - __start_code_##name) \
  }

#ifdef __x86_64__
SECTION_OF(blake2s_ssse3);
SECTION_OF(blake2s_avx2);
SECTION_OF(blake2s_avx512);

static u32 add_vector_variants(struct blake2s_variant *out) {
  u32 num = 0;

  __builtin_cpu_init();
  if (__builtin_cpu_supports("ssse3")) out[num++] = VARIANT("ssse3", blake2s_ssse3);
  if (__builtin_cpu_supports("avx2")) out[num++] = VARIANT("avx2", blake2s_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    out[num++] = VARIANT("avx512", blake2s_avx512);
  return num;
}
#else
static u32 add_vector_variants(struct blake2s_variant *out) { return 0; }
#endif

u32 blake2s_variants(struct blake2s_variant *out_variants) {
  out_variants[0] = VARIANT("generic", blake2s_generic);
  return 1 + add_vector_variants(out_variants + 1);
}

void blake2s_hash(const struct blake2s_variant *variant, u8 out[BLAKE2S_HASH_LEN], const void *data,
                  size_t len) {
  // The initialisation vector, with the parameters: 32 bytes, no key, sequential.
  u32 state[8] = {0x6a09e667 ^ 0x01010000 ^ BLAKE2S_HASH_LEN,
                  0xbb67ae85,
                  0x3c6ef372,
                  0xa54ff53a,
                  0x510e527f,
                  0x9b05688c,
                  0x1f83d9ab,
                  0x5be0cd19};
  size_t whole = len ? (len - 1) / BLAKE2S_BLOCK_LEN : 0;
  size_t rest = len - whole * BLAKE2S_BLOCK_LEN;
  u8 last[BLAKE2S_BLOCK_LEN] = {0};

  variant->compress(state, data, whole, 0, BLAKE2S_BLOCK_LEN, false);
  if (rest) memcpy(last, (const u8 *)data + whole * BLAKE2S_BLOCK_LEN, rest);
  variant->compress(state, last, 1, whole * BLAKE2S_BLOCK_LEN, (u32)rest, true);
  memcpy(out, state, BLAKE2S_HASH_LEN);
}
