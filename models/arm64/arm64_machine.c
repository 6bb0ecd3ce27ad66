// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_machine.h. Sections: registers, calls, set-up, what a kernel does.
#include "models/arm64/arm64_machine.h"

#include <stddef.h>
#include <string.h>

#include "models/arm64/arm64_firmware.h"
#include "models/arm64/arm64_oracles.h"
#include "models/guest/guest_task.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/scenario.h"
#include "sim/task.h"
#include "sim/world.h"

// No two pages have the same number modulo 256: see models/vdso/vdso_machine.c.
#define TEXT_ADDR 0x10010000ull
#define TEXT_STRIDE 0x101000ull
#define DATA_ADDR ((u64)ARM64_DATA_ADDR)
#define BUFFER_ADDR 0x30030000ull

enum {
  WORDS_MAX = 8,
  BUFFER_LEN =
      8 * WORDS_MAX + 32,  // of words, which calls write; the stack lies behind it in the same page
  INSNS_MAX = 2000,        // of a call: the longest has some 60 beside 32 reads
  DISTANCE_MAX = 24,       // instructions until an event
  RNDR_SHIFT = 60,
};
// The fields that matter to nobody here: SHA2, SHA1, AES, CRC32, LSE.
#define ISAR0_OTHERS 0x0000000000211120ull
#define NZCV_FAILED 0x40000000u

const char *const arm64_rndr_names[] = {"absent", "works", "rndrrs-never", "fails", "fails-first",
                                        "flaky",  "traps", "drawn",        NULL};
const char *const arm64_phase_names[] = {"setup_arch", "random_init_early", "start_kernel",
                                         "kernel_init", "final"};

// ---- Registers ----

u64 arm64_isar0(const struct arm64_machine *m, u32 cpu) {
  return ISAR0_OTHERS | (u64)arm64_has_rndr(m, cpu) << RNDR_SHIFT;
}

static bool reads_rndr(const struct guest_sysreg *r) {
  return r->op0 == 3 && r->op1 == 3 && r->crn == 2 && r->crm == 4 && r->op2 <= 1;
}

static bool is_id(const struct guest_sysreg *r) {
  return r->op0 == 3 && r->op1 == 0 && r->crn == 0 && r->crm >= 4 && r->crm <= 7;
}

static u32 id_index(const struct guest_sysreg *r) { return (r->crm - 4u) * 8 + r->op2; }

// A read of RNDR or RNDRRS; where there is neither the call stops.
static enum guest_sysreg_answer answer_rndr(struct arm64_call *call, bool rndrrs, u64 *out_value,
                                            u32 *out_nzcv) {
  struct arm64_machine *m = call->m;
  u32 nth = call->rndr_reads + call->rndrrs_reads + 1;
  bool worked = true;

  if (rndrrs)
    call->rndrrs_reads++;
  else
    call->rndr_reads++;
  switch (m->hw.rndr[call->cpu]) {
    case ARM64_RNDR_ABSENT:
      call->undefined_on = (s32)call->cpu;
      return GUEST_SYSREG_STOP;
    case ARM64_RNDR_RNDRRS_NEVER:
      worked = !rndrrs;
      break;
    case ARM64_RNDR_FAILS:
      worked = false;
      break;
    case ARM64_RNDR_FAILS_FIRST:
      worked = m->num_failed[call->cpu] >= ARM64_RNDR_FIRST;
      if (!worked) m->num_failed[call->cpu]++;
      break;
    case ARM64_RNDR_FLAKY:
      worked = nth != call->fail_at;
      break;
    case ARM64_RNDR_TRAPS:
      m->counts.el3++;
      call->el3++;
      break;
    case ARM64_RNDR_WORKS:
      break;
  }
  call->worked = worked;
  call->word = worked ? sim_mix64(0xa64aull << 48 | ++m->words) : 0;
  if (worked && rndrrs)
    m->counts.seed_words++;
  else if (worked)
    m->counts.rndr_words++;
  *out_value = call->word;
  *out_nzcv = worked ? 0 : NZCV_FAILED;
  return GUEST_SYSREG_VALUE;
}

