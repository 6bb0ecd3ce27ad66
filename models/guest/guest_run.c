// SPDX-License-Identifier: GPL-2.0-only
//
// Running to the next stop. A hook on each instruction of the text counts and ends the run
// before the one that is too many; hooks on exceptions and bad accesses say why else it ended.
// Unicorn's own limits are not used: `timeout` is a clock of the host, `count` flushes what
// was translated.
#include <string.h>

#include "models/guest/guest_impl.h"

void guest_stop_with(struct guest *g, enum guest_stop_kind kind) {
  if (g->stopped) return;
  g->stopped = true;
  g->left_at_stop = g->left;
  g->pc_at_stop = g->last_pc;
  g->stop.kind = kind;
  uc_emu_stop(g->uc);
}

void guest_stop_fault(struct guest *g, enum guest_fault fault) {
  if (g->stopped) return;
  g->stop.fault = fault;
  guest_stop_with(g, GUEST_FAULT);
}

static void on_insn(uc_engine *uc, uint64_t addr, uint32_t size, void *arg) {
  const struct guest_mapping *m = arg;
  struct guest *g = m->g;
  if (sim_unlikely(!g->left)) {
    guest_stop_with(g, GUEST_BOUNDARY);
    return;
  }
  g->left--;
  g->last_pc = addr;
  if (sim_unlikely(m->watched != NULL) && sim_unlikely(guest_text_watched(m, addr)) && !g->stopped)
    guest_text_look(g, m, addr);
}

static void on_exception(uc_engine *uc, uint32_t number, void *arg) {
  struct guest *g = arg;
  if (g->stopped) return;
  g->stop.exception = number;
  g->ops->exception(g, number);
}

// A store over the end of a page comes byte by byte: the first bad one is kept.
static bool on_bad_access(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value,
                          void *arg) {
  struct guest *g = arg;
  if (g->stopped) return false;
  g->stop.unmapped = !guest_mapping_at(g, addr);
  g->stop.addr = addr;
  g->stop.size = (u32)size;
  enum guest_fault fault = GUEST_FAULT_READ;
  if (type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT) fault = GUEST_FAULT_WRITE;
  if (type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT) fault = GUEST_FAULT_FETCH;
  guest_stop_fault(g, fault);
  return false;
}

// PowerPC's virtual TLB, left alone, allows a page only what it was just asked for, so that a
// load and a store in turn miss it for ever (4 times slower). What is asked for is always
// allowed here: permissions are looked at behind it, where a bad access is told in full, and
// an unmapping asks too, as a fetch that must not fail.
static bool on_tlb_miss(uc_engine *uc, uint64_t addr, uc_mem_type type, uc_tlb_entry *out,
                        void *arg) {
  const struct guest_mapping *m = guest_mapping_at(arg, addr);
  u32 perms = m ? m->perms : GUEST_READ | GUEST_WRITE;
  u32 asked = type == UC_MEM_READ ? GUEST_READ : type == UC_MEM_WRITE ? GUEST_WRITE : GUEST_EXEC;
  out->paddr = addr & ~(u64)(GUEST_PAGE - 1);
  out->perms = (uc_prot)(perms | asked);
  return true;
}

// Unicorn's callbacks come as an object pointer. begin > end: everywhere.
static void add_hook(struct guest *g, uc_hook *out_hook, int type, void (*fn)(void), void *arg,
                     u64 begin, u64 end) {
  void *callback;
  memcpy(&callback, &fn, sizeof(callback));
  GUEST_CHECK(uc_hook_add(g->uc, out_hook, type, callback, arg, begin, end));
}
#define ADD_HOOK(g, out, type, fn, arg, begin, end) \
  add_hook((g), (out), (type), (void (*)(void))(fn), (arg), (begin), (end))

void guest_hook_engine(struct guest *g) {
  uc_hook hook;
  ADD_HOOK(g, &hook, UC_HOOK_INTR, on_exception, g, 1, 0);
  ADD_HOOK(g, &hook, UC_HOOK_MEM_INVALID, on_bad_access, g, 1, 0);
  if (g->ops->arch == UC_ARCH_PPC) ADD_HOOK(g, &hook, UC_HOOK_TLB_FILL, on_tlb_miss, g, 1, 0);
  if (g->options & GUEST_LOG) guest_watch_engine(g);
}

