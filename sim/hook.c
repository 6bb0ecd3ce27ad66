// SPDX-License-Identifier: GPL-2.0-or-later
//
// Access hooks: what compiled-in calls come to. See sim/hook.h. Sections: tables of sites; the
// run; an access; marked accesses; the compilers' calls.
#include "sim/hook.h"

#include <stdlib.h>
#include <string.h>

#include "sim/choice_impl.h"
#include "sim/engine.h"
#include "sim/prim.h"
#include "sim/race.h"
#include "sim/race_near.h"

// ---- Tables of sites ----

// The linker provides these; no twin may be linked.
extern struct sim_hook_table __start_sim_hook_tables[] __attribute__((weak));
extern struct sim_hook_table __stop_sim_hook_tables[] __attribute__((weak));

// No object of the process is within SIM_ARENA_SIZE above it: it is no address.
#define NOWHERE ((uintptr_t)1 << 63)

// What an access looks at. Of the process: a world runs at a time.
static struct {
  uintptr_t arena;   // of the running world; NOWHERE while hooks are not active
  const u8 *shadow;  // the arena's
  const char *text;  // twins' code: where a hook returns to tells its site
  size_t text_size;
  const u16 *site;  // by offset from there: 1 + canonical number
  u64 first;        // what an occurrence of this run counts from
  u32 left;         // accesses to the next that is looked at
  // Not for each access:
  u32 span;     // what `left` began with
  u32 draw_in;  // accesses to the next draw
  u32 step_in;  // accesses to the next step
  u64 steps;    // of this run
} __attribute__((aligned(64))) hook = {.arena = NOWHERE};

// Code that calls hooks, and the site of each call by where it returns to.
struct hooked_text {
  const char *start;
  size_t size;
  u16 *site;
};
static struct hooked_text linked;                  // all twins of the program
static struct hooked_text loaded_text;             // of the table in use,
static const struct sim_hook_table *loaded_table;  // if any

static bool begin_text(struct hooked_text *text, const char *start, const char *stop) {
  text->start = start;
  text->size = (size_t)(stop - start) + 1;
  SIM_ASSERT(text->size < 64u << 20);  // the linker puts such sections side by side
  text->site = calloc(text->size, sizeof(*text->site));
  return text->site != NULL;
}

static void add_table(struct hooked_text *text, const struct sim_hook_table *table) {
  if (!table->start) return;
  for (u64 i = 0; i < table->num; i++)
    text->site[table->start + table->offset[i] - text->start] = (u16)(1 + table->site[i].canon);
}

static void use_text(const struct hooked_text *text) {
  hook.text = text->start;
  hook.text_size = text->size;
  hook.site = text->site;
}

void sim_hooks_init(void) {
  if (linked.site) return;
  const struct sim_hook_table *first = __start_sim_hook_tables, *end = __stop_sim_hook_tables;
  const char *start = NULL, *stop = NULL;
  for (const struct sim_hook_table *t = first; t < end; t++) {
    if (!t->start) continue;  // nothing of this twin is linked
    if (!start || t->start < start) start = t->start;
    if (!stop || t->stop > stop) stop = t->stop;
  }
  if (!start) return;
  SIM_ASSERT(begin_text(&linked, start, stop));
  for (const struct sim_hook_table *t = first; t < end; t++) add_table(&linked, t);
  if (!loaded_table) use_text(&linked);
}

void sim_hooks_use(const struct sim_hook_table *table) {
  free(loaded_text.site);
  loaded_text = (struct hooked_text){0};
  loaded_table = table;
  if (table) {
    SIM_ASSERT(begin_text(&loaded_text, table->start, table->stop));
    add_table(&loaded_text, table);
  }
  use_text(table ? &loaded_text : &linked);
}

u64 sim_hook_build(void) {
  u64 build = 0;
  if (loaded_table) return sim_mix64(loaded_table->build);
  for (const struct sim_hook_table *t = __start_sim_hook_tables; t < __stop_sim_hook_tables; t++)
    if (t->start) build ^= sim_mix64(t->build);  // whatever order they are linked in
  return build;
}

