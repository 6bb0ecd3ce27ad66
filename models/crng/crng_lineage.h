// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lineage: what each value stems from, told by what goes into and comes out of the two
// primitives. A value is known by its content; so a key is followed wherever a model copies
// it, and what a model loses is lost here too.
//
// Each output of a hash is a root: it stems from the inputs that the hash was fed. Keys that
// ChaCha20 derives, and the bytes that it gives, are of the root of the key. Fixed tables,
// the newest win; what was pushed out is unknown, and nothing is said of it.
#ifndef SEEDBED_MODELS_CRNG_CRNG_LINEAGE_H_
#define SEEDBED_MODELS_CRNG_CRNG_LINEAGE_H_

#include "sim/base.h"

enum {
  LINEAGE_INPUTS_MAX = 128,  // inputs of a run that are told apart
  LINEAGE_VALUES_MAX = 256,  // keys and seeds remembered
  LINEAGE_ROOTS_MAX = 256,
  LINEAGE_BLOCKS_MAX = 128,
  LINEAGE_HASHES_MAX = 8,   // hashes under way, the pool's included
  LINEAGE_OFFERS_MAX = 32,  // inputs that wait for being hashed
};

// A set of inputs: by number, and of each CPU's interrupts all up to one.
struct lineage_set {
  u64 inputs[LINEAGE_INPUTS_MAX / 64];
  u32 irqs[SIM_CPUS_MAX];
};
void lineage_join(struct lineage_set *into, const struct lineage_set *from);
bool lineage_contains(const struct lineage_set *set, const struct lineage_set *subset);

// An input as it was offered.
struct lineage_offer {
  u64 tag;  // a hash of its bytes
  u32 len;
  u32 bits;  // what its source may claim
  struct lineage_set set;
};

struct lineage_hash {
  const void *at;  // NULL: unused
  struct lineage_set set;
};

struct lineage_root {
  struct lineage_set set;
  u32 published;  // number of the publication as base key, from 1; 0: none
};

struct lineage_value {
  u64 head;
  u32 root;
  bool spent;  // was a key whose block 0 has been made: must be gone
};

// A block of key stream: which bytes nobody has yet.
struct lineage_block {
  u64 unused;  // bit i: byte i
  u32 root;
  u8 bytes[64];
};

struct lineage {
  u32 num_inputs, num_offers, num_values, num_roots, num_blocks;  // so far; tables wrap
  struct lineage_hash hashes[LINEAGE_HASHES_MAX];
  struct lineage_offer offers[LINEAGE_OFFERS_MAX];
  struct lineage_value values[LINEAGE_VALUES_MAX];
  struct lineage_root roots[LINEAGE_ROOTS_MAX];
  struct lineage_block blocks[LINEAGE_BLOCKS_MAX];
};

// An input of `len` bytes; `set` is what it stands for, or NULL: an input of its own.
void lineage_offer(struct lineage *lineage, const void *data, size_t len, u32 bits,
                   const struct lineage_set *set);

void lineage_hash_begin(struct lineage *lineage, const void *hash, const u8 *key);
// Returns the offer that the data is, or NULL.
const struct lineage_offer *lineage_hash_update(struct lineage *lineage, const void *hash,
                                                const void *data, size_t len);
void lineage_hash_final(struct lineage *lineage, const void *hash, const u8 *out);
void lineage_block(struct lineage *lineage, const u8 *key, u64 counter, const u8 *out);

// The root of a value, NULL if unknown; and whether it is a key that was used up.
struct lineage_root *lineage_root_of(struct lineage *lineage, const u8 *value);
bool lineage_spent(const struct lineage *lineage, const u8 *value);

// Shorter pieces occur in many blocks: whether one is given twice is not told.
enum { LINEAGE_UNIQUE_LEN = 4 };

enum lineage_given {
  LINEAGE_GIVEN,    // bytes of a stream, and now used
  LINEAGE_TWICE,    // of a stream, and given or made a key before
  LINEAGE_UNKNOWN,  // of none
};
// `len` bytes were given, that are one piece of a block at a multiple of `unit`. `root` gets
// where they come from; NULL if unknown. `block_number` gets the block's, counted from 0;
// UINT32_MAX if unknown.
enum lineage_given lineage_give(struct lineage *lineage, const u8 *bytes, size_t len, u32 unit,
                                const struct lineage_root **root, u32 *block_number);

#endif  // SEEDBED_MODELS_CRNG_CRNG_LINEAGE_H_
