// SPDX-License-Identifier: GPL-2.0-or-later
//
// vdso-chacha: the block function of a vDSO alone, with every length, counter and placement,
// and signals whose handlers call it again.
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "models/vdso/vdso_machine.h"
#include "models/vdso/vdso_oracles.h"
#include "models/vdso/vdso_profile.h"
#include "models/vdso/vdso_scenarios.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/task.h"
#include "sim/trace.h"
#include "sim/world.h"

#define WORK(label, num, den) SIM_SITE_DRAW(label, SIM_SITE_WORK, num, den)
#define FAULT(label, num, den) SIM_SITE_DRAW(label, SIM_SITE_FAULT, num, den)

enum { BLOCK = 64, BLOCKS_MAX = 80, LEVELS = 3, OUT_MAX = BLOCK * BLOCKS_MAX };

struct call {
  u64 dst, key_at, counter_at, blocks, counter;
  u8 key[32];  // as it lies in memory
  u64 gpr[32], cr, sp;
  struct guest_regs regs;  // where vectors are looked at
  u64 event_at;
  u32 events_left;
};

struct state {
  struct vdso_machine *m;
  struct call call[LEVELS];
  u32 level, num_calls, total;
  bool vectors;  // floating-point and vector registers are looked at in this run
  u64 insns, digest;
  char variant[48];
};

extern const struct sim_scenario scenario_vdso_chacha;

// ---- Calls ----

static void draw_call(struct state *state, struct call *call, u32 level) {
  static const u8 blocks[] = {1, 2, 3, 4, 5, 7, 8, 16, 63, 64, 65, 80};
  static const u64 counters[] = {0,
                                 1,
                                 0xfffffffe,
                                 0xffffffff,
                                 0x100000000,
                                 0xfffffffffffffffe,
                                 0xffffffffffffffff,
                                 0x7fffffffffffffff,
                                 0x12345678fffffffd,
                                 0xffffffff00000000};
  struct vdso_machine *m = state->m;
  struct guest *g = m->fast.g;
  bool inner = level > 0, in_place = sim_choose(sim_w, WORK("chacha-in-place", 1, 4), 2);
  u8 *host;

  call->blocks =
      inner ? 1 + sim_choose(sim_w, WORK("chacha-inner-blocks", 0, 0), 4)
            : blocks[sim_choose(sim_w, WORK("chacha-blocks", 3, 4), SIM_ARRAY_SIZE(blocks))];
  if (in_place) call->blocks = 2;
  call->counter =
      counters[sim_choose(sim_w, WORK("chacha-counter", 3, 4), SIM_ARRAY_SIZE(counters))];
  call->dst = inner ? vdso_nested_addr(level) + 64 : vdso_main_addr();
  switch (sim_choose(sim_w, WORK("chacha-dst", 1, 2), 4)) {
    case 1:
      call->dst += 1 + sim_choose(sim_w, WORK("chacha-dst-at", 0, 0), 15);
      break;
    case 2:
      if (!inner) call->dst = vdso_readonly_addr() - call->blocks * BLOCK;
      break;
    case 3:
      if (!inner)
        call->dst += GUEST_PAGE - 4 * sim_choose(sim_w, WORK("chacha-dst-over", 0, 0), 16);
      break;
    default:
      break;
  }
  if (call->dst + call->blocks * BLOCK > vdso_readonly_addr())
    call->dst = vdso_readonly_addr() - call->blocks * BLOCK;
  call->key_at = vdso_misc_addr() + 1024 * (level + 1);
  call->counter_at = call->key_at + 256;
  // As getrandom makes a batch: the key is the end of what is written.
  if (in_place) call->key_at = call->dst + 96;
  vdso_give(m, call->key, 32);
  memcpy(guest_host(g, call->key_at, 32), call->key, 32);
  host = guest_host(g, call->counter_at, 8);
  guest_store(g, host, 4, (u32)call->counter);
  guest_store(g, host + 4, 4, call->counter >> 32);
}

