// SPDX-License-Identifier: GPL-2.0-only
//
// A guest: one processor of a foreign architecture that runs functions from memory of
// ours, instruction by instruction if asked. The only user of Unicorn, and the place where
// everything that Unicorn would take from the host is kept out: a call depends on the
// registers and bytes that it starts from, and on what its owner does at its stops.
//
//   struct guest *g = guest_shared(GUEST_PPC64LE, 0, 0);       in set-up
//   u8 *text = guest_pages(g, 0x1000), *stack = guest_pages(g, 0x2000);
//   guest_map(g, 0x100000, text, 0x1000, GUEST_READ | GUEST_EXEC);
//   guest_map(g, 0x200000, stack, 0x2000, GUEST_READ | GUEST_WRITE);
//   guest_keep(g, stack, 0x2000);
//   struct guest_snapshot *start = guest_snapshot_new(g);
//   guest_take(g, start);
//
//   guest_restore(g, start);                                   in every run
//   guest_call(g, &(struct guest_call){.entry = 0x100000, .sp = 0x202000, ...});
//   while (guest_run(g, GUEST_NO_LIMIT, &stop) == GUEST_SYSCALL) ...
//
// An engine is memory of the host: it lives outside the world's arena, as long as the
// process, and a world's reset does not know it. A run begins with guest_restore or
// guest_reset, whatever state the run before left. guest_run neither draws nor meets a
// scheduling point: models/guest/guest_task.h runs a call as a task of the world. Two calls
// that interleave have an engine each. None of these functions may be called from a
// callback, and all leave nothing behind on the caller's stack: Unicorn has its own.
//
// A boundary is the place between two instructions: boundary k of a call has k instructions
// behind it. Boundary 0 is the entry, the last one is the return.
//
// Left out: translation of addresses (virtual is physical), privilege (the guest may do
// everything, unless guest_set_process; what reads clocks, entropy or a special register is a
// fault), interrupts,
// several processors with one memory model: engines that share pages see each other's
// stores at once, in the order of execution.
#ifndef SEEDBED_MODELS_GUEST_GUEST_H_
#define SEEDBED_MODELS_GUEST_GUEST_H_

#include "sim/base.h"

enum guest_arch {
  GUEST_PPC32,    // big-endian, System V ABI
  GUEST_PPC64,    // big-endian
  GUEST_PPC64LE,  // little-endian, ELFv2
  GUEST_ARM64,    // little-endian, EL1, all features that the library has
};
enum { GUEST_ARCHES = 4 };

const char *guest_arch_name(enum guest_arch arch);  // "ppc32", "ppc64", "ppc64le", "arm64"
u32 guest_word_size(enum guest_arch arch);          // bytes of a general register: 4 or 8
bool guest_big_endian(enum guest_arch arch);
// Bytes below the stack pointer that a signal handler leaves alone: 288 for both ABIs of
// 64-bit PowerPC (ELFv1 3.2.2, ELFv2 2.2.3), 0 for ppc32 and arm64.
u32 guest_red_zone(enum guest_arch arch);
// Bytes that a caller keeps above its callee's frame: back chain, save areas: 16 on ppc32, 112
// on ppc64 (what ELFv1 asks for and more than ELFv2 does), 32 on ppc64le, 0 on arm64.
u32 guest_caller_frame(enum guest_arch arch);

enum { GUEST_PAGE = 4096 };

// The engine's own pages: nothing else can be mapped there. Everything below is free, and
// so is what is above on a guest of 64 bits.
#define GUEST_OWN_BEGIN 0xf0000000ull
#define GUEST_OWN_END 0xf0004000ull
// Where a call returns to.
#define GUEST_LANDING GUEST_OWN_BEGIN

// ---- Engines ----

struct guest;

// Options are fixed when an engine is made: an engine without them is the fast one.
enum {
  GUEST_LOG = 1,    // every access to memory is logged, and the path hashed; 3 to 10 times slower
  GUEST_COVER = 2,  // blocks and edges are counted
  // For measurements of what counting costs: no instruction is counted, so there is no boundary
  // and no budget, and nothing is forbidden. Alone, and for guest_new only.
  GUEST_UNCOUNTED = 4,
};

