// SPDX-License-Identifier: GPL-2.0-or-later
//
// The system around a vDSO: its image in a guest's memory, the kernel's data pages, states,
// buffers, stacks, and the getrandom system call.
//
// Memory of the guest (addresses in vdso_machine.c):
//   data pages, image   as the kernel maps them; the guest only reads
//   state[thread]       pages of a MAP_DROPPABLE mapping, with nothing mapped on either side
//   buffers             a page for calls of signal handlers and other threads, three pages for
//                       the main calls, a page that may only be read, and nothing behind it
//   stack[thread]       two pages
//   misc                a page for what is neither: the answer to a query
// Every byte that a call may not write holds a pattern before it, so that what was written
// is seen by comparing pages.
//
// A machine lies in memory of its engine: no reset of a world knows it. vdso_machine_begin
// begins a run, whatever the run before left.
#ifndef SEEDBED_MODELS_VDSO_VDSO_MACHINE_H_
#define SEEDBED_MODELS_VDSO_VDSO_MACHINE_H_

#include "models/guest/guest.h"
#include "models/vdso/image.h"
#include "models/vdso/vdso_abi.h"

enum {
  VDSO_THREADS = 2,
  VDSO_STATE_LEN = 144,
  VDSO_STATE_PAGES = 2,
  VDSO_STACK_LEN = 8192,
  VDSO_MAIN_LEN = 3 * GUEST_PAGE,  // of the buffers of main calls
  VDSO_CHILDREN_MAX = 2,
  VDSO_LEVELS = 4,  // calls that are open at a time
  VDSO_LOADS_MAX = 24,
};
// Bytes of the patterns.
enum {
  VDSO_FILL_STATE = 0x77,
  VDSO_FILL_BUFFER = 0xb5,
  VDSO_FILL_STACK = 0xa5,
  VDSO_FILL_MISC = 0x3c
};

// Flags of getrandom(2).
enum { VDSO_GRND_NONBLOCK = 1, VDSO_GRND_RANDOM = 2, VDSO_GRND_INSECURE = 4 };

// What is fixed for all runs under one set of parameters.
struct vdso_setting {
  enum guest_arch arch;
  const char *variant;  // of the built-in image; not looked at where a subject is set
  bool is_private;      // states are an ordinary private mapping: a fork copies them
  bool key_bytes;       // a key is 32 bytes to the subject, not 8 words
  bool no_fpsimd;       // arm64: the processor has no FPSIMD, so the vDSO serves nothing itself
  u32 engine;           // of guest_shared: machines that run at once have one each
};

// Host memory of one engine.
struct vdso_memory {
  struct guest *g;
  u8 *data, *image, *state[VDSO_THREADS], *buffers, *stack[VDSO_THREADS], *misc;
};

struct vdso_machine {
  struct vdso_setting setting;
  const struct vdso_abi *abi;
  const struct vdso_image *image;
  bool builtin;
  // Where a call in progress is noted in a state, for states that are made up: merged images
  // have a byte 1 at 137, the built-in one a word 1 at 140.
  u32 in_use_at, in_use_len;
  u64 entry, chacha;  // addresses; chacha 0: no symbol tells, and no call of it was seen
  u64 data_addr, image_addr, rng_addr;
  u64 data_len, image_len, page_len;  // data_len bytes are mapped below the image
  // Where the kernel's data pages lie; of an image whose symbols do not tell, by what calls read.
  struct vdso_data_layout data;
  struct vdso_memory fast, logged;  // engines with the same mappings
  struct guest_snapshot *start, *log_start;
  struct guest_snapshot *start_so;  // as `start`, with XER.SO set; arm64: with all of NZCV
  // f14 to f31, v20 to v31 and VRSAVE, on arm64 d8 to d15, which no call may change: as every run
  // begins, and in the first process at the entry of the nested call of each level.
  struct guest_regs start_regs, nested_regs[VDSO_LEVELS];
  struct guest_snapshot *child[VDSO_CHILDREN_MAX];
  struct guest_snapshot *at_mark, *resume, *boundary;
  // Addresses of instructions that load the generation, from the RNG page and from a state.
  u64 page_load[VDSO_LOADS_MAX], state_load[VDSO_LOADS_MAX];
  u32 num_page_loads, num_state_loads;
  u64 clock_mode_addr;  // of a word by which a call tells a time namespace; 0: it looks at none
  void *shots;          // of vdso_profile.c
  u64 caller_sp;        // the stack pointer of a main call at its entry, of thread 0

  // ---- Of a run ----
  u64 generation;
  bool is_ready;
  bool timens;  // the caller is in a time namespace: its first data page is the namespace's
  u32 bumps;
  u64 delivered;  // 8-byte words that the system call has given: what comes next
  u64 salt;       // of what it gives
};

u64 vdso_state_addr(u32 thread);  // of its first page
u64 vdso_main_addr(void);         // of the buffers of main calls; VDSO_MAIN_LEN bytes
u64 vdso_readonly_addr(void);     // behind them
u64 vdso_unmapped_addr(void);     // behind that
u64 vdso_nested_addr(u32 level);  // 1024 bytes for a call at that level (1..3)
u64 vdso_misc_addr(void);         // a page
u64 vdso_stack_addr(u32 thread);  // its lowest byte
enum { VDSO_NESTED_LEN = 1024 };

// vdso_machine_new loads the subject, maps it and finds out where it loads the generation. In
// set-up. NULL with a reason in `err` where the image cannot be run. The engine's memory: valid
// until the next vdso_machine_new of that architecture.
struct vdso_machine *vdso_machine_new(const struct vdso_setting *setting, char *err, size_t len);
// The same. Where it returns NULL, `where` is for the key of a finding: the address of the
// instruction on which a call faulted, as guest_where says it, else "set-up".
struct vdso_machine *vdso_machine_try(const struct vdso_setting *setting, char where[64], char *err,
                                      size_t len);
// Begins a run: memory and registers as at the start.
void vdso_machine_begin(struct vdso_machine *m);
// The summary overflow bit is set, on arm64 all condition flags, as an earlier instruction of the
// program may have left it.
// Right after vdso_machine_begin.
void vdso_machine_set_so(struct vdso_machine *m);

// ---- The kernel's side ----
void vdso_publish(struct vdso_machine *m, struct vdso_memory *memory);  // writes the RNG page
// Lays the fast engine's data pages out as in a time namespace, or not; then vdso_publish. No
// effect where the layout is not known.
void vdso_set_timens(struct vdso_machine *m, bool timens);
void vdso_bump(struct vdso_machine *m);  // a new generation, and published
// Bytes that the system call gives next; vdso_given repeats some from word `from` on.
void vdso_give(struct vdso_machine *m, u8 *out, u32 len);
void vdso_given(const struct vdso_machine *m, u64 from, u8 *out, u32 len);
// Whether the guest may write, or read, all of [addr, addr + len).
bool vdso_writable(const struct vdso_machine *m, u64 addr, u64 len);
// What getrandom(2) says of flags alone: 0 or a negated error.
s64 vdso_flags_error(u32 flags);

// Copies `len` bytes to or from guest memory that is mapped.
void vdso_peek(const struct vdso_memory *memory, u64 addr, void *out, u64 len);
// Begins a main call of thread 0 or 1 with registers as the start's.
void vdso_call_begin(struct guest *g, const struct vdso_machine *m, u32 thread, const u64 args[5]);

#endif  // SEEDBED_MODELS_VDSO_VDSO_MACHINE_H_
