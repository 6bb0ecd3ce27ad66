// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folders of inputs; see fuzz_corpus.h. Sections: folders; hashes; adding; replacing.

#include "tools/fuzzing/fuzz_corpus.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sha1.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/findings.h"

// ---- Folders ----

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void fuzz_files_list(const char *dir, struct fuzz_files *out) {
  DIR *folder = opendir(dir);
  struct dirent *entry;
  u32 cap = 0;

  *out = (struct fuzz_files){0};
  while (folder && (entry = readdir(folder))) {
    struct stat stat_buffer;

    if (entry->d_name[0] == '.' ||
        fstatat(dirfd(folder), entry->d_name, &stat_buffer, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(stat_buffer.st_mode))
      continue;
    if (out->count == cap) {
      cap = cap ? 2 * cap : 64;
      out->name = xrealloc(out->name, cap * sizeof(*out->name));
    }
    out->name[out->count++] = xstrdup(entry->d_name);
  }
  if (folder) closedir(folder);
  if (out->count) qsort(out->name, out->count, sizeof(*out->name), compare_names);
}

void fuzz_files_free(struct fuzz_files *files) {
  for (u32 i = 0; i < files->count; i++) free(files->name[i]);
  free(files->name);
  *files = (struct fuzz_files){0};
}

bool fuzz_folder_make(const char *path, char *err, size_t len) {
  char *part = xstrdup(path);
  bool good;

  for (char *at = part; (at = strchr(at + 1, '/'));) {
    *at = '\0';
    (void)mkdir(part, 0777);
    *at = '/';
  }
  free(part);
  good = !mkdir(path, 0777) || errno == EEXIST;
  if (!good) snprintf(err, len, "cannot make the folder %s: %s", path, strerror(errno));
  return good;
}

static int remove_one(const char *path, const struct stat *stat_buffer, int type,
                      struct FTW *walk) {
  (void)remove(path);
  return 0;
}

void fuzz_folder_remove(const char *path) {
  (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// ---- Hashes ----

void fuzz_hash(const void *bytes, size_t len, char out[FUZZ_HASH_LEN]) {
  SHA1Data(bytes, len, out);
}

bool fuzz_hash_file(const char *path, char out[FUZZ_HASH_LEN]) {
  struct text text = {0};
  bool good = read_file(path, FUZZ_INPUT_LEN_MAX, &text);

  if (good) fuzz_hash(text_str(&text), text.len, out);
  text_free(&text);
  return good;
}

// ---- Adding ----

enum fuzz_added fuzz_corpus_add_named(const char *dir, const char *name, const void *bytes,
                                      size_t bytes_len, char *err, size_t len) {
  char *path = xasprintf("%s/%s", dir, name);
  char *temp = xasprintf("%s.adding.%ld", dir, (long)getpid());
  enum fuzz_added added = FUZZ_ADDED;
  int fd;

  errno = 0;
  if (!access(path, F_OK)) {
    added = FUZZ_ADDED_BEFORE;
  } else {
    fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, bytes, bytes_len) != (ssize_t)bytes_len) added = FUZZ_ADDED_NOT;
    if (fd >= 0 && close(fd)) added = FUZZ_ADDED_NOT;
    if (added == FUZZ_ADDED && rename(temp, path)) added = FUZZ_ADDED_NOT;
    if (added == FUZZ_ADDED_NOT) {
      snprintf(err, len, "cannot write %s: %s", path, strerror(errno ? errno : ENOSPC));
      unlink(temp);
    }
  }
  free(temp);
  free(path);
  return added;
}

enum fuzz_added fuzz_corpus_add_bytes(const char *dir, const void *bytes, size_t bytes_len,
                                      char *err, size_t len) {
  char hash[FUZZ_HASH_LEN];

  fuzz_hash(bytes, bytes_len, hash);
  return fuzz_corpus_add_named(dir, hash, bytes, bytes_len, err, len);
}

enum fuzz_added fuzz_corpus_add(const char *dir, const char *path, char *err, size_t len) {
  struct text text = {0};
  enum fuzz_added added = FUZZ_ADDED_BEFORE;

  if (read_file(path, FUZZ_INPUT_LEN_MAX, &text))
    added = fuzz_corpus_add_bytes(dir, text_str(&text), text.len, err, len);
  text_free(&text);
  return added;
}

// ---- Replacing ----

// Where the old folder stands for a moment, on a file system that cannot exchange names.
static char *aside_of(const char *dir) { return xasprintf("%s.before", dir); }

static bool replace_in_two_steps(const char *made, const char *dir) {
  char *aside = aside_of(dir);
  bool good = !rename(dir, aside);

  if (good && rename(made, dir)) {
    good = false;
    (void)!rename(aside, dir);
  }
  if (good) fuzz_folder_remove(aside);
  free(aside);
  return good;
}

bool fuzz_corpus_replace(const char *made, const char *dir, char *err, size_t len) {
  int fd = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = fd >= 0 && !syncfs(fd);

  if (fd >= 0) close(fd);
  if (good && renameat2(AT_FDCWD, made, AT_FDCWD, dir, RENAME_EXCHANGE)) {
    if (errno == ENOENT)
      good = !rename(made, dir);  // there was none
    else
      good = (errno == EINVAL || errno == ENOSYS) && replace_in_two_steps(made, dir);
  } else if (good) {
    fuzz_folder_remove(made);
  }
  if (!good) snprintf(err, len, "cannot replace %s: %s", dir, strerror(errno));
  return good;
}

void fuzz_corpus_mend(const char *made, const char *dir) {
  char *aside = aside_of(dir);

  if (access(dir, F_OK)) (void)!rename(aside, dir);
  fuzz_folder_remove(aside);
  fuzz_folder_remove(made);
  free(aside);
}
