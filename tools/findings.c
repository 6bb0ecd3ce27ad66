// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folders of findings; see findings.h.

#include "tools/findings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_FILE_MAX = 1 << 16 };

static const char temp_prefix[] = ".tmp.";

static bool fail(char *err, size_t len, const char *what, const char *name, int error) {
  snprintf(err, len, "%s %s: %s", what, name, strerror(error));
  return false;
}

// Some file systems say only when it is tried whether they take a folder.
static bool can_make_folder(const char *in) {
  char *path = xasprintf("%s/%scheck.%ld", in, temp_prefix, (long)getpid());
  bool good = !mkdir(path, 0777) || errno == EEXIST;
  int error = errno;

  if (good) rmdir(path);
  free(path);
  errno = error;
  return good;
}

bool findings_check(const char *dir, char *err, size_t len) {
  char *path = xstrdup(dir);
  bool good = false;

  for (;;) {
    struct stat stat_buffer;
    char *slash;

    if (!stat(path, &stat_buffer)) {
      if (!S_ISDIR(stat_buffer.st_mode))
        fail(err, len, "cannot write to", dir, ENOTDIR);
      else if (!can_make_folder(path))
        fail(err, len, "cannot write to", dir, errno);
      else
        good = true;
      break;
    }
    // A link to nothing is there too, and no folder can be made in its place.
    if (errno != ENOENT || !lstat(path, &stat_buffer)) {
      fail(err, len, "cannot write to", dir, errno);
      break;
    }
    // Not there: it will be made in its parent.
    slash = strrchr(path, '/');
    if (!slash)
      strcpy(path, ".");
    else if (slash == path)
      strcpy(path, "/");
    else
      *slash = '\0';
  }
  free(path);
  return good;
}

static bool make_folders(const char *dir) {
  char *path = xstrdup(dir), *slash = path;
  bool good;

  while ((slash = strchr(slash + 1, '/'))) {
    *slash = '\0';
    if (mkdir(path, 0777) && errno != EEXIST && errno != EROFS) break;
    *slash = '/';
  }
  free(path);
  good = !mkdir(dir, 0777) || errno == EEXIST;
  return good;
}

// Removes a folder of plain files.
static void remove_folder(int dir_fd, const char *name) {
  int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  struct dirent *entry;

  if (!folder) {
    if (fd >= 0) close(fd);
    return;
  }
  while ((entry = readdir(folder))) {
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
      unlinkat(dirfd(folder), entry->d_name, 0);
  }
  closedir(folder);
  unlinkat(dir_fd, name, AT_REMOVEDIR);
}

