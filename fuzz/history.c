// SPDX-License-Identifier: GPL-2.0-or-later
//
// See history.h. Sections: the file; writing; reading.
#include "fuzz/history.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/world.h"

// ---- The file ----

#define MAGIC "seedbed-history\n"

enum { VERSION = 1, SLOTS_MAX = 1 << 16, RING_MAX = 1 << 30 };
enum { DONE = 1, TWICE = 2, CUT = 4 };

struct header {
  char magic[16];
  u32 version, slots;
  u64 ring;
  char scenario[HISTORY_SCENARIO_LEN];
  _Atomic u64 overwritten;  // up to this position less the ring's length
  u64 pad[3];
};

struct slot {
  _Atomic u64 number;  // 0: empty, or being written
  u64 start, digest;
  u32 len;
  _Atomic u32 flags;
};

_Static_assert(sizeof(struct header) == 128, "a header has no padding");
_Static_assert(sizeof(struct slot) == 32, "a slot has no padding");

static size_t file_len(u64 slots, u64 ring) {
  return sizeof(struct header) + slots * sizeof(struct slot) + ring;
}

static void fill_header(struct header *header, const char *scenario, u32 slots, u64 ring) {
  header->version = VERSION;
  header->slots = slots;
  header->ring = ring;
  snprintf(header->scenario, sizeof(header->scenario), "%s", scenario);
}

// ---- Writing ----

static struct {
  struct header *header;  // NULL: there is no record
  struct slot *slot;
  u8 *ring;
  u64 number, position;
  int fd;  // locked, so that nobody takes the record away
} own = {.fd = -1};

// The parent's record stays the parent's, though the memory is shared.
static void forget(void) {
  if (!own.header) return;
  munmap(own.header, file_len(HISTORY_SLOTS, HISTORY_RING));
  close(own.fd);
  own.header = NULL;
  own.number = own.position = 0;
}

static bool refuse(const char *path, const char *what, int error) {
  fprintf(stderr, "%s: %s: %s: no record is kept\n", path, what, strerror(error));
  return false;
}

static int is_number(const struct dirent *entry) {
  return strspn(entry->d_name, "0123456789") == strlen(entry->d_name);
}

struct old {
  char name[24];
  struct timespec time;
};

static int newest_first(const void *a, const void *b) {
  const struct old *x = a, *y = b;

  if (x->time.tv_sec != y->time.tv_sec) return x->time.tv_sec > y->time.tv_sec ? -1 : 1;
  if (x->time.tv_nsec != y->time.tv_nsec) return x->time.tv_nsec > y->time.tv_nsec ? -1 : 1;
  return strcmp(y->name, x->name);
}

// Takes away records of processes that have ended: the oldest of more than HISTORY_FILES_MAX.
static void thin_out(const char *folder) {
  struct dirent **entry;
  int n = scandir(folder, &entry, is_number, NULL), num = 0;
  struct old *old = n > 0 ? calloc((size_t)n, sizeof(*old)) : NULL;

  for (int i = 0; i < n; i++) {
    char path[4400];
    struct stat st;
    int fd;

    snprintf(path, sizeof(path), "%s/%.20s", folder, entry[i]->d_name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (old && fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st)) {
      snprintf(old[num].name, sizeof(old[num].name), "%.20s", entry[i]->d_name);
      old[num++].time = st.st_mtim;
    }
    if (fd >= 0) close(fd);
    free(entry[i]);
  }
  if (n >= 0) free(entry);
  if (old) qsort(old, (size_t)num, sizeof(*old), newest_first);
  for (int i = HISTORY_FILES_MAX; i < num; i++) {
    char path[4400];

    snprintf(path, sizeof(path), "%s/%s", folder, old[i].name);
    unlink(path);
  }
  free(old);
}

// Puts the process's id in place of "%p". False if it is too long.
static bool name_of(const char *path, char *out, size_t len) {
  const char *at = strstr(path, "%p");
  int n = at ? snprintf(out, len, "%.*s%ld%s", (int)(at - path), path, (long)getpid(), at + 2)
             : snprintf(out, len, "%s", path);

  return n > 0 && (size_t)n < len;
}

bool history_open(const char *path, const char *scenario) {
  static bool watching;
  size_t len = file_len(HISTORY_SLOTS, HISTORY_RING);
  const char *slash = strrchr(path, '/');
  char name[4200];
  void *map;
  int error;

  forget();
  if (!name_of(path, name, sizeof(name))) return refuse(path, "the name", ENAMETOOLONG);
  if (slash && !strcmp(slash, "/%p")) {
    char folder[4200];

    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
    thin_out(folder);
  }
  // Anew: a reader, or another process with this id long ago, may have the old one.
  unlink(name);
  own.fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (own.fd < 0) return refuse(name, "cannot be made", errno);
  flock(own.fd, LOCK_EX | LOCK_NB);
  // A mapping of a file with holes dies where the disk is full.
  error = posix_fallocate(own.fd, 0, (off_t)len);
  map = error ? MAP_FAILED : mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, own.fd, 0);
  if (map == MAP_FAILED) {
    if (!error) error = errno;
    close(own.fd);
    unlink(name);
    return refuse(name, "has no room", error);
  }
  if (!watching) pthread_atfork(NULL, NULL, forget);
  watching = true;
  own.header = map;
  own.slot = (struct slot *)(own.header + 1);
  own.ring = (u8 *)(own.slot + HISTORY_SLOTS);
  fill_header(own.header, scenario, HISTORY_SLOTS, HISTORY_RING);
  atomic_thread_fence(memory_order_release);
  memcpy(own.header->magic, MAGIC, sizeof(own.header->magic));
  return true;
}

