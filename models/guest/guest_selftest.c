// SPDX-License-Identifier: GPL-2.0-only
//
// The facts about Unicorn that the guests rest on. Each is tried on an engine of its own, by
// Unicorn's calls alone, so that a fact that fails says so and nothing is asserted before.
#include "models/guest/guest_selftest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/guest/guest_impl.h"
#include "models/guest/ppc_words.h"

const char *guest_library(void) {
  static char text[64];  // of the process: the library does not change
  unsigned int version = uc_version(NULL, NULL);
  int cs_major, cs_minor;
  cs_version(&cs_major, &cs_minor);
  snprintf(text, sizeof(text), "Unicorn %u.%u.%u, Capstone %d.%d", version >> 24,
           version >> 16 & 0xff, version >> 8 & 0xff, cs_major, cs_minor);
  return text;
}

// ---- A small machine: text, data, and what its hooks saw ----

enum kind { PPC32, PPC64, PPC64LE, ARM64 };
enum { TEXT = 0x10000, DATA = 0x20000, CONST = 0x21000, NOTHING = 0x22000, LANDING = 0x30000 };

#define MSR_32 0x02002000ull
#define MSR_64 0x8000000002802000ull

#define A64_NOP 0xd503201fu
#define A64_RET 0xd65f03c0u

struct machine {
  enum kind kind;
  uc_engine *uc;
  u8 *memory;  // text, data, constant data, landing
  u8 *text, *data;
  uc_err err;  // the first that failed
  // Seen by the hooks.
  u32 num_insns, num_exceptions, exception, num_bad;
  u64 insn[16];
  uc_mem_type bad_type;
  u64 bad_addr, exception_pc;
  // Asked of them.
  u64 stop_at, skip_at, skip_to;
  bool skipped;
};

static int pc_of(const struct machine *m) {
  return m->kind == ARM64 ? UC_ARM64_REG_PC : UC_PPC_REG_PC;
}
static int lr_of(const struct machine *m) {
  return m->kind == ARM64 ? UC_ARM64_REG_X30 : UC_PPC_REG_LR;
}
static void note(struct machine *m, uc_err err) {
  if (m->err == UC_ERR_OK) m->err = err;
}
static u64 get(struct machine *m, int reg) {
  u64 value = 0;
  note(m, uc_reg_read(m->uc, reg, &value));
  return value;
}
static void set(struct machine *m, int reg, u64 value) {
  note(m, uc_reg_write(m->uc, reg, &value));
}

static void on_insn(uc_engine *uc, uint64_t addr, uint32_t size, void *arg) {
  struct machine *m = arg;
  if (m->num_insns < SIM_ARRAY_SIZE(m->insn)) m->insn[m->num_insns] = addr;
  m->num_insns++;
  if (addr == m->stop_at) uc_emu_stop(uc);
  if (addr == m->skip_at) set(m, pc_of(m), m->skip_to);
}
static void on_exception(uc_engine *uc, uint32_t number, void *arg) {
  struct machine *m = arg;
  m->num_exceptions++;
  m->exception = number;
  m->exception_pc = get(m, pc_of(m));
  uc_emu_stop(uc);
}
static bool on_bad_access(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value,
                          void *arg) {
  struct machine *m = arg;
  if (m->num_bad++) return false;
  m->bad_type = type;
  m->bad_addr = addr;
  return false;
}
static bool on_tlb_miss(uc_engine *uc, uint64_t addr, uc_mem_type type, uc_tlb_entry *out,
                        void *arg) {
  out->paddr = addr & ~(u64)(GUEST_PAGE - 1);
  out->perms = UC_PROT_ALL;
  return true;
}

static void hook(struct machine *m, int type, void (*fn)(void), u64 begin, u64 end) {
  void *callback;
  uc_hook unused;
  memcpy(&callback, &fn, sizeof(callback));
  note(m, uc_hook_add(m->uc, &unused, type, callback, m, begin, end));
}

