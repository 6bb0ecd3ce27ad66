// SPDX-License-Identifier: GPL-2.0-only
//
// Instructions that a guest must not simply execute: Unicorn would give them the host's
// entropy or clock, or they change what the processor is. Text is searched for their words when
// it is mapped, and a bit is kept for each; no hooks of their own, since Unicorn asks all
// hooks at each instruction. Data that looks like one does no harm: it is not executed.
#include "models/guest/guest_impl.h"

static size_t bits_len(const struct guest_mapping *m) { return m->len / 4 / 8; }

void guest_text_watch(struct guest *g, struct guest_mapping *m) {
  for (size_t at = 0; at < m->len; at += 4) {
    if (!g->ops->watches((u32)guest_load(g, m->host + at, 4))) continue;
    if (!m->watched) m->watched = guest_host_alloc(bits_len(m));
    m->watched[at / 4 / 8] |= (u8)(1u << at / 4 % 8);
  }
}

void guest_text_unwatch(struct guest *g, struct guest_mapping *m) {
  guest_host_free(m->watched, bits_len(m));
  m->watched = NULL;
}

void guest_text_look(struct guest *g, const struct guest_mapping *m, u64 addr) {
  u32 word = (u32)guest_load(g, m->host + (addr - m->addr), 4);
  if (g->ops->watches(word)) g->ops->watched(g, addr, word);
}