bool history_is_open(void) { return own.header != NULL; }

// The order of stores is what a reader sees after this process was stopped anywhere.
void history_begin(const u8 *bytes, size_t len) {
  bool cut = len > HISTORY_INPUT_MAX;
  u32 kept = cut ? 0 : (u32)len, at, first;
  struct slot *slot;

  if (!own.header) return;
  slot = &own.slot[++own.number % HISTORY_SLOTS];
  atomic_store_explicit(&slot->number, 0, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&own.header->overwritten, own.position + kept, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  at = (u32)(own.position % HISTORY_RING);
  first = kept < HISTORY_RING - at ? kept : HISTORY_RING - at;
  if (first) memcpy(own.ring + at, bytes, first);
  if (kept > first) memcpy(own.ring, bytes + first, kept - first);
  slot->start = own.position;
  slot->digest = 0;
  slot->len = cut ? UINT32_MAX : kept;
  atomic_store_explicit(&slot->flags, cut ? CUT : 0, memory_order_relaxed);
  atomic_store_explicit(&slot->number, own.number, memory_order_release);
  own.position += kept;
}

static struct slot *current(void) { return &own.slot[own.number % HISTORY_SLOTS]; }

// Of its one writer: nobody changes them meanwhile.
static void add_flag(u32 flag) {
  u32 flags = atomic_load_explicit(&current()->flags, memory_order_relaxed);

  atomic_store_explicit(&current()->flags, flags | flag, memory_order_release);
}

void history_twice(void) {
  if (own.header) add_flag(TWICE);
}

void history_end(u64 digest) {
  if (!own.header) return;
  current()->digest = digest;
  add_flag(DONE);
}

bool history_write(const char *path) {
  size_t len = file_len(HISTORY_SLOTS, HISTORY_RING);
  FILE *file = own.header ? fopen(path, "wbe") : NULL;
  bool good = file && fwrite(own.header, 1, len, file) == len;

  return file && !fclose(file) && good;
}

// Bytes that go around the ring's end are put together in `joined`; with `copy`, any are.
static const u8 *bytes_at(const u8 *ring, u64 ring_len, u64 start, size_t len, u8 *joined,
                          bool copy) {
  size_t at = (size_t)(start % ring_len), first = (size_t)ring_len - at;

  if (len <= first && !copy) return ring + at;
  if (first > len) first = len;
  memcpy(joined, ring + at, first);
  memcpy(joined + first, ring, len - first);
  return joined;
}

bool history_earlier(u64 number, struct history_input *out) {
  static u8 copy[HISTORY_INPUT_MAX];
  u64 there = own.number < HISTORY_SLOTS ? own.number : HISTORY_SLOTS;

  if (!own.header || !there) return false;
  // From the chosen one to newer ones, whose bytes are still there if any are.
  for (u64 back = there - number % there; back--;) {
    const struct slot *slot = &own.slot[(own.number - back) % HISTORY_SLOTS];

    if (!(slot->flags & DONE) || slot->flags & CUT) continue;
    if (slot->start + HISTORY_RING < own.position) continue;
    *out = (struct history_input){copy, slot->len, slot->digest, .done = true};
    // Recording it once more may go over where it lies.
    (void)bytes_at(own.ring, HISTORY_RING, slot->start, slot->len, copy, true);
    return true;
  }
  return false;
}

// ---- Reading ----

static int fail(char *err, size_t err_len, int status, const char *what) {
  snprintf(err, err_len, "%s", what);
  return status;
}

// The whole file, from `*out_file` on; `*out_len` bytes.
static int read_whole(const char *path, u8 **out_file, size_t *out_len, char *err, size_t err_len) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  size_t len = 0, max = file_len(SLOTS_MAX, RING_MAX);
  struct stat st;

  *out_file = NULL;
  if (fd < 0 || fstat(fd, &st)) {
    int error = errno;

    if (fd >= 0) close(fd);
    return fail(err, err_len, SIM_MISSING_FILE, strerror(error));
  }
  if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(struct header) ||
      (u64)st.st_size > (u64)max) {
    close(fd);
    return fail(err, err_len, SIM_MALFORMED, "no record of inputs: its length");
  }
  *out_file = malloc((size_t)st.st_size);
  while (*out_file && len < (size_t)st.st_size) {
    ssize_t done = read(fd, *out_file + len, (size_t)st.st_size - len);

    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    len += (size_t)done;
  }
  close(fd);
  *out_len = len;
  return *out_file && len == (size_t)st.st_size
             ? SIM_OK
             : fail(err, err_len, SIM_MISSING_FILE, "cannot be read whole");
}