static enum guest_sysreg_answer on_sysreg(void *arg, const struct guest_sysreg *r, u64 *out_value,
                                          u32 *out_nzcv) {
  struct arm64_call *call = arg;
  struct arm64_machine *m = call->m;

  if (reads_rndr(r)) return answer_rndr(call, r->op2, out_value, out_nzcv);
  if (is_id(r)) {
    u32 index = id_index(r);

    if (index == ARM64_ID_AA64ISAR0) {
      call->isar0_reads++;
      call->queried_preemptible |= call->preemptible;
      *out_value = arm64_isar0(m, call->cpu);
    }
    if (m->config.tid3) {
      call->trapped++;
      if (call->fn != ARM64_FN_EARLY_HAS) m->counts.trapped[index]++;
      if (call->fn != ARM64_FN_EARLY_HAS && index == ARM64_ID_AA64ISAR0)
        m->counts.isar0[call->phase][m->caller[call->cpu]]++;
    }
    // These are emulated one by one.
    return call->fn == ARM64_FN_READ_ALL ? GUEST_SYSREG_STOP : GUEST_SYSREG_VALUE;
  }
  if (r->op0 == 3 && r->op1 == 0 && r->crn == 4 && r->crm == 1 && r->op2 == 0) {  // SP_EL0
    *out_value = DATA_ADDR + ARM64_DATA_TASKS + (u64)call->cpu * ARM64_TASK_STRIDE;
    return GUEST_SYSREG_VALUE;
  }
  if (r->op0 == 3 && r->op1 == 3 && r->crn == 4 && r->crm == 2 && r->op2 == 1) {  // DAIF
    *out_value = call->daif;
    return GUEST_SYSREG_VALUE;
  }
  return GUEST_SYSREG_STOP;
}

// ---- Calls ----

// What the guest finds of its CPU: the task may have been moved, or somebody else's call may have
// stood in its place.
static void on_leg(void *arg) {
  struct arm64_call *call = arg;
  struct arm64_machine *m = call->m;
  u8 *task;

  call->cpu = sim_smp_processor_id();
  call->daif = sim_irqs_disabled() ? 1u << 7 : 0;
  call->preemptible = sim_world_config(sim_w)->preempt && sim_preemptible();
  // Until kernel_init the boot task's preemption is off, which under rt=1 the world is not told.
  if (m->phase < ARM64_PHASE_SMP) call->preemptible = false;
  task = m->data + ARM64_DATA_TASKS + call->cpu * ARM64_TASK_STRIDE;
  guest_store(call->g, task + ARM64_TASK_PREEMPT_COUNT, 4,
              m->phase < ARM64_PHASE_SMP ? sim_preempt_count() | 1 : sim_preempt_count());
  if (m->tree) guest_store(call->g, m->data + ARM64_DATA_STATE, 4, m->phase >= ARM64_PHASE_SMP);
}

// The hypervisor's part of a read that has stopped the guest; its number is `nth`.
static void emulate(struct arm64_call *call, const struct guest_stop *stop, u64 before[32],
                    u32 nth) {
  struct arm64_machine *m = call->m;
  u64 after[32], value = arm64_isar0(m, call->cpu);
  u32 rt = stop->sysreg.rt;

  if (rt < 31)
    guest_set(call->g, GUEST_R(rt), value);
  else if (m->config.bug_reg31_sp)
    guest_set(call->g, GUEST_SP, value);
  guest_get_generals(call->g, after);
  for (u32 i = 0; i < 32; i++) {
    if (after[i] != (i == rt && i < 31 ? value : before[i]))
      sim_fail(&arm64_oracle_trap, i == 31 ? "sp" : "register",
               "read %u, into %s%u: %s%u is 0x%llx and was 0x%llx", nth, rt == 31 ? "xzr, x" : "x",
               rt, i == 31 ? "sp, x" : "x", i, (unsigned long long)after[i],
               (unsigned long long)before[i]);
    before[i] = after[i];
  }
}

