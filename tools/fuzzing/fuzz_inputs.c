// SPDX-License-Identifier: GPL-2.0-or-later
//
// What engines are given; see fuzz_inputs.h.

#include "tools/fuzzing/fuzz_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/findings.h"
#include "tools/fuzzing/fuzz_corpus.h"

static char *corpus_path(const struct fuzz_target *target, const char *name) {
  return xasprintf("%s/corpus/%s", target->dir, name);
}

// Why an entry is no input; NULL: it is one. A link to an input is one.
static const char *why_not(const char *path) {
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const char *why = NULL;
  struct stat stat_buffer;

  if (fd < 0 || fstat(fd, &stat_buffer))
    why = strerror(errno);
  else if (!S_ISREG(stat_buffer.st_mode))
    why = "no regular file";
  if (fd >= 0) close(fd);
  return why;
}

static bool give(const char *path, const char *to, const char *name, char *err, size_t len) {
  char *link = xasprintf("%s/%s", to, name);
  bool good = !linkat(AT_FDCWD, path, AT_FDCWD, link, AT_SYMLINK_FOLLOW);
  struct text text = {0};

  // Of another file system, of another owner; or it is gone by now.
  if (!good && errno != ENOENT && read_file(path, FUZZ_INPUT_LEN_MAX, &text))
    good = fuzz_corpus_add_named(to, name, text_str(&text), text.len, err, len) != FUZZ_ADDED_NOT;
  else
    good = true;
  text_free(&text);
  free(link);
  return good;
}

bool fuzz_inputs_link(const struct fuzz_target *target, const char *to, char *err, size_t len) {
  char *corpus = xasprintf("%s/corpus", target->dir);
  DIR *folder = opendir(corpus);
  struct dirent *entry;
  bool good = fuzz_folder_make(to, err, len);

  while (good && folder && (entry = readdir(folder))) {
    char *path = corpus_path(target, entry->d_name);

    if (entry->d_name[0] != '.' && !why_not(path) && !fuzz_inputs_is_aside(target, entry->d_name))
      good = give(path, to, entry->d_name, err, len);
    free(path);
  }
  if (folder) closedir(folder);
  free(corpus);
  return good;
}

bool fuzz_inputs_is_aside(const struct fuzz_target *target, const char *hash) {
  char *path = xasprintf("%s/killers/%s", target->dir, hash);
  bool aside = !access(path, F_OK);

  free(path);
  return aside;
}

bool fuzz_inputs_set_aside(const struct fuzz_target *target, const char *hash) {
  char *from = corpus_path(target, hash), *folder = xasprintf("%s/killers", target->dir);
  char *to = xasprintf("%s/%s", folder, hash), err[512];
  bool there = !access(from, F_OK), good = false;

  // What was there before the programs were built comes back.
  if (there)
    good = fuzz_folder_make(folder, err, sizeof(err)) && !utimensat(AT_FDCWD, from, NULL, 0) &&
           !rename(from, to);
  if (there && !good) complain("cannot set %s aside", from);
  free(to);
  free(folder);
  free(from);
  return good;
}

void fuzz_inputs_mend(const struct fuzz_target *target) {
  char *corpus = xasprintf("%s/corpus", target->dir);
  DIR *folder = opendir(corpus);
  struct dirent *entry;

  while (folder && (entry = readdir(folder))) {
    char *path = corpus_path(target, entry->d_name);
    const char *why = entry->d_name[0] == '.' ? NULL : why_not(path);

    if (why) complain("%s is no input, and left out: %s", path, why);
    if (!why && fuzz_inputs_is_aside(target, entry->d_name)) unlink(path);
    free(path);
  }
  if (folder) closedir(folder);
  free(corpus);
}
