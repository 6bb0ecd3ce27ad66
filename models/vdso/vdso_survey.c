// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_survey.h. Sections: calls, costs, registers.
#include "models/vdso/vdso_survey.h"

#include <stdio.h>
#include <string.h>

#include "models/vdso/vdso_ledger.h"

u64 vdso_costs_batch(const struct vdso_costs *costs) {
  return costs->refill + (VDSO_BATCH_CALLS - 1) * costs->hit;
}

// ---- Calls ----

static void begin(struct vdso_machine *m, u64 salt) {
  vdso_machine_begin(m);
  memset(m->fast.state[0], 0, VDSO_STATE_LEN);
  m->salt = salt;
}

static void answer(struct vdso_machine *m) {
  struct guest *g = m->fast.g;
  u64 buf = vdso_arg(g, 0), len = vdso_arg(g, 1);
  s64 result = len <= VDSO_MAIN_LEN && vdso_writable(m, buf, len) ? (s64)len : -SIM_EFAULT;

  if (result > 0) vdso_give(m, guest_host(g, buf, len), (u32)len);
  vdso_syscall_return(g, result);
}

// Instructions of a quiet call, or 0: it did not return.
static u64 quiet_call(struct vdso_machine *m, u64 len, u64 opaque_len) {
  const u64 args[5] = {vdso_main_addr(), len, 0, vdso_state_addr(0), opaque_len};
  struct guest *g = m->fast.g;
  struct guest_stop stop;

  vdso_call_begin(g, m, 0, args);
  while (guest_run(g, GUEST_NO_LIMIT, &stop) == GUEST_SYSCALL) answer(m);
  return stop.kind == GUEST_RETURNED ? stop.insns : 0;
}

// ---- Costs ----

static bool cost(struct vdso_machine *m, struct vdso_costs *out) {
  u64 long_call;

  begin(m, 0);
  out->first = quiet_call(m, 4, VDSO_STATE_LEN);
  out->hit = quiet_call(m, 4, VDSO_STATE_LEN);
  for (u32 i = 2; i < VDSO_BATCH_CALLS; i++)
    if (!quiet_call(m, 4, VDSO_STATE_LEN)) return false;
  out->refill = quiet_call(m, 4, VDSO_STATE_LEN);
  out->fallback = quiet_call(m, 4, 0);
  begin(m, 0);
  long_call = quiet_call(m, 1024, VDSO_STATE_LEN);
  begin(m, 0);
  out->block = quiet_call(m, 1024 + 64, VDSO_STATE_LEN) - long_call;
  begin(m, 0);
  if (!quiet_call(m, 32, VDSO_STATE_LEN)) return false;
  out->hit_32 = quiet_call(m, 32, VDSO_STATE_LEN);
  for (u32 i = 2; i < VDSO_BATCH_CALLS_32; i++)
    if (!quiet_call(m, 32, VDSO_STATE_LEN)) return false;
  out->refill_32 = quiet_call(m, 32, VDSO_STATE_LEN);
  return out->first && out->hit && out->refill && out->fallback && long_call && out->hit_32 &&
         out->refill_32;
}

// ---- Registers ----

// What differed before an instruction; `seen`: it was executed.
struct mask {
  u32 gpr, fpr, vr;
  u8 cr;
  bool seen;
};

// One pass over all kinds of calls.
struct pass {
  u8 first[32];  // what the first call returned
  struct mask mask[VDSO_SURVEY_WORDS_MAX];
  u64 boundaries, addresses, outcome;
  bool restored;
  char where[64];
};

// The stack pointer is looked at on its own.
static void note_difference(const struct vdso_abi *abi, struct mask *mask,
                            const struct guest_regs *a, const struct guest_regs *b) {
  for (u32 n = 0; n < 32; n++) {
    if (abi->kept >> n & 1 && n != abi->sp_at && a->gpr[n] != b->gpr[n]) mask->gpr |= 1u << n;
    if (abi->fpr_kept >> n & 1 && a->vec[n][abi->fpr_half] != b->vec[n][abi->fpr_half])
      mask->fpr |= 1u << n;
    if (abi->vr_kept >> n & 1 &&
        memcmp(a->vec[abi->vr_at + n], b->vec[abi->vr_at + n], sizeof(a->vec[0])))
      mask->vr |= 1u << n;
  }
  for (u32 n = 0; n < 8; n++)
    if (((a->cr ^ b->cr) & abi->cr_kept) >> (28 - 4 * n) & 15) mask->cr |= (u8)(1 << n);
}