static void put(struct machine *m, u8 *at, u32 word) {
  bool big = m->kind == PPC32 || m->kind == PPC64;
  for (u32 i = 0; i < 4; i++) at[i] = (u8)(word >> 8 * (big ? 3 - i : i));
}

// Where the machine cannot be made, `err` says why, and no run is tried.
static bool open_machine(struct machine *m, enum kind kind, const u32 *words, u32 num_words) {
  *m = (struct machine){.kind = kind};
  uc_mode mode = kind == PPC32 ? UC_MODE_PPC32 : UC_MODE_PPC64;
  if (kind == ARM64)
    note(m, uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &m->uc));
  else
    note(m, uc_open(UC_ARCH_PPC, mode | UC_MODE_BIG_ENDIAN, &m->uc));
  if (m->err) return false;
  if (kind == ARM64) {
    note(m, uc_ctl_set_cpu_model(m->uc, UC_CPU_ARM64_MAX));
    set(m, UC_ARM64_REG_CPACR_EL1, 3u << 20);
  } else {
    note(m, uc_ctl_tlb_mode(m->uc, UC_TLB_VIRTUAL));
    set(m, UC_PPC_REG_MSR, kind == PPC32 ? MSR_32 : MSR_64 | (kind == PPC64LE));
    hook(m, UC_HOOK_TLB_FILL, (void (*)(void))on_tlb_miss, 1, 0);
  }
  m->memory = guest_host_alloc(4 * GUEST_PAGE);
  m->text = m->memory;
  m->data = m->memory + GUEST_PAGE;
  note(m, uc_mem_map_ptr(m->uc, TEXT, GUEST_PAGE, UC_PROT_READ | UC_PROT_EXEC, m->text));
  note(m, uc_mem_map_ptr(m->uc, DATA, GUEST_PAGE, UC_PROT_READ | UC_PROT_WRITE, m->data));
  note(m, uc_mem_map_ptr(m->uc, CONST, GUEST_PAGE, UC_PROT_READ, m->data + GUEST_PAGE));
  note(m, uc_mem_map_ptr(m->uc, LANDING, GUEST_PAGE, UC_PROT_READ | UC_PROT_EXEC,
                         m->data + 2 * GUEST_PAGE));
  hook(m, UC_HOOK_CODE, (void (*)(void))on_insn, TEXT, TEXT + GUEST_PAGE - 1);
  hook(m, UC_HOOK_INTR, (void (*)(void))on_exception, 1, 0);
  hook(m, UC_HOOK_MEM_INVALID, (void (*)(void))on_bad_access, 1, 0);
  for (u32 i = 0; i < num_words; i++) put(m, m->text + 4 * i, words[i]);
  return m->err == UC_ERR_OK;
}

static void close_machine(struct machine *m) {
  if (m->uc) uc_close(m->uc);
  guest_host_free(m->memory, 4 * GUEST_PAGE);
}

static uc_err run_from(struct machine *m, u64 pc) {
  m->num_insns = m->num_exceptions = m->num_bad = 0;
  set(m, lr_of(m), LANDING);
  return uc_emu_start(m->uc, pc, LANDING, 0, 0);
}

static const char *name(enum kind kind) {
  static const char *const names[] = {"ppc32", "ppc64", "ppc64le", "arm64"};
  return names[kind];
}

// ---- The facts ----

struct trial {
  char *seen;
  size_t len;
  bool (*fact)(struct trial *t);
  bool holds;
};
#define SEEN(t, ...) snprintf((t)->seen, (t)->len, __VA_ARGS__)
// In a fact: says what is not so, and fails.
#define EXPECT(t, m, cond)                                                          \
  do {                                                                              \
    if (!(cond) || (m)->err) {                                                      \
      SEEN((t), "%s: not so: %s%s%s", name((m)->kind), #cond, (m)->err ? "; " : "", \
           (m)->err ? uc_strerror((m)->err) : "");                                  \
      close_machine(m);                                                             \
      return false;                                                                 \
    }                                                                               \
  } while (0)

