// SPDX-License-Identifier: GPL-2.0-or-later
//
// The arena: all memory of a world that a run may change, at one fixed address per
// world, handed out upwards and never reused within a run. Restoring an image copies
// its prefix and refills what the run used above it.
#ifndef SEEDBED_SIM_ARENA_H_
#define SEEDBED_SIM_ARENA_H_

#include "sim/base.h"

enum { SIM_ARENA_SIZE = 64 << 20, SIM_GRAIN = 16 };

struct sim_arena {
  char *base;
  char *own;     // what sim_arena_init reserved
  u8 *shadow;    // a byte for each grain: 0 never given out, else enum sim_grain
  size_t used;   // bytes given out
  size_t dirty;  // highest `used` since the last restore
  size_t clean;  // above `used`, memory holds clean_fill up to here
  u8 clean_fill;
  char *image;
  u8 *image_shadow;
  size_t image_len;
  u8 fill;  // of all that is handed out after the next restore or emptying
};
// SIM_GRAIN_START is where an object begins that may be freed; those from SIM_GRAIN_FREED
// on were. SIM_GRAIN_CONSTANT holds what no run changes: no point for hooked code.
enum sim_grain {
  SIM_GRAIN_NONE = 0,
  SIM_GRAIN_LIVE,
  SIM_GRAIN_START,
  SIM_GRAIN_CONSTANT,
  SIM_GRAIN_FREED,
  SIM_GRAIN_FREED_START,
};

// Reserves address space; false if the system has none.
SIM_MUST_CHECK bool sim_arena_init(struct sim_arena *a);
void sim_arena_destroy(struct sim_arena *a);
// Lays an arena that is empty over the SIM_ARENA_SIZE bytes at `base`, which are the caller's and
// hold anything; NULL: over its own again.
void sim_arena_seat(struct sim_arena *a, char *base);
// NULL if it does not fit. `size` is rounded up to a grain; at least one. Every byte holds
// the fill.
void *sim_arena_alloc(struct sim_arena *a, size_t size);
// The next allocation begins at a multiple of `to`, a power of two above SIM_GRAIN.
void sim_arena_align(struct sim_arena *a, size_t to);
void sim_arena_empty(struct sim_arena *a);       // back to nothing
void sim_arena_take_image(struct sim_arena *a);  // remembers the present content
void sim_arena_restore(struct sim_arena *a);     // back to the image
// Of what sim_arena_alloc handed out: where an object begins; that it was freed.
// `ptr` and `size` are multiples of a grain.
void sim_arena_mark_constant(struct sim_arena *a, const void *ptr, size_t size);
void sim_arena_mark_start(struct sim_arena *a, void *ptr);
void sim_arena_mark_freed(struct sim_arena *a, void *ptr, size_t size);
// The state of the grain that begins at `p`: SIM_GRAIN_NONE if none begins there.
enum sim_grain sim_arena_grain_at(const struct sim_arena *a, const void *p);
static inline bool sim_arena_holds(const struct sim_arena *a, const void *p) {
  return (uintptr_t)p - (uintptr_t)a->base < (uintptr_t)SIM_ARENA_SIZE;
}
static inline bool sim_arena_is_freed(const struct sim_arena *a, const void *p) {
  size_t off = (uintptr_t)p - (uintptr_t)a->base;
  return off < a->used && a->shadow[off / SIM_GRAIN] >= SIM_GRAIN_FREED;
}

#endif  // SEEDBED_SIM_ARENA_H_
