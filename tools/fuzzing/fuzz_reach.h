// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which fuzz targets a change reaches: by a file's place, and by what Bazel knows of dependencies.
// A target is reached if the library that defines its scenario depends on a changed file. The
// simulator, and what all targets have in common beside their scenarios (fuzz/, the list of
// scenarios, how things are built), reach all.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_REACH_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_REACH_H_

#include "tools/text.h"

enum fuzz_reach {
  FUZZ_REACH_NONE,    // a document, a test, a tool: no target has it
  FUZZ_REACH_ALL,     // the simulator, how things are built, a file that is gone
  FUZZ_REACH_TARGET,  // an input of one target: `out_target`
  FUZZ_REACH_ASK,     // Bazel knows
};

// What a changed file (a path from the top of the tree) means. `exists`: it is there now.
// `out_target` has room for any component of the path.
enum fuzz_reach fuzz_reach_of(const char *path, bool exists, char *out_target, size_t len);

// From the text of `bazel query --output=graph --nograph:factored 'rdeps(..., FILES, 1)'`: adds to
// `out`, a line each, the label of each rule that has the file `path` among its direct
// dependencies.
void fuzz_reach_owners(const char *graph, const char *path, struct text *out);

// Whether a line of `lines` is in `others` too.
bool fuzz_reach_shares_line(const char *lines, const char *others);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_REACH_H_