void findings_clean(const char *dir) {
  int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = NULL;
  struct dirent *entry;
  int scan_fd;

  if (dir_fd < 0) return;
  // Nobody makes and locks a temporary folder while we look.
  if (flock(dir_fd, LOCK_EX)) {
    close(dir_fd);
    return;
  }
  scan_fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (scan_fd >= 0) folder = fdopendir(scan_fd);
  while (folder && (entry = readdir(folder))) {
    int fd;

    if (strncmp(entry->d_name, temp_prefix, strlen(temp_prefix))) continue;
    fd = openat(dir_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    if (!flock(fd, LOCK_EX | LOCK_NB)) remove_folder(dir_fd, entry->d_name);
    close(fd);
  }
  if (folder)
    closedir(folder);
  else if (scan_fd >= 0)
    close(scan_fd);
  close(dir_fd);
}

bool findings_begin(const char *dir, struct findings_temp *out, char *err, size_t len) {
  static u32 serial;
  struct findings_temp temp = {.temp_fd = -1};

  if (!make_folders(dir)) return fail(err, len, "cannot make the folder", dir, errno);
  temp.dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (temp.dir_fd < 0) return fail(err, len, "cannot open the folder", dir, errno);
  // Shared: many may begin at once, but not while somebody cleans.
  flock(temp.dir_fd, LOCK_SH);
  do {
    snprintf(temp.name, sizeof(temp.name), "%s%ld.%u", temp_prefix, (long)getpid(), serial++);
    if (!mkdirat(temp.dir_fd, temp.name, 0777))
      temp.temp_fd = openat(temp.dir_fd, temp.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    else if (errno != EEXIST)
      break;
  } while (temp.temp_fd < 0);
  if (temp.temp_fd < 0) {
    fail(err, len, "cannot make a folder in", dir, errno);
    close(temp.dir_fd);
    return false;
  }
  flock(temp.temp_fd, LOCK_EX);
  flock(temp.dir_fd, LOCK_UN);
  temp.dir = xstrdup(dir);
  *out = temp;
  return true;
}

// Writes and flushes; returns 0 or an error number.
static int write_whole(int fd, const char *bytes, size_t len) {
  while (len) {
    ssize_t done = write(fd, bytes, len);

    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : EIO;
    bytes += done;
    len -= (size_t)done;
  }
  // What cannot be flushed (a pipe, a special file system) has nothing to lose.
  if (fsync(fd) && errno != EINVAL && errno != EROFS && errno != ENOTSUP) return errno;
  return 0;
}

bool findings_add(struct findings_temp *temp, const char *name, const void *bytes, size_t bytes_len,
                  char *err, size_t len) {
  int fd = openat(temp->temp_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error;

  if (fd < 0) return fail(err, len, "cannot write", name, errno);
  error = write_whole(fd, bytes, bytes_len);
  if (close(fd) && !error) error = errno;
  return error ? fail(err, len, "cannot write", name, error) : true;
}

char *findings_temp_path(const struct findings_temp *temp, const char *name) {
  return xasprintf("%s/%s/%s", temp->dir, temp->name, name);
}

static void end(struct findings_temp *temp) {
  close(temp->temp_fd);
  close(temp->dir_fd);
  free(temp->dir);
  *temp = (struct findings_temp){.dir_fd = -1, .temp_fd = -1};
}

enum findings_commit findings_commit(struct findings_temp *temp, const char *name, char *err,
                                     size_t len) {
  int error = 0;

  fsync(temp->temp_fd);
  if (renameat2(temp->dir_fd, temp->name, temp->dir_fd, name, RENAME_NOREPLACE)) {
    error = errno;
    // A file system without the flag. A plain rename replaces an empty folder at
    // most, and a finding is not empty.
    if (error == EINVAL || error == ENOSYS)
      error = renameat(temp->dir_fd, temp->name, temp->dir_fd, name) ? errno : 0;
  }
  if (error == EEXIST || error == ENOTEMPTY) return FINDINGS_EXISTS;
  if (error) {
    fail(err, len, "cannot rename to", name, error);
    return FINDINGS_ERROR;
  }
  fsync(temp->dir_fd);
  end(temp);
  return FINDINGS_COMMITTED;
}

static bool replace_files(struct findings_temp *temp, const char *name) {
  int fd = openat(temp->dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int scan_fd = openat(temp->temp_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = scan_fd < 0 ? NULL : fdopendir(scan_fd);
  struct dirent *entry;
  bool good = fd >= 0 && folder;

  while (good && (entry = readdir(folder))) {
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
      good = !renameat(temp->temp_fd, entry->d_name, fd, entry->d_name);
  }
  if (folder)
    closedir(folder);
  else if (scan_fd >= 0)
    close(scan_fd);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
  return good;
}

bool findings_replace(struct findings_temp *temp, const char *name, char *err, size_t len) {
  fsync(temp->temp_fd);
  if (renameat2(temp->dir_fd, temp->name, temp->dir_fd, name, RENAME_EXCHANGE)) {
    if (errno != EINVAL && errno != ENOSYS) return fail(err, len, "cannot replace", name, errno);
    if (!replace_files(temp, name)) return fail(err, len, "cannot replace", name, errno);
  }
  fsync(temp->dir_fd);
  remove_folder(temp->dir_fd, temp->name);
  end(temp);
  return true;
}

void findings_abort(struct findings_temp *temp) {
  remove_folder(temp->dir_fd, temp->name);
  end(temp);
}

bool read_file(const char *path, size_t max, struct text *out) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  char buffer[65536];
  int error = 0;

  if (fd < 0) return false;
  for (;;) {
    ssize_t len = read(fd, buffer, sizeof(buffer));

    if (len < 0 && errno == EINTR) continue;
    if (len < 0) error = errno;
    if (len <= 0) break;
    text_add_bytes(out, buffer, (size_t)len);
    if (out->len > max) {
      error = EFBIG;
      break;
    }
  }
  close(fd);
  if (error) text_free(out);
  errno = error;
  return !error;
}

static char *temp_path(const char *path) { return xasprintf("%s.tmp.%ld", path, (long)getpid()); }

// Where a file at `path` is to be made: behind its links, if it has any. The caller frees it.
static char *target_of(const char *path) {
  char *target = realpath(path, NULL);

  return target ? target : xstrdup(path);
}

// The mode of what is there, or 0.
static mode_t mode_of(const char *path) {
  struct stat stat_buffer;

  return stat(path, &stat_buffer) ? 0 : stat_buffer.st_mode;
}

// A device, a pipe or a socket is written to and not replaced.
static bool is_special(mode_t mode) { return mode && !S_ISREG(mode) && !S_ISDIR(mode); }

char *findings_line(const char *folder, const char *name) {
  char *path = xasprintf("%s/%s", folder, name), *line;
  struct text text = {0};

  if (!read_file(path, LINE_FILE_MAX, &text)) text.len = 0;
  line = xasprintf("%.*s", text.len ? (int)strcspn(text.s, "\n") : 0, text_str(&text));
  text_free(&text);
  free(path);
  return line;
}

bool write_file_check(const char *path, char *err, size_t len) {
  char *target = target_of(path), *temp = temp_path(target);
  mode_t mode = mode_of(target);
  int error = 0, fd;

  if (S_ISDIR(mode)) {
    error = EISDIR;
  } else if (is_special(mode)) {
    if (access(target, W_OK)) error = errno;
  } else {
    fd = open(temp, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
      error = errno;
    } else {
      close(fd);
      unlink(temp);
    }
  }
  free(temp);
  free(target);
  return error ? fail(err, len, "cannot write", path, error) : true;
}

bool write_file(const char *path, const void *bytes, size_t bytes_len, char *err, size_t len) {
  char *target = target_of(path), *temp = temp_path(target);
  mode_t mode = mode_of(target);
  bool special = is_special(mode);
  int fd = special ? open(target, O_WRONLY | O_CLOEXEC)
                   : open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = fd < 0 ? errno : 0;

  if (!error) {
    error = write_whole(fd, bytes, bytes_len);
    if (!error && S_ISREG(mode) && fchmod(fd, mode & 07777)) error = errno;
    if (close(fd) && !error) error = errno;
    if (!error && !special && rename(temp, target)) error = errno;
    if (error && !special) unlink(temp);
  }
  free(temp);
  free(target);
  return error ? fail(err, len, "cannot write", path, error) : true;
}
