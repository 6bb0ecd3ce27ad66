// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folders, lock and targets; see fuzz_place.h.

#include "tools/fuzzing/fuzz_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/findings.h"
#include "tools/fuzzing/fuzz_corpus.h"
#include "tools/fuzzing/fuzz_inputs.h"
#include "tools/fuzzing/fuzz_log.h"
#include "tools/registry.h"

enum { LOCK_TRIES = 50, LOCK_TRY_US = 100000, LIST_LEN_MAX = 1 << 20 };

char *fuzz_place_path(const struct fuzz_place *place, const char *name) {
  return xasprintf("%s/%s", place->dir, name);
}

static char *absolute(const char *path) {
  char *found = realpath(path, NULL);

  if (found) return found;
  complain("%s: %s", path, strerror(errno));
  command_exit(SIM_MISSING_FILE);
}

void fuzz_place_open(const char *dir, struct fuzz_place *out) {
  const char *engines = getenv("SEEDBED_FUZZ_ENGINES"), *root = getenv("SEEDBED_ROOT");
  char err[512];

  if (!engines || !*engines) {
    complain("SEEDBED_FUZZ_ENGINES names no folder; tools/fuzz builds the engines and sets it");
    command_exit(SIM_USAGE);
  }
  if (!fuzz_folder_make(dir, err, sizeof(err)) || !findings_check(dir, err, sizeof(err))) {
    complain("%s; --out=DIR names another folder", err);
    command_exit(SIM_USAGE);
  }
  *out = (struct fuzz_place){
      .dir = absolute(dir),
      .engines = absolute(engines),
      .root = absolute(root && *root ? root : "."),
      .lock_fd = -1,
      .failed = xcalloc(1, sizeof(*out->failed)),
  };
}

void fuzz_place_close(struct fuzz_place *place) {
  if (place->lock_fd >= 0) close(place->lock_fd);
  free(place->dir);
  free(place->engines);
  free(place->root);
  if (place->failed) fuzz_failed_free(place->failed);
  free(place->failed);
  *place = (struct fuzz_place){.lock_fd = -1};
}

// Removes what killed processes were about to rename.
static void clean(const char *dir) {
  struct fuzz_files files;

  fuzz_files_list(dir, &files);
  for (u32 i = 0; i < files.count; i++) {
    char *path = xasprintf("%s/%s", dir, files.name[i]);

    if (strstr(files.name[i], ".adding.")) unlink(path);
    free(path);
  }
  fuzz_files_free(&files);
}

int fuzz_place_lock(struct fuzz_place *place) {
  char *path = fuzz_place_path(place, "lock");
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), error = fd < 0 ? errno : 0;

  // Engines of a campaign that was killed end at once, but not before us.
  for (u32 i = 0; !error; i++) {
    if (!flock(fd, LOCK_EX | LOCK_NB)) break;
    error = errno == EINTR ? 0 : errno;
    if (error != EWOULDBLOCK || i + 1 == LOCK_TRIES) continue;
    error = 0;
    if (i == LOCK_TRIES / 10) complain("waiting: another campaign holds %s", place->dir);
    usleep(LOCK_TRY_US);
  }
  free(path);
  if (error == EWOULDBLOCK)
    complain("another campaign is at work in %s; --out=DIR names another folder", place->dir);
  else if (error)
    complain("cannot lock %s: %s", place->dir, strerror(error));
  if (error) {
    if (fd >= 0) close(fd);
    return SIM_OURS;
  }
  place->lock_fd = fd;
  findings_clean(place->dir);  // of a process that was killed within findings_check
  return SIM_OK;
}

char *fuzz_place_program(const struct fuzz_place *place, const struct fuzz_target *target,
                         enum fuzz_engine engine) {
  return xasprintf("%s/%s/%s", place->engines, fuzz_engine_name(engine), target->name);
}

// ---- Targets ----

static bool has_program(void *arg, const char *name) {
  const struct fuzz_target target = {.name = (char *)(uintptr_t)name};
  const struct fuzz_place *place = arg;
  bool found = false;

  for (enum fuzz_engine engine = FUZZ_ENGINE_LIBFUZZER; engine <= FUZZ_ENGINE_AFL; engine++) {
    char *path = fuzz_place_program(place, &target, engine);

    found |= !access(path, X_OK);
    free(path);
  }
  return found;
}

static void add(const struct fuzz_place *place, const char *name, struct fuzz_targets *out) {
  struct fuzz_target target;

  for (u32 i = 0; i < out->count; i++)
    if (!strcmp(out->target[i].name, name)) return;
  target = (struct fuzz_target){
      .name = xstrdup(name),
      .dir = fuzz_place_path(place, name),
      .scenario = registry_find_target(name),
  };
  out->target = xrealloc(out->target, (out->count + 1) * sizeof(*out->target));
  out->target[out->count++] = target;
}

static int compare_targets(const void *a, const void *b) {
  const struct fuzz_target *left = a, *right = b;

  return strcmp(left->name, right->name);
}

static void add_all(const struct fuzz_place *place, struct fuzz_targets *out) {
  char *path = xasprintf("%s/targets", place->engines), *save = NULL;
  struct text text = {0};

  if (!read_file(path, LIST_LEN_MAX, &text)) {
    complain("%s: %s", path, strerror(errno));
    command_exit(SIM_MISSING_FILE);
  }
  for (char *name = text.len ? strtok_r(text.s, " \n", &save) : NULL; name;
       name = strtok_r(NULL, " \n", &save))
    add(place, name, out);
  text_free(&text);
  free(path);
}

void fuzz_targets_open(const struct fuzz_place *place, const char *const names[], u32 num_names,
                       struct fuzz_targets *out) {
  *out = (struct fuzz_targets){0};
  for (u32 i = 0; i < num_names; i++) {
    char *target = registry_target_name(names[i]);
    void *arg = (void *)(uintptr_t)place;

    // A name is one component of a path.
    if (strchr(target, '/') || target[0] == '.' || !has_program(arg, target))
      registry_no_target(names[i], "", has_program, arg);
    add(place, target, out);
    free(target);
  }
  if (!num_names) add_all(place, out);
  if (!out->count) {
    complain("there is no target in %s", place->engines);
    command_exit(SIM_MISSING_FILE);
  }
  qsort(out->target, out->count, sizeof(*out->target), compare_targets);
  for (u32 i = 0; i < out->count; i++) {
    char *corpus = xasprintf("%s/corpus", out->target[i].dir);
    char *made = xasprintf("%s/corpus.made", out->target[i].dir);
    char err[512];

    if (place->lock_fd >= 0) {
      fuzz_corpus_mend(made, corpus);
      clean(out->target[i].dir);
      fuzz_inputs_mend(&out->target[i]);
      if (!fuzz_folder_make(corpus, err, sizeof(err))) {
        complain("%s", err);
        command_exit(SIM_OURS);
      }
    }
    free(made);
    free(corpus);
  }
}

void fuzz_targets_free(struct fuzz_targets *targets) {
  for (u32 i = 0; i < targets->count; i++) {
    free(targets->target[i].name);
    free(targets->target[i].dir);
  }
  free(targets->target);
  *targets = (struct fuzz_targets){0};
}