// guest_shared returns the process's engine number `index` (0..GUEST_SHARED_MAX-1) of that
// kind, made when it is first asked for and cleared (guest_clear) each time: what set-up
// uses, since a process may set up many times. The same engine under two indices does not
// exist. The process owns it.
enum { GUEST_SHARED_MAX = 8 };
struct guest *guest_shared(enum guest_arch arch, u32 options, u32 index);
// guest_shared_bank takes the engines of the set-ups that follow from bank `bank`, each of which
// has its own under each index; bank 0 unless told. A process that goes to and fro between worlds
// gives each a bank, since the code that an engine has translated is gone when it is cleared.
enum { GUEST_BANKS = 32 };
void guest_shared_bank(u32 bank);
// guest_new makes another one (0.5 ms and some MiB); its owner frees it. NULL is freed too.
struct guest *guest_new(enum guest_arch arch, u32 options);
void guest_free(struct guest *g);
// guest_clear makes `g` as new: nothing mapped, no kept range, no symbol, no callback, no
// coverage, registers reset. Its pages and snapshots are freed.
void guest_clear(struct guest *g);
enum guest_arch guest_arch(const struct guest *g);

// guest_reset sets every register to 0 (the machine state register to what the architecture
// needs), ends every call and sets all counts to 0. Memory stays.
void guest_reset(struct guest *g);

// ---- Memory ----

enum { GUEST_READ = 1, GUEST_WRITE = 2, GUEST_EXEC = 4 };

// guest_pages returns `len` bytes of zeroed host memory, page-aligned, a multiple of
// GUEST_PAGE; `g` owns it until it is cleared or freed. Several engines may map it.
void *guest_pages(struct guest *g, size_t len);
// guest_map lets the guest see [host, host + len) at `addr`, all three multiples of
// GUEST_PAGE, with `perms`: 0 (mapped, but not accessible) or with GUEST_READ. What the host
// writes there the guest reads, and vice versa, at once. Executable pages are counted, watched
// for what a guest must not execute, and never GUEST_WRITE. Returns false, with nothing
// mapped, where the range overlaps another or the engine's own, wraps, lies beyond a 32-bit
// guest's memory, or is the 65th.
SIM_MUST_CHECK bool guest_map(struct guest *g, u64 addr, void *host, size_t len, u32 perms);
// The following act on the whole mapping that begins at `addr`, which must exist. May be
// called at any stop; each costs 5 to 15 us. guest_protect may not give or take GUEST_EXEC.
void guest_unmap(struct guest *g, u64 addr);
void guest_protect(struct guest *g, u64 addr, u32 perms);
// guest_text_changed must follow a change that the host made to executable bytes that
// may have run, before they run again.
void guest_text_changed(struct guest *g, u64 addr, size_t len);
// Host memory behind [addr, addr + len) if one mapping holds it, whatever its permissions,
// else NULL.
void *guest_host(const struct guest *g, u64 addr, size_t len);
// An integer of `size` bytes (1, 2, 4, 8) in the guest's byte order, in host memory.
u64 guest_load(const struct guest *g, const void *host, u32 size);
void guest_store(const struct guest *g, void *host, u32 size, u64 value);

// ---- Registers ----

// Values are host integers; on ppc32 the upper half of a general register reads 0 and what
// is written there is dropped.
enum guest_reg {
  GUEST_PC = 0,
  GUEST_SP,       // r1; sp
  GUEST_LR,       // lr; x30
  GUEST_CR,       // condition register, CR0 in bits 31..28; arm64: NZCV in bits 31..28
  GUEST_CTR,      // PowerPC
  GUEST_XER,      // PowerPC: SO, OV, CA in bits 31..29; read and written by the guest itself
  GUEST_MSR,      // PowerPC
  GUEST_FPSCR,    // PowerPC; arm64: FPSR
  GUEST_FPCR,     // arm64
  GUEST_TPIDR,    // arm64: TPIDR_EL0, a process's thread pointer
  GUEST_R0 = 32,  // GUEST_R0 + n: r0..r31; x0..x30
  GUEST_F0 = 64,  // GUEST_F0 + n: PowerPC f0..f31; arm64 d0..d31
};
#define GUEST_R(n) ((enum guest_reg)(GUEST_R0 + (n)))
#define GUEST_F(n) ((enum guest_reg)(GUEST_F0 + (n)))
// The bit of CR by which a system call says that it failed.
#define GUEST_CR0_SO 0x10000000ull