static bool version(struct trial *t) {
  SEEN(t, "%s", guest_library());
  return uc_version(NULL, NULL) >> 8 >= 0x020101 && uc_arch_supported(UC_ARCH_PPC) &&
         uc_arch_supported(UC_ARCH_ARM64);
}

// What a word reads as, and whether 2^32 - 1 + 1 is 2^32.
static bool ppc_modes(struct trial *t) {
  static const u32 words[] = {0x80830000 /* lwz r4, 0(r3) */, 0x38a50001 /* addi r5, r5, 1 */,
                              PPC_BLR};
  for (enum kind kind = PPC32; kind <= PPC64LE; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, words, 3));
    memcpy(m.data, "\1\2\3\4", 4);
    set(&m, UC_PPC_REG_3, DATA);
    set(&m, UC_PPC_REG_5, 0xffffffff);
    EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
    EXPECT(t, &m, get(&m, UC_PPC_REG_4) == (kind == PPC64LE ? 0x04030201 : 0x01020304));
    EXPECT(t, &m, (get(&m, UC_PPC_REG_5) == 0x100000000ull) == (kind != PPC32));
    close_machine(&m);
  }
  SEEN(t, "three of them, by the machine state register");
  return true;
}

static bool ppc_syscall(struct trial *t) {
  static const u32 words[] = {PPC_NOP, PPC_SC, PPC_NOP, PPC_BLR};
  for (enum kind kind = PPC32; kind <= PPC64LE; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, words, 4));
    EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
    EXPECT(t, &m, m.num_exceptions == 1 && m.exception == 8);
    EXPECT(t, &m, m.exception_pc == TEXT + 8 && get(&m, UC_PPC_REG_PC) == TEXT + 8);
    EXPECT(t, &m, m.num_insns == 2);
    EXPECT(t, &m, run_from(&m, TEXT + 8) == UC_ERR_OK);
    EXPECT(t, &m, m.num_insns == 2 && get(&m, UC_PPC_REG_PC) == LANDING);
    close_machine(&m);
  }
  SEEN(t, "exception 8, behind it");
  return true;
}

// Condition and status registers are read by 4 bytes: the rest of the variable stays.
static bool short_reads(struct trial *t) {
  struct machine m;
  u64 value = ~0ull;
  EXPECT(t, &m, open_machine(&m, PPC64, NULL, 0));
  EXPECT(t, &m, uc_reg_read(m.uc, UC_PPC_REG_CR, &value) == UC_ERR_OK);
  EXPECT(t, &m, value >> 32 == 0xffffffff);
  close_machine(&m);
  value = ~0ull;
  EXPECT(t, &m, open_machine(&m, ARM64, NULL, 0));
  EXPECT(t, &m, uc_reg_read(m.uc, UC_ARM64_REG_NZCV, &value) == UC_ERR_OK);
  EXPECT(t, &m, value >> 32 == 0xffffffff);
  close_machine(&m);
  SEEN(t, "4 bytes");
  return true;
}

