// SPDX-License-Identifier: GPL-2.0-or-later
//
// tools/fuzz prune: each target's corpus becomes the smallest set, by libFuzzer's merge, that
// reaches the same. What is put in its place is whole, or the old one stays. Sections: one corpus;
// the tree's seeds; the command.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base.h"
#include "tools/command.h"
#include "tools/findings.h"
#include "tools/fuzzing/fuzz_commands.h"
#include "tools/fuzzing/fuzz_corpus.h"
#include "tools/fuzzing/fuzz_cover.h"
#include "tools/fuzzing/fuzz_minder.h"
#include "tools/fuzzing/fuzz_take.h"
#include "tools/interrupt.h"
#include "tools/options.h"

enum {
  TARGET_MS_DEFAULT = 600000,
  CONTROL_LEN_MAX = 1 << 30,
  // What a target has in the tree, beside the calm run.
  SEEDS_MAX = 60,
  SEEDS_BYTES_MAX = 16384,
};

// ---- One corpus ----

struct pruning {
  const struct fuzz_place *place;
  const struct fuzz_target *target;
  char *corpus, *made;     // the set, and the new one
  char *folder;            // of the work
  char *control, *output;  // in it
  struct fuzz_record record;
};

static void pruning_begin(const struct fuzz_place *place, const struct fuzz_target *target,
                          struct pruning *out) {
  *out = (struct pruning){
      .place = place,
      .target = target,
      .corpus = xasprintf("%s/corpus", target->dir),
      .made = xasprintf("%s/corpus.made", target->dir),
      .folder = xasprintf("%s/pruning", target->dir),
      .control = xasprintf("%s/pruning/control", target->dir),
      .output = xasprintf("%s/pruning/output", target->dir),
      .record = {.engine = FUZZ_ENGINE_LIBFUZZER},
  };
}

static void pruning_end(struct pruning *pruning) {
  fuzz_folder_remove(pruning->made);
  fuzz_folder_remove(pruning->folder);
  free(pruning->corpus);
  free(pruning->made);
  free(pruning->folder);
  free(pruning->control);
  free(pruning->output);
}

static bool make_folders(const struct pruning *pruning, char *err, size_t len) {
  char *artifacts = xasprintf("%s/artifacts", pruning->folder);
  bool good;

  fuzz_folder_remove(pruning->made);
  fuzz_folder_remove(pruning->folder);
  good = fuzz_folder_make(artifacts, err, len) && fuzz_folder_make(pruning->made, err, len);
  free(artifacts);
  return good;
}

// The merge's exit status. It goes on behind an input that ends its process, and never runs that
// again; how many attempts it has is bounded by the time.
static int merge(const struct pruning *pruning, u64 ms) {
  char *program = fuzz_place_program(pruning->place, pruning->target, FUZZ_ENGINE_LIBFUZZER);
  char *words[] = {
      xstrdup(program),
      xstrdup("-merge=1"),
      xasprintf("-merge_control_file=%s", pruning->control),
      xasprintf("-artifact_prefix=%s/artifacts/", pruning->folder),
      xasprintf("-timeout=%d", FUZZ_RUN_TIMEOUT_S),
      xasprintf("-rss_limit_mb=%d", FUZZ_RUN_MEMORY_MB),
      xstrdup(pruning->made),
      xstrdup(pruning->corpus),
      NULL,
  };
  static const char *const env[] = {NULL};
  const struct fuzz_program run = {(const char *const *)words, env, pruning->output, ms};
  int status = fuzz_minder_run(&run);

  for (u32 i = 0; words[i]; i++) free(words[i]);
  free(program);
  return status;
}

struct size {
  u32 count;
  u64 bytes;
};

static struct size size_of(const char *dir) {
  struct fuzz_files files;
  struct size size = {0};