// x19 to x29 and sp are a caller's (AAPCS64). Looked at after each fourth call: it takes its time.
static void look_at_registers(struct arm64_call *call) {
  u64 after[32];

  if (call->fn == ARM64_FN_READ_ALL || call->m->num_calls++ % 4) return;
  guest_get_generals(call->g, after);
  for (u32 n = 19; n < 32; n++) {
    u64 want = n == 28 ? DATA_ADDR : n == 31 ? BUFFER_ADDR + GUEST_PAGE : 0;

    if (n == 30 || after[n] == want) continue;
    sim_fail(&arm64_oracle_registers, n == 31 ? "sp" : "x19 to x29",
             "%s returns with %s%u changed: 0x%llx", arm64_fn_names[call->fn],
             n == 31 ? "sp, x" : "x", n, (unsigned long long)after[n]);
  }
}

// The BUG or WARN that a tree's function has come to; else NULL.
static const char *complaint(const struct arm64_call *call, const struct guest_stop *stop) {
  const void *at = stop->kind == GUEST_FAULT ? guest_host(call->g, stop->pc, 4) : NULL;
  u64 word = at ? guest_load(call->g, at, 4) : 0;

  if (word == ARM64_BRK(ARM64_BRK_BUG)) return "BUG";
  return word == ARM64_BRK(ARM64_BRK_WARN) ? "WARN" : NULL;
}

static void stopped(struct arm64_call *call, const struct guest_stop *stop) {
  char text[160];

  if (stop->kind == GUEST_BUDGET)
    sim_fail(&arm64_oracle_bounded, arm64_fn_names[call->fn],
             "%s has not returned after %u instructions", arm64_fn_names[call->fn], INSNS_MAX);
  if (call->undefined_on >= 0)
    sim_fail(&arm64_oracle_undefined, arm64_fn_names[call->fn],
             "%s reads %s on CPU %d, which has none: an undefined instruction, %s",
             arm64_fn_names[call->fn], stop->sysreg.op2 ? "RNDRRS" : "RNDR", call->undefined_on,
             arm64_phase_names[call->m->phase]);
  if (complaint(call, stop))
    sim_fail(&arm64_oracle_crash, complaint(call, stop), "%s: a %s, in %s",
             arm64_fn_names[call->fn], complaint(call, stop),
             guest_where(call->g, stop->pc, text, sizeof(text)));
  sim_fail(&arm64_oracle_crash, "", "%s", guest_describe(call->g, stop, text, sizeof(text)));
}

// Runs the open call of `call` to its end. Where it is undisturbed, it owes all that it cost.
static void run(struct arm64_call *call, bool disturbed) {
  struct arm64_machine *m = call->m;
  struct sim_site *event = SIM_SITE_DRAW("arm64-event", SIM_SITE_FAULT, 1, 8);
  struct sim_site *distance = SIM_SITE_DRAW("arm64-distance", SIM_SITE_WORK, 0, 0);
  struct sim_site *elapse = SIM_SITE("guest");
  struct guest_pace pace = {
      .event_site = event,
      .distance_site = distance,
      .elapse_site = elapse,
      .distance_max = DISTANCE_MAX,
      .insn_ps = m->config.insn_ps,
      .leg = on_leg,
      .arg = call,
  };
  struct guest_stop stop;
  enum guest_stop_kind kind;
  u64 before[32];
  u32 nth = 0;

  on_leg(call);
  if (call->fn == ARM64_FN_READ_ALL) guest_get_generals(call->g, before);
  for (;;) {
    u32 trapped = call->trapped, el3 = call->el3;
    u64 insns = guest_insns(call->g);

    kind = disturbed ? guest_task_run(call->g, &pace, &stop)
                     : guest_run(call->g, GUEST_NO_LIMIT, &stop);
    if (!disturbed) call->owed_ns += (guest_insns(call->g) - insns) * m->config.insn_ps / 1000;
    call->owed_ns += (u64)(call->trapped - trapped) * m->config.trap_ns +
                     (u64)(call->el3 - el3) * m->config.el3_ns;
    if (kind == GUEST_RETURNED) break;
    if (kind == GUEST_HVC || kind == GUEST_SMC) {
      arm64_firmware_call(call, kind == GUEST_HVC ? ARM64_CONDUIT_HVC : ARM64_CONDUIT_SMC,
                          stop.imm);
    } else if (kind == GUEST_TRAPPED && call->undefined_on < 0 && is_id(&stop.sysreg)) {
      emulate(call, &stop, before, nth++);
      if (guest_get(call->g, GUEST_PC) != stop.pc)
        sim_fail(&arm64_oracle_trap, "pc", "read %u does not go on behind it", nth);
    } else {
      stopped(call, &stop);
    }
    if (disturbed && call->owed_ns) {
      u64 owed_ns = call->owed_ns;

      call->owed_ns = 0;
      sim_elapse(owed_ns);
    }
  }
  m->counts.insns += guest_insns(call->g);
  look_at_registers(call);
}