// ---- The run ----

// The stream of the distances between draws; no draw is made here.
static struct sim_site access_class SIM_SITE_SECTION = {
    .prim = "access", .cls = "access", .kind = SIM_SITE_WORK};

static u32 next_draw(struct sim_world *w) {
  switch (w->backend) {
    case SIM_BACKEND_CALM:
      return UINT32_MAX;
    case SIM_BACKEND_SEED:
      return 1 + sim_stream_below(sim_stream_of(w, access_class.stream), 2 * SIM_HOOK_RARITY - 1);
    default:
      return 1;
  }
}

static void set_span(void) {
  hook.span = hook.draw_in < hook.step_in ? hook.draw_in : hook.step_in;
  hook.left = hook.span;
}

void sim_hooks_begin(struct sim_world *w) {
  hook.steps = 0;
  if (w->cfg.hooks == SIM_HOOKS_NONE) return;
  hook.shadow = w->arena.shadow;
  hook.first = sim_occurrence_first(w);
  hook.draw_in = next_draw(w);
  hook.step_in = SIM_HOOK_STEP;
  set_span();
  if (w->cfg.hooks == SIM_HOOKS_RACES) sim_race_begin(w);
  hook.arena = (uintptr_t)w->arena.base;
}

void sim_hooks_end(void) {
  hook.arena = NOWHERE;
  sim_race_end();
}

u64 sim_hooks_seen(void) { return hook.steps * SIM_HOOK_STEP; }

void sim_hooks_pause(bool pause) {
  bool on = !pause && sim_w->cfg.hooks != SIM_HOOKS_NONE;
  hook.arena = on ? (uintptr_t)sim_w->arena.base : NOWHERE;
}

// ---- An access ----

// The countdown is over: the step that is due, or a draw.
SIM_NOINLINE static void look(struct sim_world *w, u32 canon, size_t offset, u32 k) {
  struct sim_site *site = sim_site_at(canon);
  const void *at = w->arena.base + offset;
  hook.step_in -= hook.span;
  hook.draw_in -= hook.span;
  bool step = hook.step_in == 0, draw = hook.draw_in == 0;
  if (step) hook.step_in = SIM_HOOK_STEP;
  hook.steps += step;
  if (draw) hook.draw_in = next_draw(w);
  set_span();  // now: others may run before this goes on
  if (step)
    sim_point(site, at, SIM_COST_ACCESS);
  else
    sim_access_point(site, at, k);
}

void sim_hook_constant(const void *p, size_t size) {
  SIM_ASSERT(sim_w->st->in_setup);
  sim_arena_mark_constant(&sim_w->arena, p, size);
}

SIM_NORETURN SIM_COLD static void no_site(void) {
  SIM_ASSERT(!"an access hook is called by no twin");
  __builtin_unreachable();
}

SIM_COLD static void on_freed(u32 canon, size_t offset) {
  char label[SIM_SITE_LABEL_LEN];
  sim_check_alive(sim_w->arena.base + offset,
                  sim_site_label(sim_site_at(canon), label, sizeof(label)));
}

// Told to the detector, unless it knows this access already.
static SIM_ALWAYS_INLINE void tell(const struct sim_cpu *cpu, size_t offset, size_t size, u32 how,
                                   u32 canon) {
  if (sim_race_looks() && !sim_race_known(cpu, offset, size, how, canon))
    sim_race_access(offset, size, how, canon);
}

// The rest of an access at which the countdown is over.
SIM_NOINLINE static void access_looked(size_t offset, size_t size, u32 how, u32 canon, u32 k) {
  look(sim_w, canon, offset, k);
  if (hook.shadow[offset / SIM_GRAIN] >= SIM_GRAIN_FREED) on_freed(canon, offset);
  tell(sim_this_cpu, offset, size, how, canon);
}

static inline u32 count_access(const struct sim_cpu *cpu, u32 canon) {
  return sim_occurrence_in(&sim_w->count_row[sim_actor_slot(cpu)][canon], hook.first);
}

