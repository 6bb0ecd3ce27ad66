// SPDX-License-Identifier: GPL-2.0-only
//
// Saying where and what, for people. Capstone's wording changes with its version: no key and
// no digest may hold it.
#include <inttypes.h>
#include <stdio.h>

#include "models/guest/guest_impl.h"

void guest_set_symbols(struct guest *g, const struct guest_symbol *symbols, u32 num_symbols) {
  g->symbols = symbols;
  g->num_symbols = num_symbols;
}

char *guest_where(const struct guest *g, u64 addr, char *out, size_t len) {
  const struct guest_symbol *best = NULL;
  for (u32 i = 0; i < g->num_symbols; i++) {
    const struct guest_symbol *s = &g->symbols[i];
    if (addr >= s->addr && addr - s->addr < s->size && (!best || s->size < best->size)) best = s;
  }
  if (best)
    snprintf(out, len, "%s+0x%" PRIx64, best->name, addr - best->addr);
  else
    snprintf(out, len, "0x%" PRIx64, addr);
  return out;
}

struct disassembly {
  struct guest *g;
  u64 addr;
  const u8 *text;
  char *out;
  size_t len;
};

static void disassemble(void *arg) {
  struct disassembly *d = arg;
  struct guest *g = d->g;
  cs_insn *insn = NULL;
  if (!g->disassembler)
    SIM_ASSERT(cs_open(g->ops->cs_arch, g->ops->cs_mode, &g->disassembler) == CS_ERR_OK);
  if (cs_disasm(g->disassembler, d->text, 4, d->addr, 1, &insn) == 1) {
    snprintf(d->out, d->len, "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "", insn->op_str);
    cs_free(insn, 1);
  } else {
    snprintf(d->out, d->len, ".long 0x%08" PRIx32, (u32)guest_load(g, d->text, 4));
  }
}

char *guest_disassemble(struct guest *g, u64 addr, char *out, size_t len) {
  struct disassembly d = {.g = g, .addr = addr, .text = guest_host(g, addr, 4)};
  d.out = out;
  d.len = len;
  if (d.text)
    guest_on_stack(disassemble, &d);
  else
    snprintf(out, len, "no memory");
  return out;
}

static const char *const kind_names[] = {
    [GUEST_RETURNED] = "returned",   [GUEST_BOUNDARY] = "stopped at a boundary",
    [GUEST_SYSCALL] = "system call", [GUEST_HVC] = "hypervisor call",
    [GUEST_SMC] = "firmware call",   [GUEST_TRAPPED] = "trapped register read",
    [GUEST_FAULT] = "fault",         [GUEST_BUDGET] = "budget used up",
};

char *guest_describe(struct guest *g, const struct guest_stop *stop, char *out, size_t len) {
  char where[96], insn[96], what[96] = "";
  guest_where(g, stop->pc, where, sizeof(where));
  guest_disassemble(g, stop->pc, insn, sizeof(insn));
  const char *why = stop->unmapped ? "unmapped" : "not permitted";
  switch (stop->fault) {
    case GUEST_FAULT_READ:
    case GUEST_FAULT_WRITE:
      snprintf(what, sizeof(what), "%s of %u bytes at 0x%" PRIx64 ", %s",
               stop->fault == GUEST_FAULT_READ ? "read" : "write", stop->size, stop->addr, why);
      break;
    case GUEST_FAULT_FETCH:
      snprintf(out, len, "execution of 0x%" PRIx64 ", %s", stop->addr, why);
      return out;
    case GUEST_FAULT_INSN:
      snprintf(what, sizeof(what), "exception %u", stop->exception);
      break;
    case GUEST_FAULT_FORBIDDEN:
      snprintf(what, sizeof(what), "forbidden instruction");
      break;
    case GUEST_FAULT_NONE:
      snprintf(what, sizeof(what), "%s", kind_names[stop->kind]);
      break;
  }
  if (stop->kind == GUEST_RETURNED)
    snprintf(out, len, "%s", what);
  else
    snprintf(out, len, "%s, at %s: %s", what, where, insn);
  return out;
}