static struct arm64_call *open_call(struct arm64_machine *m, u32 fn, enum arm64_phase phase,
                                    bool *out_last) {
  u32 i = 0;

  while (i < ARM64_ENGINES && m->calls[i].open) i++;
  // The last engine's calls are undisturbed: nobody can come meanwhile.
  SIM_ASSERT(i < ARM64_ENGINES);
  *out_last = i == ARM64_ENGINES - 1;
  m->calls[i] = (struct arm64_call){
      .m = m, .g = m->calls[i].g, .open = true, .fn = fn, .undefined_on = -1, .phase = phase};
  m->calls[i].all_had = arm64_all_have(m, false);
  // What another run left in an engine is gone from a run's first call on; its own calls leave
  // the kernel's registers in it.
  if (!m->started[i]) guest_restore(m->calls[i].g, m->start[i]);
  m->started[i] = true;
  memset(guest_host(m->calls[i].g, BUFFER_ADDR, BUFFER_LEN), 0, BUFFER_LEN);
  guest_set_budget(m->calls[i].g, guest_insns_total(m->calls[i].g) + INSNS_MAX);
  return &m->calls[i];
}

static void close_call(struct arm64_call *call) {
  u64 owed_ns = call->owed_ns;

  call->open = false;
  if (owed_ns) sim_elapse(owed_ns);
}

static u64 text_addr(u32 patched) { return TEXT_ADDR + patched * TEXT_STRIDE; }

// A tree's function, or the built-in text's.
static u64 entry_of(const struct arm64_machine *m, u32 fn) {
  u64 of_tree = m->tree ? m->tree->fn[m->counted][m->patched][fn] : 0;

  return of_tree ? of_tree : text_addr(m->patched) + m->texts[m->patched].fn[fn];
}

// Calls a function of the kernel's; the caller closes the call. Its result is x0.
static struct arm64_call *call_fn(struct arm64_machine *m, u32 fn, enum arm64_phase phase,
                                  u64 first, u64 second) {
  bool last;
  struct arm64_call *call = open_call(m, fn, phase, &last);
  struct guest_call begin = {
      .entry = entry_of(m, fn),
      .sp = BUFFER_ADDR + GUEST_PAGE,
      .num_args = 2,
      .args = {first, second},
  };

  guest_call(call->g, &begin);
  if (m->hw.rndr[sim_smp_processor_id()] == ARM64_RNDR_FLAKY)
    call->fail_at = sim_choose(sim_w, SIM_SITE_DRAW("arm64-rndr-fails", SIM_SITE_WORK, 0, 0), 3);
  // With interrupts off on the only CPU nobody could go on in its place.
  run(call, !last && !(sim_irqs_disabled() && sim_num_online_cpus() == 1));
  return call;
}

// ---- Set-up ----

