// SPDX-License-Identifier: GPL-2.0-or-later
//
// One BLAKE2s, built for several instruction sets, to compare what they cost on this machine.
#ifndef SEEDBED_TOOLS_BLAKE2S_BLAKE2S_VARIANTS_H_
#define SEEDBED_TOOLS_BLAKE2S_BLAKE2S_VARIANTS_H_

#include "sim/base.h"

enum { BLAKE2S_BLOCK_LEN = 64, BLAKE2S_HASH_LEN = 32 };

// Compresses `num` blocks into `state`: before them `counter` bytes had been hashed, each
// counts as `inc`; `final` marks them as the last, and then is for one block.
typedef void blake2s_compress_fn(u32 state[8], const u8 *blocks, size_t num, u64 counter, u32 inc,
                                 bool final);

blake2s_compress_fn blake2s_generic, blake2s_ssse3, blake2s_avx2, blake2s_avx512;

struct blake2s_variant {
  const char *name;
  blake2s_compress_fn *compress;
  // Its code, without constants: to be evicted from caches.
  const u8 *code;
  size_t code_len;
};

// Those that this processor can run, `generic` first; the array has room for
// BLAKE2S_VARIANTS_MAX. Returns how many.
enum { BLAKE2S_VARIANTS_MAX = 4 };
u32 blake2s_variants(struct blake2s_variant *out_variants);

// The hash of `len` bytes, without a key, by one of them.
void blake2s_hash(const struct blake2s_variant *variant, u8 out[BLAKE2S_HASH_LEN], const void *data,
                  size_t len);

#endif  // SEEDBED_TOOLS_BLAKE2S_BLAKE2S_VARIANTS_H_
