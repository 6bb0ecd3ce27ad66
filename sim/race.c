// SPDX-License-Identifier: GPL-2.0-or-later
//
// The detector of data races: vector clocks (Mattern 1989), a shadow of four accesses for
// each 8-byte word (as ThreadSanitizer has it), each with the bytes that it touched. See
// sim/race.h. Sections: clocks; objects; orders; marked accesses; calls; accesses and reports.
#include "sim/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/module.h"
#include "sim/prim.h"
#include "sim/race_near.h"

// ---- Clocks ----

// Threads by number: CPUs' idle tasks, then tasks by slot. A clock is as long as the run has
// threads, rounded up.
enum { STRIDE = 16, THREADS = (SIM_SLOTS + STRIDE - 1) / STRIDE * STRIDE };

// Four threads at a time. Signed, for that is what processors compare so.
typedef s32 lane __attribute__((vector_size(16)));
enum { LANES = STRIDE / 4 };
union clock {
  s32 of[THREADS];  // what is known of each thread; of the first sim_race.num
  lane lane[THREADS / 4];
};

// What was released into something: a lock, a variable, a task to be woken.
enum { OBJECTS = 16384 };
struct object {
  const void *name;
  s32 run;     // the clock that its run began with
  bool empty;  // a store without order has overwritten what was released
  union clock clock;
};

struct thread {
  union clock clock;
  union clock fenced;   // at its last release fence: goes with marked stores
  union clock pending;  // seen by marked loads: an acquire fence takes it
  bool has_fenced, has_pending;
  s32 born;  // its own clock when this task of the slot began
  s32 run;
};

enum { CELLS = SIM_ARENA_SIZE / 8 };

// The tree of calls, by parent and function. Lives as long as the process; no digest knows.
enum { CALLS = 8192, CALLS_MAX = CALLS / 2 };
struct call {
  u16 parent;
  u16 site;  // 0: free
};

struct sim_race {
  struct sim_world *w;
  struct sim_race_cell *cell;
  s32 base;  // clock that the run began with; lower ones are of earlier runs
  s32 top;   // highest clock so far
  u32 num;   // threads that have a number in this run, rounded up
  u32 num_cpus;
  u32 num_objects;
  u32 num_calls;
  struct thread thread[THREADS];
  union clock cpu[SIM_CPUS_MAX];
  struct object object[OBJECTS];
  struct call call[CALLS];
};

struct sim_race *sim_race;
struct sim_race_near sim_race_near;

static u32 number_of(const struct sim_race *r, const struct sim_task *task) {
  return task->slot < SIM_TASKS_MAX ? r->num_cpus + task->slot : task->slot - (u32)SIM_TASKS_MAX;
}

static inline u32 slot_of(const struct sim_race *r, u32 t) {
  return t < r->num_cpus ? SIM_TASKS_MAX + t : t - r->num_cpus;
}

// Nothing is known of any thread. What lies above the first `num` is of earlier runs, and so
// as good as nothing when more threads come.
static void forget(const struct sim_race *r, union clock *clock) {
  for (u32 i = 0; i < r->num; i++) clock->of[i] = r->base - 1;
}

static inline void set_own(struct sim_race *r, u32 t, s32 now) {
  r->thread[t].clock.of[t] = now;
  if (now > r->top) r->top = now;
  sim_race_near.self[slot_of(r, t)] = (u64)now | (u64)t << 32;
}

// A thread that nobody has told anything.
static void thread_begin(struct sim_race *r, u32 t) {
  struct thread *thread = &r->thread[t];
  if (t >= r->num) r->num = (t / STRIDE + 1) * STRIDE;
  forget(r, &thread->clock);
  thread->has_fenced = thread->has_pending = false;
  thread->born = thread->run = r->base;
  set_own(r, t, r->base);
}

static struct thread *thread_of(struct sim_race *r, const struct sim_task *task) {
  u32 t = number_of(r, task);
  if (sim_unlikely(r->thread[t].run != r->base)) thread_begin(r, t);
  return &r->thread[t];
}

static inline struct thread *current_thread(struct sim_race *r) {
  return thread_of(r, sim_this_cpu->cur);
}

