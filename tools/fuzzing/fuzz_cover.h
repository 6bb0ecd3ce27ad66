// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which few inputs of a corpus reach the most: by the features that libFuzzer writes into the
// control file of a merge.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_COVER_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_COVER_H_

#include "sim/base.h"

struct fuzz_cover_input {
  char *name;     // of the file, without its folder
  u64 len;        // bytes
  u32 *features;  // any order
  u32 num_features;
  bool chosen;
};

struct fuzz_cover {
  struct fuzz_cover_input *input;
  u32 count;
};

// Reads the text of a control file. Lines of no use, as a killed merge leaves them, are passed
// over; an input without features is one that was not run to its end.
void fuzz_cover_read(const char *text, struct fuzz_cover *out);
void fuzz_cover_free(struct fuzz_cover *cover);

// Chooses inputs, at most so many and so many bytes together: each time the one that adds the most
// features, of equal ones the shortest, then by name. Ends where none adds any. Returns how many.
u32 fuzz_cover_choose(struct fuzz_cover *cover, u32 num_max, u64 bytes_max);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_COVER_H_