// To what no run changes, or to what was freed.
SIM_NOINLINE static void access_odd(size_t offset, size_t size, u32 how, u32 canon) {
  if (hook.shadow[offset / SIM_GRAIN] == SIM_GRAIN_CONSTANT) return;
  u32 k = count_access(sim_this_cpu, canon);
  if (--hook.left == 0) return access_looked(offset, size, how, canon, k);
  on_freed(canon, offset);
  tell(sim_this_cpu, offset, size, how, canon);
}

// All but telling the detector; whether that is still to be done. Most accesses call nothing.
static SIM_ALWAYS_INLINE bool access_counted(size_t offset, size_t size, u32 how, u32 canon) {
  u32 k;
  if (sim_unlikely(hook.shadow[offset / SIM_GRAIN] >= SIM_GRAIN_CONSTANT)) {
    access_odd(offset, size, how, canon);
    return false;
  }
  k = count_access(sim_this_cpu, canon);
  if (sim_likely(--hook.left != 0)) return sim_race_looks();
  access_looked(offset, size, how, canon, k);
  return false;
}

static inline void access_at(size_t offset, size_t size, u32 how, u32 canon) {
  if (access_counted(offset, size, how, canon)) tell(sim_this_cpu, offset, size, how, canon);
}

// `from` is where the hook returns to.
static inline u32 site_of(const void *from) {
  size_t offset = (size_t)((const char *)from - hook.text);
  u32 site = sim_likely(offset < hook.text_size) ? hook.site[offset] : 0;
  if (sim_unlikely(site == 0)) no_site();
  return site - 1;
}

static inline void access(const void *p, size_t size, u32 how, const void *from) {
  size_t offset = (size_t)((uintptr_t)p - hook.arena);
  if (offset < SIM_ARENA_SIZE) access_at(offset, size, how, site_of(from));
}

void sim_hook_touch(struct sim_site *site, const void *p, size_t size, bool write) {
  size_t offset = (size_t)((uintptr_t)p - hook.arena);
  if (offset < SIM_ARENA_SIZE && size)
    access_at(offset, size, write ? SIM_RACE_WRITE : 0, site->canon);
}

// ---- Marked accesses: sim/world.h ----

static inline void tell_marked(const struct sim_site *site, const void *at, u32 size, u32 how) {
  size_t offset = (size_t)((uintptr_t)at - hook.arena);
  if (offset < SIM_ARENA_SIZE) sim_race_access(offset, size, how | SIM_RACE_MARKED, site->canon);
}

u64 sim_hooked_load(struct sim_site *site, const void *at, u32 size, bool acquire) {
  sim_point(site, at, SIM_COST_MARKED);
  u64 value = sim_weak ? sim_weak_load(at, size) : sim_read_memory(at, size);
  if (acquire && sim_weak) sim_weak_rmb();
  if (!sim_race) return value;
  tell_marked(site, at, size, 0);
  sim_race_marked_load(at, acquire ? SIM_RACE_ORDERED : SIM_RACE_RELAXED);
  return value;
}

void sim_hooked_store(struct sim_site *site, void *at, u32 size, u64 value, bool release) {
  if (release && sim_weak) sim_weak_wmb();
  sim_point(site, at, SIM_COST_MARKED);
  if (sim_weak)
    sim_weak_store(at, size, value);
  else
    sim_write_memory(at, size, value);
  if (!sim_race) return;
  tell_marked(site, at, size, SIM_RACE_WRITE);
  sim_race_marked_store(at, release ? SIM_RACE_ORDERED : SIM_RACE_RELAXED);
}

static u64 cut(u64 value, u32 size) { return size == 8 ? value : value & ((1ull << size * 8) - 1); }

u64 sim_hooked_cmpxchg(struct sim_site *site, void *at, u32 size, u64 old, u64 value) {
  sim_point(site, at, SIM_COST_ACCESS);
  u64 was = sim_read_memory(at, size);
  bool done = was == cut(old, size);
  if (done) sim_write_memory(at, size, value);
  if (!sim_race) return was;
  tell_marked(site, at, size, done ? SIM_RACE_WRITE : 0);
  // One that fails orders nothing (Documentation/atomic_t.txt, "ORDERING").
  if (done)
    sim_race_rmw(at, SIM_RACE_FULL);
  else
    sim_race_marked_load(at, SIM_RACE_RELAXED);
  return was;
}

