// SPDX-License-Identifier: GPL-2.0-or-later
//
// The list back-end's index: open addressing with linear probing, at most a quarter full,
// so that a draw that nothing was recorded for (nearly every one) costs one look.
#include <stdlib.h>
#include <string.h>

#include "sim/decision.h"

struct slot {
  u64 site, actor;
  u32 k;
  u32 item;  // 1 + position in the list; 0: empty
};

struct sim_decision_index {
  const struct sim_decisions *list;
  struct slot *slot;
  u32 shift;  // 64 - log2 of the number of slots
  u8 *used;   // of each item of the list
  u32 slot_cap, used_cap;
};

// The hashes are mixed already; the multiplication spreads k.
static inline u32 place(const struct sim_decision_index *idx, u64 site, u64 actor, u32 k) {
  u64 h = (site ^ (actor << 32 | actor >> 32)) + k;
  return (u32)((h * 0x9e3779b97f4a7c15ull) >> idx->shift);
}

static inline struct slot *probe(const struct sim_decision_index *idx, u64 site, u64 actor, u32 k) {
  u32 mask = (u32)(UINT64_MAX >> idx->shift);
  for (u32 i = place(idx, site, actor, k);; i = (i + 1) & mask) {
    struct slot *s = &idx->slot[i];
    if (!s->item || (s->k == k && s->site == site && s->actor == actor)) return s;
  }
}

void sim_decision_index_rebuild(struct sim_decision_index *idx, const struct sim_decisions *list) {
  SIM_ASSERT(list->count < 1u << 28);
  idx->list = list;
  u32 bits = 4;
  while (1u << bits < 4 * list->count) bits++;
  u32 slots = 1u << bits;
  idx->shift = 64 - bits;
  if (slots > idx->slot_cap) {
    free(idx->slot);
    idx->slot = malloc(slots * sizeof(idx->slot[0]));
    idx->slot_cap = slots;
  }
  if (list->count > idx->used_cap || !idx->used) {
    free(idx->used);
    idx->used_cap = list->count + 16;
    idx->used = malloc(idx->used_cap);
  }
  SIM_ASSERT(idx->slot && idx->used);
  memset(idx->slot, 0, slots * sizeof(idx->slot[0]));
  for (u32 i = 0; i < list->count; i++) {
    const struct sim_decision *d = &list->item[i];
    u64 site = sim_hash_str(d->site), actor = sim_hash_str(d->actor);
    struct slot *s = probe(idx, site, actor, d->k);
    if (s->item) continue;
    *s = (struct slot){.site = site, .actor = actor, .k = d->k, .item = i + 1};
  }
  sim_decision_index_begin(idx);
}

struct sim_decision_index *sim_decision_index_new(const struct sim_decisions *list) {
  struct sim_decision_index *idx = calloc(1, sizeof(*idx));
  SIM_ASSERT(idx);
  sim_decision_index_rebuild(idx, list);
  return idx;
}

void sim_decision_index_free(struct sim_decision_index *idx) {
  if (!idx) return;
  free(idx->slot);
  free(idx->used);
  free(idx);
}

void sim_decision_index_begin(struct sim_decision_index *idx) {
  memset(idx->used, 0, idx->list->count);
}

const struct sim_decision *sim_decision_index_find(struct sim_decision_index *idx, u64 site_hash,
                                                   u64 actor_hash, u32 k) {
  const struct slot *s = probe(idx, site_hash, actor_hash, k);
  if (sim_likely(!s->item)) return NULL;
  idx->used[s->item - 1] = 1;
  return &idx->list->item[s->item - 1];
}

void sim_decision_index_misfit(struct sim_decision_index *idx, const struct sim_decision *d) {
  idx->used[d - idx->list->item] = 0;
}

u32 sim_decision_index_unused(const struct sim_decision_index *idx, u32 *out, u32 max) {
  u32 n = 0;
  for (u32 i = 0; i < idx->list->count; i++) {
    if (idx->used[i]) continue;
    if (n < max) out[n] = i;
    n++;
  }
  return n;
}
