// SPDX-License-Identifier: GPL-2.0-or-later
//
// The replay lines of docs/SUSPECTS.md: found, tried and renewed.
#ifndef SEEDBED_MODELS_TESTING_EVIDENCE_H_
#define SEEDBED_MODELS_TESTING_EVIDENCE_H_

#include "sim/base.h"
#include "sim/scenario.h"
#include "sim/world.h"

// "- Replay: `tools/seedbed replay SCENARIO --seed=N --set suspect.NAME=1`", and what the
// key line behind it says.
struct evidence {
  char scenario[64], suspect[48], key[SIM_KEY_LEN];
  u64 seed;
};

// evidence_parse reads a replay line, with "" as key; false, and nothing changed, if it is
// another kind of line.
SIM_MUST_CHECK bool evidence_parse(const char *line, struct evidence *out_evidence);
// evidence_parse_key reads a key line, "- Key: `...`", into `evidence`.
SIM_MUST_CHECK bool evidence_parse_key(const char *line, struct evidence *evidence);

// evidence_try runs `seed` with the suspect on. Returns whether it was counted, and
// nothing else fired; then its key is in out_key. False too if the scenario or the suspect
// does not exist.
SIM_MUST_CHECK bool evidence_try(const struct evidence *evidence, u64 seed,
                                 char out_key[SIM_KEY_LEN]);

// evidence_find looks for the first seed below `seeds` that does, and puts it and its key
// into `evidence`. Returns false, and changes nothing, if there is none.
SIM_MUST_CHECK bool evidence_find(struct evidence *evidence, u64 seeds);

#endif  // SEEDBED_MODELS_TESTING_EVIDENCE_H_
