// SPDX-License-Identifier: GPL-2.0-only
//
// Inside models/guest: what an engine is made of, and what its files call of each other.
#ifndef SEEDBED_MODELS_GUEST_GUEST_IMPL_H_
#define SEEDBED_MODELS_GUEST_GUEST_IMPL_H_

#include <capstone/capstone.h>
#include <unicorn/unicorn.h>

#include "models/guest/guest.h"

enum {
  GUEST_MAPPINGS_MAX = 64,
  GUEST_KEPT_MAX = 32,
  GUEST_BLOCKS_MAX = 128,  // of guest_pages
};

// The engine's own pages, from GUEST_OWN_BEGIN: the landing page, the stubs that move
// registers, and the memory that they move them to.
enum { GUEST_OWN_LEN = (int)(GUEST_OWN_END - GUEST_OWN_BEGIN) };
#define GUEST_STUB_STORE (GUEST_OWN_BEGIN + GUEST_PAGE)
#define GUEST_STUB_LOAD (GUEST_STUB_STORE + GUEST_PAGE / 2)
#define GUEST_SCRATCH (GUEST_OWN_BEGIN + 2 * GUEST_PAGE)

struct guest_mapping {
  struct guest *g;
  u64 addr;
  size_t len;  // 0: free
  u8 *host;
  u32 perms;
  uc_hook insn_hook, log_hook, block_hook;  // executable
  // A bit for each word, set where it must not just be executed. NULL: nowhere.
  u8 *watched;
};

// What differs between architectures.
struct guest_ops {
  const char *name;
  u32 word_size, red_zone, caller_frame;
  bool big_endian;
  uc_arch arch;
  uc_mode mode;
  cs_arch cs_arch;
  cs_mode cs_mode;
  int pc, sp;  // Unicorn's numbers
  // After uc_open: what makes the processor usable. Then everything else is 0.
  void (*prepare)(struct guest *g);
  // Unicorn's number of a register that it reads and writes itself, or 0.
  int (*number)(enum guest_reg reg);
  void (*regs_get)(struct guest *g, struct guest_regs *out_regs);
  void (*regs_set)(struct guest *g, const struct guest_regs *regs);
  // pc, arguments, return address, stack.
  void (*enter)(struct guest *g, const struct guest_call *call, u64 code, u64 toc, u64 sp);
  // An exception that the processor took: fills g->stop.
  void (*exception)(struct guest *g, u32 number);
  // Whether a word of text must be looked at when it is executed, and what then happens.
  bool (*watches)(u32 word);
  void (*watched)(struct guest *g, u64 addr, u32 word);
};
extern const struct guest_ops guest_ops_ppc32, guest_ops_ppc64, guest_ops_ppc64le, guest_ops_arm64;

// What a snapshot holds beside registers and memory.
struct guest_counts {
  u32 level;
  u64 insns[GUEST_LEVELS + 1];  // per level
  u64 total;
  bool timebase_on;
  u64 timebase, timebase_step;
  u64 path_hash;
  u64 cover_block;  // the last one
};

struct guest_snapshot {
  struct guest_snapshot *next;
  size_t size;  // of this object
  bool taken;
  uc_context *regs, *levels[GUEST_LEVELS];
  struct guest_counts counts;
  u8 bytes[];  // of the kept ranges, one after the other
};

struct guest {
  // What the hook of each instruction touches.
  u64 left;     // instructions until the limit
  u64 last_pc;  // of the last one that began
  uc_engine *uc;
  bool stopped;  // `stop` tells why; later hooks keep quiet
  u64 limit;     // what `left` was when the run began
  // As they were when the run was stopped: a hook may come once more before it is.
  u64 left_at_stop, pc_at_stop;

  enum guest_arch arch;
  u32 options;
  const struct guest_ops *ops;
  struct guest_stop stop;
  struct guest_counts counts;
  u64 budget;
  uc_context *pristine, *levels[GUEST_LEVELS];
  u8 *own;  // host memory of the own pages
  bool in_stub;

  struct guest_mapping mapping[GUEST_MAPPINGS_MAX];
  struct {
    u8 *host;
    size_t len;
  } kept[GUEST_KEPT_MAX], block[GUEST_BLOCKS_MAX];
  u32 num_kept, num_blocks;
  size_t kept_len;
  struct guest_snapshot *snapshots;

  guest_sysreg_fn *sysreg;
  void *sysreg_arg;
  bool is_process;  // guest_set_process
  struct guest_access *log;
  u32 log_max, log_count;
  struct guest_cover cover;
  bool cover_skip;  // the next block is the rest of one
  const struct guest_symbol *symbols;
  u32 num_symbols;
  csh disassembler;
};

enum { GUEST_BUDGET_DEFAULT = 10 * 1000 * 1000 };
// A fault that is no exception: this, and a uc_err.
enum { GUEST_NO_EXCEPTION = 0x10000 };

#define GUEST_CHECK(call) guest_check((call), #call)
void guest_check(uc_err err, const char *what);

// guest_stack.c: fn(arg) on the stack that Unicorn runs on, deep and the host's. May nest.
void guest_on_stack(void (*fn)(void *arg), void *arg);

// guest_pages.c: zeroed memory of the host, page-aligned; ends the process where there is none.
void *guest_host_alloc(size_t len);
void guest_host_free(void *host, size_t len);

// guest_map.c
const struct guest_mapping *guest_mapping_at(const struct guest *g, u64 addr);
void guest_unmap_all(struct guest *g);

// guest_text.c: finds the words of `m` that must be looked at; looks at one, in its hook.
void guest_text_watch(struct guest *g, struct guest_mapping *m);
void guest_text_unwatch(struct guest *g, struct guest_mapping *m);
void guest_text_look(struct guest *g, const struct guest_mapping *m, u64 addr);
static inline bool guest_text_watched(const struct guest_mapping *m, u64 addr) {
  u64 word = (addr - m->addr) / 4;
  return m->watched[word / 8] >> word % 8 & 1;
}

// guest_process.c: whether a process may execute an instruction of arm64.
bool guest_process_may(u32 insn);
// Whether the answer may be no, so that it must be asked.
bool guest_process_watches(u32 insn);

// guest_run.c
void guest_hook_engine(struct guest *g);                         // when it is made
void guest_hook_text(struct guest *g, struct guest_mapping *m);  // when text is mapped
void guest_unhook_text(struct guest *g, struct guest_mapping *m);
void guest_stop_with(struct guest *g, enum guest_stop_kind kind);  // in a hook
void guest_stop_fault(struct guest *g, enum guest_fault fault);    // in a hook
void guest_run_stub(struct guest *g, u64 stub);

// guest_watch.c: hooks of the options.
void guest_watch_engine(struct guest *g);
void guest_watch_insn(uc_engine *uc, uint64_t addr, uint32_t size, void *arg);
void guest_watch_block(uc_engine *uc, uint64_t addr, uint32_t size, void *arg);

// Registers by Unicorn's numbers. Never part of a value is undefined: some are 4 bytes long.
static inline u64 guest_uc_read(struct guest *g, int number) {
  u64 value = 0;
  GUEST_CHECK(uc_reg_read(g->uc, number, &value));
  return value;
}
static inline void guest_uc_write(struct guest *g, int number, u64 value) {
  GUEST_CHECK(uc_reg_write(g->uc, number, &value));
}

#endif  // SEEDBED_MODELS_GUEST_GUEST_IMPL_H_