static void open_call(struct state *state, struct call *call, u32 events) {
  struct guest *g = state->m->fast.g;

  guest_get_generals(g, call->gpr);
  call->cr = guest_get(g, GUEST_CR);
  call->sp = call->gpr[state->m->abi->sp_at];
  if (state->vectors) guest_regs_get(g, &call->regs);
  call->events_left = events;
  call->event_at = GUEST_NO_LIMIT;
  if (events && sim_choose(sim_w, FAULT("chacha-signal", 1, 2), 2))
    call->event_at = sim_choose(sim_w, WORK("chacha-distance", 0, 0),
                                1200 * (u32)(call->blocks < 3 ? call->blocks : 3));
}

static void begin_call(struct state *state) {
  struct vdso_machine *m = state->m;
  struct guest *g = m->fast.g;
  struct call *call = &state->call[state->level];
  struct guest_call guest = {
      .entry = m->chacha, .sp = vdso_stack_addr(0) + VDSO_STACK_LEN - 256, .num_args = 4};
  u64 sp = guest_get(g, GUEST_SP), zone = guest_red_zone(m->setting.arch);

  draw_call(state, call, state->level);
  guest.args[0] = call->dst;
  guest.args[1] = call->key_at;
  guest.args[2] = call->counter_at;
  guest.args[3] = call->blocks;
  if (!state->level) {
    guest_call(g, &guest);
  } else {
    memset(guest_host(g, sp - zone - 512, 512), 0xd5, 512);
    guest_nested_begin(g, &guest);
  }
  open_call(state, call, state->level + 1 < LEVELS);
  state->level++;
  state->total++;
}

// ---- Oracles ----

static void judge_output(struct state *state, struct call *call) {
  static const u8 nonce[crypto_stream_chacha20_NONCEBYTES];
  static const u8 zeros[OUT_MAX];
  struct vdso_machine *m = state->m;
  struct guest *g = m->fast.g;
  bool swap = guest_big_endian(m->setting.arch) && !m->setting.key_bytes;
  const u8 *out = guest_host(g, call->dst, call->blocks * BLOCK), *at;
  u8 key[32], want[BLOCK];
  u64 counter;

  for (u32 i = 0; i < 32; i++) key[i] = call->key[swap ? i ^ 3 : i];
  for (u64 block = 0; block < call->blocks; block++) {
    crypto_stream_chacha20_xor_ic(want, zeros, BLOCK, nonce, call->counter + block, key);
    if (memcmp(want, out + block * BLOCK, BLOCK))
      sim_fail(&vdso_oracle_chacha, "output",
               "block %llu of %llu, counter 0x%llx, is not ChaCha20's", (unsigned long long)block,
               (unsigned long long)call->blocks, (unsigned long long)call->counter);
  }
  at = guest_host(g, call->counter_at, 8);
  counter = guest_load(g, at, 4) | guest_load(g, at + 4, 4) << 32;
  if (counter != call->counter + call->blocks)
    sim_fail(&vdso_oracle_chacha, "counter", "the counter is 0x%llx after %llu blocks from 0x%llx",
             (unsigned long long)counter, (unsigned long long)call->blocks,
             (unsigned long long)call->counter);
  if (call->key_at != call->dst + 96 && memcmp(guest_host(g, call->key_at, 32), call->key, 32))
    sim_fail(&vdso_oracle_outside, "key", "the key was written");
}

static bool is_key_word(struct state *state, const struct call *call, u32 value) {
  for (u32 i = 0; i < 32; i += 4)
    if (value == (u32)guest_load(state->m->fast.g, call->key + i, 4)) return true;
  return false;
}