u64 guest_get(struct guest *g, enum guest_reg reg);
// The general registers r0..r31 (arm64: x0..x30, sp), in a third of the time of 32 guest_get.
void guest_get_generals(struct guest *g, u64 out_gpr[32]);
void guest_set(struct guest *g, enum guest_reg reg, u64 value);

// All registers that a function can leave something in. Zeroed where an architecture has no
// such register, so that two may be compared by memcmp.
//   PowerPC  vec[n] = vs0..vs31 ([0] is f0..f31), vec[32 + n] = v0..v31; without VSX (ppc32)
//            [1] of the first 32 is 0
//   arm64    vec[n] = v0..v31; gpr[31] is sp; lr is gpr[30]; tpidr is TPIDR_EL0
struct guest_regs {
  u64 pc, lr, cr, ctr, xer, vrsave, msr, fpscr, fpcr, tpidr;
  u64 gpr[32];
  u64 vec[64][2];  // most significant half first
};
void guest_regs_get(struct guest *g, struct guest_regs *out_regs);
// `regs` may come from another engine of the architecture: a fork copies a task this way.
// msr is not written. On arm64 gpr[30] counts, not lr.
void guest_regs_set(struct guest *g, const struct guest_regs *regs);

// ---- Calls ----

struct guest_call {
  u64 entry;        // address of the first instruction; of a descriptor if `descriptor`
  bool descriptor;  // ppc64: `entry` is an ELFv1 function descriptor {code, TOC, environment}.
                    // The kernel's vDSO symbols are addresses of code on ppc64 too
                    // (arch/powerpc/include/asm/vdso.h)
  u64 sp;           // stack grows down from here; rounded down to 16
  u32 num_args;     // at most 8
  u64 args[8];
};

// guest_call prepares a call: pc, r12 = code address (64-bit PowerPC), the arguments, LR =
// GUEST_LANDING, sp below guest_caller_frame bytes with a back chain of 0 written (PowerPC).
// Other registers stay. The call's count begins at 0. A call that stood open is abandoned.
// The stack below call->sp, and a descriptor, must be mapped.
void guest_call(struct guest *g, const struct guest_call *call);

// guest_nested_begin interrupts the open call at its boundary as a signal handler does: saves
// all registers, and prepares `call` on the same stack below the red zone (call->sp is not
// looked at). guest_run then runs the nested call, with a count of its own; after it has
// returned, or at any stop, guest_nested_end goes back to where the outer call stood. Returns
// false, with nothing done, where the guest's stack pointer leads to no writable memory: a
// kernel kills such a process. At most GUEST_LEVELS nest.
enum { GUEST_LEVELS = 4 };
bool guest_nested_begin(struct guest *g, const struct guest_call *call);
void guest_nested_end(struct guest *g);
u32 guest_level(const struct guest *g);  // 0: no nested call

// ---- Running ----

enum guest_stop_kind {
  GUEST_RETURNED,  // arrived at GUEST_LANDING
  GUEST_BOUNDARY,  // the count reached stop_at; the next instruction has not begun
  GUEST_SYSCALL,   // sc, svc: registers hold number and arguments; pc is behind it. The
                   // owner writes the result (r3 and CR0.SO; x0) and runs on
  GUEST_HVC,       // pc is behind it
  GUEST_SMC,       // pc is behind it
  GUEST_TRAPPED,   // arm64: a register read that nobody answered; pc is behind it. The owner
                   // writes the register stop->sysreg.rt (31: none) and runs on
  GUEST_FAULT,     // pc is on the instruction, which did not retire
  GUEST_BUDGET,    // the budget is used up; the next instruction has not begun
};

