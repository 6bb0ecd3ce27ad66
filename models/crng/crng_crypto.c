// SPDX-License-Identifier: GPL-2.0-or-later
//
// See crng_crypto.h.
#include "models/crng/crng_crypto.h"

#include <sodium/crypto_stream_chacha20.h>

#include "sim/hook.h"

static void compress(const struct crng_hooks *hooks, u32 blocks) {
  if (hooks->compress && blocks) hooks->compress(hooks->compress_arg, blocks);
}

// What `len` more bytes make BLAKE2s compress: the block that is being filled if it overflows,
// then all whole blocks but the last, which may be the last of all.
static void compress_before(const struct crng_hooks *hooks, struct crng_hash *hash, size_t len) {
  size_t room = CRNG_BLOCK_LEN - hash->buffered, whole;

  if (len <= room) {
    hash->buffered += (u32)len;
    return;
  }
  compress(hooks, 1);
  len -= room;
  whole = (len - 1) / CRNG_BLOCK_LEN;
  compress(hooks, (u32)whole);
  hash->buffered = (u32)(len - whole * CRNG_BLOCK_LEN);
}

void crng_hash_begin(const struct crng_hooks *hooks, struct crng_hash *hash, const u8 *key) {
  SIM_TOUCH_WRITE(hash, sizeof(*hash));
  if (key)
    blake2s_init_key(&hash->state, CRNG_HASH_LEN, key, CRNG_KEY_LEN);
  else
    blake2s_init(&hash->state, CRNG_HASH_LEN);
  hash->buffered = key ? CRNG_BLOCK_LEN : 0;
  CRNG_HOOK(hooks, hash_begin, hash, key);
}

void crng_hash_update(const struct crng_hooks *hooks, struct crng_hash *hash, const void *data,
                      size_t len) {
  compress_before(hooks, hash, len);
  SIM_TOUCH_READ(data, len);
  SIM_TOUCH_WRITE(hash, sizeof(*hash));
  CRNG_HOOK(hooks, hash_update, hash, data, len);
  blake2s_update(&hash->state, data, len);
}

void crng_hash_final(const struct crng_hooks *hooks, struct crng_hash *hash,
                     u8 out[CRNG_HASH_LEN]) {
  compress(hooks, 1);
  SIM_TOUCH_WRITE(hash, sizeof(*hash));
  SIM_TOUCH_WRITE(out, CRNG_HASH_LEN);
  blake2s_final(&hash->state, out, CRNG_HASH_LEN);
  CRNG_HOOK(hooks, hash_final, hash, out);
}

void crng_hash_keyed(const struct crng_hooks *hooks, u8 out[CRNG_HASH_LEN], const u8 *key,
                     const void *data, size_t len) {
  struct crng_hash hash;

  crng_hash_begin(hooks, &hash, key);
  crng_hash_update(hooks, &hash, data, len);
  crng_hash_final(hooks, &hash, out);
}

void crng_chacha_block(const struct crng_hooks *hooks, u8 out[CRNG_BLOCK_LEN],
                       const u8 key[CRNG_KEY_LEN], u64 counter) {
  static const u8 zero[CRNG_BLOCK_LEN];

  SIM_TOUCH_READ(key, CRNG_KEY_LEN);
  SIM_TOUCH_WRITE(out, CRNG_BLOCK_LEN);
  crypto_stream_chacha20_xor_ic(out, zero, CRNG_BLOCK_LEN, zero, counter, key);
  CRNG_HOOK(hooks, block, key, counter, out);
}
