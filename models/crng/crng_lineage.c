// SPDX-License-Identifier: GPL-2.0-or-later
//
// See crng_lineage.h.
#include "models/crng/crng_lineage.h"

#include <string.h>

void lineage_join(struct lineage_set *into, const struct lineage_set *from) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(into->inputs); i++) into->inputs[i] |= from->inputs[i];
  for (u32 i = 0; i < SIM_CPUS_MAX; i++)
    if (into->irqs[i] < from->irqs[i]) into->irqs[i] = from->irqs[i];
}

bool lineage_contains(const struct lineage_set *set, const struct lineage_set *subset) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(set->inputs); i++)
    if (subset->inputs[i] & ~set->inputs[i]) return false;
  for (u32 i = 0; i < SIM_CPUS_MAX; i++)
    if (subset->irqs[i] > set->irqs[i]) return false;
  return true;
}

static u64 head_of(const u8 *value) {
  u64 head;

  memcpy(&head, value, sizeof(head));
  return head;
}

// ---- Inputs ----

// Of every byte: an input that is taken in but for one is another.
static u64 tag_of(const u8 *data, size_t len) {
  u64 tag = len;

  for (size_t at = 0; at < len; at += 8) {
    u64 word = 0;

    memcpy(&word, data + at, len - at < 8 ? len - at : 8);
    tag = (tag ^ word) * 0x9e3779b97f4a7c15ull;
    tag ^= tag >> 32;
  }
  return tag;
}

void lineage_offer(struct lineage *lineage, const void *data, size_t len, u32 bits,
                   const struct lineage_set *set) {
  struct lineage_offer *offer = &lineage->offers[lineage->num_offers++ % LINEAGE_OFFERS_MAX];

  *offer = (struct lineage_offer){.tag = tag_of(data, len), .len = (u32)len, .bits = bits};
  if (set) {
    offer->set = *set;
  } else if (lineage->num_inputs < LINEAGE_INPUTS_MAX) {
    offer->set.inputs[lineage->num_inputs / 64] = 1ull << lineage->num_inputs % 64;
    lineage->num_inputs++;
  }
}

static const struct lineage_offer *find_offer(const struct lineage *lineage, const void *data,
                                              size_t len) {
  u64 tag = tag_of(data, len);

  for (u32 i = 0; i < LINEAGE_OFFERS_MAX && i < lineage->num_offers; i++) {
    const struct lineage_offer *offer =
        &lineage->offers[(lineage->num_offers - 1 - i) % LINEAGE_OFFERS_MAX];

    if (offer->tag == tag && offer->len == len) return offer;
  }
  return NULL;
}

// ---- Values ----

static struct lineage_value *find_value(struct lineage *lineage, const u8 *value) {
  u64 head = head_of(value);

  for (u32 i = 0; i < LINEAGE_VALUES_MAX && i < lineage->num_values; i++) {
    struct lineage_value *known =
        &lineage->values[(lineage->num_values - 1 - i) % LINEAGE_VALUES_MAX];

    if (known->head == head) return known;
  }
  return NULL;
}

static void add_value(struct lineage *lineage, const u8 *value, u32 root) {
  lineage->values[lineage->num_values++ % LINEAGE_VALUES_MAX] =
      (struct lineage_value){.head = head_of(value), .root = root};
}

// Numbers of roots grow for ever: one that was pushed out is known by its number.
static struct lineage_root *root_by_number(struct lineage *lineage, u32 number) {
  if (number + LINEAGE_ROOTS_MAX < lineage->num_roots) return NULL;
  return &lineage->roots[number % LINEAGE_ROOTS_MAX];
}

struct lineage_root *lineage_root_of(struct lineage *lineage, const u8 *value) {
  const struct lineage_value *known = find_value(lineage, value);

  return known ? root_by_number(lineage, known->root) : NULL;
}

bool lineage_spent(const struct lineage *lineage, const u8 *value) {
  const struct lineage_value *known = find_value((struct lineage *)lineage, value);

  return known && known->spent;
}

// ---- BLAKE2s ----

static struct lineage_hash *find_hash(struct lineage *lineage, const void *hash) {
  for (u32 i = 0; i < LINEAGE_HASHES_MAX; i++)
    if (lineage->hashes[i].at == hash) return &lineage->hashes[i];
  return NULL;
}

void lineage_hash_begin(struct lineage *lineage, const void *hash, const u8 *key) {
  struct lineage_hash *under_way = find_hash(lineage, hash);
  const struct lineage_root *root = key ? lineage_root_of(lineage, key) : NULL;

  if (!under_way) under_way = find_hash(lineage, NULL);
  SIM_ASSERT(under_way);
  *under_way = (struct lineage_hash){.at = hash};
  if (root) under_way->set = root->set;
}

