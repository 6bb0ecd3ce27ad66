// SPDX-License-Identifier: GPL-2.0-or-later
//
// The findings that the inputs of one call failed with, new ones and known ones: what its last
// lines tell. A finding is its folder.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_FAILED_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_FAILED_H_

#include "tools/text.h"

struct fuzz_failed {
  char **folder;  // in the order in which they were added, none twice
  u32 count;
};

void fuzz_failed_add(struct fuzz_failed *failed, const char *folder);
void fuzz_failed_free(struct fuzz_failed *failed);

// For another process: a line "failed FOLDER" each; and back, which returns the first line that is
// none of these.
void fuzz_failed_lines(const struct fuzz_failed *failed, struct text *text);
const char *fuzz_failed_read(struct fuzz_failed *failed, const char *text);

// Prints, for each, its key and cause and the command that repeats it; then there is none.
void fuzz_failed_tell(struct fuzz_failed *failed);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_FAILED_H_
