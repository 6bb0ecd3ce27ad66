// SPDX-License-Identifier: GPL-2.0-or-later
//
// Replaying the tree's inputs; see fuzz_replay.h. All in one process, which is fast; where that
// fails, each alone, to see which.

#include "tools/fuzzing/fuzz_replay.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/fuzzing/fuzz_corpus.h"
#include "tools/fuzzing/fuzz_minder.h"
#include "tools/fuzzing/fuzz_take.h"
#include "tools/interrupt.h"

enum { REPLAY_MS = 120000 };

struct replay {
  char *program;
  char *output;  // file for what it prints
  const char **path;
  u32 count;
};

static void add_folder(const struct fuzz_place *place, const struct fuzz_target *target,
                       const char *kind, struct replay *replay) {
  char *folder = xasprintf("%s/corpora/%s/%s", place->root, target->name, kind);
  struct fuzz_files files;

  fuzz_files_list(folder, &files);
  replay->path = xrealloc(replay->path, (replay->count + files.count + 1) * sizeof(*replay->path));
  for (u32 i = 0; i < files.count; i++)
    replay->path[replay->count++] = xasprintf("%s/%s", folder, files.name[i]);
  fuzz_files_free(&files);
  free(folder);
}

// The program's exit status on some of the inputs.
static int run(const struct replay *replay, const struct fuzz_record *record, u32 first,
               u32 count) {
  const char **argv = xcalloc(count + 3, sizeof(*argv));
  static const char *const env[] = {NULL};
  struct fuzz_program program = {argv, env, replay->output, REPLAY_MS};
  u32 num = 0;
  int status;

  argv[num++] = replay->program;
  if (record->engine == FUZZ_ENGINE_LIBFUZZER) argv[num++] = "-timeout=25";
  for (u32 i = 0; i < count; i++) argv[num++] = replay->path[first + i];
  status = fuzz_minder_run(&program);
  free(argv);
  return status;
}

int fuzz_replay(const struct fuzz_place *place, const struct fuzz_target *target,
                struct fuzz_record *record) {
  struct replay replay = {
      .program = fuzz_place_program(place, target, record->engine),
      .output = xasprintf("%s/replaying", target->dir),
  };
  u64 before = record->failures;
  int status = SIM_OK;

  add_folder(place, target, "seed", &replay);
  add_folder(place, target, "regress", &replay);
  if (replay.count && run(&replay, record, 0, replay.count)) {
    for (u32 i = 0; i < replay.count && !status && !interrupt_signal(); i++)
      if (run(&replay, record, i, 1))
        status = fuzz_take_failure(place, target, replay.path[i], replay.output, record);
    if (!status && record->failures == before && !interrupt_signal()) {
      complain("%s: its inputs fail in one process and not alone: runs depend on earlier ones",
               target->name);
      record->status = (enum sim_status)status_join((int)record->status, SIM_NONDETERMINISM);
    }
  }
  unlink(replay.output);
  for (u32 i = 0; i < replay.count; i++) free((char *)(uintptr_t)replay.path[i]);
  free(replay.path);
  free(replay.output);
  free(replay.program);
  return status;
}