void guest_hook_text(struct guest *g, struct guest_mapping *m) {
  u64 last = m->addr + m->len - 1;
  if (g->options == GUEST_UNCOUNTED) return;
  ADD_HOOK(g, &m->insn_hook, UC_HOOK_CODE, on_insn, m, m->addr, last);
  if (g->options & GUEST_LOG)
    ADD_HOOK(g, &m->log_hook, UC_HOOK_CODE, guest_watch_insn, g, m->addr, last);
  if (g->options & GUEST_COVER)
    ADD_HOOK(g, &m->block_hook, UC_HOOK_BLOCK, guest_watch_block, g, m->addr, last);
  guest_text_watch(g, m);
}

void guest_unhook_text(struct guest *g, struct guest_mapping *m) {
  if (g->options == GUEST_UNCOUNTED) return;
  guest_text_unwatch(g, m);
  GUEST_CHECK(uc_hook_del(g->uc, m->insn_hook));
  if (g->options & GUEST_LOG) GUEST_CHECK(uc_hook_del(g->uc, m->log_hook));
  if (g->options & GUEST_COVER) GUEST_CHECK(uc_hook_del(g->uc, m->block_hook));
}

void guest_run_stub(struct guest *g, u64 stub) {
  g->in_stub = true;
  g->stopped = false;
  GUEST_CHECK(uc_emu_start(g->uc, stub, GUEST_LANDING, 0, 0));
  g->in_stub = false;
  SIM_ASSERT(!g->stopped);
}

struct run {
  struct guest *g;
  u64 pc;
};

static void run(void *arg) {
  struct run *r = arg;
  struct guest *g = r->g;
  uc_err err = uc_emu_start(g->uc, r->pc, GUEST_LANDING, 0, 0);
  r->pc = guest_uc_read(g, g->ops->pc);
  if (g->stopped) return;
  g->left_at_stop = g->left;
  g->pc_at_stop = g->last_pc;
  if (err == UC_ERR_OK && r->pc == GUEST_LANDING) {
    g->stop.kind = GUEST_RETURNED;
    return;
  }
  // The processor halted, or the library gave up in a way that no hook told.
  g->stop.kind = GUEST_FAULT;
  g->stop.fault = GUEST_FAULT_INSN;
  g->stop.exception = GUEST_NO_EXCEPTION + (u32)err;
}

enum guest_stop_kind guest_run(struct guest *g, u64 stop_at, struct guest_stop *out_stop) {
  struct run r = {.g = g, .pc = guest_uc_read(g, g->ops->pc)};
  u64 *insns = &g->counts.insns[g->counts.level];
  u64 limit = stop_at > *insns ? stop_at - *insns : 0;
  u64 room = g->budget > g->counts.total ? g->budget - g->counts.total : 0;
  bool budget = g->budget && room < limit;
  if (budget) limit = room;

  memset(&g->stop, 0, sizeof(g->stop));
  if (r.pc == GUEST_LANDING) {
    g->stop.kind = GUEST_RETURNED;
  } else if (!limit) {
    g->stop.kind = GUEST_BOUNDARY;
  } else {
    g->stopped = false;
    g->left = g->limit = limit;
    g->last_pc = r.pc;
    g->cover_skip = *insns != 0;
    guest_on_stack(run, &r);
    u64 retired = limit - g->left_at_stop;
    if (g->stop.kind == GUEST_FAULT && g->stop.fault != GUEST_FAULT_FETCH) {
      // Its hook counted it.
      if (retired) retired--;
      if (r.pc != g->pc_at_stop) {
        r.pc = g->pc_at_stop;
        guest_uc_write(g, g->ops->pc, r.pc);
      }
    }
    *insns += retired;
    g->counts.total += retired;
  }
  if (g->stop.kind == GUEST_BOUNDARY && budget) g->stop.kind = GUEST_BUDGET;
  g->stop.pc = r.pc;
  g->stop.insns = *insns;
  *out_stop = g->stop;
  return g->stop.kind;
}

u64 guest_insns(const struct guest *g) { return g->counts.insns[g->counts.level]; }
u64 guest_insns_total(const struct guest *g) { return g->counts.total; }
void guest_set_budget(struct guest *g, u64 insns_total) { g->budget = insns_total; }

void guest_set_timebase(struct guest *g, u64 value, u64 step) {
  SIM_ASSERT(g->ops->arch == UC_ARCH_PPC);
  g->counts.timebase_on = true;
  g->counts.timebase = value;
  g->counts.timebase_step = step;
}
