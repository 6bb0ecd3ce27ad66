// SPDX-License-Identifier: GPL-2.0-or-later
//
// A reader of the vDSO's getrandom as a task of the world: a guest with an engine and a state
// of its own, whose system calls go to the CRNG's model and whose data page is the model's.
// Several readers and the CRNG's own tasks interleave: a guest at any instruction, the model
// at any primitive.
//
// What a call is judged by, beside what the CRNG's onlooker says of the system calls:
//   - every byte is keystream of a key that a system call gave, and nobody else's
//   - a key is of the publication that the page's generation stood for when the call began,
//     or at the last look that it took at the page, or of a later one
//   - nothing is served before the page says that the CRNG is ready
//   - its result is the system call's where it went there
//
// Left out, since models/vdso has it: wiped states, signals, forks, wrong arguments.
#ifndef SEEDBED_MODELS_VDSO_CRNG_VDSO_READER_H_
#define SEEDBED_MODELS_VDSO_CRNG_VDSO_READER_H_

#include "models/crng/crng_watch.h"
#include "models/vdso/vdso_ledger.h"
#include "models/vdso/vdso_machine.h"
#include "sim/scenario.h"

enum { VDSO_READERS_MAX = 4, VDSO_READ_LEN_MAX = 256 };

extern const struct sim_oracle vdso_crng_oracle_fresh, vdso_crng_oracle_ready;

struct vdso_readers;

struct vdso_reader {
  struct vdso_readers *all;
  struct vdso_machine *m;  // in memory of its engine
  struct guest_snapshot *ahead;
  // ---- Of a run ----
  s32 hint_key;
  u32 hint_at;
  // ---- Of the open call ----
  bool open, in_kernel, fell_back;
  u32 len, flags, num_syscalls, num_keys;
  u64 need;          // a generation that the page showed, and that was to be seen
  bool shown_ready;  // the page has shown it
  s64 fell_back_result;
};

struct vdso_readers {
  struct crng_watch *watch;
  u32 num;
  struct vdso_reader reader[VDSO_READERS_MAX];
  // ---- Of a run ----
  bool begun;
  struct ledger ledger;
  u32 reached;  // bits of enum vdso_readers_reached
};

// Situations that exploration must reach.
enum vdso_readers_reached {
  VDSO_READERS_UNREADY = 1,  // a call found the CRNG not ready
  VDSO_READERS_WITHIN = 2,   // a generation was published within a call that had to see it
  VDSO_READERS_ANEW = 4,     // a call threw its key away and took another
  VDSO_READERS_BOTH = 8,     // one was published while two calls were open
};

// vdso_readers_setup prepares zeroed `all` for `num` readers, each with a machine made by
// `setting`; with `shared` all have the first one's state (a planted bug). `watch` is the
// onlooker of the CRNG whose page they read, and tells them of it. In set-up. False with a
// reason in `err` where the subject cannot be run.
SIM_MUST_CHECK bool vdso_readers_setup(struct vdso_readers *all, u32 num,
                                       const struct vdso_setting *setting, bool shared,
                                       struct crng_watch *watch, char *err, size_t err_len);
// One call of `len` bytes (8 to VDSO_READ_LEN_MAX) by reader `index`. Task; may sleep.
void vdso_reader_call(struct vdso_readers *all, u32 index, u32 len, u32 flags);

#endif  // SEEDBED_MODELS_VDSO_CRNG_VDSO_READER_H_