static bool is_whole(const struct header *header, const struct slot *slot, u32 index) {
  u64 number = slot->number, len = slot->flags & CUT ? 0 : slot->len;

  return number && number % header->slots == index && len <= header->ring &&
         slot->start <= UINT64_MAX - header->ring && slot->start + len <= header->overwritten &&
         slot->start + header->ring >= header->overwritten;
}

// The inputs up to the newest, as far back as each is whole.
static bool take(struct history *out, const struct header *header, const struct slot *slot,
                 const u8 *ring, u8 *joined) {
  u64 newest = 0;
  u32 count = 0;

  for (u32 i = 0; i < header->slots; i++)
    if (is_whole(header, &slot[i], i) && slot[i].number > newest) newest = slot[i].number;
  while (count < header->slots && count < newest) {
    u32 index = (u32)((newest - count) % header->slots);

    if (slot[index].number != newest - count || !is_whole(header, &slot[index], index)) break;
    count++;
  }
  out->input = calloc(count ? count : 1, sizeof(*out->input));
  if (!out->input) return false;
  out->count = count;
  for (u32 i = 0; i < count; i++) {
    const struct slot *from = &slot[(newest - count + 1 + i) % header->slots];
    bool cut = from->flags & CUT;

    out->input[i] = (struct history_input){
        .bytes = bytes_at(ring, header->ring, from->start, cut ? 0 : from->len, joined, false),
        .len = cut ? 0 : from->len,
        .digest = from->digest,
        .done = from->flags & DONE,
        .twice = from->flags & TWICE,
        .cut = cut,
    };
  }
  return true;
}

u64 history_count(const char *path) {
  struct {
    struct header header;
    struct slot slot[HISTORY_SLOTS];
  } start;
  FILE *file = fopen(path, "rbe");
  u64 count = 0;

  if (file && fread(&start, sizeof(start), 1, file) == 1 &&
      !memcmp(start.header.magic, MAGIC, sizeof(start.header.magic)) &&
      start.header.version == VERSION && start.header.slots == HISTORY_SLOTS) {
    for (u32 i = 0; i < HISTORY_SLOTS; i++)
      if (start.slot[i].number > count) count = start.slot[i].number;
  }
  if (file) fclose(file);
  return count;
}

int history_read(const char *path, struct history *out, char *err, size_t err_len) {
  const struct header *header;
  size_t len;
  u8 *file;
  int status = read_whole(path, &file, &len, err, err_len);

  *out = (struct history){0};
  header = (const struct header *)(void *)file;
  if (!status &&
      (memcmp(header->magic, MAGIC, sizeof(header->magic)) != 0 || header->version != VERSION ||
       !header->slots || header->slots > SLOTS_MAX || !header->ring || header->ring > RING_MAX ||
       !memchr(header->scenario, 0, sizeof(header->scenario)) ||
       len != file_len(header->slots, header->ring)))
    status = fail(err, err_len, SIM_MALFORMED, "no record of inputs: its header");
  if (!status) {
    const struct slot *slot = (const struct slot *)(header + 1);
    // At most one input goes around the ring's end; its bytes follow the file's.
    u8 *more = realloc(file, len + (size_t)header->ring);

    if (!more) {
      status = fail(err, err_len, SIM_OURS, "no memory");
    } else {
      file = more;
      header = (const struct header *)(void *)file;
      slot = (const struct slot *)(header + 1);
      memcpy(out->scenario, header->scenario, sizeof(out->scenario));
      out->file = file;
      if (take(out, header, slot, (const u8 *)(slot + header->slots), file + len)) return SIM_OK;
      out->file = NULL;
      status = fail(err, err_len, SIM_OURS, "no memory");
    }
  }
  free(file);
  return status;
}

void history_free(struct history *history) {
  free(history->input);
  free(history->file);
  *history = (struct history){0};
}

u8 *history_make(const char *scenario, const struct history_input *input, u32 count,
                 size_t *out_len) {
  u64 ring = 1, position = 0;
  struct header *header;
  struct slot *slot;
  u8 *at;

  for (u32 i = 0; i < count; i++) ring += input[i].len;
  *out_len = file_len(count + 1, ring);
  header = calloc(1, *out_len);
  if (!header) return NULL;
  fill_header(header, scenario, count + 1, ring);
  memcpy(header->magic, MAGIC, sizeof(header->magic));
  slot = (struct slot *)(header + 1);
  at = (u8 *)(slot + count + 1);
  for (u32 i = 0; i < count; i++) {
    if (input[i].len) memcpy(at + position, input[i].bytes, input[i].len);
    slot[i + 1].number = i + 1;
    slot[i + 1].start = position;
    slot[i + 1].digest = input[i].digest;
    slot[i + 1].len = (u32)input[i].len;
    slot[i + 1].flags =
        (input[i].done ? DONE : 0) | (input[i].twice ? TWICE : 0) | (input[i].cut ? CUT : 0);
    position += input[i].len;
  }
  header->overwritten = position;
  return (u8 *)header;
}