static void judge_registers(struct state *state, struct call *call) {
  const struct vdso_abi *abi = state->m->abi;
  struct guest *g = state->m->fast.g;
  u64 gpr[32];
  char stable[8];

  guest_get_generals(g, gpr);
  for (u32 n = 0; n < 32; n++) {
    u64 value = gpr[n];
    bool kept = abi->kept >> n & 1;

    vdso_gpr_name(abi, n, stable);
    if (kept && value != call->gpr[n])
      sim_fail(&vdso_oracle_registers, stable, "%s is 0x%llx, and was 0x%llx", stable,
               (unsigned long long)value, (unsigned long long)call->gpr[n]);
    if (kept || !value) continue;
    if (is_key_word(state, call, (u32)value) || is_key_word(state, call, value >> 32))
      sim_fail(&vdso_oracle_residue, stable, "%s holds 0x%llx, with a word of the key", stable,
               (unsigned long long)value);
  }
  if ((guest_get(g, GUEST_CR) ^ call->cr) & abi->cr_kept)
    sim_fail(&vdso_oracle_registers, "cr", "CR2 to CR4 are 0x%llx, and were 0x%llx",
             (unsigned long long)guest_get(g, GUEST_CR), (unsigned long long)call->cr);
  if (state->m->setting.arch == GUEST_ARM64 &&
      guest_get(g, GUEST_TPIDR) != state->m->start_regs.tpidr)
    sim_fail(&vdso_oracle_registers, "tpidr", "TPIDR_EL0 is 0x%llx, and was 0x%llx",
             (unsigned long long)guest_get(g, GUEST_TPIDR),
             (unsigned long long)state->m->start_regs.tpidr);
}

// Two words of the key side by side are no chance.
static bool holds_key(struct state *state, const struct call *call, const u64 v[2]) {
  const u32 words[4] = {(u32)v[1], (u32)(v[1] >> 32), (u32)v[0], (u32)(v[0] >> 32)};

  for (u32 i = 0; i < 3; i++)
    if (words[i] && is_key_word(state, call, words[i]) && is_key_word(state, call, words[i + 1]))
      return true;
  return false;
}

static void judge_vectors(struct state *state, struct call *call) {
  const struct vdso_abi *abi = state->m->abi;
  const struct guest_regs *was = &call->regs;
  struct guest_regs now;
  char stable[8];

  if (!state->vectors) return;
  guest_regs_get(state->m->fast.g, &now);
  if (now.fpcr != was->fpcr)
    sim_fail(&vdso_oracle_registers, "fpcr", "FPCR is 0x%llx, and was 0x%llx",
             (unsigned long long)now.fpcr, (unsigned long long)was->fpcr);
  for (u32 n = 0; n < 32; n++) {
    bool fpr = abi->fpr_kept >> n & 1 && now.vec[n][abi->fpr_half] != was->vec[n][abi->fpr_half];
    bool vr = abi->vr_kept >> n & 1 &&
              memcmp(now.vec[abi->vr_at + n], was->vec[abi->vr_at + n], sizeof(now.vec[0])) != 0;

    snprintf(stable, sizeof(stable), "%c%u", fpr ? abi->fpr : 'v', n);
    if (fpr || vr) sim_fail(&vdso_oracle_registers, stable, "%s is not as before", stable);
  }
  for (u32 n = 0; n < abi->vr_len; n++) {
    // What a handler's call found there is the interrupted one's.
    if (!memcmp(now.vec[n], was->vec[n], sizeof(now.vec[n])) || !holds_key(state, call, now.vec[n]))
      continue;
    snprintf(stable, sizeof(stable), abi->vr_len == 64 ? "vs%u" : "v%u", n);
    sim_fail(&vdso_oracle_residue, stable, "%s holds words of the key", stable);
  }
}

static bool all(const u8 *from, size_t len, u8 byte) {
  return !len || (from[0] == byte && !memcmp(from, from + 1, len - 1));
}

// Saved registers and pointers may lie in the red zone, or on 32 bit in a frame.
static void judge_stack(struct state *state, struct call *call) {
  struct guest *g = state->m->fast.g;
  u32 may = guest_red_zone(state->m->setting.arch) ? guest_red_zone(state->m->setting.arch) : 160;
  u8 *stack = guest_host(g, call->sp - may, may);

  if (state->level == 1 &&
      !all(state->m->fast.stack[0], VDSO_STACK_LEN - 256 - 2560, VDSO_FILL_STACK))
    sim_fail(&vdso_oracle_stack, "far", "far below %s was written", state->m->abi->sp);
  for (u32 at = 0; at + 4 <= may; at += 4)
    for (u32 i = 0; i < 32; i += 4)
      if (!memcmp(stack + at, call->key + i, 4))
        sim_fail(&vdso_oracle_stack, "key", "%u bytes below %s lies word %u of the key", may - at,
                 state->m->abi->sp, i / 4);
}

