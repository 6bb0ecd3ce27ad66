// SPDX-License-Identifier: GPL-2.0-only
//
// Engines: made, shared by the set-ups of a process, cleared, reset.
#include <string.h>

#include "models/guest/guest_impl.h"

static const struct guest_ops *const ops_of[GUEST_ARCHES] = {
    [GUEST_PPC32] = &guest_ops_ppc32,
    [GUEST_PPC64] = &guest_ops_ppc64,
    [GUEST_PPC64LE] = &guest_ops_ppc64le,
    [GUEST_ARM64] = &guest_ops_arm64,
};

const char *guest_arch_name(enum guest_arch arch) { return ops_of[arch]->name; }
u32 guest_word_size(enum guest_arch arch) { return ops_of[arch]->word_size; }
bool guest_big_endian(enum guest_arch arch) { return ops_of[arch]->big_endian; }
u32 guest_red_zone(enum guest_arch arch) { return ops_of[arch]->red_zone; }
u32 guest_caller_frame(enum guest_arch arch) { return ops_of[arch]->caller_frame; }
enum guest_arch guest_arch(const struct guest *g) { return g->arch; }

static void make(void *arg) {
  struct guest *g = arg;
  const struct guest_ops *ops = g->ops;
  GUEST_CHECK(uc_open(ops->arch, ops->mode, &g->uc));
  g->own = guest_host_alloc(GUEST_OWN_LEN);
  ops->prepare(g);
  GUEST_CHECK(
      uc_mem_map_ptr(g->uc, GUEST_OWN_BEGIN, 2 * GUEST_PAGE, UC_PROT_READ | UC_PROT_EXEC, g->own));
  GUEST_CHECK(uc_mem_map_ptr(g->uc, GUEST_SCRATCH, 2 * GUEST_PAGE, UC_PROT_READ | UC_PROT_WRITE,
                             g->own + 2 * GUEST_PAGE));
  // Before anything runs: code that has been translated does not see a hook added later.
  guest_hook_engine(g);
  struct guest_regs zero;
  guest_regs_get(g, &zero);
  u64 msr = zero.msr;
  memset(&zero, 0, sizeof(zero));
  zero.msr = msr;
  guest_regs_set(g, &zero);
  GUEST_CHECK(uc_context_alloc(g->uc, &g->pristine));
  GUEST_CHECK(uc_context_save(g->uc, g->pristine));
}

struct guest *guest_new(enum guest_arch arch, u32 options) {
  SIM_ASSERT((u32)arch < GUEST_ARCHES && options <= GUEST_UNCOUNTED);
  struct guest *g = guest_host_alloc(sizeof(*g));
  g->arch = arch;
  g->options = options;
  g->ops = ops_of[arch];
  g->budget = GUEST_BUDGET_DEFAULT;
  guest_on_stack(make, g);
  return g;
}

static void clear(void *arg) {
  struct guest *g = arg;
  guest_unmap_all(g);
  while (g->snapshots) guest_snapshot_free(g, g->snapshots);
}

void guest_clear(struct guest *g) {
  guest_on_stack(clear, g);
  for (u32 i = 0; i < g->num_blocks; i++) guest_host_free(g->block[i].host, g->block[i].len);
  g->num_blocks = g->num_kept = 0;
  g->kept_len = 0;
  g->sysreg = NULL;
  g->is_process = false;
  g->log = NULL;
  g->log_max = 0;
  memset(&g->cover, 0, sizeof(g->cover));
  g->symbols = NULL;
  g->num_symbols = 0;
  g->budget = GUEST_BUDGET_DEFAULT;
  guest_reset(g);
}

static void end(void *arg) {
  struct guest *g = arg;
  for (u32 i = 0; i < GUEST_LEVELS; i++)
    if (g->levels[i]) GUEST_CHECK(uc_context_free(g->levels[i]));
  GUEST_CHECK(uc_context_free(g->pristine));
  GUEST_CHECK(uc_close(g->uc));
  if (g->disassembler) cs_close(&g->disassembler);
}

void guest_free(struct guest *g) {
  if (!g) return;
  guest_clear(g);
  guest_on_stack(end, g);
  guest_host_free(g->own, GUEST_OWN_LEN);
  guest_host_free(g, sizeof(*g));
}

static void reset(void *arg) {
  struct guest *g = arg;
  GUEST_CHECK(uc_context_restore(g->uc, g->pristine));
}

void guest_reset(struct guest *g) {
  guest_on_stack(reset, g);
  memset(&g->counts, 0, sizeof(g->counts));
  g->log_count = 0;
}

// Of the process, as the header says: an engine costs more to make than a thousand runs.
static struct guest *shared[GUEST_BANKS][GUEST_ARCHES][4][GUEST_SHARED_MAX];
static u32 shared_bank;

static struct guest_cover shared_cover;
static bool shared_covered;

void guest_shared_bank(u32 bank) {
  SIM_ASSERT(bank < GUEST_BANKS);
  shared_bank = bank;
}

void guest_cover_shared(const struct guest_cover *cover) {
  shared_cover = *cover;
  shared_covered = true;
}

struct guest *guest_shared(enum guest_arch arch, u32 options, u32 index) {
  SIM_ASSERT((u32)arch < GUEST_ARCHES && options < 4 && index < GUEST_SHARED_MAX);
  if (shared_covered) options |= GUEST_COVER;
  struct guest **slot = &shared[shared_bank][arch][options][index];
  if (*slot)
    guest_clear(*slot);
  else
    *slot = guest_new(arch, options);
  if (shared_covered) guest_set_cover(*slot, &shared_cover);
  return *slot;
}