static inline void join(const struct sim_race *r, union clock *to, const union clock *from) {
  for (u32 i = 0; i < r->num / 4; i += LANES)
    for (u32 j = i; j < i + LANES; j++) {
      lane a = to->lane[j], b = from->lane[j], newer = b > a;
      to->lane[j] = (b & newer) | (a & ~newer);
    }
}

static inline void copy(const struct sim_race *r, union clock *to, const union clock *from) {
  for (u32 i = 0; i < r->num / 4; i += LANES)
    for (u32 j = i; j < i + LANES; j++) to->lane[j] = from->lane[j];
}

// What the thread does from now on is not part of what it has released.
static inline void tick(struct sim_race *r, const struct thread *thread) {
  u32 t = (u32)(thread - r->thread);
  set_own(r, t, thread->clock.of[t] + 1);
}

static struct sim_race *race_new(void) {
  struct sim_race *r = aligned_alloc(64, (sizeof(*r) + 63) & ~63ul);
  SIM_ASSERT(r);
  memset(r, 0, sizeof(*r));
  r->cell = mmap(NULL, CELLS * sizeof(struct sim_race_cell), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  SIM_ASSERT(r->cell != MAP_FAILED);
  return r;
}

void sim_race_free(struct sim_race *race) {
  if (!race) return;
  munmap(race->cell, CELLS * sizeof(struct sim_race_cell));
  free(race);
}

void sim_race_set_clock(struct sim_race *race, u32 clock) { race->top = (s32)clock; }

void sim_race_begin(struct sim_world *w) {
  if (!w->race) w->race = race_new();
  struct sim_race *r = w->race;
  if (r->top >= SIM_RACE_CLOCK_LAST) {
    // Clocks begin anew: what is in the shadow would be of the future.
    madvise(r->cell, CELLS * sizeof(struct sim_race_cell), MADV_DONTNEED);
    memset(r->thread, 0, sizeof(r->thread));
    memset(r->cpu, 0, sizeof(r->cpu));
    memset(r->object, 0, sizeof(r->object));
    r->top = 0;
  }
  // Above all that the run before had, with room for "nothing" below.
  r->top += 2;
  r->base = r->top;
  r->w = w;
  r->num_cpus = w->st->num_cpus;
  r->num = STRIDE;
  r->num_objects = 0;
  memset(sim_race_near.self, 0, sizeof(sim_race_near.self));
  for (u32 i = 0; i < r->num_cpus; i++) {
    thread_begin(r, i);
    forget(r, &r->cpu[i]);
  }
  sim_race_near.cell = r->cell;
  sim_race = r;
}

void sim_race_end(void) {
  sim_race = NULL;
  sim_race_near.cell = NULL;
}

// ---- Objects ----

static struct object *probe(struct sim_race *r, const void *name) {
  u32 at = (u32)(((uintptr_t)name * 0x9e3779b97f4a7c15ull) >> 40);
  for (;; at++) {
    struct object *o = &r->object[at % OBJECTS];
    // What is left of an earlier run is free.
    if (o->run != r->base || o->name == name) return o;
  }
}

static struct object *find_object(struct sim_race *r, const void *name) {
  struct object *o = probe(r, name);
  return o->run == r->base && !o->empty ? o : NULL;
}

SIM_COLD static void too_many_objects(void) {
  static const struct sim_oracle oracle = {
      "race-objects", SIM_OURS, "a run orders by a bounded number of objects", "sim/race.c"};
  sim_fail(&oracle, "", "more than %d objects order threads", OBJECTS * 3 / 4);
}

// The object, made if it is not there: then it is empty.
static struct object *get_object(struct sim_race *r, const void *name) {
  struct object *o = probe(r, name);
  if (o->run == r->base) return o;
  if (r->num_objects == OBJECTS * 3 / 4) too_many_objects();
  r->num_objects++;
  o->name = name;
  o->run = r->base;
  o->empty = true;
  return o;
}

// ---- Orders ----

static void release_into(struct sim_race *r, struct object *o, const union clock *clock) {
  if (o->empty)
    copy(r, &o->clock, clock);
  else
    join(r, &o->clock, clock);
  o->empty = false;
}

void sim_race_acquire(const void *object) {
  struct sim_race *r = sim_race;
  const struct object *o = find_object(r, object);
  if (o) join(r, &current_thread(r)->clock, &o->clock);
}

void sim_race_release(const void *object) {
  struct sim_race *r = sim_race;
  struct thread *self = current_thread(r);
  release_into(r, get_object(r, object), &self->clock);
  tick(r, self);
}

void sim_race_task_new(const struct sim_task *task) {
  struct sim_race *r = sim_race;
  struct thread *self = current_thread(r);
  u32 t = number_of(r, task);
  struct thread *thread = &r->thread[t];
  bool reused = thread->run == r->base;
  s32 was = thread->clock.of[t];
  thread_begin(r, t);
  copy(r, &thread->clock, &self->clock);
  thread->born = reused ? was + 1 : r->base;
  set_own(r, t, thread->born);
  tick(r, self);
}

void sim_race_cpu_acquire(const struct sim_cpu *cpu, const struct sim_task *task) {
  struct sim_race *r = sim_race;
  join(r, &thread_of(r, task)->clock, &r->cpu[cpu->id]);
}

void sim_race_cpu_release(const struct sim_cpu *cpu, const struct sim_task *task) {
  struct sim_race *r = sim_race;
  struct thread *thread = thread_of(r, task);
  join(r, &r->cpu[cpu->id], &thread->clock);
  tick(r, thread);
}

void sim_race_switched_in(const struct sim_cpu *cpu, const struct sim_task *task) {
  if (task->percpu_thread) sim_race_cpu_acquire(cpu, task);
}

void sim_race_switched_out(const struct sim_cpu *cpu, const struct sim_task *task) {
  if (task->percpu_thread) sim_race_cpu_release(cpu, task);
}

// Whoever begins to read from now on, on any CPU, is behind this.
static const char gp_begun;

void sim_race_gp_begin(void) {
  struct sim_race *r = sim_race;
  sim_race_acquire(&gp_begun);
  struct thread *self = current_thread(r);
  for (u32 i = 0; i < r->num_cpus; i++) join(r, &r->cpu[i], &self->clock);
  sim_race_release(&gp_begun);
}

void sim_race_gp_end(const void *rcu) {
  struct sim_race *r = sim_race;
  struct object *o = get_object(r, rcu);
  for (u32 i = 0; i < r->num_cpus; i++) release_into(r, o, &r->cpu[i]);
}

void sim_race_reader(void) { sim_race_acquire(&gp_begun); }

// ---- Marked accesses ----

void sim_race_fence(bool acquire, bool release) {
  struct sim_race *r = sim_race;
  struct thread *self = current_thread(r);
  if (acquire && self->has_pending) {
    join(r, &self->clock, &self->pending);
    self->has_pending = false;
  }
  if (!release) return;
  copy(r, &self->fenced, &self->clock);
  self->has_fenced = true;
  tick(r, self);
}

void sim_race_marked_load(const void *at, u32 order) {
  struct sim_race *r = sim_race;
  struct thread *self = current_thread(r);
  const struct object *o = find_object(r, at);
  if (!o) return;
  if (order != SIM_RACE_RELAXED) {
    join(r, &self->clock, &o->clock);
  } else if (self->has_pending) {
    join(r, &self->pending, &o->clock);
  } else {
    copy(r, &self->pending, &o->clock);
    self->has_pending = true;
  }
}

void sim_race_marked_store(const void *at, u32 order) {
  struct sim_race *r = sim_race;
  struct thread *self = current_thread(r);
  if (order == SIM_RACE_RELAXED && !self->has_fenced) {
    struct object *o = find_object(r, at);
    if (o) o->empty = true;
    return;
  }
  // Whoever loads this value, and not one before it, is behind its store.
  struct object *o = get_object(r, at);
  copy(r, &o->clock, order == SIM_RACE_RELAXED ? &self->fenced : &self->clock);
  o->empty = false;
  if (order != SIM_RACE_RELAXED) tick(r, self);
}

void sim_race_rmw(const void *at, u32 order) {
  struct sim_race *r = sim_race;
  struct thread *self = current_thread(r);
  if (order == SIM_RACE_FULL) sim_race_fence(true, false);
  sim_race_marked_load(at, order);
  // What others have released into it is still there.
  if (order != SIM_RACE_RELAXED) {
    release_into(r, get_object(r, at), &self->clock);
    tick(r, self);
  } else if (self->has_fenced) {
    release_into(r, get_object(r, at), &self->fenced);
  }
  if (order == SIM_RACE_FULL) sim_race_fence(false, true);
}

// ---- Calls ----

void sim_race_call(u32 site) {
  struct sim_race *r = sim_race;
  struct sim_task *task = sim_this_cpu->cur;
  u32 parent = task->hook_call;
  u32 at = (parent * 0x9e3779b1u ^ site * 0x85ebca6bu) >> 8;
  for (;; at++) {
    at %= CALLS;
    // 0 is the root, and no node.
    if (at == 0) continue;
    struct call *c = &r->call[at];
    if (c->site == site && c->parent == parent) break;
    if (c->site) continue;
    if (r->num_calls == CALLS_MAX) {
      task->hook_call = 0;  // what was called from where is not known any more
      return;
    }
    r->num_calls++;
    *c = (struct call){.parent = (u16)parent, .site = (u16)site};
    break;
  }
  task->hook_call = (u16)at;
}

void sim_race_return(void) {
  struct sim_task *task = sim_this_cpu->cur;
  task->hook_call = sim_race->call[task->hook_call].parent;
}

// ---- Accesses and reports ----

static inline s32 access_clock(u64 access) { return (s32)access; }
static inline u32 access_thread(u64 access) { return (u32)(access >> 32) & 127; }
static inline u32 access_bytes(u64 access) { return (u32)(access >> SIM_RACE_BYTES_SHIFT) & 255; }

static const char *base_function(const struct sim_site *site, char out[SIM_SITE_LABEL_LEN]) {
  snprintf(out, SIM_SITE_LABEL_LEN, "%s", site->func);
  out[strcspn(out, ".")] = 0;  // a part or a copy that the compiler made
  return out;
}

// "plain load.3 of 4 bytes in f < g, by reader#0 in a softirq on CPU 1"
static void describe(const struct sim_race *r, u64 access, u32 where, char *out, size_t len) {
  static const char *const level_name[] = {"", " in a softirq", " in a hardirq", " in an NMI"};
  const struct sim_site *site = sim_site_at(where & 0xffff);
  u32 t = access_thread(access), level = (u32)(access >> SIM_RACE_LEVEL_SHIFT) & 3;
  const char *who = "a task that has ended";
  if (t < r->num_cpus) {
    who = sim_task_label(&r->w->st->cpus[t]->idle_task);
  } else {
    const struct sim_task *task = r->w->st->tasks[t - r->num_cpus];
    if (task && access_clock(access) >= r->thread[t].born) who = sim_task_label(task);
  }
  int at = snprintf(out, len, "%s %s of %d byte%s in %s",
                    access & SIM_RACE_ACCESS_MARKED ? "marked" : "plain", site->prim,
                    __builtin_popcount(access_bytes(access)),
                    access_bytes(access) & (access_bytes(access) - 1) ? "s" : "", site->func);
  // The function itself is on top of the stack, unless the compiler has put it into another.
  bool own = true;
  for (u32 call = where >> 16; call && (size_t)at < len; call = r->call[call].parent) {
    const char *func = sim_site_at(r->call[call].site)->func;
    if (!own || strcmp(func, site->func) != 0)
      at += snprintf(out + at, len - (size_t)at, " < %s", func);
    own = false;
  }
  if ((size_t)at < len)
    snprintf(out + at, len - (size_t)at, ", by %s%s on CPU %u", who, level_name[level],
             (u32)(access >> SIM_RACE_CPU_SHIFT) & 7);
}

// Of a module's variable the key is its name, else those of the two functions.
SIM_COLD static void report(const struct sim_race *r, size_t offset, u64 first, u32 first_where,
                            u64 second, u32 second_where) {
  const struct sim_module *module = r->w->module;
  char one[SIM_SITE_LABEL_LEN], two[SIM_SITE_LABEL_LEN], stable[2 * SIM_SITE_LABEL_LEN];
  char first_text[SIM_TEXT_LEN / 2], second_text[SIM_TEXT_LEN / 2];
  base_function(sim_site_at(first_where & 0xffff), one);
  base_function(sim_site_at(second_where & 0xffff), two);
  bool in_order = strcmp(one, two) <= 0;
  snprintf(stable, sizeof(stable), "%s %s", in_order ? one : two, in_order ? two : one);
  describe(r, first, first_where, first_text, sizeof(first_text));
  describe(r, second, second_where, second_text, sizeof(second_text));
  if (module && module->variable && module->variable(module, offset, stable, sizeof(stable)))
    sim_report(&sim_oracle_data_race, stable, "%s: %s; and %s", stable, first_text, second_text);
  else
    sim_report(&sim_oracle_data_race, stable, "%s; and %s", first_text, second_text);
}

// One access to bytes of one word, that is not remembered. All accesses that it is concurrent
// with are looked at; those that it is behind and at least as strong as need not be remembered
// any longer.
static void word_access(struct sim_race *r, struct sim_race_cell *cell, const struct thread *self,
                        u64 access, u32 where) {
  u32 t = access_thread(access), bytes = access_bytes(access);
  u32 put = SIM_RACE_CELL_ACCESSES, empty = SIM_RACE_CELL_ACCESSES;
  // The first place is taken first, and never empty again: so this is the word's first access.
  if (access_clock(cell->access[0]) < r->base) {
    cell->access[0] = access;
    cell->where[0] = where;
    return;
  }
  for (u32 i = 0; i < SIM_RACE_CELL_ACCESSES; i++) {
    u64 old = cell->access[i];
    if (access_clock(old) < r->base) {
      if (empty == SIM_RACE_CELL_ACCESSES) empty = i;
      continue;
    }
    if (!(access_bytes(old) & bytes)) continue;
    u32 u = access_thread(old);
    if (u != t && access_clock(old) > self->clock.of[u]) {
      if (((old | access) & SIM_RACE_ACCESS_WRITE) && !(old & access & SIM_RACE_ACCESS_MARKED))
        report(r, (size_t)(cell - r->cell) * 8 + (u32)__builtin_ctz(access_bytes(old) & bytes), old,
               cell->where[i], access, where);
      continue;
    }
    if ((access_bytes(old) & ~bytes) || (old & ~access & SIM_RACE_ACCESS_WRITE) ||
        (access & ~old & SIM_RACE_ACCESS_MARKED))
      continue;
    if (put == SIM_RACE_CELL_ACCESSES)
      put = i;
    else
      cell->access[i] = 0;
  }
  if (put == SIM_RACE_CELL_ACCESSES) put = empty;
  // No place: one of the others is forgotten, the same in every run of this seed.
  if (put == SIM_RACE_CELL_ACCESSES)
    put = ((u32)(self->clock.of[t] - r->base) + t) % SIM_RACE_CELL_ACCESSES;
  cell->access[put] = access;
  cell->where[put] = where;
}

void sim_race_access(size_t offset, size_t size, u32 how, u32 site) {
  struct sim_race *r = sim_race;
  const struct sim_cpu *cpu = sim_this_cpu;
  const struct thread *self = current_thread(r);
  u32 where = site | (u32)cpu->cur->hook_call << 16;
  u64 access = sim_race_access_of(cpu, sim_race_near.self[cpu->cur->slot], how);
  struct sim_race_cell *cell = &r->cell[offset / 8];
  u32 from = offset % 8;
  do {
    u32 n = size < 8 - from ? (u32)size : 8 - from;
    u64 this = access | (u64)(((1u << n) - 1) << from) << SIM_RACE_BYTES_SHIFT;
    // Most accesses are made again and again.
    if (!sim_race_remembers(cell, this, where)) word_access(r, cell, self, this, where);
    size -= n;
    from = 0;
    cell++;
  } while (size);
}