void arm64_machine_setup(struct arm64_machine *m, const struct arm64_config *config) {
  struct guest *engines[ARM64_ENGINES];
  u8 *text[ARM64_PATCHES];

  m->config = *config;
  m->counted = sim_world_config(sim_w)->preempt;
  m->tree = arm64_tree();
  for (u32 i = 0; i < ARM64_ENGINES; i++) {
    struct arm64_call *call = &m->calls[i];
    u8 *buffer;

    call->m = m;
    call->g = engines[i] = guest_shared(GUEST_ARM64, 0, i);
    buffer = guest_pages(call->g, GUEST_PAGE);
    if (!i) {
      m->data = guest_pages(call->g, GUEST_PAGE);
      for (u32 patched = 0; patched < ARM64_PATCHES; patched++) {
        struct arm64_text *t = &m->texts[patched];

        arm64_text_find(config->design, m->counted, patched, config->bug, t);
        text[patched] = guest_pages(call->g, GUEST_PAGE);
        memcpy(text[patched], t->code, t->len);
      }
    }
    for (u32 patched = 0; patched < ARM64_PATCHES; patched++)
      if (!guest_map(call->g, text_addr(patched), text[patched], GUEST_PAGE,
                     GUEST_READ | GUEST_EXEC))
        SIM_ASSERT(!"a text is mapped");
    if (!guest_map(call->g, DATA_ADDR, m->data, GUEST_PAGE, GUEST_READ | GUEST_WRITE) ||
        !guest_map(call->g, BUFFER_ADDR, buffer, GUEST_PAGE, GUEST_READ | GUEST_WRITE))
      SIM_ASSERT(!"data are mapped");
    guest_set_sysreg(call->g, on_sysreg, call);
    // A compiler's function uses the stack.
    guest_keep(call->g, buffer, m->tree ? GUEST_PAGE : BUFFER_LEN);
    guest_set(call->g, GUEST_R(28), DATA_ADDR);
    m->start[i] = guest_snapshot_new(call->g);
    guest_take(call->g, m->start[i]);
  }
  if (m->tree) arm64_tree_map(m->tree, engines, ARM64_ENGINES);
}

void arm64_machine_begin(struct arm64_machine *m) {
  memset(m->data, 0, GUEST_PAGE);
  m->phase = ARM64_PHASE_ARCH;
}

// ---- What a kernel does ----

void arm64_smccc_init(struct arm64_machine *m) {
  guest_store(m->calls[0].g, m->data + ARM64_DATA_PSCI, 4, m->hw.conduit);
  close_call(call_fn(m, ARM64_FN_SMCCC_INIT, m->phase, 0, 0));
}

void arm64_cpu_first(struct arm64_machine *m) {
  close_call(call_fn(m, ARM64_FN_STORE_CPU, m->phase, 1, 0));
  m->come[sim_smp_processor_id()] = true;
}

bool arm64_cpu_come(struct arm64_machine *m, bool verify) {
  u32 cpu = sim_smp_processor_id();

  if (m->phase == ARM64_PHASE_FINAL && verify && m->has_rng && !arm64_has_rndr(m, cpu))
    return false;
  for (u32 other = 0; other < SIM_CPUS_MAX; other++)
    SIM_ASSERT(!m->coming[other] || m->come[other]);  // one at a time
  m->coming[cpu] = true;
  close_call(call_fn(m, ARM64_FN_STORE_CPU, m->phase, 0, 0));
  m->come[cpu] = true;
  return true;
}

void arm64_finalize(struct arm64_machine *m) {
  u64 sanitised = guest_load(m->calls[0].g, m->data + ARM64_DATA_SANITISED, 8);

  m->has_rng = sanitised >> RNDR_SHIFT;
  m->patched = m->has_rng ? ARM64_FINAL_RNG : ARM64_FINAL;
  m->phase = ARM64_PHASE_FINAL;
}

// What psci_init_smccc and smccc_probe_trng find, from what the firmware is.
static void put_firmware(struct arm64_machine *m) {
  struct guest *g = m->calls[0].g;
  bool callable = m->hw.conduit != ARM64_CONDUIT_NONE && m->hw.smccc >= ARM64_SMCCC_1_1;

  if (!callable) return;
  guest_store(g, m->data + ARM64_DATA_VERSION, 4, ARM64_SMCCC_VERSION_1_1);
  guest_store(g, m->data + ARM64_DATA_PSCI, 4, m->hw.conduit);
  if (m->hw.trng >= ARM64_TRNG_1_0) guest_store(g, m->data + ARM64_DATA_TRNG, 4, 1);
}

