// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a fuzzer is told beside the edges of host code: order of operations on each object and
// states of models (sim/cover.h), blocks and edges of guests (models/guest). libFuzzer takes the
// counters from a section of their own; AFL++ from its map (feedback_afl.c).
//
// SEEDBED_FUZZ_FEEDBACK, letters of what is counted, "ogs" unless set: o, order; g, guests; s,
// states.
#ifndef SEEDBED_FUZZ_FEEDBACK_H_
#define SEEDBED_FUZZ_FEEDBACK_H_

#include "sim/cover.h"

// What worlds count; NULL: nothing. Asked once, before a world is made: from then on the engines of
// guests count too.
const struct sim_cover *fuzz_feedback(void);
// What is counted between the two is forgotten, edges too, since it is not the input's doing: the
// set-up of a world, which the next input with these settings finds done; a second run. AFL++ asks
// for the same answer to the same input. Not nested.
void fuzz_feedback_hold(void);
void fuzz_feedback_resume(void);
// What the input has counted so far is forgotten: it reaches nothing new, whatever it did.
void fuzz_feedback_forget(void);

#endif  // SEEDBED_FUZZ_FEEDBACK_H_
