// SPDX-License-Identifier: GPL-2.0-or-later
//
// For LD_PRELOAD: kills a program, and whoever makes the call, before the Nth call by which it or
// anything that it starts changes a file or a folder.
//
//   KILL_AT=N KILL_AT_COUNT=FILE LD_PRELOAD=kill_at.so PROGRAM...
//
// FILE is made by who calls, empty, and holds how many calls there were; N 0 kills nothing. PROGRAM
// is the first process that loads this. A file that is written through a stream counts when it is
// opened.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct shared {
  _Atomic long calls, first;  // the process
};

static struct shared *shared;
static long at;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("KILL_AT_COUNT"), *number = getenv("KILL_AT");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  long none = 0;
  void *map;

  if (fd < 0 || ftruncate(fd, sizeof(*shared))) return;
  map = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map == MAP_FAILED) return;
  at = number ? strtol(number, NULL, 10) : 0;
  atomic_compare_exchange_strong(&((struct shared *)map)->first, &none, (long)getpid());
  shared = map;
}

static void count(void) {
  if (!shared || atomic_fetch_add(&shared->calls, 1) + 1 != at) return;
  kill((pid_t)shared->first, SIGKILL);
  kill(getpid(), SIGKILL);
}

static void *next(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);

  if (!function) abort();
  return function;
}

#define CHANGES(type, name, params, args)             \
  type name params {                                  \
    static type(*real) params;                        \
                                                      \
    if (!real) *(void **)(void *)&real = next(#name); \
    count();                                          \
    return real args;                                 \
  }

CHANGES(int, rename, (const char *from, const char *to), (from, to))
CHANGES(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
CHANGES(int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags),
        (a, from, b, to, flags))
CHANGES(int, link, (const char *from, const char *to), (from, to))
CHANGES(int, linkat, (int a, const char *from, int b, const char *to, int flags),
        (a, from, b, to, flags))
CHANGES(int, unlink, (const char *path), (path))
CHANGES(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags))
CHANGES(int, remove, (const char *path), (path))
CHANGES(int, rmdir, (const char *path), (path))
CHANGES(int, mkdir, (const char *path, mode_t mode), (path, mode))
CHANGES(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode))
CHANGES(int, ftruncate, (int fd, off_t len), (fd, len))
CHANGES(int, utimensat, (int dir, const char *path, const struct timespec times[2], int flags),
        (dir, path, times, flags))
CHANGES(ssize_t, pwrite, (int fd, const void *bytes, size_t len, off_t from),
        (fd, bytes, len, from))
FILE *fopen(const char *path, const char *mode) {
  static FILE *(*real)(const char *, const char *);

  if (!real) *(void **)(void *)&real = next("fopen");
  if (strpbrk(mode, "wa+")) count();
  return real(path, mode);
}

// Not to a pipe.
ssize_t write(int fd, const void *bytes, size_t len) {
  static ssize_t (*real)(int, const void *, size_t);
  struct stat stat_buffer;

  if (!real) *(void **)(void *)&real = next("write");
  if (!fstat(fd, &stat_buffer) && S_ISREG(stat_buffer.st_mode)) count();
  return real(fd, bytes, len);
}

#define OPENS(name, params, args)                     \
  int name params {                                   \
    static int(*real) params;                         \
    mode_t mode = 0;                                  \
    va_list list;                                     \
                                                      \
    if (!real) *(void **)(void *)&real = next(#name); \
    va_start(list, flags);                            \
    if (flags & O_CREAT) mode = va_arg(list, mode_t); \
    va_end(list);                                     \
    if (flags & O_CREAT) count();                     \
    return real args;                                 \
  }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
OPENS(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