void arm64_put(struct arm64_machine *m, enum arm64_phase phase) {
  u32 num_cpus = phase == ARM64_PHASE_FINAL ? sim_nr_cpus() : 1;

  put_firmware(m);
  if (phase > ARM64_PHASE_ARCH) {
    bool all_have = true;

    for (u32 cpu = 0; cpu < num_cpus; cpu++) {
      m->come[cpu] = true;
      all_have &= arm64_has_rndr(m, cpu);
    }
    guest_store(m->calls[0].g, m->data + ARM64_DATA_SANITISED, 8,
                ISAR0_OTHERS | (u64)all_have << RNDR_SHIFT);
  }
  m->phase = phase;
  if (phase == ARM64_PHASE_FINAL) arm64_finalize(m);
}

// Whether random_init_early has a function of its own.
static bool is_apart(const struct arm64_machine *m, u32 early_fn) {
  if (m->tree) return m->tree->fn[m->counted][m->patched][early_fn];
  return m->config.design == ARM64_EARLY_VARIANTS;
}

static u32 get_random(struct arm64_machine *m, u32 fn, u64 *v, u32 max, bool early) {
  enum arm64_phase phase = early ? ARM64_PHASE_EARLY : m->phase;
  struct arm64_call *call;
  const u8 *buffer;
  u64 num;

  SIM_ASSERT(max <= WORDS_MAX);
  if (early && is_apart(m, fn + ARM64_FN_RANDOM_LONGS_EARLY - ARM64_FN_RANDOM_LONGS))
    fn += ARM64_FN_RANDOM_LONGS_EARLY - ARM64_FN_RANDOM_LONGS;
  m->counts.calls[phase][m->caller[sim_smp_processor_id()]]++;
  call = call_fn(m, fn, phase, BUFFER_ADDR, max);
  num = guest_get(call->g, GUEST_R(0));
  buffer = guest_host(call->g, BUFFER_ADDR, BUFFER_LEN);
  for (u32 i = 8 * max; i < BUFFER_LEN; i++) call->wrote_behind |= buffer[i] != 0;
  if (num > max)
    sim_fail(&arm64_oracle_value, "number", "%s returns %llu words and may %u", arm64_fn_names[fn],
             (unsigned long long)num, max);
  for (u32 i = 0; i < num; i++) v[i] = guest_load(call->g, buffer + 8 * (size_t)i, 8);
  if (m->judge) m->judge(m->judge_arg, call, v, max, (u32)num);
  close_call(call);
  return (u32)num;
}

u32 arm64_get_random_longs(struct arm64_machine *m, u64 *v, u32 max, bool early) {
  return get_random(m, ARM64_FN_RANDOM_LONGS, v, max, early);
}

u32 arm64_get_random_seed_longs(struct arm64_machine *m, u64 *v, u32 max, bool early) {
  return get_random(m, ARM64_FN_RANDOM_SEED_LONGS, v, max, early);
}

bool arm64_early_cpu_has_rndr(struct arm64_machine *m) {
  struct arm64_call *call = call_fn(m, ARM64_FN_EARLY_HAS, m->phase, 0, 0);
  // A bool: of the rest of the register nothing is promised.
  bool has = guest_get(call->g, GUEST_R(0)) & 0xff;

  close_call(call);
  return has;
}

void arm64_read_all(struct arm64_machine *m) {
  struct arm64_call *call = call_fn(m, ARM64_FN_READ_ALL, m->phase, 0, 0);

  if (m->config.tid3 && call->trapped != 32)
    sim_fail(&arm64_oracle_trap, "count", "32 reads of a register that traps, and %u traps",
             call->trapped);
  m->started[call - m->calls] = false;  // x28 among them
  close_call(call);
}

bool arm64_all_have(const struct arm64_machine *m, bool with_coming) {
  for (u32 cpu = 0; cpu < SIM_CPUS_MAX; cpu++) {
    if (cpu && !m->come[cpu] && !(with_coming && m->coming[cpu])) continue;
    if (!arm64_has_rndr(m, cpu)) return false;
  }
  return true;
}

u64 arm64_trapped(const struct arm64_machine *m) {
  u64 all = 0;

  for (u32 i = 0; i < ARM64_ID_REGISTERS; i++) all += m->counts.trapped[i];
  return all;
}