// A context brings back what no number names: the carry and a vector register.
static bool ppc_context(struct trial *t) {
  static const u32 words[] = {
      0x30a50001 /* addic r5, r5, 1 */, 0x1065038c /* vspltisw v3, 5 */, PPC_BLR,
      0x7c8102a6 /* mfxer r4 */,        0x7c6019ce /* stvx v3, 0, r3 */, PPC_BLR};
  for (enum kind kind = PPC32; kind <= PPC64LE; kind++) {
    struct machine m;
    uc_context *context = NULL;
    EXPECT(t, &m, open_machine(&m, kind, words, 6));
    set(&m, UC_PPC_REG_3, DATA);
    set(&m, UC_PPC_REG_5, kind == PPC32 ? 0xffffffff : ~0ull);
    EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
    note(&m, uc_context_alloc(m.uc, &context));
    note(&m, uc_context_save(m.uc, context));
    set(&m, UC_PPC_REG_5, 7);
    put(&m, m.text + 4, 0x1066038c /* vspltisw v3, 6 */);
    note(&m, uc_ctl_remove_cache(m.uc, TEXT, TEXT + GUEST_PAGE));
    EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
    note(&m, uc_context_restore(m.uc, context));
    EXPECT(t, &m, run_from(&m, TEXT + 12) == UC_ERR_OK);
    EXPECT(t, &m, (get(&m, UC_PPC_REG_4) & 0x20000000) != 0);
    EXPECT(t, &m, m.data[0] + m.data[3] == 5);
    note(&m, uc_context_free(context));
    close_machine(&m);
  }
  SEEN(t, "carry and vectors come back");
  return true;
}

static bool arm64_calls(struct trial *t) {
  static const u32 words[] = {0xd4000001 /* svc #0 */, 0xd4000002 /* hvc #0 */,
                              0xd4000003 /* smc #0 */, 0 /* undefined */};
  static const u32 exception[] = {2, 1, 13, 1}, offset[] = {4, 0, 4, 0};
  for (u32 i = 0; i < 4; i++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, ARM64, words, 4));
    EXPECT(t, &m, run_from(&m, TEXT + 4 * i) == UC_ERR_OK);
    EXPECT(t, &m, m.num_exceptions == 1 && m.exception == exception[i]);
    EXPECT(t, &m, get(&m, UC_ARM64_REG_PC) == TEXT + 4 * i + offset[i]);
    close_machine(&m);
  }
  SEEN(t, "svc 2 and smc 13 behind, hvc and undefined 1 on it");
  return true;
}

static bool arm64_model(struct trial *t) {
  // casal w0, w1, [x2]; add v0.4s, v0.4s, v0.4s; ret
  static const u32 words[] = {0x88e0fc41, 0x4ea08400, A64_RET};
  struct machine m;
  EXPECT(t, &m, open_machine(&m, ARM64, words, 3));
  set(&m, UC_ARM64_REG_X1, 9);
  set(&m, UC_ARM64_REG_X2, DATA);
  EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
  EXPECT(t, &m, m.num_exceptions == 0 && m.data[0] == 9);
  close_machine(&m);
  SEEN(t, "atomics and vectors run");
  return true;
}

// Four instructions without effect, and a return.
static const u32 *plain(enum kind kind) {
  static const u32 ppc[] = {PPC_NOP, PPC_NOP, PPC_NOP, PPC_NOP, PPC_BLR};
  static const u32 arm64[] = {A64_NOP, A64_NOP, A64_NOP, A64_NOP, A64_RET};
  return kind == ARM64 ? arm64 : ppc;
}

static bool each_insn(struct trial *t) {
  for (enum kind kind = PPC32; kind <= ARM64; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, plain(kind), 5));
    for (u32 i = 0; i < 3; i++) {
      EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
      EXPECT(t, &m, m.num_insns == 5 && get(&m, pc_of(&m)) == LANDING);
      for (u64 n = 0; n < 5; n++) EXPECT(t, &m, m.insn[n] == TEXT + 4 * n);
    }
    close_machine(&m);
  }
  SEEN(t, "once each, and none at the landing");
  return true;
}

static bool stops_before(struct trial *t) {
  for (enum kind kind = PPC32; kind <= ARM64; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, plain(kind), 5));
    for (u64 n = 0; n < 5; n++) {
      m.stop_at = TEXT + 4 * n;
      EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
      EXPECT(t, &m, get(&m, pc_of(&m)) == m.stop_at && m.num_insns == n + 1);
      // The instruction itself has its hook again when the run goes on.
      u64 at = m.stop_at;
      m.stop_at = 0;
      EXPECT(t, &m, run_from(&m, at) == UC_ERR_OK);
      EXPECT(t, &m, m.num_insns == 5 - n);
    }
    close_machine(&m);
  }
  SEEN(t, "before the instruction of the hook that stops");
  return true;
}

