// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls under the log of accesses: where a subject keeps the RNG's data, where it loads the
// generation, and what differs between two runs that differ in their keys.
#ifndef SEEDBED_MODELS_VDSO_VDSO_PROFILE_H_
#define SEEDBED_MODELS_VDSO_VDSO_PROFILE_H_

#include "models/vdso/vdso_machine.h"

// Fills in rng_addr, if the image did not tell, and the addresses of loads. False with a
// reason if the subject reads no data page, or calls do not return.
SIM_MUST_CHECK bool vdso_profile(struct vdso_machine *m, char *err, size_t len);

// What two runs of some calls, which got different keys, had in common.
struct vdso_twice {
  bool path;       // the same instructions and addresses
  bool registers;  // the same in every register after each call, apart from bytes of the output
  bool stack;      // the same bytes on the stack after each call
  char where[64];  // the first difference: "r5", "v3", "stack-24"
};
// Runs the calls `len[0 .. num-1]` (at most 4), one after the other on one state, twice.
// Changes nothing but the logging engine.
void vdso_run_twice(struct vdso_machine *m, const u32 *len, u32 num, struct vdso_twice *out);

#endif  // SEEDBED_MODELS_VDSO_VDSO_PROFILE_H_
