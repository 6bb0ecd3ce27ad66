// SPDX-License-Identifier: GPL-2.0-only
//
// Calls, and calls in the middle of calls.
#include <string.h>

#include "models/guest/guest_impl.h"

enum { ARGS_MAX = 8, STACK_ALIGN = 16 };

static void enter(struct guest *g, const struct guest_call *call, u64 top) {
  u64 sp = (top & ~(u64)(STACK_ALIGN - 1)) - g->ops->caller_frame;
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
  enter(g, call, call->sp);
}

static void save(void *arg) {
  struct guest *g = arg;
  uc_context **context = &g->levels[g->counts.level];
  if (!*context) GUEST_CHECK(uc_context_alloc(g->uc, context));
  GUEST_CHECK(uc_context_save(g->uc, *context));
}

void guest_nested_begin(struct guest *g, const struct guest_call *call) {
  SIM_ASSERT(g->counts.level < GUEST_LEVELS);
  guest_on_stack(save, g);
  u64 sp = guest_uc_read(g, g->ops->sp);
  g->counts.level++;
  enter(g, call, sp - g->ops->red_zone);
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