enum guest_fault {
  GUEST_FAULT_NONE,
  GUEST_FAULT_READ,       // of `size` bytes at `addr`
  GUEST_FAULT_WRITE,      // a store over two pages may have written the first part
  GUEST_FAULT_FETCH,      // `addr` is where execution would have gone on, and so is pc
  GUEST_FAULT_INSN,       // undefined, a trap, or any other exception of the processor
  GUEST_FAULT_FORBIDDEN,  // would read host time or entropy, or change the machine: darn, mftb
                          // without guest_set_timebase, mfspr and mtspr of all but XER, LR, CTR
                          // and VRSAVE, mfmsr, mtmsr, rfi, dcbi, stop, what changes segments and
                          // TLBs; arm64: MSR of all but NZCV, DAIF, FPCR, FPSR and TPIDR_EL0;
                          // what guest_set_process says
};

// What an MRS names.
struct guest_sysreg {
  u8 op0, op1, crn, crm, op2;
  u8 rt;  // target x0..x30; 31: none
};

struct guest_stop {
  enum guest_stop_kind kind;
  u64 pc;
  u64 insns;  // this call's instructions retired; the one that stopped it included, unless
              // it faulted
  enum guest_fault fault;
  bool unmapped;  // fault: no page there; else its permissions forbid it
  u64 addr;       // fault: of the access
  u32 size;       // fault: of the access, bytes
  u32 exception;  // fault, GUEST_FAULT_INSN: Unicorn's number
  u32 imm;        // GUEST_SYSCALL, GUEST_HVC, GUEST_SMC: the instruction's immediate
  struct guest_sysreg sysreg;
};

#define GUEST_NO_LIMIT (~0ull)

// guest_run goes on until something of enum guest_stop_kind happens, at the latest at boundary
// `stop_at` of the open call (GUEST_NO_LIMIT: no boundary), tells all in `out_stop` and returns
// its kind. A stop_at that is behind is GUEST_BOUNDARY at once. The return has no boundary of
// its own: a call of n instructions stops at boundaries 0 to n-1. Where a system call is the
// last instruction before `stop_at` it is reported first.
// Determinism: no draw; the result depends on registers and mapped bytes alone.
enum guest_stop_kind guest_run(struct guest *g, u64 stop_at, struct guest_stop *out_stop);

u64 guest_insns(const struct guest *g);        // retired in the open call, its nested ones apart
u64 guest_insns_total(const struct guest *g);  // since guest_reset, all calls
// guest_run stops at this total; default 10 million. 0: none.
void guest_set_budget(struct guest *g, u64 insns_total);

// PowerPC: mftb and mfspr of the time base give `value`, and `step` more each time, instead of
// a fault. Part of a snapshot; guest_clear goes back to the fault.
void guest_set_timebase(struct guest *g, u64 value, u64 step);

// arm64: `fn` answers each MRS that the guest executes. It may look at and change its own
// state, but call neither guest_ nor sim_ functions. Without one, and on GUEST_SYSREG_STOP,
// RNDR, RNDRRS, the counters and what the processor does not have stop the call
// (GUEST_TRAPPED), and all others are answered by the processor of the library. Borrowed
// until guest_clear. NULL: none.
enum guest_sysreg_answer {
  GUEST_SYSREG_CPU,    // as the library's processor has it; asserted not to be host time or
                       // entropy
  GUEST_SYSREG_VALUE,  // *out_value, and *out_nzcv unless it was left GUEST_NZCV_KEEP
  GUEST_SYSREG_STOP,   // GUEST_TRAPPED
};
#define GUEST_NZCV_KEEP 0xffffffffu
typedef enum guest_sysreg_answer guest_sysreg_fn(void *arg, const struct guest_sysreg *reg,
                                                 u64 *out_value, u32 *out_nzcv);
void guest_set_sysreg(struct guest *g, guest_sysreg_fn *fn, void *arg);

// arm64: from now on the guest is a process: what Linux lets no EL0 execute is
// GUEST_FAULT_FORBIDDEN (guest_process.c has the table: MSR and MRS of what is not EL0's, DAIF
// among it; cache, TLB and address translation operations but DC ZVA, DC C*VA* and IC IVAU; HVC,
// SMC, ERET). The processor stays in EL1. guest_clear goes back to a guest that may do everything.
void guest_set_process(struct guest *g);