const struct lineage_offer *lineage_hash_update(struct lineage *lineage, const void *hash,
                                                const void *data, size_t len) {
  struct lineage_hash *under_way = find_hash(lineage, hash);
  const struct lineage_offer *offer = find_offer(lineage, data, len);

  SIM_ASSERT(under_way);
  if (offer) lineage_join(&under_way->set, &offer->set);
  return offer;
}

void lineage_hash_final(struct lineage *lineage, const void *hash, const u8 *out) {
  struct lineage_hash *under_way = find_hash(lineage, hash);
  u32 number = lineage->num_roots++;

  SIM_ASSERT(under_way);
  lineage->roots[number % LINEAGE_ROOTS_MAX] = (struct lineage_root){.set = under_way->set};
  add_value(lineage, out, number);
  under_way->at = NULL;
}

// ---- ChaCha20 ----

// Bytes that have become a key are nobody's.
static void use_as_key(struct lineage *lineage, const u8 *key) {
  for (u32 i = 0; i < 8 && i < lineage->num_blocks; i++) {
    struct lineage_block *block =
        &lineage->blocks[(lineage->num_blocks - 1 - i) % LINEAGE_BLOCKS_MAX];

    if (memcmp(block->bytes + 32, key, 32) == 0) block->unused &= 0xffffffffull;
  }
}

void lineage_block(struct lineage *lineage, const u8 *key, u64 counter, const u8 *out) {
  struct lineage_value *known = find_value(lineage, key);
  u32 root = known ? known->root : UINT32_MAX;
  struct lineage_block *block;

  use_as_key(lineage, key);
  block = &lineage->blocks[lineage->num_blocks++ % LINEAGE_BLOCKS_MAX];
  *block = (struct lineage_block){.unused = ~0ull, .root = root};
  memcpy(block->bytes, out, sizeof(block->bytes));
  if (counter) return;
  // The first half is the next key; the second may be given, or be another key.
  block->unused = ~0ull << 32;
  if (!known) return;
  // Made twice by one key: somebody has had these bytes.
  if (known->spent) block->unused = 0;
  known->spent = true;
  add_value(lineage, out, root);
  add_value(lineage, out + 32, root);
}

// ---- Readers ----

// A short piece: of the newest key among the blocks in which it occurs, to be on the safe side.
static enum lineage_given give_short(struct lineage *lineage, const u8 *bytes, size_t len, u32 unit,
                                     const struct lineage_root **root) {
  bool known = false, doubtful = false;

  for (u32 i = 0; i < LINEAGE_BLOCKS_MAX && i < lineage->num_blocks; i++) {
    const struct lineage_block *block = &lineage->blocks[i];

    for (u32 at = 0; at + len <= 64; at += unit) {
      const struct lineage_root *from;

      if (memcmp(block->bytes + at, bytes, len) != 0) continue;
      known = true;
      from = block->root == UINT32_MAX ? NULL : root_by_number(lineage, block->root);
      if (!from)
        doubtful = true;
      else if (!*root || (*root)->published < from->published)
        *root = from;
    }
  }
  if (doubtful) *root = NULL;
  return known || lineage->num_blocks > LINEAGE_BLOCKS_MAX ? LINEAGE_GIVEN : LINEAGE_UNKNOWN;
}

enum lineage_given lineage_give(struct lineage *lineage, const u8 *bytes, size_t len, u32 unit,
                                const struct lineage_root **root, u32 *block_number) {
  u64 mask = len < 64 ? (1ull << len) - 1 : ~0ull;
  bool known = false;
  u32 first, other;

  *root = NULL;
  *block_number = UINT32_MAX;
  if (len < LINEAGE_UNIQUE_LEN) return give_short(lineage, bytes, len, unit, root);
  memcpy(&first, bytes, sizeof(first));
  for (u32 i = 0; i < LINEAGE_BLOCKS_MAX && i < lineage->num_blocks; i++) {
    struct lineage_block *block =
        &lineage->blocks[(lineage->num_blocks - 1 - i) % LINEAGE_BLOCKS_MAX];

    for (u32 at = 0; at + len <= 64; at += unit) {
      // Most differ here: no call for them.
      memcpy(&other, block->bytes + at, sizeof(other));
      if (other != first || memcmp(block->bytes + at, bytes, len) != 0) continue;
      known = true;
      if ((block->unused & mask << at) != mask << at) continue;
      block->unused &= ~(mask << at);
      *block_number = lineage->num_blocks - 1 - i;
      if (block->root != UINT32_MAX) *root = root_by_number(lineage, block->root);
      return LINEAGE_GIVEN;
    }
  }
  if (known) return LINEAGE_TWICE;
  // A block that was pushed out may have had them.
  return lineage->num_blocks > LINEAGE_BLOCKS_MAX ? LINEAGE_GIVEN : LINEAGE_UNKNOWN;
}