static bool is_empty(const struct mask *mask) {
  return !mask->gpr && !mask->cr && !mask->fpr && !mask->vr;
}

static void name_first(const struct vdso_abi *abi, const struct mask *mask, char *out, size_t len) {
  if (mask->gpr)
    snprintf(out, len, "%c%d", abi->gpr, __builtin_ctz(mask->gpr));
  else if (mask->cr)
    snprintf(out, len, "CR%d", __builtin_ctz(mask->cr));
  else if (mask->fpr)
    snprintf(out, len, "%c%d", abi->fpr, __builtin_ctz(mask->fpr));
  else
    snprintf(out, len, "v%d", mask->vr ? __builtin_ctz(mask->vr) : 0);
}

// What a signal's frame would overwrite.
static void spoil(struct vdso_machine *m) {
  struct guest *g = m->fast.g;
  u64 low = vdso_stack_addr(0), zone = guest_red_zone(m->setting.arch), sp = guest_get(g, GUEST_SP);

  if (sp < low + zone || sp > low + VDSO_STACK_LEN) return;
  memset(m->fast.stack[0], 0xd5, sp - zone - low);
}

static u64 fold(u64 hash, const void *bytes, size_t len) {
  const u8 *byte = bytes;

  for (size_t i = 0; i < len; i++) hash = (hash ^ byte[i]) * 0x100000001b3ull;
  return sim_mix64(hash);
}

static bool step_through(struct vdso_machine *m, struct pass *pass, bool spoiled,
                         const u64 args[5]) {
  static struct guest_regs entry, now;
  struct guest *g = m->fast.g;
  struct guest_stop stop = {.kind = GUEST_BOUNDARY};
  struct mask left = {0};

  vdso_call_begin(g, m, 0, args);
  guest_regs_get(g, &entry);
  now = entry;
  do {
    u64 word = (now.pc - m->image_addr) / 4;

    if (now.pc >= m->image_addr && word < VDSO_SURVEY_WORDS_MAX) {
      pass->addresses += !pass->mask[word].seen;
      pass->mask[word].seen = true;
      note_difference(m->abi, &pass->mask[word], &now, &entry);
    }
    pass->boundaries++;
    if (spoiled) spoil(m);
    while (guest_run(g, guest_insns(g) + (stop.kind != GUEST_SYSCALL), &stop) == GUEST_SYSCALL)
      answer(m);
    guest_regs_get(g, &now);
  } while (stop.kind == GUEST_BOUNDARY);
  if (stop.kind != GUEST_RETURNED) return false;
  note_difference(m->abi, &left, &now, &entry);
  if (!is_empty(&left) || now.gpr[m->abi->sp_at] != entry.gpr[m->abi->sp_at]) {
    if (pass->restored && is_empty(&left))
      snprintf(pass->where, sizeof(pass->where), "%s", m->abi->sp);
    if (pass->restored && !is_empty(&left))
      name_first(m->abi, &left, pass->where, sizeof(pass->where));
    pass->restored = false;
  }
  pass->outcome =
      sim_mix64(pass->outcome ^ now.gpr[m->abi->arg] ^ (m->abi->so ? now.cr & GUEST_CR0_SO : 0));
  pass->outcome = fold(pass->outcome, m->fast.state[0], VDSO_STATE_LEN);
  pass->outcome = fold(pass->outcome, m->fast.buffers, GUEST_PAGE + VDSO_MAIN_LEN);
  return true;
}

// Every kind of call, one after the other on one state.
static bool survey(struct vdso_machine *m, struct pass *pass, u64 salt, bool spoiled) {
  const u64 state = vdso_state_addr(0), buf = vdso_main_addr(), size = VDSO_STATE_LEN;
  const u64 all = guest_word_size(m->setting.arch) == 4 ? 0xffffffff : ~0ull;
  const u64 calls[][5] = {
      {buf, 32, 0, state, size},                          // from an empty state
      {buf, 4, 0, state, size},                           // from the batch
      {buf, 61, 0, state, size},                          // with a refill
      {buf, 200, 0, state, size},                         // whole blocks
      {buf, 0, 0, state, size},                           // no bytes
      {buf, 16, 0, state, 0},                             // another length of the state
      {buf, 16, 0x80, state, size},                       // flags that are not known
      {buf, 16, 0, state + GUEST_PAGE - size + 8, size},  // over a page's end
      {0, 0, 0, vdso_misc_addr(), all},                   // a query
  };

  memset(pass, 0, sizeof(*pass));
  pass->restored = true;
  begin(m, salt);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(calls); i++) {
    if (!step_through(m, pass, spoiled, calls[i])) return false;
    if (i == 0) vdso_peek(&m->fast, buf, pass->first, sizeof(pass->first));
    // The kernel reseeds: the next call begins with a key.
    if (i == 2) vdso_bump(m);
  }
  return true;
}