static void judge_outside(struct state *state, struct call *call) {
  struct vdso_memory *memory = &state->m->fast;
  u8 *main = memory->buffers + GUEST_PAGE, *end = main + VDSO_MAIN_LEN;
  u8 *dst = main + (call->dst - vdso_main_addr());
  size_t len = call->blocks * BLOCK;

  if (!all(main, (size_t)(dst - main), VDSO_FILL_BUFFER) ||
      !all(dst + len, (size_t)(end - dst - len), VDSO_FILL_BUFFER))
    sim_fail(&vdso_oracle_outside, "buffer", "beside the blocks was written");
  if (!all(memory->stack[0] + VDSO_STACK_LEN - 256, 256, VDSO_FILL_STACK))
    sim_fail(&vdso_oracle_outside, "stack", "above the stack was written");
  for (u32 t = 0; t < VDSO_THREADS; t++)
    if (!all(memory->state[t], VDSO_STATE_PAGES * GUEST_PAGE, VDSO_FILL_STATE))
      sim_fail(&vdso_oracle_outside, "state", "a state was written");
  memset(dst, VDSO_FILL_BUFFER, len);
}

static void judge(struct state *state) {
  struct call *call = &state->call[state->level - 1];

  judge_output(state, call);
  judge_registers(state, call);
  judge_vectors(state, call);
  judge_stack(state, call);
  if (state->level == 1) judge_outside(state, call);
  state->digest = sim_mix64(state->digest ^ call->counter ^ (call->dst << 20));
}

// ---- Two runs ----

static void look_twice(struct state *state) {
  struct vdso_machine *m = state->m;
  struct guest *g = m->logged.g;
  u32 blocks = 1 + sim_choose(sim_w, WORK("chacha-twice-blocks", 0, 0), 5);
  struct vdso_twice twice;
  struct guest_regs regs[2];
  u64 path[2];
  u8 stack[2][512];

  for (u32 run = 0; run < 2; run++) {
    struct guest_call guest = {
        .entry = m->chacha,
        .sp = vdso_stack_addr(0) + VDSO_STACK_LEN - 256,
        .num_args = 4,
        .args = {vdso_main_addr(), vdso_misc_addr(), vdso_misc_addr() + 256, blocks}};
    struct guest_stop stop;

    guest_restore(g, m->log_start);
    guest_set_log(g, NULL, 0);
    memset(guest_host(g, vdso_misc_addr() + 256, 8), 0, 8);
    vdso_give(m, guest_host(g, vdso_misc_addr(), 32), 32);
    guest_call(g, &guest);
    if (guest_run(g, 100000, &stop) != GUEST_RETURNED) return;
    guest_regs_get(g, &regs[run]);
    path[run] = guest_path_hash(g);
    memcpy(stack[run], guest_host(g, m->caller_sp - sizeof(stack[run]), sizeof(stack[run])),
           sizeof(stack[run]));
  }
  twice = (struct vdso_twice){.path = path[0] == path[1], .registers = true, .stack = true};
  vdso_name_differences(m, &regs[0], &regs[1], NULL, NULL, &twice);
  twice.stack = !memcmp(stack[0], stack[1], sizeof(stack[0]));
  if (!twice.stack && twice.num_where < VDSO_TWICE_WHERE)
    snprintf(twice.where[twice.num_where++], sizeof(twice.where[0]), "stack");
  vdso_report_twice(&twice);
}

// ---- Runs ----

static void run_calls(struct state *state) {
  struct guest *g = state->m->fast.g;

  begin_call(state);
  while (state->level) {
    struct call *call = &state->call[state->level - 1];
    struct guest_stop stop;
    enum guest_stop_kind kind = guest_run(g, call->event_at, &stop);

    if (kind == GUEST_BOUNDARY) {
      state->digest = sim_mix64(state->digest ^ stop.insns);
      call->event_at = GUEST_NO_LIMIT;
      SIM_SOMETIMES("vdso-chacha", "a handler interrupts the block function", 2000, true);
      begin_call(state);
    } else if (kind == GUEST_RETURNED) {
      state->insns += stop.insns;
      judge(state);
      state->level--;
      if (state->level) {
        u64 nested = call->sp;

        guest_nested_end(g);
        // The handler's own saves hold the other call's registers.
        memset(guest_host(g, nested - 512, 512), 0xd5, 512);
        memset(guest_host(g, call->dst, call->blocks * BLOCK), VDSO_FILL_BUFFER,
               call->blocks * BLOCK);
      }
    } else if (kind == GUEST_SYSCALL) {
      sim_fail(&vdso_oracle_syscall, "block function", "the block function makes a system call");
    } else {
      char text[160], where[64];

      guest_describe(g, &stop, text, sizeof(text));
      guest_where(g, stop.pc, where, sizeof(where));
      sim_fail(&vdso_oracle_crash, where, "%s", text);
    }
  }
}

