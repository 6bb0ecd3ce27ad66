// SPDX-License-Identifier: GPL-2.0-only
//
// Instructions that a guest must not simply execute: Unicorn would give them the host's
// entropy or clock, or they change what the processor is. Text is searched for their words when
// it is mapped, and each gets a hook of its own. Data that looks like one does no harm: it is
// not executed.
#include <string.h>

#include "models/guest/guest_impl.h"

static void on_watched(uc_engine *uc, uint64_t addr, uint32_t size, void *arg) {
  struct guest *g = arg;
  const u8 *insn = guest_host(g, addr, 4);
  if (g->stopped || !insn) return;
  u32 word = (u32)guest_load(g, insn, 4);
  if (g->ops->watches(word)) g->ops->watched(g, addr, word);
}

static void watch(struct guest *g, struct guest_mapping *m, u64 begin, u64 end) {
  void (*fn)(uc_engine *, uint64_t, uint32_t, void *) = on_watched;
  void *callback;
  memcpy(&callback, &fn, sizeof(callback));
  GUEST_CHECK(
      uc_hook_add(g->uc, &m->watch_hook[m->num_watched++], UC_HOOK_CODE, callback, g, begin, end));
}

void guest_text_watch(struct guest *g, struct guest_mapping *m) {
  u32 count = 0;
  for (size_t at = 0; at < m->len; at += 4)
    count += g->ops->watches((u32)guest_load(g, m->host + at, 4));
  if (count > GUEST_WATCHED_MAX) {
    watch(g, m, m->addr, m->addr + m->len - 1);
    return;
  }
  for (size_t at = 0; at < m->len; at += 4)
    if (g->ops->watches((u32)guest_load(g, m->host + at, 4)))
      watch(g, m, m->addr + at, m->addr + at);
}

void guest_text_unwatch(struct guest *g, struct guest_mapping *m) {
  for (u32 i = 0; i < m->num_watched; i++) GUEST_CHECK(uc_hook_del(g->uc, m->watch_hook[i]));
  m->num_watched = 0;
}
