// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a campaign is: the folder of its state, DIR, and the engines' programs.
//
//   DIR/lock                 held by the campaign that is at work
//   DIR/log.jsonl            fuzz_log.h
//   DIR/findings/            findings.h
//   DIR/TARGET/corpus/       the inputs of both engines, named by their SHA-1
//   DIR/TARGET/killers/      inputs of the corpus that failed, set aside
//   DIR/TARGET/description   what engines are told, fuzz/describe.h
//   DIR/TARGET/slice.N/      a slice that is running, or not yet taken in
//
// Programs lie below the folder that the launcher names: libfuzzer/TARGET, aflpp/TARGET,
// aflpp/mutator_afl.so, and `targets`, the names that "all targets" are, a line each.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_PLACE_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_PLACE_H_

#include "tools/fuzz_finding.h"
#include "tools/fuzzing/fuzz_failed.h"
#include "tools/text.h"

struct fuzz_place {
  char *dir;                   // absolute
  char *engines;               // absolute
  char *root;                  // the top of the tree
  int lock_fd;                 // -1: not locked
  struct fuzz_failed *failed;  // what inputs of this call failed with; owned
};

struct fuzz_target {
  char *name;                           // TARGET
  char *dir;                            // DIR/TARGET
  const struct sim_scenario *scenario;  // NULL: not of this build
};

struct fuzz_targets {
  struct fuzz_target *target;
  u32 count;
};

// Makes the folder `dir` unless it is there, and finds the engines' programs. Ends the process
// with a complaint and its status where that cannot be.
void fuzz_place_open(const char *dir, struct fuzz_place *out);
void fuzz_place_close(struct fuzz_place *place);
// Takes the lock; waits some seconds for the engines of a campaign that was killed. Returns SIM_OK
// or, after a complaint, 70. Children that are forked hold it too, until the last one is gone.
SIM_MUST_CHECK int fuzz_place_lock(struct fuzz_place *place);

// The targets named, by their names or their scenarios', or all: in the order of their names, none
// twice. Ends the process with a complaint and status 64 for a name that is no target. Where the
// place is locked: makes their folders, mends what a killed process left between two renames, and
// what was copied into their corpora (fuzz_inputs_mend).
void fuzz_targets_open(const struct fuzz_place *place, const char *const names[], u32 num_names,
                       struct fuzz_targets *out);
void fuzz_targets_free(struct fuzz_targets *targets);

// The program of an engine; the caller frees it.
char *fuzz_place_program(const struct fuzz_place *place, const struct fuzz_target *target,
                         enum fuzz_engine engine);
// "DIR/NAME"; the caller frees it.
char *fuzz_place_path(const struct fuzz_place *place, const char *name);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_PLACE_H_
