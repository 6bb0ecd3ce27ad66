// SPDX-License-Identifier: GPL-2.0-only
//
// What a guest sees at which address.
#include "models/guest/guest_impl.h"

// Permissions go to Unicorn as they are.
_Static_assert(GUEST_READ == (int)UC_PROT_READ && GUEST_WRITE == (int)UC_PROT_WRITE &&
                   GUEST_EXEC == (int)UC_PROT_EXEC,
               "the same bits");

struct change {
  struct guest *g;
  struct guest_mapping *m;
  u32 perms;
};

static bool overlaps(u64 addr, size_t len, u64 begin, u64 end) {
  return addr < end && addr + len > begin;
}

// Nothing, or at least GUEST_READ; text is not written. Pages without GUEST_READ are not
// given to Unicorn: its TLB would let the second read pass.
static bool is_good(u32 perms) {
  if (perms & ~7u || (perms & (GUEST_WRITE | GUEST_EXEC)) == (GUEST_WRITE | GUEST_EXEC))
    return false;
  return !perms || (perms & GUEST_READ);
}

static void map(void *arg) {
  struct change *c = arg;
  struct guest_mapping *m = c->m;
  if (!m->perms) return;
  GUEST_CHECK(uc_mem_map_ptr(c->g->uc, m->addr, m->len, m->perms, m->host));
  if (!(m->perms & GUEST_EXEC)) return;
  // Something else may have run there before.
  GUEST_CHECK(uc_ctl_remove_cache(c->g->uc, m->addr, m->addr + m->len));
  guest_hook_text(c->g, m);
}

bool guest_map(struct guest *g, u64 addr, void *host, size_t len, u32 perms) {
  SIM_ASSERT(host && (uintptr_t)host % GUEST_PAGE == 0);
  SIM_ASSERT(is_good(perms));
  if (!len || addr % GUEST_PAGE || len % GUEST_PAGE || addr + len <= addr) return false;
  if (g->ops->word_size == 4 && addr + len > 1ull << 32) return false;
  if (overlaps(addr, len, GUEST_OWN_BEGIN, GUEST_OWN_END)) return false;
  struct guest_mapping *m = NULL;
  for (u32 i = 0; i < GUEST_MAPPINGS_MAX; i++) {
    struct guest_mapping *at = &g->mapping[i];
    if (!at->len && !m) m = at;
    if (at->len && overlaps(addr, len, at->addr, at->addr + at->len)) return false;
  }
  if (!m) return false;
  *m = (struct guest_mapping){.g = g, .addr = addr, .len = len, .host = host, .perms = perms};
  guest_on_stack(map, &(struct change){.g = g, .m = m});
  return true;
}

static struct guest_mapping *mapping_from(struct guest *g, u64 addr) {
  for (u32 i = 0; i < GUEST_MAPPINGS_MAX; i++)
    if (g->mapping[i].len && g->mapping[i].addr == addr) return &g->mapping[i];
  SIM_ASSERT(!"a mapping begins there");
  return NULL;
}

static void unmap(void *arg) {
  struct change *c = arg;
  struct guest_mapping *m = c->m;
  if (m->perms & GUEST_EXEC) {
    guest_unhook_text(c->g, m);
    GUEST_CHECK(uc_ctl_remove_cache(c->g->uc, m->addr, m->addr + m->len));
  }
  if (m->perms) GUEST_CHECK(uc_mem_unmap(c->g->uc, m->addr, m->len));
  m->len = 0;
}

void guest_unmap(struct guest *g, u64 addr) {
  guest_on_stack(unmap, &(struct change){.g = g, .m = mapping_from(g, addr)});
}

void guest_unmap_all(struct guest *g) {
  for (u32 i = 0; i < GUEST_MAPPINGS_MAX; i++)
    if (g->mapping[i].len) unmap(&(struct change){.g = g, .m = &g->mapping[i]});
}

static void protect(void *arg) {
  struct change *c = arg;
  struct guest_mapping *m = c->m;
  u32 before = m->perms;
  m->perms = c->perms;
  if (!before)
    map(c);
  else if (!c->perms)
    GUEST_CHECK(uc_mem_unmap(c->g->uc, m->addr, m->len));
  else
    GUEST_CHECK(uc_mem_protect(c->g->uc, m->addr, m->len, c->perms));
}

void guest_protect(struct guest *g, u64 addr, u32 perms) {
  struct change c = {.g = g, .m = mapping_from(g, addr), .perms = perms};
  SIM_ASSERT(is_good(perms) && (perms & GUEST_EXEC) == (c.m->perms & GUEST_EXEC));
  if (perms != c.m->perms) guest_on_stack(protect, &c);
}

static void text_changed(void *arg) {
  struct change *c = arg;
  GUEST_CHECK(uc_ctl_remove_cache(c->g->uc, c->m->addr, c->m->addr + c->m->len));
  guest_text_unwatch(c->g, c->m);
  guest_text_watch(c->g, c->m);
}

void guest_text_changed(struct guest *g, u64 addr, size_t len) {
  for (u32 i = 0; i < GUEST_MAPPINGS_MAX; i++) {
    struct guest_mapping *m = &g->mapping[i];
    if (m->len && (m->perms & GUEST_EXEC) && overlaps(addr, len, m->addr, m->addr + m->len))
      guest_on_stack(text_changed, &(struct change){.g = g, .m = m});
  }
}

const struct guest_mapping *guest_mapping_at(const struct guest *g, u64 addr) {
  for (u32 i = 0; i < GUEST_MAPPINGS_MAX; i++) {
    const struct guest_mapping *m = &g->mapping[i];
    if (m->len && addr >= m->addr && addr - m->addr < m->len) return m;
  }
  return NULL;
}

void *guest_host(const struct guest *g, u64 addr, size_t len) {
  const struct guest_mapping *m = guest_mapping_at(g, addr);
  if (!m || len > m->len - (addr - m->addr)) return NULL;
  return m->host + (addr - m->addr);
}

u64 guest_load(const struct guest *g, const void *host, u32 size) {
  const u8 *bytes = host;
  u64 value = 0;
  for (u32 i = 0; i < size; i++) value = value << 8 | bytes[g->ops->big_endian ? i : size - 1 - i];
  return value;
}

void guest_store(const struct guest *g, void *host, u32 size, u64 value) {
  u8 *bytes = host;
  for (u32 i = 0; i < size; i++, value >>= 8)
    bytes[g->ops->big_endian ? size - 1 - i : i] = (u8)value;
}
