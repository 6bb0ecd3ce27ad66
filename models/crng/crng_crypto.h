// SPDX-License-Identifier: GPL-2.0-or-later
//
// The two primitives of the CRNG, BLAKE2s of libb2 and the ChaCha20 block of libsodium, and
// what an onlooker hears: each data that goes in, each value that comes out. What a key
// stems from is followed by these values, and not by what the model says of itself.
#ifndef SEEDBED_MODELS_CRNG_CRNG_CRYPTO_H_
#define SEEDBED_MODELS_CRNG_CRNG_CRYPTO_H_

#include <blake2.h>

#include "sim/base.h"
#include "sim/hook.h"

enum { CRNG_KEY_LEN = 32, CRNG_HASH_LEN = 32, CRNG_BLOCK_LEN = 64 };

struct crng_hash {
  blake2s_state state;
  u32 buffered;  // bytes that wait for the next compression, at most a block
};

// Where an input comes from, for those that the model makes itself.
enum crng_source { CRNG_SOURCE_ARCH, CRNG_SOURCE_JITTER };

// An onlooker. All are set, or `arg` is NULL and none is called. Called with whatever locks
// the model holds: no primitive, no draw.
struct crng_hooks {
  void *arg;
  // BLAKE2s with 32 bytes of output; `key` is NULL or 32 bytes.
  void (*hash_begin)(void *arg, const struct crng_hash *hash, const u8 *key);
  void (*hash_update)(void *arg, const struct crng_hash *hash, const void *data, size_t len);
  void (*hash_final)(void *arg, const struct crng_hash *hash, const u8 *out);
  void (*block)(void *arg, const u8 *key, u64 counter, const u8 *out);
  // The model is about to mix an input of its own that may be credited `bits`.
  void (*offered)(void *arg, enum crng_source source, const void *data, size_t len, u32 bits);
  // `bits` were credited: the pool had `before` and has `after`.
  void (*credited)(void *arg, size_t bits, u32 before, u32 after);
  // The base key is this one; with base_crng.lock held. `generation` is the vDSO's if this
  // was a reseed, which has been published; else 0.
  void (*base_key)(void *arg, const u8 *key, u64 generation);
  void (*stage)(void *arg, u32 stage);
  // Work is about to be queued; on nothing, if not `exists`.
  void (*queueing)(void *arg, bool exists);
  // The page that the vDSO reads has just been written to.
  void (*page)(void *arg, u64 generation);
  // The log says that the CRNG is ready; its stage is this.
  void (*init_done)(void *arg, u32 stage);
  // CPU `cpu` has come, and what its fast pool had counted is forgotten.
  void (*came)(void *arg, u32 cpu);

  // Not an onlooker's: BLAKE2s is about to compress so many blocks at once, as the kernel's
  // does. May be a scheduling point, for the time that takes; the hash is as it was before. May be
  // NULL: then hashing takes no time.
  void (*compress)(void *arg, u32 blocks);
  void *compress_arg;
} __attribute__((aligned(SIM_HOOK_CONSTANT)));

// Calls hook `name` if there is an onlooker. That is at the same moment as the access before
// it: a twin's hooks do not see the constants that it reads.
#define CRNG_HOOK(hooks, name, ...)                             \
  do {                                                          \
    if ((hooks)->arg) (hooks)->name((hooks)->arg, __VA_ARGS__); \
  } while (0)

void crng_hash_begin(const struct crng_hooks *hooks, struct crng_hash *hash, const u8 *key);
void crng_hash_update(const struct crng_hooks *hooks, struct crng_hash *hash, const void *data,
                      size_t len);
void crng_hash_final(const struct crng_hooks *hooks, struct crng_hash *hash, u8 out[CRNG_HASH_LEN]);
// BLAKE2s of `len` bytes under `key`.
void crng_hash_keyed(const struct crng_hooks *hooks, u8 out[CRNG_HASH_LEN], const u8 *key,
                     const void *data, size_t len);

// One block of ChaCha20 with nonce 0 (64 bits, as the counter).
void crng_chacha_block(const struct crng_hooks *hooks, u8 out[CRNG_BLOCK_LEN],
                       const u8 key[CRNG_KEY_LEN], u64 counter);

#endif  // SEEDBED_MODELS_CRNG_CRNG_CRYPTO_H_