static bool same_list(const struct pass *a, const struct pass *b, char *where, size_t len,
                      const char *what) {
  for (u32 i = 0; i < VDSO_SURVEY_WORDS_MAX; i++) {
    const struct mask *x = &a->mask[i], *y = &b->mask[i];

    if (x->seen == y->seen && x->gpr == y->gpr && x->cr == y->cr && x->fpr == y->fpr &&
        x->vr == y->vr)
      continue;
    if (!where[0]) snprintf(where, len, "%s: at 0x%x", what, i * 4);
    return false;
  }
  return true;
}

static bool list(const struct pass *pass, struct vdso_survey *out) {
  const struct mask *before = NULL;

  for (u32 i = 0; i < VDSO_SURVEY_WORDS_MAX; i++) {
    const struct mask *mask = &pass->mask[i];
    struct vdso_survey_line *line;

    if (!mask->seen || is_empty(mask)) {
      before = NULL;
      continue;
    }
    if (before && before->gpr == mask->gpr && before->cr == mask->cr && before->fpr == mask->fpr &&
        before->vr == mask->vr) {
      out->line[out->num_lines - 1].to = 4 * (u64)i;
      continue;
    }
    if (out->num_lines == VDSO_SURVEY_LINES_MAX) return false;
    line = &out->line[out->num_lines++];
    *line =
        (struct vdso_survey_line){4 * (u64)i, 4 * (u64)i, mask->gpr, mask->cr, mask->fpr, mask->vr};
    before = mask;
  }
  return true;
}

// Whether what the first call returned is the stream of the key that it was given, as words of
// the machine or as bytes.
static bool is_stream(const struct vdso_machine *m, const u8 first[32], bool words) {
  static struct ledger ledger;
  u8 raw[32], stream[32];

  ledger_begin(&ledger, words && guest_big_endian(m->setting.arch));
  vdso_given(m, 0, raw, sizeof(raw));
  ledger_stream(&ledger, ledger_deliver(&ledger, raw, 0, 0), 0, stream, sizeof(stream));
  return !memcmp(first, stream, sizeof(stream));
}

bool vdso_survey(struct vdso_machine *m, struct vdso_survey *out, char *err, size_t len) {
  struct pass *pass;

  memset(out, 0, sizeof(*out));
  if (m->image_len > 4 * VDSO_SURVEY_WORDS_MAX) {
    snprintf(err, len, "an image of %llu bytes is too long to survey",
             (unsigned long long)m->image_len);
    return false;
  }
  // The engine's memory: three passes do not lie on a stack.
  pass = guest_pages(m->fast.g, (3 * sizeof(*pass) + GUEST_PAGE - 1) / GUEST_PAGE * GUEST_PAGE);
  if (!cost(m, &out->costs) || !survey(m, &pass[0], 0, false) || !survey(m, &pass[1], 1, false) ||
      !survey(m, &pass[2], 0, true)) {
    snprintf(err, len, "a quiet call does not return: explore vdso-getrandom tells why");
    return false;
  }
  out->key_words = is_stream(m, pass[0].first, true);
  out->key_bytes = is_stream(m, pass[0].first, false);
  out->boundaries = pass[0].boundaries;
  out->addresses = pass[0].addresses;
  out->restored = pass[0].restored && pass[1].restored;
  if (!out->restored)
    snprintf(out->where, sizeof(out->where), "restored: %.32s",
             pass[0].restored ? pass[1].where : pass[0].where);
  out->stable = same_list(&pass[0], &pass[1], out->where, sizeof(out->where), "stable");
  out->zone_kept =
      same_list(&pass[0], &pass[2], out->where, sizeof(out->where), "below the red zone");
  if (pass[0].outcome != pass[2].outcome) {
    out->zone_kept = false;
    if (!out->where[0])
      snprintf(out->where, sizeof(out->where), "below the red zone: another result");
  }
  if (!list(&pass[0], out)) {
    snprintf(err, len, "the list of registers is too long");
    return false;
  }
  return true;
}
