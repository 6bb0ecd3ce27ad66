// SPDX-License-Identifier: GPL-2.0-or-later
//
// Figures of an engine at work; see fuzz_running.h.

#include "tools/fuzzing/fuzz_running.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/history.h"
#include "tools/fuzzing/fuzz_corpus.h"
#include "tools/fuzzing/fuzz_figures.h"

enum { TAIL_LEN = 1 << 14 };

// The end of a file that may be long, and grow; "" without one.
static void read_tail(const char *path, struct text *out) {
  FILE *file = fopen(path, "re");
  char bytes[TAIL_LEN];
  size_t len;

  text_free(out);
  text_add(out, "");
  if (!file) return;
  if (fseek(file, -TAIL_LEN, SEEK_END)) rewind(file);
  len = fread(bytes, 1, sizeof(bytes), file);
  text_add_bytes(out, bytes, len);
  fclose(file);
}

// Files of a folder whose name does not hold `but`.
static u64 count_files(const struct fuzz_slice *slice, const char *name, const char *but) {
  char *folder = xasprintf("%s/%s", slice->folder, name);
  struct fuzz_files files;
  u64 count = 0;

  fuzz_files_list(folder, &files);
  for (u32 i = 0; i < files.count; i++) count += !strstr(files.name[i], but);
  fuzz_files_free(&files);
  free(folder);
  return count;
}

// By the records of the targets' processes, of which some may be gone.
static u64 count_recorded(const struct fuzz_slice *slice) {
  char *folder = xasprintf("%s/history", slice->folder);
  struct fuzz_files files;
  u64 count = 0;

  fuzz_files_list(folder, &files);
  for (u32 i = 0; i < files.count; i++) {
    char *path = xasprintf("%s/%s", folder, files.name[i]);

    count += history_count(path);
    free(path);
  }
  fuzz_files_free(&files);
  free(folder);
  return count;
}

static u64 told(const struct fuzz_slice *slice) {
  bool afl = slice->engine == FUZZ_ENGINE_AFL;
  char *path = xasprintf("%s/%s", slice->folder, afl ? "afl/default/fuzzer_stats" : "output");
  struct fuzz_figures figures;
  struct text text = {0};

  read_tail(path, &text);
  if (afl)
    fuzz_figures_afl(text_str(&text), &figures);
  else
    fuzz_figures_libfuzzer(text_str(&text), &figures);
  text_free(&text);
  free(path);
  return figures.executions;
}

static void raise_to(u64 *io, u64 value) {
  if (value > *io) *io = value;
}

void fuzz_running_look(const struct fuzz_slice *slice, struct fuzz_running *io) {
  bool afl = slice->engine == FUZZ_ENGINE_AFL;

  raise_to(&io->executions, count_recorded(slice));
  raise_to(&io->executions, told(slice));
  raise_to(&io->found, afl ? count_files(slice, "afl/default/queue", ",orig:")
                           : count_files(slice, "new", "/"));
  raise_to(&io->failed, count_files(slice, "failed", ".") +
                            (afl ? count_files(slice, "afl/default/crashes", "README") +
                                       count_files(slice, "afl/default/hangs", "README")
                                 : count_files(slice, "artifacts", "slow-unit-")));
}