void sim_hooked_barrier(struct sim_site *site, bool acquire, bool release) {
  sim_point(site, NULL, acquire && release ? SIM_COST_ACCESS : SIM_COST_MARKED);
  if (sim_weak && !release) sim_weak_rmb();
  if (sim_weak && !acquire) sim_weak_wmb();
  sim_hb_fence(acquire, release);
}

// ---- The compilers' calls ----

#define FROM __builtin_return_address(0)

// What a hook does where hooks are active, and where the detector looks: functions of their own,
// so that a hook that has nothing to do saves no register for them.
#define ACTIVE(name, size, how)                                               \
  SIM_NOINLINE static void told_##name(size_t offset, u32 canon) {            \
    tell(sim_this_cpu, offset, size, how, canon);                             \
  }                                                                           \
  SIM_NOINLINE static void active_##name(size_t offset, const void *from) {   \
    u32 canon = site_of(from);                                                \
    if (access_counted(offset, size, how, canon)) told_##name(offset, canon); \
  }
#define ACTIVES(size)                         \
  ACTIVE(read##size, size, 0)                 \
  ACTIVE(write##size, size, WRITE)            \
  ACTIVE(volatile_read##size, size, VOLATILE) \
  ACTIVE(volatile_write##size, size, WRITE | VOLATILE)
#define ACCESS(name, active)                                                  \
  void name(void *p);                                                         \
  void name(void *p) {                                                        \
    size_t offset = (size_t)((uintptr_t)p - hook.arena);                      \
    if (sim_unlikely(offset < SIM_ARENA_SIZE)) active_##active(offset, FROM); \
  }
#define VOLATILE SIM_RACE_MARKED
#define WRITE SIM_RACE_WRITE
#define ACCESSES(size)                                                \
  ACTIVES(size)                                                       \
  ACCESS(__tsan_read##size, read##size)                               \
  ACCESS(__tsan_write##size, write##size)                             \
  ACCESS(__tsan_read_write##size, write##size)                        \
  ACCESS(__tsan_unaligned_read##size, read##size)                     \
  ACCESS(__tsan_unaligned_write##size, write##size)                   \
  ACCESS(__tsan_unaligned_read_write##size, write##size)              \
  ACCESS(__tsan_volatile_read##size, volatile_read##size)             \
  ACCESS(__tsan_volatile_write##size, volatile_write##size)           \
  ACCESS(__tsan_unaligned_volatile_read##size, volatile_read##size)   \
  ACCESS(__tsan_unaligned_volatile_write##size, volatile_write##size) \
  ACCESS(__sanitizer_cov_load##size, read##size)                      \
  ACCESS(__sanitizer_cov_store##size, write##size)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

// A struct that is assigned as a whole.
void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size) {
  if (size) access(p, size, 0, FROM);
}
void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size) {
  if (size) access(p, size, SIM_RACE_WRITE, FROM);
}

// The compilers emit them, and nothing is to be done.
void __tsan_init(void);
void __tsan_init(void) {}

// Calls of functions, for the stacks of reports.
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller) {
  (void)caller;
  if (sim_race) sim_race_call(site_of(FROM));
}
void __tsan_func_exit(void);
void __tsan_func_exit(void) {
  if (sim_race) sim_race_return();
}

// ---- memcpy and the like, under the names that sim/hook_twin.sh gives them ----

enum { PIECE = 16 };

static inline size_t piece(size_t left) { return left < PIECE ? left : PIECE; }

void *sim_hooked_memcpy(void *to, const void *from, size_t size);
void *sim_hooked_memmove(void *to, const void *from, size_t size);
void *sim_hooked_memset(void *to, int c, size_t size);

void *sim_hooked_memcpy(void *to, const void *from, size_t size) {
  for (size_t at = 0; at < size; at += PIECE) {
    size_t n = piece(size - at);
    access((const char *)from + at, n, 0, FROM);
    access((char *)to + at, n, SIM_RACE_WRITE, FROM);
    memcpy((char *)to + at, (const char *)from + at, n);
  }
  return to;
}

void *sim_hooked_memmove(void *to, const void *from, size_t size) {
  // Backwards where the pieces would overwrite what is still to be read.
  bool back = (uintptr_t)to - (uintptr_t)from < size;
  for (size_t done = 0; done < size; done += PIECE) {
    size_t n = piece(size - done), at = back ? size - done - n : done;
    access((const char *)from + at, n, 0, FROM);
    access((char *)to + at, n, SIM_RACE_WRITE, FROM);
    memmove((char *)to + at, (const char *)from + at, n);
  }
  return to;
}

void *sim_hooked_memset(void *to, int c, size_t size) {
  for (size_t at = 0; at < size; at += PIECE) {
    size_t n = piece(size - at);
    access((char *)to + at, n, SIM_RACE_WRITE, FROM);
    memset((char *)to + at, c, n);
  }
  return to;
}

// ---- Atomics: __atomic builtins of the hooked code ----

// Orders as the compilers number them: relaxed, consume, acquire, release, both, all.
static u32 order_of(int order, bool load, bool store) {
  if (order == 5) return SIM_RACE_FULL;
  bool ordered =
      (load && (order == 1 || order == 2 || order == 4)) || (store && (order == 3 || order == 4));
  return ordered ? SIM_RACE_ORDERED : SIM_RACE_RELAXED;
}

static void loaded(const volatile void *p, int order) {
  if (sim_race) sim_race_marked_load((const void *)p, order_of(order, true, false));
}
static void stored(const volatile void *p, int order) {
  if (sim_race) sim_race_marked_store((const void *)p, order_of(order, false, true));
}
static void updated(const volatile void *p, int order) {
  if (sim_race) sim_race_rmw((const void *)p, order_of(order, true, true));
}

#define POINT(p, how) access((const void *)(p), sizeof(*(p)), (how) | SIM_RACE_MARKED, FROM)

#define ATOMIC_UPDATE(bits, type, name, expression)                        \
  type __tsan_atomic##bits##_##name(volatile type *p, type v, int order);  \
  type __tsan_atomic##bits##_##name(volatile type *p, type v, int order) { \
    POINT(p, SIM_RACE_WRITE);                                              \
    type old = *p;                                                         \
    *p = (type)(expression);                                               \
    updated(p, order);                                                     \
    return old;                                                            \
  }
#define ATOMIC_COMPARE(bits, type, name)                                                           \
  int __tsan_atomic##bits##_##name(volatile type *p, type *c, type v, int order, int fail_order);  \
  int __tsan_atomic##bits##_##name(volatile type *p, type *c, type v, int order, int fail_order) { \
    POINT(p, SIM_RACE_WRITE);                                                                      \
    if (*p != *c) {                                                                                \
      *c = *p;                                                                                     \
      loaded(p, fail_order);                                                                       \
      return 0;                                                                                    \
    }                                                                                              \
    *p = v;                                                                                        \
    updated(p, order);                                                                             \
    return 1;                                                                                      \
  }
#define ATOMIC(bits, type)                                                                     \
  type __tsan_atomic##bits##_load(const volatile type *p, int order);                          \
  type __tsan_atomic##bits##_load(const volatile type *p, int order) {                         \
    POINT(p, 0);                                                                               \
    type v = *p;                                                                               \
    loaded(p, order);                                                                          \
    return v;                                                                                  \
  }                                                                                            \
  void __tsan_atomic##bits##_store(volatile type *p, type v, int order);                       \
  void __tsan_atomic##bits##_store(volatile type *p, type v, int order) {                      \
    POINT(p, SIM_RACE_WRITE);                                                                  \
    *p = v;                                                                                    \
    stored(p, order);                                                                          \
  }                                                                                            \
  ATOMIC_UPDATE(bits, type, exchange, v)                                                       \
  ATOMIC_UPDATE(bits, type, fetch_add, old + v)                                                \
  ATOMIC_UPDATE(bits, type, fetch_sub, old - v)                                                \
  ATOMIC_UPDATE(bits, type, fetch_and, old &v)                                                 \
  ATOMIC_UPDATE(bits, type, fetch_or, old | v)                                                 \
  ATOMIC_UPDATE(bits, type, fetch_xor, old ^ v)                                                \
  ATOMIC_UPDATE(bits, type, fetch_nand, ~(old & v))                                            \
  ATOMIC_COMPARE(bits, type, compare_exchange_strong)                                          \
  ATOMIC_COMPARE(bits, type, compare_exchange_weak)                                            \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type c, type v, int order, \
                                                  int fail_order);                             \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type c, type v, int order, \
                                                  int fail_order) {                            \
    POINT(p, SIM_RACE_WRITE);                                                                  \
    type old = *p;                                                                             \
    if (old != c) {                                                                            \
      loaded(p, fail_order);                                                                   \
      return old;                                                                              \
    }                                                                                          \
    *p = v;                                                                                    \
    updated(p, order);                                                                         \
    return old;                                                                                \
  }
ATOMIC(8, u8)
ATOMIC(16, u16)
ATOMIC(32, u32)
ATOMIC(64, u64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
  sim_hb_fence(order != 0 && order != 3, order != 0 && order <= 5 && order != 1 && order != 2);
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }

// ---- By name ----

void (*sim_hook_named(const char *name))(void) {
  typedef void (*function)(void);
#define NAMED(name_) \
  { #name_, (function)name_ }
#define NAMED_ACCESS(size)                                                             \
  NAMED(__tsan_read##size), NAMED(__tsan_write##size), NAMED(__tsan_read_write##size), \
      NAMED(__tsan_unaligned_read##size), NAMED(__tsan_unaligned_write##size),         \
      NAMED(__tsan_unaligned_read_write##size), NAMED(__tsan_volatile_read##size),     \
      NAMED(__tsan_volatile_write##size), NAMED(__tsan_unaligned_volatile_read##size), \
      NAMED(__tsan_unaligned_volatile_write##size)
#define NAMED_ATOMIC(bits)                                                            \
  NAMED(__tsan_atomic##bits##_load), NAMED(__tsan_atomic##bits##_store),              \
      NAMED(__tsan_atomic##bits##_exchange), NAMED(__tsan_atomic##bits##_fetch_add),  \
      NAMED(__tsan_atomic##bits##_fetch_sub), NAMED(__tsan_atomic##bits##_fetch_and), \
      NAMED(__tsan_atomic##bits##_fetch_or), NAMED(__tsan_atomic##bits##_fetch_xor),  \
      NAMED(__tsan_atomic##bits##_fetch_nand),                                        \
      NAMED(__tsan_atomic##bits##_compare_exchange_strong),                           \
      NAMED(__tsan_atomic##bits##_compare_exchange_weak),                             \
      NAMED(__tsan_atomic##bits##_compare_exchange_val)
  static const struct {
    const char *name;
    function fn;
  } named[] = {
      NAMED_ACCESS(1),
      NAMED_ACCESS(2),
      NAMED_ACCESS(4),
      NAMED_ACCESS(8),
      NAMED_ACCESS(16),
      NAMED(__tsan_read_range),
      NAMED(__tsan_write_range),
      NAMED(__tsan_init),
      NAMED(__tsan_func_entry),
      NAMED(__tsan_func_exit),
      NAMED(sim_hooked_memcpy),
      NAMED(sim_hooked_memmove),
      NAMED(sim_hooked_memset),
      NAMED_ATOMIC(8),
      NAMED_ATOMIC(16),
      NAMED_ATOMIC(32),
      NAMED_ATOMIC(64),
      NAMED(__tsan_atomic_thread_fence),
      NAMED(__tsan_atomic_signal_fence),
  };
  for (u32 i = 0; i < SIM_ARRAY_SIZE(named); i++)
    if (!strcmp(named[i].name, name)) return named[i].fn;
  return NULL;
}