  fuzz_files_list(dir, &files);
  size.count = files.count;
  for (u32 i = 0; i < files.count; i++) {
    char *path = xasprintf("%s/%s", dir, files.name[i]);
    struct stat stat_buffer;

    if (!stat(path, &stat_buffer)) size.bytes += (u64)stat_buffer.st_size;
    free(path);
  }
  fuzz_files_free(&files);
  return size;
}

// What the merge wrote is the new set only if each file is what its name says: a full disk may
// have cut one.
static bool is_whole(const char *made, char *err, size_t len) {
  struct fuzz_files files;
  bool good;

  fuzz_files_list(made, &files);
  good = files.count > 0;
  if (!good) snprintf(err, len, "the merge left no input");
  for (u32 i = 0; i < files.count && good; i++) {
    char *path = xasprintf("%s/%s", made, files.name[i]), hash[FUZZ_HASH_LEN] = "";

    good = fuzz_hash_file(path, hash) && !strcmp(hash, files.name[i]);
    if (!good) snprintf(err, len, "%s is not what its name says: a full disk?", path);
    free(path);
  }
  fuzz_files_free(&files);
  return good;
}

static int prune_one(struct pruning *pruning, u64 ms) {
  struct size before = size_of(pruning->corpus), after;
  char *artifacts, err[1024] = "";
  int status = SIM_OK, merged = -1;
  bool good;

  if (!before.count) return SIM_OK;
  artifacts = xasprintf("%s/artifacts", pruning->folder);
  good = make_folders(pruning, err, sizeof(err));

  if (good) {
    merged = merge(pruning, ms);
    // Inputs that failed are set aside, whatever became of the rest.
    status = fuzz_take_failures(pruning->place, pruning->target, artifacts, pruning->output,
                                &pruning->record);
    if (merged) snprintf(err, sizeof(err), "the merge did not end well (status %d)", merged);
    good = !merged && !status && is_whole(pruning->made, err, sizeof(err)) &&
           fuzz_corpus_add_bytes(pruning->made, "", 1, err, sizeof(err)) != FUZZ_ADDED_NOT &&
           fuzz_corpus_replace(pruning->made, pruning->corpus, err, sizeof(err));
  }
  after = size_of(pruning->corpus);
  printf("  %-24s %6u inputs %9llu bytes  ->  %6u inputs %9llu bytes", pruning->target->name,
         before.count, (unsigned long long)before.bytes, after.count,
         (unsigned long long)after.bytes);
  if (pruning->record.set_aside)
    printf(", %llu set aside in %s/killers", (unsigned long long)pruning->record.set_aside,
           pruning->target->dir);
  printf("\n");
  fflush(stdout);
  free(artifacts);
  if (!good) complain("%s: the corpus stays as it was: %s", pruning->target->name, err);
  status = status_join(status, (int)pruning->record.status);
  return good || interrupt_signal() ? status : status_join(status, SIM_OURS);
}

// ---- The tree's seeds ----

// Named as fuzz/regress_main.c names the tree's inputs.
static bool add_seed(const char *to, const void *bytes, size_t bytes_len, char *err, size_t len) {
  const u8 *at = bytes;
  u64 hash = bytes_len;
  char name[32];

  for (size_t i = 0; i < bytes_len; i++) hash = sim_mix64(hash ^ at[i]);
  snprintf(name, sizeof(name), "%016" PRIx64, hash);
  return fuzz_corpus_add_named(to, name, bytes, bytes_len, err, len) != FUZZ_ADDED_NOT;
}

static bool copy_chosen(const struct fuzz_cover *cover, const char *from, const char *to, char *err,
                        size_t len) {
  // The empty input is the calm run.
  bool good = add_seed(to, "", 0, err, len);

  for (u32 i = 0; i < cover->count && good; i++) {
    char *path = xasprintf("%s/%s", from, cover->input[i].name);
    struct text bytes = {0};

    if (cover->input[i].chosen && read_file(path, FUZZ_INPUT_LEN_MAX, &bytes))
      good = add_seed(to, text_str(&bytes), bytes.len, err, len);
    text_free(&bytes);
    free(path);
  }
  return good;
}