static bool redirects(struct trial *t) {
  for (enum kind kind = PPC32; kind <= ARM64; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, plain(kind), 5));
    put(&m, m.text + 4, 0);  // would be an exception
    m.skip_at = TEXT + 4;
    m.skip_to = TEXT + 8;
    EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
    EXPECT(t, &m, m.num_exceptions == 0 && m.num_insns == 5);
    EXPECT(t, &m, m.insn[2] == TEXT + 8 && get(&m, pc_of(&m)) == LANDING);
    close_machine(&m);
  }
  SEEN(t, "to what a hook writes, one hook for each instruction");
  return true;
}

// A load and a store of a word through r3 or x3.
static bool coherent(struct trial *t) {
  static const u32 ppc[] = {0x80830000 /* lwz r4, 0(r3) */, 0x90830004 /* stw r4, 4(r3) */,
                            PPC_BLR};
  static const u32 arm64[] = {0xb9400064 /* ldr w4, [x3] */, 0xb9000464 /* str w4, [x3, #4] */,
                              A64_RET};
  for (enum kind kind = PPC32; kind <= ARM64; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, kind == ARM64 ? arm64 : ppc, 3));
    for (u8 i = 1; i < 4; i++) {
      memset(m.data, i, 4);
      set(&m, kind == ARM64 ? UC_ARM64_REG_X3 : UC_PPC_REG_3, DATA);
      EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
      EXPECT(t, &m, memcmp(m.data, m.data + 4, 4) == 0);
    }
    close_machine(&m);
  }
  SEEN(t, "host and guest see each other's stores");
  return true;
}

static bool faults(struct trial *t) {
  static const u32 ppc[] = {0x80830000, 0x90830000, PPC_BLR, 0x7c6903a6 /* mtctr r3 */,
                            0x4e800420 /* bctr */};
  static const u32 arm64[] = {0xb9400064, 0xb9000064, A64_RET, A64_NOP, 0xd61f0060 /* br x3 */};
  static const struct {
    u64 insn, addr;
    uc_mem_type type;
  } bad[] = {
      {TEXT, NOTHING, UC_MEM_READ_UNMAPPED},       {TEXT + 4, NOTHING, UC_MEM_WRITE_UNMAPPED},
      {TEXT + 4, CONST, UC_MEM_WRITE_PROT},        {TEXT + 4, TEXT, UC_MEM_WRITE_PROT},
      {TEXT + 12, NOTHING, UC_MEM_FETCH_UNMAPPED}, {TEXT + 12, DATA, UC_MEM_FETCH_PROT},
  };
  for (enum kind kind = PPC32; kind <= ARM64; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, kind == ARM64 ? arm64 : ppc, 5));
    // Each several times: a translation that is kept must not let the next one pass.
    for (u32 i = 0; i < 3 * SIM_ARRAY_SIZE(bad); i++) {
      u32 n = i % SIM_ARRAY_SIZE(bad);
      u64 pc = bad[n].insn == TEXT + 12 ? bad[n].addr : bad[n].insn;
      set(&m, kind == ARM64 ? UC_ARM64_REG_X3 : UC_PPC_REG_3, bad[n].addr);
      EXPECT(t, &m, run_from(&m, bad[n].insn) != UC_ERR_OK);
      EXPECT(t, &m, m.num_bad >= 1 && m.bad_type == bad[n].type && m.bad_addr == bad[n].addr);
      EXPECT(t, &m, get(&m, pc_of(&m)) == pc);
      // What lies around can be read, and mapped anew.
      set(&m, kind == ARM64 ? UC_ARM64_REG_X3 : UC_PPC_REG_3, CONST);
      put(&m, m.text + 4, plain(kind)[0]);
      note(&m, uc_ctl_remove_cache(m.uc, TEXT, TEXT + GUEST_PAGE));
      EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK);
      put(&m, m.text + 4, kind == ARM64 ? arm64[1] : ppc[1]);
      note(&m, uc_ctl_remove_cache(m.uc, TEXT, TEXT + GUEST_PAGE));
      note(&m, uc_mem_unmap(m.uc, CONST, GUEST_PAGE));
      note(&m, uc_mem_map_ptr(m.uc, CONST, GUEST_PAGE, UC_PROT_READ, m.data + GUEST_PAGE));
    }
    close_machine(&m);
  }
  SEEN(t, "six kinds, with their addresses, on the instruction");
  return true;
}

