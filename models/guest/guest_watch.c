// SPDX-License-Identifier: GPL-2.0-only
//
// What the options add: a log of accesses and a hash of the path; coverage.
#include <string.h>

#include "models/guest/guest_impl.h"

// ---- The log ----

static void fold(struct guest *g, u64 value) {
  g->counts.path_hash = sim_mix64(g->counts.path_hash ^ value);
}

void guest_watch_insn(uc_engine *uc, uint64_t addr, uint32_t size, void *arg) {
  struct guest *g = arg;
  if (!g->stopped) fold(g, addr);
}

static void on_access(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value,
                      void *arg) {
  struct guest *g = arg;
  if (g->in_stub || g->stopped) return;
  bool write = type == UC_MEM_WRITE;
  fold(g, addr << 1 ^ (u64)write);
  if (!g->log) return;
  if (g->log_count < g->log_max) {
    u64 mask = size < 8 ? (1ull << 8 * size) - 1 : ~0ull;
    g->log[g->log_count] = (struct guest_access){
        .pc = g->last_pc,
        .addr = addr,
        .value = (u64)value & mask,
        .insn = g->counts.insns[g->counts.level] + (g->limit - g->left) - 1,
        .size = (u8)size,
        .write = write,
    };
  }
  g->log_count++;
}

void guest_watch_engine(struct guest *g) {
  void (*fn)(uc_engine *, uc_mem_type, uint64_t, int, int64_t, void *) = on_access;
  void *callback;
  uc_hook hook;
  memcpy(&callback, &fn, sizeof(callback));
  // Reads before they fail are not told here; bad ones are faults.
  GUEST_CHECK(
      uc_hook_add(g->uc, &hook, UC_HOOK_MEM_READ_AFTER | UC_HOOK_MEM_WRITE, callback, g, 1, 0));
}

void guest_set_log(struct guest *g, struct guest_access *log, u32 max) {
  SIM_ASSERT(g->options & GUEST_LOG);
  g->log = log;
  g->log_max = max;
  g->log_count = 0;
  g->counts.path_hash = 0;
}
u32 guest_log_count(const struct guest *g) { return g->log_count; }
u64 guest_path_hash(const struct guest *g) { return g->counts.path_hash; }

// ---- Coverage ----

void guest_watch_block(uc_engine *uc, uint64_t addr, uint32_t size, void *arg) {
  struct guest *g = arg;
  if (g->stopped) return;
  if (g->cover_skip) {
    g->cover_skip = false;
    return;
  }
  u64 block = (addr - g->cover.base) / 4;
  if (g->cover.num_block) g->cover.block[block & (g->cover.num_block - 1)]++;
  if (g->cover.num_edge)
    g->cover.edge[sim_mix64(g->counts.cover_block << 32 ^ block) & (g->cover.num_edge - 1)]++;
  g->counts.cover_block = block + 1;
}

static bool is_power_of_two_or_0(u32 n) { return !(n & (n - 1)); }

void guest_set_cover(struct guest *g, const struct guest_cover *cover) {
  SIM_ASSERT(g->options & GUEST_COVER);
  SIM_ASSERT(is_power_of_two_or_0(cover->num_block) && is_power_of_two_or_0(cover->num_edge) &&
             is_power_of_two_or_0(cover->num_state));
  g->cover = *cover;
}

void guest_cover_state(struct guest *g, u32 index) {
  if (g->cover.num_state) g->cover.state[index & (g->cover.num_state - 1)]++;
}
