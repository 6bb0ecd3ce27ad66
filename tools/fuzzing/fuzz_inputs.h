// SPDX-License-Identifier: GPL-2.0-or-later
//
// What of a target's corpus an engine is given. The corpus is a folder that people and other
// machines copy into at any time, and from which inputs that fail are taken while an engine begins;
// engines end at a file that they cannot open.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_INPUTS_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_INPUTS_H_

#include "tools/fuzzing/fuzz_place.h"

// Links each input of the corpus, under its name, into the folder `to`, which it makes; copies
// where no link can be. Left out is what cannot be read, what is no regular file, and what is set
// aside. False, with a reason, where the machine refuses.
SIM_MUST_CHECK bool fuzz_inputs_link(const struct fuzz_target *target, const char *to, char *err,
                                     size_t len);

// Whether an input of this content was set aside.
bool fuzz_inputs_is_aside(const struct fuzz_target *target, const char *hash);
// Sets an input of the corpus aside, if it is there. It comes back when the programs are built
// anew, whatever its file's time was. Returns whether it was there; false too, after a complaint,
// where the machine refuses.
bool fuzz_inputs_set_aside(const struct fuzz_target *target, const char *hash);

// For the beginning of a campaign: takes away again what came back of the inputs that are set
// aside, by a copy from another machine, and complains of what is no input.
void fuzz_inputs_mend(const struct fuzz_target *target);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_INPUTS_H_