static bool protects(struct trial *t) {
  static const u32 ppc[] = {0x90830000, PPC_BLR}, arm64[] = {0xb9000064, A64_RET};
  for (enum kind kind = PPC32; kind <= ARM64; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, kind == ARM64 ? arm64 : ppc, 2));
    set(&m, kind == ARM64 ? UC_ARM64_REG_X3 : UC_PPC_REG_3, DATA);
    for (u32 i = 0; i < 6; i++) {
      note(&m, uc_mem_protect(m.uc, DATA, GUEST_PAGE,
                              i % 2 ? UC_PROT_READ : UC_PROT_READ | UC_PROT_WRITE));
      EXPECT(t, &m, (run_from(&m, TEXT) == UC_ERR_OK) == (i % 2 == 0));
    }
    close_machine(&m);
  }
  SEEN(t, "at once, in both directions");
  return true;
}

static bool cache(struct trial *t) {
  for (enum kind kind = PPC32; kind <= ARM64; kind++) {
    struct machine m;
    EXPECT(t, &m, open_machine(&m, kind, plain(kind), 5));
    EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK && m.num_insns == 5);
    put(&m, m.text + 8, plain(kind)[4]);
    note(&m, uc_ctl_remove_cache(m.uc, TEXT, TEXT + GUEST_PAGE));
    EXPECT(t, &m, run_from(&m, TEXT) == UC_ERR_OK && m.num_insns == 3);
    close_machine(&m);
  }
  SEEN(t, "text that was written runs after remove_cache");
  return true;
}

static const struct {
  const char *name, *line;
  bool (*fact)(struct trial *t);
} facts[] = {
    {"version", "Unicorn is 2.1.1 or later, with PowerPC and arm64", version},
    {"ppc-modes", "PowerPC runs with 32 and 64 bits and in both orders of bytes", ppc_modes},
    {"ppc-sc", "a PowerPC system call is an exception, and the guest goes on behind it",
     ppc_syscall},
    {"ppc-context", "a context holds all registers of PowerPC", ppc_context},
    {"arm64-calls", "arm64 calls to the kernel, hypervisor and firmware are told apart",
     arm64_calls},
    {"arm64-cpu", "the arm64 processor has what a kernel uses", arm64_model},
    {"short-reads", "condition registers are read by 4 bytes", short_reads},
    {"insn-hook", "each instruction has its hook", each_insn},
    {"stop", "a hook stops a run at its instruction", stops_before},
    {"redirect", "a hook sends a run elsewhere", redirects},
    {"memory", "memory is shared with the host", coherent},
    {"faults", "bad accesses are told, every time", faults},
    {"protect", "permissions can be changed", protects},
    {"remove-cache", "text can be changed", cache},
};

u32 guest_facts_count(void) { return SIM_ARRAY_SIZE(facts); }
const char *guest_fact_name(u32 index) { return facts[index].name; }
const char *guest_fact_line(u32 index) { return facts[index].line; }

static void try_fact(void *arg) {
  struct trial *t = arg;
  t->holds = t->fact(t);
}

bool guest_fact_holds(u32 index, char *seen, size_t len) {
  struct trial t = {.seen = seen, .len = len, .fact = facts[index].fact};
  seen[0] = 0;
  guest_on_stack(try_fact, &t);
  return t.holds;
}
