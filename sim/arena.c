// SPDX-License-Identifier: GPL-2.0-or-later
//
// The arena of a world: bump allocation, an image, and its restoration.
#include "sim/arena.h"

#include <string.h>
#include <sys/mman.h>

#include "sim/ctx.h"

#ifdef SIM_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

static void *reserve(size_t size) {
  void *p =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

bool sim_arena_init(struct sim_arena *a) {
  memset(a, 0, sizeof(*a));
  a->base = a->own = reserve(SIM_ARENA_SIZE);
  a->image = reserve(SIM_ARENA_SIZE);
  a->shadow = reserve(SIM_ARENA_SIZE / SIM_GRAIN);
  a->image_shadow = reserve(SIM_ARENA_SIZE / SIM_GRAIN);
  a->clean = SIM_ARENA_SIZE;  // of zeros
  if (a->base && a->image && a->shadow && a->image_shadow) return true;
  sim_arena_destroy(a);
  return false;
}

void sim_arena_destroy(struct sim_arena *a) {
  if (a->base) ASAN_UNPOISON_MEMORY_REGION(a->base, SIM_ARENA_SIZE);
  if (a->own) munmap(a->own, SIM_ARENA_SIZE);
  if (a->image) munmap(a->image, SIM_ARENA_SIZE);
  if (a->shadow) munmap(a->shadow, SIM_ARENA_SIZE / SIM_GRAIN);
  if (a->image_shadow) munmap(a->image_shadow, SIM_ARENA_SIZE / SIM_GRAIN);
  memset(a, 0, sizeof(*a));
}

void sim_arena_seat(struct sim_arena *a, char *base) {
  SIM_ASSERT(a->used == 0);
  if (!base) base = a->own;
  if (base == a->base) return;
  ASAN_UNPOISON_MEMORY_REGION(a->base, SIM_ARENA_SIZE);
  a->base = base;
  a->clean = 0;  // it is filled where it is given out
}

void *sim_arena_alloc(struct sim_arena *a, size_t size) {
  if (size > SIM_ARENA_SIZE) return NULL;
  size = (size + SIM_GRAIN - 1) & ~(size_t)(SIM_GRAIN - 1);
  if (size == 0) size = SIM_GRAIN;
  if (size > SIM_ARENA_SIZE - a->used) return NULL;
  void *p = a->base + a->used;
  memset(a->shadow + a->used / SIM_GRAIN, SIM_GRAIN_LIVE, size / SIM_GRAIN);
  a->used += size;
  if (a->used > a->dirty) a->dirty = a->used;
  ASAN_UNPOISON_MEMORY_REGION(p, size);
  if (sim_unlikely(a->used > a->clean)) {
    memset(a->base + a->clean, a->clean_fill, a->used - a->clean);
    a->clean = a->used;
  }
  return p;
}

void sim_arena_align(struct sim_arena *a, size_t to) {
  size_t gap = -a->used & (to - 1);
  if (gap) (void)sim_arena_alloc(a, gap);
}

void sim_arena_mark_constant(struct sim_arena *a, const void *ptr, size_t size) {
  size_t off = (size_t)((const char *)ptr - a->base);
  SIM_ASSERT(off < a->used && size <= a->used - off && (off | size) % SIM_GRAIN == 0);
  memset(a->shadow + off / SIM_GRAIN, SIM_GRAIN_CONSTANT, size / SIM_GRAIN);
}

void sim_arena_mark_start(struct sim_arena *a, void *ptr) {
  a->shadow[(size_t)((char *)ptr - a->base) / SIM_GRAIN] = SIM_GRAIN_START;
}

enum sim_grain sim_arena_grain_at(const struct sim_arena *a, const void *p) {
  size_t off = (size_t)((const char *)p - a->base);
  if (off >= a->used || off % SIM_GRAIN) return SIM_GRAIN_NONE;
  return (enum sim_grain)a->shadow[off / SIM_GRAIN];
}

void sim_arena_mark_freed(struct sim_arena *a, void *ptr, size_t size) {
  size = (size + SIM_GRAIN - 1) & ~(size_t)(SIM_GRAIN - 1);
  if (size == 0) size = SIM_GRAIN;
  size_t off = (size_t)((char *)ptr - a->base);
  bool start = a->shadow[off / SIM_GRAIN] == SIM_GRAIN_START;
  memset(a->shadow + off / SIM_GRAIN, SIM_GRAIN_FREED, size / SIM_GRAIN);
  if (start) a->shadow[off / SIM_GRAIN] = SIM_GRAIN_FREED_START;
  ASAN_POISON_MEMORY_REGION(ptr, size);
}

// Everything above `from` goes back to what it was before its first use.
static void refill(struct sim_arena *a, size_t from) {
  size_t to = a->dirty > from ? a->dirty : from;
  if (a->fill != a->clean_fill || a->clean < to) a->clean = to;
  a->clean_fill = a->fill;
  if (a->dirty <= from) return;
  ASAN_UNPOISON_MEMORY_REGION(a->base + from, a->dirty - from);
  memset(a->base + from, a->fill, a->dirty - from);
  memset(a->shadow + from / SIM_GRAIN, SIM_GRAIN_NONE, (a->dirty - from) / SIM_GRAIN);
  ASAN_POISON_MEMORY_REGION(a->base + from, a->dirty - from);
}

void sim_arena_empty(struct sim_arena *a) {
  refill(a, 0);
  a->used = a->dirty = a->image_len = 0;
}

void sim_arena_take_image(struct sim_arena *a) {
  a->image_len = a->used;
  // Objects freed in set-up may be poisoned.
  ASAN_UNPOISON_MEMORY_REGION(a->base, a->used);
  memcpy(a->image, a->base, a->used);
  memcpy(a->image_shadow, a->shadow, a->used / SIM_GRAIN);
  a->dirty = a->used;
}

void sim_arena_restore(struct sim_arena *a) {
  ASAN_UNPOISON_MEMORY_REGION(a->base, a->image_len);
  memcpy(a->base, a->image, a->image_len);
  memcpy(a->shadow, a->image_shadow, a->image_len / SIM_GRAIN);
  refill(a, a->image_len);
  a->used = a->dirty = a->image_len;
}
