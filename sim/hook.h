// SPDX-License-Identifier: GPL-2.0-or-later
//
// Access hooks: every load and store of a file a scheduling point, and told to the detector
// of data races (sim/race.h).
//
// A file of a subject is compiled twice, by seedbed_twin of tools/bazel/defs.bzl: as it is, and
// with the compiler's calls at each access (-fsanitize=thread, with a runtime of our own; where
// AddressSanitizer is on, which excludes that, -fsanitize-coverage=trace-loads,trace-stores).
// The second, its twin, has every name that it defines under the prefix "hooked_". A scenario
// names its own twin (sim/scenario.h), and the machine's parameter `hooks` picks: 0, no hooks:
// nothing of the twin runs; 1, points; 2, points and the detector.
//
// An access to the arena is a point at which another task or CPU may go on, or a drawn
// interrupt land. Stacks, constants and the accesses of sim/ are none. It is calm far more often
// than a primitive's: of a run's accesses the seed looks at one in 64, and then lets the
// strategy pick. It takes no virtual time, it is a draw and a step only if its outcome is not
// calm, so that a run is replayed by its list; but each SIM_HOOK_STEP-th access of a run is a
// step like a primitive's, so that time passes where code waits for a plain variable. An access
// to freed memory is a use-after-free.
//
// Its label is "function:load.N" (store.N, update.N for a read-modify-write, range.N), where N
// counts the accesses of that function as the compiler has laid them out. So a seed belongs to
// one build: sim_hook_build names it, and the line and the decision file say it. Recorded
// draws find their places by the label, as ever.
//
// A marked access (sim_read_once, ...) is the point that it always is, and no other.
// memcpy, memmove and memset go 16 bytes at a time. A struct that is assigned as a whole is
// one access.
#ifndef SEEDBED_SIM_HOOK_H_
#define SEEDBED_SIM_HOOK_H_

#include "sim/base.h"
#include "sim/site.h"
#include "sim/world.h"

// Machine parameter `hooks`.
enum { SIM_HOOKS_NONE, SIM_HOOKS_POINTS, SIM_HOOKS_RACES };
// Of a run's accesses the seed looks at one in so many, on average.
enum { SIM_HOOK_RARITY = 64 };
enum { SIM_HOOK_STEP = 1024 };

// What a library that has no hooks does on behalf of a file that has: an access to `size`
// bytes. Where there are no hooks it costs nothing.
#ifdef SIM_TWIN
#define SIM_TOUCH_READ(p, size) sim_hook_touch(SIM_SITE("touch"), (p), (size), false)
#define SIM_TOUCH_WRITE(p, size) sim_hook_touch(SIM_SITE("touch"), (p), (size), true)
#else
#define SIM_TOUCH_READ(p, size) ((void)0)
#define SIM_TOUCH_WRITE(p, size) ((void)0)
#endif
// The settings of a model, which no run changes and the kernel does not have: these bytes are
// read without a point. `size` is a multiple of SIM_HOOK_CONSTANT, and `p` aligned to it. In
// set-up.
void sim_hook_constant(const void *p, size_t size);
enum { SIM_HOOK_CONSTANT = 16 };

// An access that the model marks and the kernel does not: marked in a twin, where the detector
// looks. Without hooks it is a plain access and no scheduling point.
#ifdef SIM_TWIN
#define SIM_MARK_READ(lv) sim_read_once(lv)
#define SIM_MARK_WRITE(lv, v) sim_write_once(lv, v)
#else
#define SIM_MARK_READ(lv) (lv)
#define SIM_MARK_WRITE(lv, v) ((void)((lv) = (v)))
#endif
// What an onlooker is told of a variable, by code that the kernel does not have: no access.
#ifdef SIM_TWIN
#define SIM_PEEK(lv)                                                               \
  ({                                                                               \
    __typeof__(lv) sim_seen_ = (__typeof__(lv))sim_read_memory(&(lv), sizeof(lv)); \
    sim_seen_;                                                                     \
  })
#else
#define SIM_PEEK(lv) (lv)
#endif
u64 sim_read_memory(const void *at, u32 size);

void sim_hook_touch(struct sim_site *site, const void *p, size_t size, bool write);

// Names the code of all twins that are linked into this program, or that of the module in use:
// another build has another one, unless its twins are the same. 0 if there are none.
u64 sim_hook_build(void);

// ---- Made by sim/hook_twin.sh, for each twin ----

// The code of a twin lies in a section of its own, [start, stop). A call of a hook returns to
// start + offset[i]; site[i] is that access's, or, of the prim "enter", the function's.
struct sim_hook_table {
  const char *start, *stop;
  struct sim_site *site;
  const u32 *offset;
  u64 num;
  u64 build;  // of the twin's code
  u64 reserved[2];
} __attribute__((aligned(64)));
// Nothing refers to a table but the section's ends, which lld does not count as a use.
#ifdef __clang__
#define SIM_HOOK_TABLE_RETAIN __attribute__((retain))
#else
#define SIM_HOOK_TABLE_RETAIN
#endif
#define SIM_HOOK_TABLE_SECTION \
  SIM_HOOK_TABLE_RETAIN __attribute__((section("sim_hook_tables"), used, aligned(64)))

// ---- For the core ----

struct sim_world;
void sim_hooks_init(void);  // once sites have their numbers; idempotent
// For sim/module.h: hooks are called by the code of this table, and by no twin that is linked;
// NULL: by those. Its sites have their numbers. The function that a hook's name in an object file
// stands for; NULL if it is none.
void sim_hooks_use(const struct sim_hook_table *table);
void (*sim_hook_named(const char *name))(void);
// From here on, or no longer, accesses of this run are points.
void sim_hooks_begin(struct sim_world *w);
void sim_hooks_end(void);
// While a scenario's heal runs they are not.
void sim_hooks_pause(bool pause);
// Accesses of the last run, rounded down to steps.
u64 sim_hooks_seen(void);

#endif  // SEEDBED_SIM_HOOK_H_
