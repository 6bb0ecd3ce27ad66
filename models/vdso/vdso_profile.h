// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls under the log of accesses: where a subject keeps the RNG's data, how its data pages lie,
// where it loads the generation, where its block function is, and what differs between two runs
// that differ in their keys.
#ifndef SEEDBED_MODELS_VDSO_VDSO_PROFILE_H_
#define SEEDBED_MODELS_VDSO_VDSO_PROFILE_H_

#include "models/vdso/vdso_machine.h"

// Fills in rng_addr, page_len, data and chacha, where the image's symbols did not tell, and the
// addresses of loads:
//   rng_addr  the last single byte of a data page that a call on empty pages looks at is is_ready
//   page_len  the smallest of 4, 16 and 64 KiB over whose border a state is refused by -EFAULT
//   data      a word beside the RNG's data is the clock mode, and its page the first; else RNG data
//             that begin a page are on the third (include/vdso/datapage.h, enum vdso_pages); else
//             the layout stays unknown
//   chacha    where the first call goes with a batch, the key behind it and two blocks to make
//             (include/vdso/getrandom.h, __arch_chacha20_blocks_nostack); else it stays unknown
// False with a reason if the subject reads no data page where it should, or calls do not return;
// `where` is changed to the address where one faulted.
SIM_MUST_CHECK bool vdso_profile(struct vdso_machine *m, char where[64], char *err, size_t len);

enum { VDSO_TWICE_WHERE = 7 };  // and a path: SIM_FAILURES_MAX
// What two runs of some calls, which got different keys, had in common.
struct vdso_twice {
  bool path;       // the same instructions and addresses
  bool registers;  // the same in every register after each call, apart from bytes of the output
  bool stack;      // the same bytes on the stack after each call
  // The first differences of registers and stack: "r5", "v3", "stack-24". No one hides another.
  u32 num_where;
  char where[VDSO_TWICE_WHERE][12];
};
// Runs the calls `len[0 .. num-1]` (at most 4), one after the other on one state, twice.
// Changes nothing but the logging engine.
//
// vdso_name_differences adds to `out` the names of the registers that differ between `a` and `b`,
// apart from those that `is_known`, which may be NULL, says are `arg`'s concern.
void vdso_name_differences(const struct vdso_machine *m, const struct guest_regs *a,
                           const struct guest_regs *b, bool (*is_known)(void *arg, u64 a, u64 b),
                           void *arg, struct vdso_twice *out);
void vdso_run_twice(struct vdso_machine *m, const u32 *len, u32 num, struct vdso_twice *out);

#endif  // SEEDBED_MODELS_VDSO_VDSO_PROFILE_H_