// ---- Snapshots ----

// A snapshot is the registers, open calls and counts of an engine, and the bytes of its kept
// ranges. Any number may exist; a sweep takes one at boundary k and restores it for each case.
// Mappings and permissions are not in it.
struct guest_snapshot;

// guest_keep adds [host, host + len), any host memory of the caller's: the writable pages of the
// guest, or as little of them as a call touches (what is copied is what it costs: 64 KiB in
// 3 us), or state of a model. At most 32 ranges, before the first guest_snapshot_new.
void guest_keep(struct guest *g, void *host, size_t len);
struct guest_snapshot *guest_snapshot_new(struct guest *g);  // `g` owns it; not yet taken
void guest_snapshot_free(struct guest *g, struct guest_snapshot *snapshot);
void guest_take(struct guest *g, struct guest_snapshot *snapshot);
// guest_restore may be called whatever `g` did since; the snapshot has been taken.
void guest_restore(struct guest *g, const struct guest_snapshot *snapshot);
// What guest_take saved of a host address that lies in a kept range: for comparisons.
const void *guest_snapshot_host(const struct guest *g, const struct guest_snapshot *snapshot,
                                const void *host);

// ---- The log (GUEST_LOG) ----

struct guest_access {
  u64 pc, addr;
  u64 value;  // in host order; of a read: what it got
  u64 insn;   // index of the instruction in its call
  u8 size;    // bytes; a vector comes as two halves
  bool write;
};
// guest_set_log: accesses go to log[0..max-1] from now on (borrowed until the next call or
// guest_clear); guest_log_count says how many there were, be it more than `max`. NULL: off.
void guest_set_log(struct guest *g, struct guest_access *log, u32 max);
u32 guest_log_count(const struct guest *g);
// A hash of the addresses that were executed and accessed since guest_reset or guest_set_log:
// equal for two calls that differ in secrets only, if these decide no branch and no address.
u64 guest_path_hash(const struct guest *g);

// ---- Coverage (GUEST_COVER) ----

// Counters of the caller, bumped modulo 256, borrowed until guest_clear; a length is a power of
// two, or 0 for none. Blocks are indexed by (pc - base) / 4, edges by a hash of two of them.
// A stop does not begin a block. `state` is the model's: guest_cover_state bumps
// state[index modulo num_state] (CRNG stage, outcome of the call, last fault kind).
struct guest_cover {
  u64 base;
  u8 *block, *edge, *state;
  u32 num_block, num_edge, num_state;
};
void guest_set_cover(struct guest *g, const struct guest_cover *cover);
void guest_cover_state(struct guest *g, u32 index);
// From now on guest_shared's engines are made with GUEST_COVER and count into `cover`, which is
// copied; its counters are borrowed for as long as the process lives. Before any engine is made.
// Determinism: none; results are the same.
void guest_cover_shared(const struct guest_cover *cover);

// ---- Saying where ----

struct guest_symbol {
  const char *name;
  u64 addr, size;
};
// Borrowed until guest_clear; any order. The smallest that holds an address names it.
void guest_set_symbols(struct guest *g, const struct guest_symbol *symbols, u32 num_symbols);
// "symbol+0x24", or "0x100024" where no symbol holds it. Always terminated. Returns `out`.
char *guest_where(const struct guest *g, u64 addr, char *out, size_t len);
// guest_disassemble writes the instruction at `addr` ("std r3, 0x10(r1)"), or its word, or
// "no memory". Always terminated. Returns `out`.
char *guest_disassemble(struct guest *g, u64 addr, char *out, size_t len);
// One line without addresses that vary: "write of 8 bytes at 0x201000, read-only, by
// f+0x24: std r3, 0(r4)". Always terminated. Returns `out`.
char *guest_describe(struct guest *g, const struct guest_stop *stop, char *out, size_t len);

#endif  // SEEDBED_MODELS_GUEST_GUEST_H_