static void caller(void *arg) {
  struct state *state = arg;
  u32 calls;

  vdso_machine_begin(state->m);
  state->level = state->total = 0;
  state->insns = state->digest = 0;
  // On PowerPC they are compared by look_twice alone: reading them takes as long as a block.
  state->vectors =
      state->m->setting.arch == GUEST_ARM64 && sim_choose(sim_w, WORK("chacha-vectors", 1, 4), 2);
  calls = 1 + sim_choose(sim_w, WORK("chacha-calls", 1, 2), 3);
  for (state->num_calls = 0; state->num_calls < calls; state->num_calls++) run_calls(state);
  SIM_SOMETIMES(
      "vdso-chacha", "the counter carries", 2000,
      state->call[0].counter >> 32 != (state->call[0].counter + state->call[0].blocks) >> 32);
  sim_trace_model("chacha", state->digest, state->total);
  // 400 ps an instruction: 2.5 GHz and one a cycle.
  sim_elapse(state->insns * 2 / 5);
  if (sim_param("twice") && sim_choose(sim_w, FAULT("chacha-twice", 1, 256), 2)) look_twice(state);
}

static void setup(void) {
  struct state *state = sim_alloc_static(sizeof(*state), "vdso-chacha");
  struct vdso_setting setting;
  char err[200], where[64];

  sim_set_private(state);
  vdso_setting_from_params(&setting, state->variant, sizeof(state->variant),
                           scenario_vdso_chacha.bugs);
  state->m = vdso_machine_try(&setting, where, err, sizeof(err));
  if (!state->m) sim_fail(&vdso_oracle_crash, where, "%s", err);
  if (!state->m->chacha)
    sim_fail(
        &vdso_oracle_crash, "no symbol",
        "no symbol tells where the image's __arch_chacha20_blocks_nostack is, and a first call "
        "of its __kernel_getrandom goes nowhere with the arguments of it");
  sim_task_new("caller", caller, state, 0);
}

static const struct sim_param params[] = {
    VDSO_PARAM_ARCH,
    VDSO_PARAM_KEY_ORDER,
    VDSO_PARAM_VDSO32,
    {"twice", 1, 0, 1, "", "some runs compare two runs with different keys"},
    {"num_cpus", 1, 1, 1, "", "a call sees one"},
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    {"34", "ChaCha's constants are in the other byte order, as a copy of bytes is on big-endian"},
    {"counter-carry-lost", "the block counter's upper word is never counted"},
    {"nonvolatile-not-restored", "r15 is not restored; arm64: x29"},
    {"key-spilled", "key words are spilled to the stack"},
    {"vector-not-zeroed", "words of the key stay in v17", "arch", "arm64"},
    {"d8-used", "a block is made in a register whose lower half is the caller's", "arch", "arm64"},
    {.id = NULL},
};

static const struct sim_oracle *const oracles[] = {
    &vdso_oracle_crash,   &vdso_oracle_chacha,
    &vdso_oracle_stack,   &vdso_oracle_registers,
    &vdso_oracle_residue, &vdso_oracle_outside,
    &vdso_oracle_syscall, &vdso_oracle_timing,
    &vdso_oracle_varies,  NULL,
};

const struct sim_scenario scenario_vdso_chacha = {
    .name = "vdso-chacha",
    .claim = "a vDSO's block function is ChaCha20, and leaves nothing behind",
    .params = params,
    .oracles = oracles,
    .bugs = bugs,
    .input_len_max = 64,
    .yardstick_runs = 100000,
    .takes_image = true,
    .refuses = vdso_params_refused,
    .setup = setup,
};
