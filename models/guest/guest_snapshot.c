// SPDX-License-Identifier: GPL-2.0-only
//
// Snapshots: registers, open calls, counts, and the bytes of the kept ranges.
#include <string.h>

#include "models/guest/guest_impl.h"

struct copy {
  struct guest *g;
  struct guest_snapshot *snapshot;
};

void guest_keep(struct guest *g, void *host, size_t len) {
  SIM_ASSERT(g->num_kept < GUEST_KEPT_MAX && !g->snapshots);
  g->kept[g->num_kept].host = host;
  g->kept[g->num_kept].len = len;
  g->num_kept++;
  g->kept_len += len;
}

static void make(void *arg) {
  struct copy *c = arg;
  GUEST_CHECK(uc_context_alloc(c->g->uc, &c->snapshot->regs));
}

struct guest_snapshot *guest_snapshot_new(struct guest *g) {
  size_t size = sizeof(struct guest_snapshot) + g->kept_len;
  struct guest_snapshot *snapshot = guest_host_alloc(size);
  snapshot->size = size;
  snapshot->next = g->snapshots;
  g->snapshots = snapshot;
  guest_on_stack(make, &(struct copy){.g = g, .snapshot = snapshot});
  return snapshot;
}

static void end(void *arg) {
  struct guest_snapshot *snapshot = arg;
  GUEST_CHECK(uc_context_free(snapshot->regs));
  for (u32 i = 0; i < GUEST_LEVELS; i++)
    if (snapshot->levels[i]) GUEST_CHECK(uc_context_free(snapshot->levels[i]));
}

void guest_snapshot_free(struct guest *g, struct guest_snapshot *snapshot) {
  struct guest_snapshot **link = &g->snapshots;
  if (!snapshot) return;
  while (*link != snapshot) {
    SIM_ASSERT(*link);
    link = &(*link)->next;
  }
  *link = snapshot->next;
  guest_on_stack(end, snapshot);
  guest_host_free(snapshot, snapshot->size);
}

// A context is opaque: one is copied by way of the processor.
static void transfer(struct guest *g, const uc_context *from, uc_context **to) {
  if (!*to) GUEST_CHECK(uc_context_alloc(g->uc, to));
  GUEST_CHECK(uc_context_restore(g->uc, (uc_context *)(uintptr_t)from));
  GUEST_CHECK(uc_context_save(g->uc, *to));
}

static void take(void *arg) {
  struct copy *c = arg;
  struct guest_snapshot *snapshot = c->snapshot;
  GUEST_CHECK(uc_context_save(c->g->uc, snapshot->regs));
  if (!c->g->counts.level) return;
  for (u32 i = 0; i < c->g->counts.level; i++)
    transfer(c->g, c->g->levels[i], &snapshot->levels[i]);
  GUEST_CHECK(uc_context_restore(c->g->uc, snapshot->regs));
}

void guest_take(struct guest *g, struct guest_snapshot *snapshot) {
  u8 *to = snapshot->bytes;
  for (u32 i = 0; i < g->num_kept; i++) {
    memcpy(to, g->kept[i].host, g->kept[i].len);
    to += g->kept[i].len;
  }
  snapshot->counts = g->counts;
  snapshot->taken = true;
  guest_on_stack(take, &(struct copy){.g = g, .snapshot = snapshot});
}

static void restore(void *arg) {
  struct copy *c = arg;
  for (u32 i = 0; i < c->snapshot->counts.level; i++)
    transfer(c->g, c->snapshot->levels[i], &c->g->levels[i]);
  GUEST_CHECK(uc_context_restore(c->g->uc, c->snapshot->regs));
}

void guest_restore(struct guest *g, const struct guest_snapshot *snapshot) {
  const u8 *from = snapshot->bytes;
  SIM_ASSERT(snapshot->taken);
  for (u32 i = 0; i < g->num_kept; i++) {
    memcpy(g->kept[i].host, from, g->kept[i].len);
    from += g->kept[i].len;
  }
  g->counts = snapshot->counts;
  struct copy c = {.g = g, .snapshot = (struct guest_snapshot *)(uintptr_t)snapshot};
  guest_on_stack(restore, &c);
}

const void *guest_snapshot_host(const struct guest *g, const struct guest_snapshot *snapshot,
                                const void *host) {
  const u8 *from = snapshot->bytes;
  for (u32 i = 0; i < g->num_kept; i++) {
    size_t at = (size_t)((uintptr_t)host - (uintptr_t)g->kept[i].host);
    if (at < g->kept[i].len) return from + at;
    from += g->kept[i].len;
  }
  return NULL;
}