static int refresh(const struct pruning *pruning, const char *into) {
  char *seed = xasprintf("%s/%s/seed", into, pruning->target->name);
  char *made = xasprintf("%s/%s/seed.made", into, pruning->target->name), err[1024] = "";
  struct text control = {0};
  struct fuzz_cover cover;
  bool good;

  fuzz_corpus_mend(made, seed);
  if (!read_file(pruning->control, CONTROL_LEN_MAX, &control)) control.len = 0;
  fuzz_cover_read(text_str(&control), &cover);
  (void)fuzz_cover_choose(&cover, SEEDS_MAX, SEEDS_BYTES_MAX);
  good = fuzz_folder_make(made, err, sizeof(err)) &&
         copy_chosen(&cover, pruning->corpus, made, err, sizeof(err)) &&
         fuzz_corpus_replace(made, seed, err, sizeof(err));
  if (good)
    printf("  %-24s %6u inputs in %s\n", pruning->target->name, size_of(seed).count, seed);
  else
    complain("%s stays as it was: %s", seed, err);
  if (!good) fuzz_folder_remove(made);
  fuzz_cover_free(&cover);
  text_free(&control);
  free(made);
  free(seed);
  return good ? SIM_OK : SIM_OURS;
}

int fuzz_prune_targets(const struct fuzz_place *place, const struct fuzz_targets *targets,
                       u64 time_ms, const char *into) {
  u64 ms = time_ms ? time_ms / targets->count + 1000 : TARGET_MS_DEFAULT;
  int status = SIM_OK;

  for (u32 i = 0; i < targets->count && !interrupt_signal(); i++) {
    struct pruning pruning;
    int pruned;

    pruning_begin(place, &targets->target[i], &pruning);
    pruned = prune_one(&pruning, ms);
    if (into && pruned != SIM_OURS && !interrupt_signal())
      pruned = status_join(pruned, refresh(&pruning, into));
    status = status_join(status, pruned);
    pruning_end(&pruning);
  }
  fuzz_failed_tell(place->failed);
  return status;
}

// ---- The command ----

static const struct argp_option option_list[] = {
    {"into", FUZZ_KEY_INTO, "DIR", 0,
     "Then write the few inputs that reach the most to DIR/TARGET/seed, in place of what is "
     "there: at most 60, and 16 KiB; for the tree, corpora",
     3},
    {"time", FUZZ_KEY_ALL_TIME, "S", 0, "For all targets together (default 10 minutes each)", 3},
    {0},
};

static const struct argp prune_argp = {
    .options = option_list,
    .parser = fuzz_options_parse_own,
    .args_doc = "[TARGET...]",
    .doc =
        "Make the corpus of each target small again: the shortest inputs that together reach what "
        "all of them reach, by libFuzzer's measure. Inputs that fail, take too long or too much "
        "memory are set aside in TARGET/killers, become findings, and come back when the programs "
        "are built anew. A corpus is the old one or the new one at any moment.\v"
        "Examples:\n"
        "  fuzz prune\n"
        "  fuzz prune crng_seed_fuzz --into=corpora\n"
        "\n"
        "Exit status 0; that of the worst finding; 70 where a corpus had to stay as it was.",
    .children = fuzz_options_where,
};

int fuzz_prune_command(int argc, char **argv) {
  struct fuzz_options options;
  struct fuzz_targets targets;
  struct fuzz_place place;
  int status;

  fuzz_options_init(&options, "prune");
  options.afl = false;
  options_parse("prune", &prune_argp, argc, argv, &options);
  interrupt_catch();
  fuzz_place_open(options.out, &place);
  status = fuzz_place_lock(&place);
  if (!status) {
    fuzz_targets_open(&place, options.name, options.num_names, &targets);
    fuzz_options_check_engines(&options, &place, &targets);
    status = fuzz_prune_targets(&place, &targets, options.time_ms, options.into);
    fuzz_targets_free(&targets);
  }
  fuzz_place_close(&place);
  return status;
}
