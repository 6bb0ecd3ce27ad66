// SPDX-License-Identifier: GPL-2.0-only
//
// Registers by our names.
#include <string.h>

#include "models/guest/guest_impl.h"

struct access {
  struct guest *g;
  struct guest_regs *out;
  const struct guest_regs *in;
};

static void get(void *arg) {
  struct access *a = arg;
  a->g->ops->regs_get(a->g, a->out);
}
void guest_regs_get(struct guest *g, struct guest_regs *out_regs) {
  guest_on_stack(get, &(struct access){.g = g, .out = out_regs});
}

static void set(void *arg) {
  struct access *a = arg;
  a->g->ops->regs_set(a->g, a->in);
}
void guest_regs_set(struct guest *g, const struct guest_regs *regs) {
  guest_on_stack(set, &(struct access){.g = g, .in = regs});
}

// XER, which only the guest itself reads whole.
u64 guest_get(struct guest *g, enum guest_reg reg) {
  int number = g->ops->number(reg);
  if (number) {
    u64 value = guest_uc_read(g, number);
    return g->ops->word_size == 4 && (reg < GUEST_F0) ? (u32)value : value;
  }
  SIM_ASSERT(reg == GUEST_XER && g->ops->arch == UC_ARCH_PPC);
  struct guest_regs regs;
  guest_regs_get(g, &regs);
  return regs.xer;
}

void guest_get_generals(struct guest *g, u64 out_gpr[32]) {
  int number[32];
  void *value[32];
  for (u32 n = 0; n < 32; n++) {
    number[n] = n == 31 && g->ops->arch == UC_ARCH_ARM64 ? g->ops->sp : g->ops->number(GUEST_R(n));
    value[n] = &out_gpr[n];
    out_gpr[n] = 0;
  }
  GUEST_CHECK(uc_reg_read_batch(g->uc, number, value, 32));
  for (u32 n = 0; n < 32 && g->ops->word_size == 4; n++) out_gpr[n] = (u32)out_gpr[n];
}

void guest_set(struct guest *g, enum guest_reg reg, u64 value) {
  int number = g->ops->number(reg);
  if (number) {
    guest_uc_write(g, number, value);
    return;
  }
  SIM_ASSERT(reg == GUEST_XER && g->ops->arch == UC_ARCH_PPC);
  struct guest_regs regs;
  guest_regs_get(g, &regs);
  regs.xer = value;
  guest_regs_set(g, &regs);
}
