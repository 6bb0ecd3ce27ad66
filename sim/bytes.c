// SPDX-License-Identifier: GPL-2.0-or-later
//
// See bytes.h.
#include "sim/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "sim/decision.h"
#include "sim/sched.h"
#include "sim/world.h"

struct sim_bytes {
  const u8 *bytes;
  struct {
    u32 next;  // 1 + the class's next entry; 0: none
    u32 skip;  // calm draws until it
  } of[SIM_BYTES_CLASSES];
  u32 draws[SIM_BYTES_CLASSES];
  u16 after[SIM_BYTES_ENTRIES_MAX];  // 1 + the next entry of the same class; 0: none
  // Encoding: calm draws since the last entry, and what was written.
  u32 gap[SIM_BYTES_CLASSES];
  u8 *out;
  size_t len, cap;
};

struct sim_bytes *sim_bytes_new(void) {
  struct sim_bytes *b = calloc(1, sizeof(*b));

  SIM_ASSERT(b);
  return b;
}

void sim_bytes_free(struct sim_bytes *b) { free(b); }

static const u8 *entry_at(const struct sim_bytes *b, u32 index) {
  return b->bytes + (size_t)index * SIM_BYTES_ENTRY_LEN;
}

static void advance(struct sim_bytes *b, u8 class_, u32 next) {
  b->of[class_].next = next;
  if (next) b->of[class_].skip = entry_at(b, next - 1)[1];
}

void sim_bytes_begin(struct sim_bytes *b, const u8 *bytes, size_t len) {
  size_t num = len / SIM_BYTES_ENTRY_LEN;
  u16 first[SIM_BYTES_CLASSES] = {0};

  if (num > SIM_BYTES_ENTRIES_MAX) num = SIM_BYTES_ENTRIES_MAX;
  b->bytes = bytes;
  for (size_t i = num; i-- > 0;) {
    u8 class_ = bytes[i * SIM_BYTES_ENTRY_LEN];

    b->after[i] = first[class_];
    first[class_] = (u16)(i + 1);
  }
  memset(b->of, 0, sizeof(b->of));
  memset(b->draws, 0, sizeof(b->draws));
  for (u32 class_ = 0; class_ < SIM_BYTES_CLASSES; class_++)
    if (first[class_]) advance(b, (u8)class_, first[class_]);
}

u32 sim_bytes_draw(struct sim_bytes *b, const struct sim_site *site, u32 n) {
  u8 class_ = sim_bytes_class(site);
  const u8 *entry;

  b->draws[class_]++;
  do {
    u32 index = b->of[class_].next;

    if (sim_likely(!index)) return SIM_BYTES_NONE;
    if (b->of[class_].skip) {
      b->of[class_].skip--;
      return SIM_BYTES_NONE;
    }
    entry = entry_at(b, index - 1);
    advance(b, class_, b->after[index - 1]);
  } while (entry[1] == SIM_BYTES_LONG_SKIP);
  return 1 + ((u32)entry[2] | (u32)entry[3] << 8) % (n - 1);
}

const u32 *sim_bytes_draws(const struct sim_world *w) { return w->bytes ? w->bytes->draws : NULL; }

// ---- Encoding ----

static void put(struct sim_bytes *b, u8 class_, u8 skip, u32 value) {
  const u8 entry[SIM_BYTES_ENTRY_LEN] = {class_, skip, (u8)value, (u8)(value >> 8)};

  if (b->len + sizeof(entry) <= b->cap) memcpy(b->out + b->len, entry, sizeof(entry));
  b->len += sizeof(entry);
}

void sim_bytes_encode(struct sim_bytes *b, const struct sim_site *site, u32 value) {
  u8 class_ = sim_bytes_class(site);

  if (!value) {
    b->gap[class_]++;
    return;
  }
  for (; b->gap[class_] >= SIM_BYTES_LONG_SKIP; b->gap[class_] -= SIM_BYTES_LONG_SKIP)
    put(b, class_, SIM_BYTES_LONG_SKIP, 0);
  put(b, class_, (u8)b->gap[class_], value - 1);
  b->gap[class_] = 0;
}

size_t sim_bytes_from_decisions(struct sim_world *w, const struct sim_decisions *list, u8 *out,
                                size_t cap) {
  struct sim_input input = {.backend = SIM_BACKEND_LIST, .list = list};
  struct sim_result result;
  struct sim_bytes *b = sim_bytes_new();
  size_t len;

  b->out = out;
  b->cap = cap;
  w->encoder = b;
  sim_world_run(w, &input, &result);
  w->encoder = NULL;
  len = b->len;
  sim_bytes_free(b);
  return len;
}
