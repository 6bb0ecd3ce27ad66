// SPDX-License-Identifier: GPL-2.0-only
//
// Calls, and calls in the middle of calls.
#include <string.h>

#include "models/guest/guest_impl.h"

enum { ARGS_MAX = 8, STACK_ALIGN = 16 };

// The stack pointer of a call whose caller's frame ends at `top`.
static u64 stack_below(const struct guest *g, u64 top) {
  u64 sp = (top & ~(u64)(STACK_ALIGN - 1)) - g->ops->caller_frame;
  return g->ops->word_size == 4 ? (u32)sp : sp;
}

static void enter(struct guest *g, const struct guest_call *call, u64 sp) {
  u64 code = call->entry, toc = 0;
  SIM_ASSERT(call->num_args <= ARGS_MAX);
  if (call->descriptor) {
    SIM_ASSERT(g->arch == GUEST_PPC64);
    const u8 *descriptor = guest_host(g, call->entry, 16);
    SIM_ASSERT(descriptor);
    code = guest_load(g, descriptor, 8);
    toc = guest_load(g, descriptor + 8, 8);
  }
  g->ops->enter(g, call, code, toc, sp);
  g->counts.insns[g->counts.level] = 0;
  g->counts.cover_block = 0;
}

void guest_call(struct guest *g, const struct guest_call *call) {
  g->counts.level = 0;
  enter(g, call, stack_below(g, call->sp));
}

static void save(void *arg) {
  struct guest *g = arg;
  uc_context **context = &g->levels[g->counts.level];
  if (!*context) GUEST_CHECK(uc_context_alloc(g->uc, context));
  GUEST_CHECK(uc_context_save(g->uc, *context));
}

static bool is_writable(const struct guest *g, u64 addr) {
  const struct guest_mapping *m = guest_mapping_at(g, addr);
  return m && (m->perms & GUEST_WRITE);
}

bool guest_nested_begin(struct guest *g, const struct guest_call *call) {
  SIM_ASSERT(g->counts.level < GUEST_LEVELS);
  // Where the guest says. It is aligned, so what holds a byte holds a word.
  u64 sp = stack_below(g, guest_uc_read(g, g->ops->sp) - g->ops->red_zone);
  if (!is_writable(g, sp - 1) || (g->ops->caller_frame && !is_writable(g, sp))) return false;
  guest_on_stack(save, g);
  g->counts.level++;
  enter(g, call, sp);
  return true;
}

static void back(void *arg) {
  struct guest *g = arg;
  GUEST_CHECK(uc_context_restore(g->uc, g->levels[g->counts.level]));
}

void guest_nested_end(struct guest *g) {
  SIM_ASSERT(g->counts.level > 0);
  g->counts.level--;
  guest_on_stack(back, g);
}

u32 guest_level(const struct guest *g) { return g->counts.level; }
